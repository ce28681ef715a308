"""Cases of users' faults with offload and its kin: C1 C2 C4 C5 C11 C14 C24 C25 C37, on virtual cards in one process."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import accelerate
import headroom_vgpu as vgpu
import in_process as here
import numpy as np
import pytest
import tiny_models
import torch
from diffusers.hooks import group_offloading
from diffusers.models.attention_dispatch import _AttentionBackendRegistry
from local_engine import LocalEngine
from PIL import Image
from safetensors import SafetensorError
from vgpu_engine import Outcome

from app.core.error_words import sentence
from app.core.errors import ErrorKind
from app.core.family import Media
from app.core.messages import Finished, Progress
from app.core.plan import Dtype, GroupOptions, OffloadMode, Placement, Plan
from app.core.request import Task
from app.engine import offloading, scratch
from app.engine.placement import where_things_lie

BLOCK, LEAF, NONE = OffloadMode.GROUP_BLOCK, OffloadMode.GROUP_LEAF, OffloadMode.NONE
DISK = {"offload": LEAF, "group": GroupOptions(disk_folder="auto")}
STREAM = {"offload": LEAF, "group": GroupOptions(stream=True, non_blocking=True)}
DEAD = 2**22 + 1
"""No process has such a number."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalEngine]:
    """An engine for a tiny SDXL model."""
    with LocalEngine(tiny_models.save("sdxl", tmp_path_factory.mktemp("model") / "sdxl")) as found:
        yield found


@pytest.fixture(scope="module")
def usual(engine: LocalEngine) -> Any:
    """Its picture with everything on the card."""
    return small(engine, engine.plan()).picture


@pytest.fixture(autouse=True)
def nothing_left(engine: LocalEngine) -> Iterator[None]:
    """Nothing is loaded before a test, and nothing of it is on a card or in files after it."""
    engine.unload()
    vgpu.set_delayed(False)
    with torch.no_grad():
        yield
    vgpu.set_delayed(False)
    engine.unload()
    assert [counters["live"] for counters in engine.stats()] == [0, 0]
    assert not list(engine.scratch.glob("*"))


def small(engine: LocalEngine, plan: Plan) -> Outcome:
    """A picture of two steps."""
    return engine.run(plan, engine.request(width=64, height=64, steps=2))


def read(outcome: Outcome) -> list[str]:
    """The parts whose reading began."""
    return [event.part for event in outcome.events if isinstance(event, Progress) and event.part]


# ---------------------------------------------------------------------------------------------- files of offload


def test_c1_another_model_finds_nothing_of_the_first_in_the_same_folder(
    engine: LocalEngine, usual: Any, tmp_path: Path
) -> None:
    """What a crash left, and group files that somebody copied there, are not read; only the first is removed."""
    chosen = tmp_path / "X"
    plan = engine.plan(offload=LEAF, group=GroupOptions(disk_folder=str(chosen)))
    assert np.array_equal(small(engine, plan).picture, usual)
    stale = chosen / f"{scratch.PREFIX}{DEAD}-unet-a"
    for folder in [path for path in chosen.iterdir() if path.is_dir()]:
        shutil.copytree(folder, stale if "-unet-" in folder.name else chosen / "kept", dirs_exist_ok=True)
        shutil.copytree(folder, chosen, dirs_exist_ok=True)
    mine = sorted(file.name for file in chosen.glob("group_*.safetensors"))
    engine.unload()
    other = tiny_models.save("sdxl", tmp_path / "other", seed=5)
    with LocalEngine(other) as second:
        plain = small(second, second.plan()).picture
        assert not np.array_equal(plain, usual)
        second.unload()
        assert np.array_equal(small(second, replace(plan, family="sdxl")).picture, plain)
        assert not stale.exists()
    assert sorted(file.name for file in chosen.glob("group_*.safetensors")) == mine
    assert not list(chosen.glob(f"{scratch.PREFIX}*"))


def test_c2_both_experts_on_disk_make_the_clip_of_no_offload(tmp_path: Path) -> None:
    options = {"two_transformers": True}
    plans = (here.plan_for("wan"), here.plan_for("wan", **DISK))
    plain, offloaded = (here.run("wan", plan, tmp_path, options, steps=4) for plan in plans)
    assert np.allclose(offloaded, plain, atol=1e-6)


@pytest.mark.parametrize("record", [True, False], ids=["record_stream", "without"])
@pytest.mark.parametrize("level", [LEAF, BLOCK])
def test_c4_streams_from_disk_keep_what_the_card_still_reads(level: OffloadMode, record: bool) -> None:
    found, right, counters = streamed_from_disk(level, record)
    assert np.array_equal(found, right)
    assert counters["late"] > 100
    assert counters["early_frees"] == 0


