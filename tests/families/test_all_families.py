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
ROLES = {"denoiser", "text_encoder", "vae", "tokenizer", "scheduler"}


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
        order = getattr(diffusers, name).model_cpu_offload_seq.split("->")
        assert {part.name for part in family.components if part.weights} <= set(order)
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


def test_the_configuration_for_single_files_reads(family: Family, root):
    if not family.signatures:
        pytest.skip("this family comes in folders only")
    folder = root / "resources" / family.single_file_config
    index = read_json(folder / "model_index.json")
    assert index["_class_name"] in family.pipelines
    for part in family.components:
        assert index[part.name][1] in family.classes[part.name]
    for signature in family.signatures:
        assert set(signature.prefixes) == {part.name for part in family.components if part.weights}


def test_previews_map_to_three_colours(family: Family):
    assert all(len(row) == 3 for row in family.latent_rgb)
    assert len(family.latent_rgb) != 1
