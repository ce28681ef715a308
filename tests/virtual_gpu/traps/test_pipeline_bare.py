"""Traps of diffusers' pipelines, shown in bare diffusers: D4 D6 D7 D15 D17 D18 D25 D27."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import headroom_vgpu as vgpu
import pytest
import tiny_models
import torch
from accelerate.hooks import AlignDevicesHook, CpuOffload
from diffusers import (
    BitsAndBytesConfig,
    ControlNetModel,
    DiffusionPipeline,
    PipelineQuantizationConfig,
    StableDiffusionXLControlNetPipeline,
    StableDiffusionXLImg2ImgPipeline,
)
from upstream import still_happens

# accelerate, of a device that it does not know by name
pytestmark = pytest.mark.filterwarnings("ignore:Device .* is not available:UserWarning")
CARD = torch.device("vgpu", 0)


def sizes(pipe: Any) -> dict[str, int]:
    """Bytes of every component with weights."""
    parts = {name: part for name, part in pipe.components.items() if isinstance(part, torch.nn.Module)}
    return {name: sum(weight.nbytes for weight in part.parameters()) for name, part in parts.items()}


def accelerate_hooks(model: torch.nn.Module) -> set[type]:
    """The kinds of accelerate's hooks inside a model."""
    hooks = {type(part._hf_hook) for part in model.modules() if hasattr(part, "_hf_hook")}
    return hooks & {AlignDevicesHook, CpuOffload}


def mapped(folder: Path, limits: Mapping[int, int]) -> Any:
    """The pipeline of a folder, spread by ``balanced``."""
    pipe = DiffusionPipeline.from_pretrained(folder, device_map="balanced", max_memory=dict(limits))
    pipe.set_progress_bar_config(disable=True)
    return pipe


def test_d4_bare_a_component_given_as_an_object_is_not_quantized(tmp_path: Path) -> None:
    """No backend is needed to see it: the one asked for is not even looked for."""
    folder = tiny_models.save("cogvideox", tmp_path / "model")
    config = PipelineQuantizationConfig(quant_mapping={"transformer": BitsAndBytesConfig(load_in_8bit=True)})
    with still_happens(4):
        pipe = DiffusionPipeline.from_pretrained(
            folder, transformer=tiny_models.cogvideox().transformer, quantization_config=config
        )
        assert pipe.quantization_config is config
        assert not hasattr(pipe.transformer, "hf_quantizer")
        assert {weight.dtype for weight in pipe.transformer.parameters()} == {torch.float32}


def test_d6_bare_balanced_forgets_the_larger_of_two_components_that_do_not_fit(tmp_path: Path) -> None:
    folder = tiny_models.save("flux", tmp_path / "model")
    largest, second, *rest = sorted(sizes(tiny_models.flux()).items(), key=lambda item: -item[1])
    with still_happens(6):
        pipe = mapped(folder, {0: second[1] - 1, 1: second[1] - 1})
        assert pipe.hf_device_map[second[0]] == "cpu"
        assert largest[0] not in pipe.hf_device_map
        assert not hasattr(getattr(pipe, largest[0]), "_hf_hook")
        assert rest[0][0] in pipe.hf_device_map


def test_d7_bare_balanced_leaves_no_room_for_the_computation(tmp_path: Path) -> None:
    folder = tiny_models.save("wan", tmp_path / "model")
    pipe = tiny_models.wan().to("vgpu")
    weights = vgpu.stats()["live"]
    del pipe
    gc.collect()
    vgpu.set_total(weights + 64 * 1024)
    with still_happens(7):
        pipe = mapped(folder, {0: weights})
        assert set(pipe.hf_device_map.values()) == {0}
        with pytest.raises(torch.OutOfMemoryError):
            tiny_models.run("wan", pipe)