def test_c4_without_waiting_and_without_record_stream_it_would_be_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in older versions of diffusers."""
    idle = SimpleNamespace(synchronize=lambda: None)
    monkeypatch.setattr(
        group_offloading.TorchDeviceBackend, "current_stream", lambda _self: idle, raising=False
    )
    assert streamed_from_disk(LEAF, record=False)[2]["early_frees"] > 0


def streamed_from_disk(level: OffloadMode, record: bool) -> tuple[Any, Any, dict[str, int]]:
    """The picture with late copies, the right one, and what the card counted."""
    encoders = ("text_encoder", "text_encoder_2")
    leaves = tuple(Placement(component=name, device="vgpu:0", offload=LEAF) for name in encoders)
    group = GroupOptions(stream=True, non_blocking=True, record_stream=record, disk_folder="auto")
    right = here.run("sdxl", here.plan_for("sdxl"))
    vgpu.reset()
    vgpu.set_delayed(True)
    found = here.run("sdxl", here.plan_for("sdxl", offload=level, group=group, overrides=leaves))
    return found, right, vgpu.stats()


def test_c5_a_file_that_went_between_two_jobs_is_read_anew(engine: LocalEngine, usual: Any) -> None:
    plan = engine.plan(**DISK)
    for spoil in (Path.unlink, lambda file: file.write_bytes(file.read_bytes()[:40])):
        assert np.array_equal(small(engine, plan).picture, usual)
        folder = next(folder for folder in engine.scratch.iterdir() if "-unet-" in folder.name)
        spoil(next(folder.glob("*.safetensors")))
        again = small(engine, plan)
        assert np.array_equal(again.picture, usual)
        assert "unet" in read(again)
    assert read(small(engine, plan)) == []


def test_c5_a_file_that_goes_while_a_job_runs_is_said_and_nothing_is_saved(
    engine: LocalEngine, usual: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def spoiling(*args: Any) -> Any:
        for file in engine.scratch.glob("*-unet-*/*.safetensors"):
            file.unlink()
        return real(*args)

    real = engine.family.denoise
    monkeypatch.setattr(engine, "family", replace(engine.family, denoise=spoiling))
    failed = small(engine, engine.plan(**DISK))
    assert failed.problem.kind is ErrorKind.WRITE_FAILED
    assert str(engine.scratch) in str(sentence(failed.problem))
    assert failed.end.files == ()  # type: ignore[union-attr]
    monkeypatch.undo()
    assert np.array_equal(small(engine, engine.plan(**DISK)).picture, usual)


def not_there(folder: Path) -> str:
    return "/proc/headroom"


def a_file(folder: Path) -> str:
    (folder / "file").touch()
    return str(folder / "file")


def full(_folder: Path) -> str:
    return "auto"


@pytest.mark.parametrize(
    ("place", "kind"),
    [(not_there, ErrorKind.FOLDER_MISSING), (a_file, ErrorKind.FOLDER_IS_FILE), (full, ErrorKind.DISK_FULL)],
)
def test_c5_a_folder_that_cannot_hold_weights_is_named_before_the_first_step(
    engine: LocalEngine,
    usual: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    place: Callable[[Path], str],
    kind: ErrorKind,
) -> None:
    if place is full:
        monkeypatch.setattr(scratch.shutil, "disk_usage", lambda _path: SimpleNamespace(free=65536))
    chosen = place(tmp_path)
    failed = small(engine, engine.plan(offload=LEAF, group=GroupOptions(disk_folder=chosen)))
    assert failed.problem.kind is kind
    assert (str(engine.scratch) if place is full else chosen) in str(sentence(failed.problem))
    if place is not full:
        assert read(failed) == []
    monkeypatch.undo()
    assert np.array_equal(small(engine, engine.plan()).picture, usual)


def test_c5_a_drive_that_fills_up_while_weights_are_written_is_said(
    engine: LocalEngine, usual: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def overflow(*_args: Any, **_options: Any) -> None:
        raise SafetensorError("I/O error: No space left on device (os error 28)")

    monkeypatch.setattr(offloading, "apply_group_offloading", overflow)
    failed = small(engine, engine.plan(**DISK))
    assert failed.problem.kind is ErrorKind.DISK_FULL
    monkeypatch.undo()
    assert np.array_equal(small(engine, engine.plan(**DISK)).picture, usual)


# ---------------------------------------------------------------------------------------------- modes and kernels


def test_c11_after_sequential_offload_come_other_formats_and_modes(engine: LocalEngine, usual: Any) -> None:
    sequential = engine.plan(offload=OffloadMode.SEQUENTIAL)
    halves = engine.plan(dtype=Dtype.BFLOAT16)
    expected = small(engine, halves).picture
    engine.unload()
    for plan, right in ((sequential, usual), (halves, expected), (sequential, usual), (engine.plan(), usual)):
        assert np.array_equal(small(engine, plan).picture, right)


@pytest.mark.parametrize("mode", [OffloadMode.SEQUENTIAL, OffloadMode.MODEL])
def test_c11_a_mode_that_fails_half_way_is_taken_back(
    engine: LocalEngine, usual: Any, monkeypatch: pytest.MonkeyPatch, mode: OffloadMode
) -> None:
    count: list[int] = []

    def failing(real: Callable[..., Any]) -> Callable[..., Any]:
        def second(*args: Any, **options: Any) -> Any:
            count.append(1)
            if len(count) == 2:
                raise NotImplementedError("Cannot copy out of meta tensor; no data!")
            return real(*args, **options)

        return second

    where: Any = accelerate if mode is OffloadMode.SEQUENTIAL else offloading
    name = "cpu_offload" if mode is OffloadMode.SEQUENTIAL else "add_hook_to_module"
    monkeypatch.setattr(where, name, failing(getattr(where, name)))
    failed = small(engine, engine.plan(offload=mode))
    assert failed.problem.kind is ErrorKind.UNEXPECTED
    assert len(count) == 2
    monkeypatch.undo()
    assert np.array_equal(small(engine, engine.plan()).picture, usual)
    assert read(small(engine, engine.plan(offload=mode))) == []


def test_c14_streams_that_change_the_result_are_found_and_said(
    engine: LocalEngine, usual: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = group_offloading.ModuleGroup._onload_from_memory

    def wrong_ahead(group: Any) -> None:
        real(group)
        if not group.onload_self:  # it comes beside the work of the one before
            for module in group.modules:
                for weight in module.parameters():
                    weight.data = weight.data * 1.5

    monkeypatch.setattr(group_offloading.ModuleGroup, "_onload_from_memory", wrong_ahead)
    failed = small(engine, engine.plan(**STREAM))
    assert failed.problem.kind is ErrorKind.STREAM_DIFFERS
    assert "unet" in str(sentence(failed.problem))
    assert "Set “Stream ahead” to Off" in str(sentence(failed.problem))
    without = small(engine, engine.plan(offload=LEAF))
    assert np.array_equal(without.picture, usual)


def test_c14_sound_streams_are_compared_once_and_the_file_names_the_mode(
    engine: LocalEngine, usual: Any
) -> None:
    vgpu.set_delayed(True)
    first, second = (small(engine, engine.plan(**STREAM)) for _ in range(2))
    for outcome in (first, second):
        assert np.array_equal(outcome.picture, usual)
        assert isinstance(outcome.end, Finished)
        with Image.open(outcome.end.files[0]) as image:
            assert "group_leaf" in " ".join(image.text.values())  # type: ignore[attr-defined]
    assert first.devices[0]["h2d_bytes"] > second.devices[0]["h2d_bytes"]


def test_c24_a_clip_from_a_picture_has_its_frames_with_and_without_tiles() -> None:
    pipe = tiny_models.cogvideox(image=True)
    media = Media(image=Image.new("RGB", (64, 64), (200, 30, 30)))
    for changes in ({}, {"vae_tiling": True, "vae_tile_size": 32}):
        plan = here.plan_for("cogvideox", **changes)
        with here.under("cogvideox", pipe, plan):
            clip = here.make("cogvideox", pipe, plan, media, task=Task.IMAGE_TO_VIDEO, frames=9)
        assert clip.shape == (9, 64, 64, 3)
        assert np.isfinite(clip).all()


def test_c25_the_next_model_starts_from_the_default_kernel() -> None:
    default = _AttentionBackendRegistry._active_backend
    plain = here.run("wan", here.plan_for("wan"))
    here.run("flux", here.plan_for("flux", attention="_native_math"))
    assert _AttentionBackendRegistry._active_backend is default
    assert np.array_equal(here.run("wan", here.plan_for("wan")), plain)


@pytest.mark.parametrize("mode", [OffloadMode.MODEL, OffloadMode.SEQUENTIAL, BLOCK, LEAF])
def test_c37_both_experts_have_what_is_in_force(mode: OffloadMode) -> None:
    pipe = tiny_models.wan(two_transformers=True)
    leaves = (Placement(component="text_encoder", device="vgpu:0", offload=LEAF),) if mode is BLOCK else ()
    plan = here.plan_for("wan", offload=mode, overrides=leaves)
    with here.under("wan", pipe, plan):
        first, second = (sorted(here.hooks_of(model)) for model in (pipe.transformer, pipe.transformer_2))
        assert first == second != []
        listed = dict(where_things_lie(pipe, plan))
    assert listed["transformer"] == listed["transformer_2"] == f"vgpu:0 ({mode.value})"
