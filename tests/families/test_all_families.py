"""The contract that every family keeps: what it declares is complete, consistent, and known to the libraries."""

from __future__ import annotations

import re
import subprocess
import sys

import diffusers
import pytest
import transformers

from app.core.family import Component, Family
from app.core.model_file import read_json
from app.core.request import Limits
from app.core.text import Text
from app.families import all_families

FAMILIES = all_families()
ROLES = {"denoiser", "text_encoder", "image_encoder", "vae", "tokenizer", "processor", "scheduler"}


@pytest.fixture(params=FAMILIES, ids=str)
def family(request: pytest.FixtureRequest) -> Family:
    """Each family in turn."""
    return FAMILIES[request.param]


def test_there_are_families_and_ids_are_plain():
    assert FAMILIES
    assert all(re.fullmatch(r"[a-z0-9_-]+", name) and FAMILIES[name].id == name for name in FAMILIES)


def test_a_build_without_families_says_so(monkeypatch):
    monkeypatch.setattr("app.families.__path__", [])
    with pytest.raises(RuntimeError, match=r"app\.families"):
        all_families()


def test_families_are_found_without_torch():
    code = (
        "import sys; from app.families import all_families; all_families(); "
        "heavy = {'torch', 'diffusers', 'transformers', 'accelerate', 'safetensors', 'numpy'} & set(sys.modules); "
        "sys.exit(f'imports {heavy}' if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_each_pipeline_belongs_to_one_family_and_exists():
    names = [name for family in FAMILIES.values() for name in family.pipelines]
    assert len(names) == len(set(names))
    for name in names:
        assert hasattr(diffusers, name), f"diffusers has no {name}"


def test_each_component_has_classes_that_exist(family: Family):
    assert {part.name for part in family.components} == set(family.classes)
    for part in family.components:
        known = [
            name
            for name in family.classes[part.name]
            if hasattr(diffusers, name) or hasattr(transformers, name)
        ]
        assert known, f"no class of {part.name} exists"


def test_components_are_the_pipelines_own(family: Family):
    """A name that the pipeline does not know would never be used."""
    for name in family.pipelines:
        wanted = getattr(diffusers, name).__init__.__annotations__
        assert {part.name for part in family.components if part.required} <= set(wanted)


def test_components_are_declared_fully(family: Family):
    assert {part.role for part in family.components} <= ROLES
    assert {part.role for part in family.components} >= {"denoiser", "vae", "scheduler"}
    for part in family.components:
        assert isinstance(part, Component)
        assert isinstance(part.label, Text)
        assert part.label.source
        assert not (part.fp8 and not part.weights)
        for pattern in part.fp8_skip:
            re.compile(pattern)
        assert family.component(part.name) is part
    assert family.component("nothing") is None


def test_components_that_work_are_offloaded_in_the_order_of_work(family: Family):
    """Model offload evicts only its predecessor, so all networks must stand in the pipeline's order of use."""
    for name in family.pipelines:
        pipeline = getattr(diffusers, name)
        order, taken = pipeline.model_cpu_offload_seq.split("->"), set(pipeline.__init__.__annotations__)
        assert {part.name for part in family.components if part.weights} & taken <= set(order)
        assert order[-1] == "vae"


def test_limits_come_from_configurations_and_survive_bad_ones(family: Family):
    for configs in ({}, {part.name: {} for part in family.components}):
        limits = family.limits(configs)
        assert isinstance(limits, Limits)
        assert limits.factor > 0
        assert limits.width % limits.factor == 0
        assert limits.smallest <= limits.width <= limits.largest
    odd = {
        part.name: {"sample_size": "x", "block_out_channels": None, "model_max_length": 1e30}
        for part in family.components
    }
    assert family.limits(odd) == family.limits({})


def test_the_configurations_for_single_files_read(family: Family, root):
    if not family.signatures:
        pytest.skip("this family comes in folders only")
    for signature in family.signatures:
        folder = root / "resources" / (signature.config or family.single_file_config)
        index = read_json(folder / "model_index.json")
        assert index["_class_name"] in family.pipelines
        there = {part.name for part in family.components if index.get(part.name, [None, None])[1]}
        for part in family.components:
            lacks = bool(part.absent_if) and index.get(part.absent_if) is True
            assert part.name in there or lacks or not part.required
            if part.name in there:
                assert index[part.name][1] in family.classes[part.name]
                assert list((folder / part.name).glob("*.json"))
        assert set(signature.prefixes) == {
            part.name for part in family.components if part.weights and part.name in there
        }
        assert isinstance(family.limits({"model_index": index}), Limits)


def test_previews_map_to_three_colours(family: Family):
    assert all(len(row) == 3 for row in family.latent_rgb)
    assert len(family.latent_rgb) != 1