def test_d15_bare_sequential_offload_on_a_mapped_pipeline_refuses_after_taking_its_hooks_off(
    tmp_path: Path,
) -> None:
    folder = tiny_models.save("wan", tmp_path / "model")
    pipe = mapped(folder, {0: 2**30, 1: 2**30})
    assert len(set(pipe.hf_device_map.values())) == 2
    with still_happens(15):
        with pytest.raises(ValueError, match="device mapping strategy"):
            pipe.enable_model_cpu_offload(device=CARD)
        assert hasattr(pipe.transformer, "_hf_hook")
        with pytest.raises(ValueError, match="device mapping strategy"):
            pipe.enable_sequential_cpu_offload(device=CARD)
        assert not hasattr(pipe.transformer, "_hf_hook")


def test_d17_bare_model_and_sequential_offload_replace_each_other_in_silence() -> None:
    pipe = tiny_models.wan()
    with still_happens(17):
        pipe.enable_sequential_cpu_offload(device=CARD)
        pipe.enable_model_cpu_offload(device=CARD)
        assert accelerate_hooks(pipe.transformer) == {CpuOffload}
        pipe.enable_sequential_cpu_offload(device=CARD)
        assert accelerate_hooks(pipe.transformer) == {AlignDevicesHook}


def test_d18_bare_without_a_dtype_half_of_a_bfloat16_pipeline_becomes_float32(tmp_path: Path) -> None:
    folder = tiny_models.save("flux", tmp_path / "model", dtype=torch.bfloat16)
    with still_happens(18):
        pipe = DiffusionPipeline.from_pretrained(folder)
        assert [pipe.transformer.dtype, pipe.vae.dtype] == [torch.float32] * 2
        assert [pipe.text_encoder.dtype, pipe.text_encoder_2.dtype] == [torch.bfloat16] * 2


def test_d25_bare_an_autoencoder_that_encoded_first_stays_beside_the_denoiser() -> None:
    pipe = StableDiffusionXLImg2ImgPipeline(**tiny_models.sdxl().components, add_watermarker=False)
    pipe.set_progress_bar_config(disable=True)
    seen = []

    def look(pipe: Any, *_: Any) -> dict[str, Any]:
        seen.append((pipe.unet.device, pipe.vae.device))
        return {}

    with still_happens(25):
        pipe.enable_model_cpu_offload(device=CARD)
        arguments = {"image": torch.rand(1, 3, 64, 64), "strength": 1.0, "num_inference_steps": 2}
        pipe("a red cat", **arguments, output_type="latent", callback_on_step_end=look)
        assert set(seen) == {(CARD, CARD)}


def test_d25_bare_a_component_outside_the_sequence_stays_to_the_end() -> None:
    base = tiny_models.sdxl()
    control = ControlNetModel.from_unet(base.unet, conditioning_channels=3).eval()
    pipe = StableDiffusionXLControlNetPipeline(**base.components, controlnet=control, add_watermarker=False)
    pipe.set_progress_bar_config(disable=True)
    seen = []

    def look(*_: Any) -> None:
        seen.append((pipe.unet.device.type, pipe.controlnet.device.type))

    with still_happens(25):
        assert "controlnet" not in pipe.model_cpu_offload_seq
        pipe.enable_model_cpu_offload(device=CARD)
        pipe.vae.decoder.register_forward_pre_hook(look)
        tiny_models.run("sdxl", pipe, image=torch.rand(1, 3, 64, 64))
        assert seen == [("cpu", "vgpu")]


def test_d27_bare_balanced_on_two_devices_breaks_sdxls_prompt(tmp_path: Path) -> None:
    folder = tiny_models.save("sdxl", tmp_path / "model")
    pipe = mapped(folder, {0: 2**30, 1: 2**30})
    assert pipe.hf_device_map["text_encoder"] != pipe.hf_device_map["text_encoder_2"]
    with still_happens(27), pytest.raises(RuntimeError, match="same device"):
        tiny_models.run("sdxl", pipe)
