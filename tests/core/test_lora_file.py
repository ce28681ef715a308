"""LoRA files by their headers: what they change, whether they fit, what they are refused for; no weight is read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.family import ModelSource
from app.core.hardware import DeviceSheet, Hardware
from app.core.lora_file import fit_loras, with_loras
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.parts import ComponentInfo
from app.core.plan import Plan
from app.core.planner import make_plan
from app.core.request import GenerationRequest, Limits, Lora
from app.core.text import Text
from app.families import all_families

Shapes = Mapping[str, tuple[int, ...]]
FAMILIES = all_families()
QUERY = "down_blocks.1.attentions.0.transformer_blocks.0.attn1.to_q"
WORD = "encoder.layers.0.self_attn.q_proj"
BASES = {
    "sdxl": {
        "unet": {f"{QUERY}.weight": (640, 640)},
        "text_encoder": {f"text_model.{WORD}.weight": (768, 768)},
    },
    "flux": {"transformer": {"single_transformer_blocks.0.attn.to_q.weight": (3072, 3072)}},
    "cogvideox": {"transformer": {"transformer_blocks.0.attn1.to_q.weight": (1920, 1920)}},
    "wan": {"transformer": {"blocks.0.attn1.to_q.weight": (1536, 1536)}},
}


def write(path: Path, shapes: Shapes, metadata: Mapping[str, str] | None = None) -> Path:
    """A safetensors file of zeros."""
    header, at = {}, 0
    for name, shape in shapes.items():
        size = 4
        for side in shape:
            size *= side
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header | ({"__metadata__": dict(metadata)} if metadata else {})).encode()
    path.write_bytes(len(text).to_bytes(8, "little") + text + bytes(at))
    return path


def pair(
    layer: str, out: int, width: int, rank: int = 4, names: tuple[str, str] = ("lora_A", "lora_B")
) -> Shapes:
    return {f"{layer}.{names[0]}.weight": (rank, width), f"{layer}.{names[1]}.weight": (out, rank)}


def kohya(layer: str, out: int, width: int) -> Shapes:
    return pair(layer, out, width, names=("lora_down", "lora_up")) | {f"{layer}.alpha": ()}


@pytest.fixture
def model(tmp_path: Path):
    def make(kind: str) -> ModelInfo:
        shapes = BASES[kind]
        parts = tuple(
            ComponentInfo(
                name=name, role="denoiser" if len(shapes) == 1 or name == "unet" else "text_encoder", class_name="",
                label=Text(name), numbers=1000, largest_leaf=100,
                files=(write(tmp_path / f"{kind}-{name}.safetensors", tensors),),
            )
            for name, tensors in shapes.items()
        )  # fmt: skip
        source = ModelSource(path=tmp_path)
        return ModelInfo(
            path=tmp_path, name=f"my {kind}", family=kind, source=source, components=parts, limits=Limits(), configs={}
        )  # fmt: skip

    return make


def refused(info: ModelInfo, file: Path) -> AppError:
    with pytest.raises(AppError) as raised:
        fit_loras([Lora(str(file))], info, FAMILIES)
    return raised.value


def test_what_a_file_changes_is_counted(model, tmp_path):
    shapes = {**pair(f"unet.{QUERY}", 640, 640, rank=8), **pair(f"text_encoder.text_model.{WORD}", 768, 768)}
    (fit,) = fit_loras([Lora(str(write(tmp_path / "a.safetensors", shapes)))], model("sdxl"), FAMILIES)
    assert fit.layers == {"unet": 1, "text_encoder": 1}
    assert fit.numbers == {"unet": 8 * 1280, "text_encoder": 4 * 1536}
    assert (fit.ranks, fit.style, fit.unknown, fit.note) == ((4, 8), "diffusers", (), None)


def test_c151_other_programs_names_are_known_and_the_rest_is_said(model, tmp_path):
    shapes = {
        **kohya(f"lora_unet_{QUERY.replace('.', '_')}", 640, 640),
        **kohya("lora_unet_input_blocks_4_1_transformer_blocks_0_attn1_to_q", 640, 640),
        **kohya(f"lora_te1_text_model_{WORD.replace('.', '_')}", 768, 768),
        **kohya("lora_te1_text_projection", 768, 768),
    }
    (fit,) = fit_loras([Lora(str(write(tmp_path / "k.safetensors", shapes)))], model("sdxl"), FAMILIES)
    assert (fit.layers, fit.style) == ({"unet": 2, "text_encoder": 1}, "kohya")
    assert fit.unknown == ("lora_te1_text_projection",)
    assert (
        str(fit.note)
        == "k.safetensors: 1 of its 4 layers are not used by this model: lora_te1_text_projection"
    )


@pytest.mark.parametrize(
    ("kind", "layer", "width"),
    [
        ("flux", "transformer.single_transformer_blocks.0.attn.to_q", 3072),
        ("flux", "lora_unet_single_blocks_0_linear1", 3072),
        ("cogvideox", "transformer.transformer_blocks.0.attn1.to_q", 1920),
        ("wan", "transformer.blocks.0.attn1.to_q", 1536),
        ("wan", "diffusion_model.blocks.0.self_attn.q", 1536),
        ("wan", "lora_unet_blocks_0_self_attn_q", 1536),
    ],
)
def test_every_family_knows_its_own(model, tmp_path, kind, layer, width):
    file = write(tmp_path / "l.safetensors", pair(layer, width, width))
    (fit,) = fit_loras([Lora(str(file))], model(kind), FAMILIES)
    assert fit.layers == {"transformer": 1}
    for other in BASES:
        if other != kind:
            error = refused(model(other), file)
            assert error.kind is ErrorKind.LORA_MISFIT
            assert str(error.problem.fact("made")).startswith(FAMILIES[kind].name)
            assert error.problem.fact("model") == f"my {other}"


def test_c150_the_wrong_base_is_named_on_both_sides(model, root):
    cases = root / "tests" / "data" / "cases"
    made = {"flux": "Flux.1", "wan": "Wan", "sd15-kohya": "Stable Diffusion 1 or 2"}
    for name, base in made.items():
        error = refused(model("sdxl"), cases / f"C150-{name}-lora.safetensors")
        words = str(sentence(error.problem))
        assert (
            f"It was made for {base}; the model is “my sdxl” (Stable Diffusion XL). 0 of its 1 layers fit."
            in words
        )
    empty = refused(model("sdxl"), cases / "C150-empty-lora.safetensors")
    assert (empty.kind, empty.problem.fact("reason")) == (ErrorKind.LORA_DAMAGED, "no_tensors")


def test_another_size_of_the_same_kind_is_refused(model, tmp_path):
    file = write(tmp_path / "large.safetensors", pair("transformer.blocks.0.attn1.to_q", 5120, 5120))
    assert "made for Wan 14B" in str(sentence(refused(model("wan"), file).problem))
    mixed = {**pair(f"unet.{QUERY}", 640, 640), **pair(f"text_encoder.{WORD}", 768, 1024)}
    error = refused(model("sdxl"), write(tmp_path / "mixed.safetensors", mixed))
    assert "1 of its 2 layers have another size" in str(sentence(error.problem))


def test_c152_other_kinds_are_called_by_their_names(model, root, tmp_path):
    error = refused(model("sdxl"), root / "tests" / "data" / "cases" / "C152-lokr-names.safetensors")
    assert "LyCORIS (LoKr)" in str(sentence(error.problem))
    dora = {**pair(f"unet.{QUERY}", 640, 640), f"unet.{QUERY}.lora_magnitude_vector": (640,)}
    assert refused(model("sdxl"), write(tmp_path / "d.safetensors", dora)).problem.fact("name") == "DoRA"


def test_a_pickle_or_nothing_at_all_is_refused(model, root, tmp_path):
    error = refused(model("sdxl"), root / "tests" / "data" / "cases" / "C132-marker.ckpt")
    assert (error.kind, error.problem.fact("reason")) == (ErrorKind.LORA_UNSUPPORTED, "pickle")
    assert refused(model("sdxl"), tmp_path / "none.safetensors").kind is ErrorKind.LORA_MISSING
    (tmp_path / "page.safetensors").write_text("<!doctype html><p>Not found")
    error = refused(model("sdxl"), tmp_path / "page.safetensors")
    assert (error.kind, error.problem.fact("reason")) == (ErrorKind.LORA_DAMAGED, "web_page")


def test_settings_for_all_layers_are_not_halved(model, tmp_path):
    """The library reads them from whole files only, so a file that is used in part would act too strongly."""
    shapes = {**pair(f"unet.{QUERY}", 640, 640), **pair("unet.nowhere", 640, 640)}
    file = write(tmp_path / "m.safetensors", shapes, {"lora_adapter_metadata": "{}"})
    assert refused(model("sdxl"), file).problem.fact("reason") == "mixed"


def test_a_factor_that_the_library_would_not_take_is_known(model, tmp_path):
    shapes = {**pair(f"unet.{QUERY}", 640, 640), f"unet.{QUERY}.alpha": ()}
    (fit,) = fit_loras([Lora(str(write(tmp_path / "f.safetensors", shapes)))], model("sdxl"), FAMILIES)
    assert fit.scaled == (f"unet.{QUERY}",)


def test_the_plan_counts_the_added_weights(model, tmp_path):
    info = model("sdxl")
    file = write(tmp_path / "a.safetensors", pair(f"unet.{QUERY}", 640, 640))
    fits = fit_loras([Lora(str(file)), Lora(str(file), 0.5)], info, FAMILIES)
    card = DeviceSheet(id="cuda:0", name="card", total=2**33, free=2**33, dtypes=("float16",))
    machine = Hardware(devices=(card,), ram_total=2**35, ram_free=2**34)
    request = GenerationRequest(model="m", prompt="a cat", width=64, height=64, steps=4, guidance=4.0, seed=1)
    plans = [
        make_plan(found, FAMILIES["sdxl"], request, MemorySettings(), machine)
        for found in (info, with_loras(info, fits))
    ]
    assert all(isinstance(plan, Plan) for plan in plans)
    assert plans[1].estimate.resident - plans[0].estimate.resident == 2 * fits[0].numbers["unet"] * 2
    assert plans[1].adapted_components == ("unet",)
