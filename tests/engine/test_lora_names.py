"""Every way in which a family says that files name layers: the library really loads it, and it is the layer meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import lora_files
import numpy as np
import pytest
import tiny_models
from lora_bench import LoraBench, lora_bench
from safetensors.torch import load_file, save_file

from app.core.request import Lora

BLOCK = "transformer_blocks.0.attn1.to_q"
WAN = {
    f"{theirs}.{short}": f"{ours}.{long}"
    for theirs, ours in (("self_attn", "attn1"), ("cross_attn", "attn2"))
    for short, long in (("q", "to_q"), ("k", "to_k"), ("v", "to_v"), ("o", "to_out.0"))
} | {"ffn.0": "ffn.net.0.proj", "ffn.2": "ffn.net.2"}
NAMES: dict[str, tuple[str, Mapping[str, str]]] = {
    "sdxl, first publication": (
        "sdxl",
        {
            f"lora_unet_input_blocks_3_1_{BLOCK}".replace(
                ".", "_"
            ): f"unet.down_blocks.1.attentions.0.{BLOCK}",
            f"lora_unet_middle_block_1_{BLOCK}".replace(".", "_"): f"unet.mid_block.attentions.0.{BLOCK}",
            "lora_unet_middle_block_1_proj_in": "unet.mid_block.attentions.0.proj_in",
            f"lora_unet_output_blocks_0_1_{BLOCK}".replace(
                ".", "_"
            ): f"unet.up_blocks.0.attentions.0.{BLOCK}",
        },
    ),
    "sdxl, kohya": (
        "sdxl",
        {
            lora_files.kohya(layer): layer
            for layer in (
                f"unet.up_blocks.0.attentions.0.{BLOCK}",
                "text_encoder.encoder.layers.0.self_attn.out_proj",
                "text_encoder_2.text_model.encoder.layers.1.self_attn.out_proj",
            )
        },
    ),
    "flux, kohya": (
        "flux",
        {
            "lora_unet_double_blocks_0_img_attn_proj": "transformer.transformer_blocks.0.attn.to_out.0",
            "lora_unet_double_blocks_1_txt_mlp_2": "transformer.transformer_blocks.1.ff_context.net.2",
            "lora_unet_double_blocks_2_img_mod_lin": "transformer.transformer_blocks.2.norm1.linear",
            "lora_unet_single_blocks_3_linear2": "transformer.single_transformer_blocks.3.proj_out",
            **{  # the library knows such names by the last of them only
                lora_files.kohya(layer): layer
                for layer in (
                    f"text_encoder.encoder.layers.0.self_attn.{n}_proj" for n in ("q", "k", "v", "out")
                )
            },
        },
    ),
    "wan, first publication": (
        "wan",
        {
            f"diffusion_model.blocks.{number}.{theirs}": f"transformer.blocks.{number}.{ours}"
            for number in range(2)
            for theirs, ours in WAN.items()
        },
    ),
    "wan, musubi": (
        "wan",
        {
            f"lora_unet_blocks_{number}_{theirs.replace('.', '_')}": f"transformer.blocks.{number}.{ours}"
            for number in range(2)
            for theirs, ours in WAN.items()
        },
    ),
}


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], LoraBench]]:
    made: dict[str, LoraBench] = {}
    open_ = []

    def of(kind: str) -> LoraBench:
        if kind not in made:
            context = lora_bench(tiny_models.save(kind, tmp_path_factory.mktemp(kind) / kind))
            made[kind] = context.__enter__()
            open_.append(context)
        return made[kind]

    yield of
    for context in open_:
        context.__exit__(None, None, None)


def sizes(bench: LoraBench, layers: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """The layers' (out, in), from the loaded components."""
    parts = bench.keeper._kept.parts
    found = {}
    for layer in layers.values():
        component, _, name = layer.partition(".")
        model = parts[component]
        inside = "text_model." if name.startswith("encoder.") and hasattr(model, "text_model") else ""
        module = model.get_submodule(f"{inside}{name}")
        found[layer] = (module.out_features, module.in_features)
    return found


@pytest.mark.parametrize("case", NAMES)
def test_other_names_mean_the_same_layers(
    benches: Callable[[str], LoraBench], tmp_path: Path, case: str
) -> None:
    kind, names = NAMES[case]
    bench = benches(kind)
    bare = bench.run()
    shapes = sizes(bench, names)
    own = lora_files.write(tmp_path / "own.safetensors", shapes)
    theirs = {ours: name for name, ours in names.items()}
    other = lora_files.write(
        tmp_path / "other.safetensors",
        shapes,
        name=theirs.__getitem__,
        halves=("lora_down", "lora_up"),
        alpha=2.0,
    )
    right = bench.run(Lora(str(own), 0.5))  # an alpha of 2 at rank 4
    made = bench.run(other)
    assert (right != bare).any()
    assert np.abs(made - right).max() < 1e-4


def test_a_factor_that_the_library_does_not_take_is_multiplied_in(
    benches: Callable[[str], LoraBench], tmp_path: Path
) -> None:
    bench = benches("wan")
    bench.run()
    shapes = sizes(bench, {"": "transformer.blocks.0.attn1.to_q"})
    own = lora_files.write(tmp_path / "own.safetensors", shapes, size=1.0)
    with_alpha = lora_files.write(tmp_path / "alpha.safetensors", shapes, size=1.0, alpha=2.0)
    assert np.abs(bench.run(with_alpha) - bench.run(Lora(str(own), 0.5))).max() < 1e-4


def test_fused_layers_are_taken_apart(benches: Callable[[str], LoraBench], tmp_path: Path) -> None:
    """Flux's first publication has query, key and value in one layer."""
    bench = benches("flux")
    bare = bench.run()
    size = sizes(bench, {"": "transformer.transformer_blocks.0.attn.to_q"})
    ((out, inside),) = size.values()
    fused = lora_files.write(
        tmp_path / "fused.safetensors",
        {"lora_unet_double_blocks_0_img_attn_qkv": (3 * out, inside)},
        halves=("lora_down", "lora_up"),
    )
    whole = load_file(fused)
    down, up = (
        whole[f"lora_unet_double_blocks_0_img_attn_qkv.lora_{side}.weight"] for side in ("down", "up")
    )
    apart = {}
    for number, name in enumerate(("to_q", "to_k", "to_v")):
        layer = f"transformer.transformer_blocks.0.attn.{name}"
        apart[f"{layer}.lora_A.weight"] = down.clone()
        apart[f"{layer}.lora_B.weight"] = up[number * out : (number + 1) * out].clone()
    save_file(apart, tmp_path / "apart.safetensors")
    made = bench.run(fused)
    assert (made != bare).any()
    assert np.abs(made - bench.run(tmp_path / "apart.safetensors")).max() < 1e-4
