"""First plans: golden ones for usual cards, and each rule by itself.

``HEADROOM_UPDATE_GOLDEN=1`` writes the golden file anew; read the difference before committing it.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.knobs import check, knobs_of
from app.core.memory import MemorySettings
from app.core.model_file import ComponentInfo
from app.core.plan import Dtype, OffloadMode, Plan, Storage, plan_from_json, plan_to_json
from app.core.planner import Decision, Rejection, explain, make_plan
from app.core.preset import apply, preset_from_json
from app.core.resolve import tile_size, weight_bytes
from app.core.spreads import default_reserve
from app.core.text import Text
from app.core.units import GIB, MIB
from app.families import all_families

FAMILY = all_families()["sdxl"]


def decide(
    given: ModuleType, settings: MemorySettings, *cards: object, goal: str = "fit", **changes: object
) -> Decision:
    model = given.model(given.SDXL_NUMBERS)
    return make_plan(model, FAMILY, given.request(**changes), settings, given.machine(*cards), goal)


def plan(
    given: ModuleType, settings: MemorySettings, *cards: object, goal: str = "fit", **changes: object
) -> Plan:
    decision = decide(given, settings, *cards, goal=goal, **changes)
    assert isinstance(decision, Plan), decision
    return decision


def golden(given: ModuleType, root: Path) -> dict[str, object]:
    cards = {f"{size} GB": [given.card(size)] for size in (6, 8, 10, 12, 16, 24, 32, 48, 80)}
    cards |= {"CPU": [], "Apple 16 GB": [given.card(16, kind="mps", free=0.6)]}
    found: dict[str, object] = {}
    for preset_file in sorted((root / "resources" / "presets").glob("*.json")):
        preset = preset_from_json(preset_file.stem, json.loads(preset_file.read_text()))
        for name, have in cards.items():
            decision = decide(given, apply(preset, MemorySettings()), *have, goal=preset.goal)
            chosen = decision if isinstance(decision, Plan) else decision.plan
            assert chosen
            verdict = "" if isinstance(decision, Plan) else f" ({decision.problem.kind})"
            found[f"{preset.id} · {name}"] = (
                f"{chosen.device} {chosen.dtype} offload={chosen.offload} storage={chosen.storage} "
                f"tile={chosen.vae_tile_size} resident={chosen.estimate.resident / GIB:.2f} GiB{verdict}"
            )
    return found


def test_golden_plans(given: ModuleType, root: Path) -> None:
    file = root / "tests" / "core" / "golden_plans.json"
    found = golden(given, root)
    if os.environ.get("HEADROOM_UPDATE_GOLDEN"):
        file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    assert found == json.loads(file.read_text())


def test_the_device_with_the_most_memory_is_taken(given: ModuleType) -> None:
    cards = given.card(8), given.card(24, index=1)
    assert plan(given, MemorySettings(), *cards).device == "cuda:1"
    assert plan(given, MemorySettings(device="cuda:0"), *cards).device == "cuda:0"
    assert plan(given, MemorySettings(device="cuda"), *cards).device == "cuda:0"
    assert plan(given, MemorySettings(device="cpu"), *cards).device == "cpu"


def test_c42_a_device_that_is_gone_falls_back_and_says_so(given: ModuleType) -> None:
    decision = decide(given, MemorySettings(device="cuda:7"), given.card(24))
    assert isinstance(decision, Rejection)
    assert decision.problem.kind is ErrorKind.DEVICE_MISSING
    assert "cuda:0" in str(decision.problem.fact("devices"))
    assert decision.plan
    assert decision.plan.device == "cuda:0"


def test_no_device_at_all(given: ModuleType) -> None:
    hardware = replace(given.machine(), devices=())
    decision = make_plan(given.model(given.SDXL_NUMBERS), FAMILY, given.request(), MemorySettings(), hardware)
    assert isinstance(decision, Rejection)
    assert decision.plan is None


def test_less_memory_gives_less_resident_weights(given: ModuleType) -> None:
    residents = [plan(given, MemorySettings(), given.card(size)).estimate.resident for size in (24, 8, 6)]
    assert residents == sorted(residents, reverse=True)
    assert len(set(residents)) == 3


def test_exact_ways_come_before_those_that_change_the_picture(given: ModuleType) -> None:
    for size in (24, 10, 8):
        assert plan(given, MemorySettings(), given.card(size)).storage is Storage.NONE
    small = plan(given, MemorySettings(), given.card(6))
    assert small.storage is Storage.FP8_E4M3
    assert "8-bit" in str(small.reasons[0])
    off = plan(given, MemorySettings(storage="none"), given.card(6))
    assert (off.storage, off.offload) == (Storage.NONE, OffloadMode.SEQUENTIAL)


def test_what_the_engine_holds_counts_as_free(given: ModuleType) -> None:
    empty = plan(given, MemorySettings(), given.card(12))
    loaded = plan(given, MemorySettings(), given.card(12, free=0.3, held=0.63 * 12))
    assert loaded.offload is empty.offload


def test_other_programs_count(given: ModuleType) -> None:
    assert plan(given, MemorySettings(), given.card(24, free=0.3)).offload is OffloadMode.MODEL


def test_a_limit_is_a_limit(given: ModuleType) -> None:
    chosen = plan(given, MemorySettings(max_memory="8GiB"), given.card(24))
    assert chosen.estimate.budget == 8 * GIB
    assert chosen.memory_limit == 8 * GIB
    assert chosen.offload is OffloadMode.MODEL
    half = plan(given, MemorySettings(max_memory="50%"), given.card(24))
    assert half.memory_limit == 12 * GIB


def test_too_little_is_said_with_the_numbers_and_can_be_run_anyway(given: ModuleType) -> None:
    decision = decide(given, MemorySettings(max_memory="20MiB"), given.card(24))
    assert isinstance(decision, Rejection)
    assert decision.problem.kind is ErrorKind.WILL_NOT_FIT
    assert decision.problem.fact("budget") == "20 MiB"
    assert decision.plan
    assert decision.plan.offload is OffloadMode.SEQUENTIAL


def test_what_is_asked_by_name_and_may_work_is_not_refused(given: ModuleType) -> None:
    chosen = plan(given, MemorySettings(offload="none", storage="none"), given.card(8, free=1.0))
    assert chosen.offload is OffloadMode.NONE
    assert chosen.estimate.resident > 0.75 * chosen.estimate.budget


def test_fp8_halves_what_it_covers(given: ModuleType) -> None:
    full = plan(given, MemorySettings(storage="none", offload="none"), given.card(24))
    half = plan(given, MemorySettings(storage="fp8_e4m3", offload="none"), given.card(24))
    assert half.storage_components == ("unet",)
    assert full.estimate.resident - half.estimate.resident == given.SDXL_NUMBERS["unet"] * 99 // 100


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        (MemorySettings(device="cpu", offload="model"), "cuda"),
        (MemorySettings(device="cpu", offload="sequential"), "cuda"),
        (MemorySettings(storage="fp8_e4m3"), "mps"),
    ],
)
def test_illegal_combinations_are_refused_with_the_reason(
    given: ModuleType, settings: MemorySettings, kind: str
) -> None:
    decision = decide(given, settings, given.card(24, kind=kind))
    assert isinstance(decision, Rejection)
    assert decision.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert str(decision.problem.fact("reason"))


def test_fp8_storage_goes_with_every_offload_mode(given: ModuleType) -> None:
    chosen = plan(given, MemorySettings(storage="fp8_e5m2", offload="sequential"), given.card(8))
    assert (chosen.storage, chosen.offload) == (Storage.FP8_E5M2, OffloadMode.SEQUENTIAL)


def on(given: ModuleType, settings: MemorySettings, *cards: object) -> Decision:
    model = given.model(given.SDXL_NUMBERS)
    return make_plan(model, FAMILY, given.request(), settings, given.machine(*cards))


def test_c30_a_limit_is_a_size_and_never_nothing(given: ModuleType) -> None:
    for text in ("0", "0%", "-1", "", "cuda:0=0", "cuda:0=", "=4GiB"):
        with pytest.raises(AppError):
            check("max_memory", knobs_of(MemorySettings)["max_memory"], text)
    small = on(given, MemorySettings(max_memory="1MiB"), given.card(12))
    assert isinstance(small, Rejection)
    assert small.problem.kind is ErrorKind.WILL_NOT_FIT
    assert int(small.problem.fact("need_bytes")) > 2**20


def test_c30_limits_of_devices_that_are_not_there_are_refused(given: ModuleType) -> None:
    for text in ("cuda:7=4GiB", "cuda:0=4GiB,cuda:7=4GiB"):
        found = on(given, MemorySettings(max_memory=text), given.card(12))
        assert isinstance(found, Rejection)
        assert "cuda:0" in str(found.problem.fact("reason"))


def test_a_device_that_a_list_of_limits_leaves_out_is_not_used(given: ModuleType) -> None:
    cards = (given.card(24), given.card(12, index=1))
    found = on(given, MemorySettings(max_memory="cuda:1=11GiB,cpu=24GiB"), *cards)
    assert isinstance(found, Plan)
    assert (found.device, found.memory_limit) == ("cuda:1", 11 * GIB)
    named = on(given, MemorySettings(device="cuda:0", max_memory="cuda:1=11GiB"), *cards)
    assert isinstance(named, Rejection)
    assert named.problem.fact("name") == "max_memory"


def test_a_limit_of_main_memory_alone_leaves_the_cards_as_they_are(given: ModuleType) -> None:
    free = on(given, MemorySettings(), given.card(24))
    found = on(given, MemorySettings(max_memory="cpu=24GiB"), given.card(24))
    assert isinstance(free, Plan)
    assert isinstance(found, Plan)
    assert (found.device, found.offload, found.estimate) == (free.device, free.offload, free.estimate)
    assert (found.limits, found.memory_limit) == ((), None)
    named = on(given, MemorySettings(max_memory="cpu=24GiB", device="cuda:0"), given.card(24))
    assert isinstance(named, Plan)
    cards = (given.card(24), given.card(12, index=1))
    spread = on(given, MemorySettings(max_memory="cpu=24GiB", spread="balanced"), *cards)
    assert isinstance(spread, Plan)
    assert set(dict(spread.limits)) == {"cuda:0", "cuda:1", "cpu"}


def test_a_limit_of_main_memory_that_offload_goes_beyond_is_said(given: ModuleType) -> None:
    found = on(given, MemorySettings(max_memory="cpu=2GiB", offload="model"), given.card(24))
    assert isinstance(found, Plan)
    assert any("its limit of 2.0 GiB" in str(line) for line in found.reasons)
    enough = on(given, MemorySettings(max_memory="cpu=18GiB", offload="model"), given.card(24))
    assert isinstance(enough, Plan)
    assert not any("its limit" in str(line) for line in enough.reasons)


def test_devices_of_lists_and_maps_may_be_written_as_the_libraries_do(given: ModuleType) -> None:
    settings = MemorySettings(
        max_memory="cuda=50%,cpu=8GiB", spread="custom", device_map='{"vae": "1", "unet": "cuda"}'
    )
    found = on(given, settings, given.card(24), given.card(12, index=1))
    assert isinstance(found, Plan)
    assert dict(found.limits)["cuda:0"] == 12 * GIB
    assert found.device_map == (("vae", "cuda:1"), ("unet", "cuda:0"))


def test_the_format_follows_the_device(given: ModuleType) -> None:
    assert plan(given, MemorySettings(), given.card(24)).dtype is Dtype.BFLOAT16
    assert plan(given, MemorySettings()).dtype is Dtype.FLOAT32
    assert plan(given, MemorySettings(dtype="float32"), given.card(48)).dtype is Dtype.FLOAT32


@pytest.mark.parametrize(
    ("side", "tile"),
    [(1024, 512), (2048, 512), (520, 512), (512, 256), (128, 64), (120, 64), (64, 0), (72, 64)],
)
def test_d8_tiles_really_divide_the_picture(side: int, tile: int) -> None:
    assert tile_size(side, 8) == tile


def test_tiling_on_auto_and_off(given: ModuleType) -> None:
    assert plan(given, MemorySettings(vae_tiling="on"), given.card(24)).vae_tile_size == 512
    assert not plan(given, MemorySettings(vae_tiling="auto"), given.card(24)).vae_tiling
    assert plan(given, MemorySettings(vae_tiling="auto"), given.card(8), side=2048).vae_tiling
    assert not plan(given, MemorySettings(vae_tiling="off"), given.card(8), side=2048).vae_tiling
    small = plan(given, MemorySettings(vae_tiling="on"), given.card(24), side=64)
    assert not small.vae_tiling
    assert "one tile" in str(small.reasons[0])


def test_plans_survive_json_and_compare(given: ModuleType) -> None:
    chosen = plan(given, MemorySettings(storage="fp8_e5m2"), given.card(12))
    back = plan_from_json(json.loads(json.dumps(plan_to_json(chosen))))
    assert back == replace(chosen, reasons=())
    assert hash(back)


def test_the_settings_travel_as_opaque_json(given: ModuleType) -> None:
    chosen = plan(given, MemorySettings(offload="model"), given.card(12))
    assert json.loads(chosen.settings_json) == {"offload": "model"}


def test_the_verdict_says_what_is_not_estimated(given: ModuleType) -> None:
    lines = " ".join(str(line) for line in explain(plan(given, MemorySettings(), given.card(24))))
    assert lines.startswith("Fits: weights take 6.5 GiB of")
    assert "not estimated yet" in lines


def test_reserves(given: ModuleType) -> None:
    assert default_reserve(given.card(4)) == 4 * GIB // 20
    assert default_reserve(given.card(24)) in (400 * MIB, 600 * MIB)
    assert default_reserve(given.cpu(64)) == 2 * GIB


def test_a_part_kept_in_float32_counts_four_bytes_a_number():
    part = ComponentInfo(name="vae", role="vae", class_name="", label=Text("vae"), numbers=10)
    assert weight_bytes(part, Dtype.BFLOAT16, Storage.NONE) == 20
    assert weight_bytes(replace(part, precise=True), Dtype.BFLOAT16, Storage.NONE) == 40


@pytest.mark.parametrize(
    ("name", "value", "told"), [("vae.device", "cuda:7", "cuda:0, cpu"), ("banana.device", "cpu", "unet")]
)
def test_a_single_part_or_device_that_is_not_there_is_named(
    given: ModuleType, name: str, value: str, told: str
) -> None:
    decision = decide(given, MemorySettings(component=((name, value),)), given.card(24))
    assert isinstance(decision, Rejection)
    assert decision.problem.kind is ErrorKind.COMBINATION_REFUSED
    assert told in str(decision.problem.fact("reason"))
    assert ("has no part “banana”" in str(sentence(decision.problem))) == name.startswith("banana")
