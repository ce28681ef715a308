"""Traps of tiling, storage formats and attention, shown in bare diffusers: D5 D8 D9 D10 D11 D12 D19 D22 D29."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import headroom_vgpu as vgpu
import pytest
import tiny_models
import torch
from diffusers import (
    AutoencoderKLCosmos,
    CogVideoXTransformer3DModel,
    FluxTransformer2DModel,
    GGUFQuantizationConfig,
)
from diffusers.models.attention_dispatch import _AttentionBackendRegistry
from diffusers.models.autoencoders import autoencoder_kl_kvae_video
from upstream import still_happens

FP8 = torch.float8_e4m3fn


@pytest.fixture
def attention() -> Iterator[Any]:
    """The process-wide choice of attention backends, put back."""
    before = _AttentionBackendRegistry._active_backend
    yield _AttentionBackendRegistry
    _AttentionBackendRegistry._active_backend = before


def test_d5_bare_an_attention_backend_changes_other_models_instead_of_the_one_asked(attention: Any) -> None:
    with still_happens(5):
        usual = attention._active_backend
        model = tiny_models.cogvideox().transformer
        model.set_attention_backend("_native_math")
        backends = [getattr(part, "_attention_backend", None) for part in model.attn_processors.values()]
        assert set(backends) == {None}
        assert attention._active_backend.value == "_native_math" != usual
        model.reset_attention_backend()
        assert attention._active_backend.value == "_native_math"


def decoding_peak(vae: Any, latents: torch.Tensor) -> int:
    """The most device bytes while these latents are decoded."""
    vae.to("vgpu")
    latents = latents.to("vgpu")
    vgpu.reset()
    vae.decode(latents)
    peak = vgpu.stats()["peak"]
    vae.to("cpu")
    return peak


def test_d8_bare_tiling_at_the_models_own_size_makes_no_tile() -> None:
    vae, latents = tiny_models.sdxl().vae, torch.zeros(1, 4, 8, 8)
    with still_happens(8):
        plain = decoding_peak(vae, latents)
        vae.enable_tiling()
        assert decoding_peak(vae, latents) == plain
        vae.tile_sample_min_size, vae.tile_latent_min_size = 32, 4
        assert decoding_peak(vae, latents) < plain


def test_d9_bare_tiling_is_a_flag_that_cosmos_never_reads() -> None:
    vae = AutoencoderKLCosmos(
        encoder_block_out_channels=(8, 16), decode_block_out_channels=(16, 8), latent_channels=4, num_layers=1,
        attention_resolutions=(), spatial_compression_ratio=8, temporal_compression_ratio=4,
    ).eval()  # fmt: skip
    with still_happens(9):
        vae.enable_tiling()
        vae.tile_sample_min_height = vae.tile_sample_min_width = 16
        tiled = decoding_peak(vae, torch.zeros(1, 4, 1, 16, 16))
        vae.disable_tiling()
        assert decoding_peak(vae, torch.zeros(1, 4, 1, 16, 16)) == tiled


def test_d9_bare_tiling_is_a_flag_that_kvae_never_reads() -> None:
    with still_happens(9):
        assert hasattr(autoencoder_kl_kvae_video.AutoencoderKLKVAEVideo, "enable_tiling")
        source = inspect.getsource(autoencoder_kl_kvae_video)
        assert "if self.use_tiling" not in source


@pytest.mark.parametrize("kind", ["sdxl", "wan"])
def test_d10_bare_slicing_has_nothing_to_slice_in_one_picture_or_clip(kind: str) -> None:
    vae = tiny_models.BUILDERS[kind]().vae
    one = torch.zeros(1, 4, 8, 8) if kind == "sdxl" else torch.zeros(1, 16, 3, 4, 4)
    two = torch.cat([one, one])
    with still_happens(10):
        plain, plain_two = decoding_peak(vae, one), decoding_peak(vae, two)
        vae.enable_slicing()
        assert decoding_peak(vae, one) == plain
        assert decoding_peak(vae, two) < plain_two


def fp8_share(model: torch.nn.Module) -> float:
    """The share of a model's weights, by number, that is stored as fp8."""
    weights = list(model.parameters())
    return sum(w.numel() for w in weights if w.dtype is FP8) / sum(w.numel() for w in weights)


PUBLISHED = {
    "flux": (FluxTransformer2DModel, {"guidance_embeds": True}, 0.73),
    "cogvideox": (CogVideoXTransformer3DModel, {"num_layers": 42, "num_attention_heads": 48}, 0.85),
}


@pytest.mark.parametrize(("cls", "config", "share"), PUBLISHED.values(), ids=PUBLISHED)
def test_d11_bare_fp8_storage_leaves_a_good_part_of_the_weights_as_they_are(
    cls: Any, config: dict[str, Any], share: float
) -> None:
    """Of the published sizes, without their bytes: the pattern ``norm`` also meets the layers that modulate."""
    with torch.device("meta"):
        model = cls(**config)
    with still_happens(11):
        model.to(torch.bfloat16).enable_layerwise_casting(FP8, torch.bfloat16)
        assert fp8_share(model) == pytest.approx(share, abs=0.01)


def test_d12_bare_a_change_of_dtype_undoes_fp8_storage() -> None:
    model = tiny_models.flux(dtype=torch.bfloat16).transformer
    model.enable_layerwise_casting(FP8, torch.bfloat16)
    assert fp8_share(model) > 0.5
    with still_happens(12):
        model.to(torch.bfloat16)
        assert fp8_share(model) == 0


def test_d19_bare_gguf_computes_in_float32_unless_told() -> None:
    with still_happens(19):
        assert GGUFQuantizationConfig().compute_dtype is torch.float32


def test_d22_bare_channels_last_and_attention_slicing_do_nothing_to_flux() -> None:
    pipe = tiny_models.flux()
    with still_happens(22):
        before = [weight.stride() for weight in pipe.transformer.parameters()]
        pipe.transformer.to(memory_format=torch.channels_last)
        assert [weight.stride() for weight in pipe.transformer.parameters()] == before
        assert not [weight for weight in pipe.transformer.parameters() if weight.dim() == 4]
        pipe.to("vgpu")
        peaks = []
        for slicing in (False, True):
            if slicing:
                pipe.enable_attention_slicing()
            vgpu.reset()
            tiny_models.run("flux", pipe, output_type="latent")
            peaks.append(vgpu.stats()["peak"])
        assert peaks[0] == peaks[1]


def test_d29_bare_the_guides_skip_modules_classes_raises() -> None:
    model = tiny_models.wan(dtype=torch.bfloat16).transformer
    with still_happens(29), pytest.raises(TypeError, match="isinstance"):
        model.enable_layerwise_casting(FP8, torch.bfloat16, skip_modules_classes=["norm"])
