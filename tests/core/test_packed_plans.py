"""Plans with packed weights or with a server in the VAE's place: bytes, formats, and what is said of them."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

import pytest

from app.core.hardware import Hardware
from app.core.memory import MemorySettings
from app.core.model_file import ModelInfo
from app.core.plan import OffloadMode, Plan, Quantization, Spread, plan_from_json, plan_to_json
from app.core.planner import Rejection, make_plan
from app.families import all_families

_SPEC = importlib.util.spec_from_file_location("planning", Path(__file__).parent / "planning.py")
assert _SPEC is not None
assert _SPEC.loader is not None
given = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(given)
SDXL_NUMBERS = given.SDXL_NUMBERS
FAMILY = all_families()["sdxl"]
HARDWARE = replace(given.machine(given.card(24)), packages=("torchao", "gguf"))


def sdxl(**unet: object) -> ModelInfo:
    """SDXL in its published sizes, nine tenths of the denoiser in linear layers."""
    info = given.model(SDXL_NUMBERS)
    values = {"linear_numbers": 9 * SDXL_NUMBERS["unet"] // 10, "disk": 3 * 10**9} | unet
    parts = tuple(replace(part, **values) if part.name == "unet" else part for part in info.components)
    return replace(info, components=parts)


def plan(info: ModelInfo, hardware: Hardware = HARDWARE, **settings: object) -> Plan:
    """What is planned, or would run anyway."""
    found = make_plan(info, FAMILY, given.request(), MemorySettings(**settings), hardware)  # type: ignore[arg-type]
    assert not isinstance(found, Rejection), found.problem
    return found


def test_packed_weights_are_counted_packed() -> None:
    whole, packed = plan(sdxl()), plan(sdxl(), quantization="torchao_int8")
    linear = 9 * SDXL_NUMBERS["unet"] // 10
    assert whole.estimate.resident - packed.estimate.resident == linear
    assert packed.quantized_components == ("unet",)


@pytest.mark.parametrize("asked", ["none", "torchao_int8"])
def test_a_gguf_stays_as_its_file_has_it(asked: str) -> None:
    info = sdxl(packed=True, fp8_numbers=0)
    found = plan(info, quantization=asked, storage="none")
    assert found.placement("unet").quantization is Quantization.GGUF
    others = 2 * sum(count for name, count in SDXL_NUMBERS.items() if name != "unet")
    assert found.estimate.resident == others + 3 * 10**9
    said = [str(reason) for reason in found.reasons]
    assert ("unet is packed in its file already." in said) is (asked != "none")
    assert plan_from_json(plan_to_json(found)).placement("unet") == found.placement("unet")


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"offload": "sequential"}, "moved one by one"),
        ({"spread": "auto"}, "split over several devices"),
        ({"offload": "group_leaf", "disk_offload": "on"}, "cannot wait in files"),
        ({"component": (("unet.storage", "fp8_e4m3"),)}, "packed already"),
    ],
)
def test_where_a_gguf_cannot_go_is_said(settings: dict[str, object], reason: str) -> None:
    found = make_plan(sdxl(packed=True), FAMILY, given.request(), MemorySettings(**settings), HARDWARE)  # type: ignore[arg-type]
    assert isinstance(found, Rejection)
    assert reason in str(found.problem.fact("reason"))


def test_a_servers_vae_takes_no_memory_here_and_is_not_tiled() -> None:
    here = plan(sdxl(), offload="none", storage="none", vae_tiling="on")
    there = plan(sdxl(), offload="none", storage="none", vae_tiling="on", vae_endpoint="http://host/vae")
    assert here.estimate.resident - there.estimate.resident == 2 * SDXL_NUMBERS["vae"]
    assert (here.vae_tiling, there.vae_tiling) == (True, False)
    assert there.offload is OffloadMode.NONE
    assert there.spread is Spread.SINGLE


def test_a_map_cannot_place_a_vae_that_a_server_has() -> None:
    settings = MemorySettings(spread="custom", device_map='{"vae": "cpu"}', vae_endpoint="http://host/vae")
    found = make_plan(sdxl(), FAMILY, given.request(), settings, HARDWARE)
    assert isinstance(found, Rejection)
    assert "unet" in str(found.problem.fact("reason"))
    assert "vae" not in str(found.problem.fact("reason"))
