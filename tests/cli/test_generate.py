"""``headroom generate`` and ``plan`` on a scripted host: values, codes, JSON, and what is said where."""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from app.core.hardware import DeviceSheet
from app.core.messages import (
    HostEvent,
    Notice,
    Ready,
    Run,
)
from app.core.text import Text
from app.store.history import History, JobState
from app.store.paths import default_paths
from app.store.settings import Settings, SettingsStore

Headroom = Callable[..., Any]


def states() -> list[JobState]:
    """The states of all jobs, newest first."""
    history = History(default_paths().history)
    try:
        return [record.state for record in history.recent()]
    finally:
        history.close()


def test_a_picture_is_made_and_its_path_printed(
    headroom: Headroom, script: Any, model: Path, home: Path
) -> None:
    done = headroom("generate", "a fox", "--model", str(model), "--seed", "7")
    assert (done.code, done.out) == (0, f"{home / 'Pictures' / 'fox0.png'}\n")
    request = script.runs[0].request
    assert (request.prompt, request.seed, request.count) == ("a fox", 7, 1)
    assert (request.width, request.height, request.steps, request.guidance) == (64, 64, 3, 2.5)
    assert script.stopped == 1
    assert states() == [JobState.DONE]


def test_json_is_one_object_with_all_that_was_measured(headroom: Headroom, model: Path) -> None:
    done = headroom(
        "generate", "fox", "--model", str(model), "--seed", str(2**64 - 1), "--count", "2", "--json"
    )
    assert done.code == 0
    data = done.data
    assert [Path(name).name for name in data["files"]] == ["fox0.png", "fox1.png"]
    assert data["seed"] == 2**64 - 1
    assert data["seeds"] == [2**64 - 1, 0]
    assert data["seconds"] == {"load": 1.0, "denoise": 2.0}
    assert data["peaks"] == {"ram": 5 * 2**30}
    assert data["plan"]["device"] == "cpu"
    assert data["request"]["prompt"] == "fox"
    assert data["warnings"] == []
    assert "error" not in data


def test_without_a_seed_one_is_drawn(headroom: Headroom, script: Any, model: Path) -> None:
    for _ in range(2):
        assert headroom("generate", "fox", "--model", str(model)).code == 0
    assert script.runs[0].request.seed != script.runs[1].request.seed


def test_nothing_is_drawn_when_piped_and_nothing_said_when_quiet(headroom: Headroom, model: Path) -> None:
    assert headroom("generate", "fox", "--model", str(model)).err == ""
    done = headroom("generate", "fox", "--model", str(model), "--quiet")
    assert done.err == ""
    assert done.out.endswith("fox0.png\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--size", "0x64"], ["--size", "-8x64"], ["--size", "64x100000"], ["--size", "64"], ["--size", "axb"],
        ["--steps", "0"], ["--steps", "-1"], ["--steps", "2.5"], ["--steps", "many"], ["--count", "0"],
        ["--count", "101"], ["--guidance", "nan"], ["--guidance", "-5"], ["--guidance", "1e30"], ["--guidance", "inf"],
        ["--seed", str(2**64)], ["--seed", "-1"], ["--seed", "1.5"], ["--seed", "0x10"], ["--seed", ""],
        ["--memory", "offload"], ["--memory", "offload=sideways"], ["--memory", "nosuch=1"],
        ["--memory", "max_memory=lots"], ["--memory", "keep_loaded=nan"], ["--device", "a b"],
        ["--preset", "nosuch"], ["--device", "cpu", "--memory", "device=cuda:0"], ["--out", "picture.jpg"],
        ["--nosuch"], ["--mem", "offload=none"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_wrong_values_are_wrong_usage_and_start_no_engine(
    arguments: list[str], headroom: Headroom, script: Any, model: Path
) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--json", *arguments)
    assert done.code == 2
    assert done.data["error"]["what"]
    assert done.err.strip()
    assert script.runs == []
    assert not (default_paths().history.exists() and states())


@pytest.mark.parametrize("prompt", ["", " ", "\n", "\t", "\u3000", "\u200b"])
def test_c71_a_blank_prompt_is_refused(prompt: str, headroom: Headroom, model: Path) -> None:
    done = headroom("generate", prompt, "--model", str(model), "--json")
    assert (done.code, done.data["error"]["kind"]) == (2, "prompt_empty")


@pytest.mark.parametrize(
    ("prompt", "used"),
    [
        ("fox " * 2500, ("fox " * 2500).strip()),
        ("a\x00fox", "afox"),
        ("שלום العربية", "שלום العربية"),
        ("\U0001f408\u200d\U0001f5a4", "\U0001f408\u200d\U0001f5a4"),
        ("half \ud83d of a pair", "half of a pair"),
        ("<b>cat</b> <img src=file:///etc/hostname> &lt;", "<b>cat</b> <img src=file:///etc/hostname> &lt;"),
    ],
    ids=["10000", "nul", "rtl", "emoji", "surrogate", "html"],
)
def test_odd_prompts_are_used_or_mended_aloud(
    prompt: str, used: str, headroom: Headroom, script: Any, model: Path
) -> None:
    done = headroom("generate", prompt, "--model", str(model), "--json")
    assert done.code == 0
    assert script.runs[0].request.prompt == used
    assert bool(done.data["warnings"]) == (prompt.strip() != used)


def test_a_prompt_of_megabytes_is_refused(headroom: Headroom, model: Path) -> None:
    done = headroom("generate", "x" * 100_000, "--model", str(model), "--json")
    assert (done.code, done.data["error"]["kind"]) == (2, "prompt_too_long")


def test_a_prompt_may_begin_with_a_dash(headroom: Headroom, script: Any, model: Path) -> None:
    assert headroom("generate", "--model", str(model), "--", "-5 degrees").code == 0
    assert headroom("generate", "--model", str(model), "--", "--json").code == 0
    assert [run.request.prompt for run in script.runs] == ["-5 degrees", "--json"]


def test_c44_a_size_is_snapped_and_that_is_said(headroom: Headroom, script: Any, model: Path) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--size", "100x62", "--json")
    assert done.code == 0
    assert (script.runs[0].request.width, script.runs[0].request.height) == (104, 64)
    assert "104×64" in done.data["warnings"][0]
    assert "104×64" in done.err


def test_words_that_the_model_does_not_read_are_named(headroom: Headroom, script: Any, model: Path) -> None:
    def job(run: Run) -> Iterable[HostEvent]:
        yield Notice(run.job, Text("Not read: {words}", (("words", "tail of it"),)))
        yield from type(script)().job(run)

    script.job = job
    done = headroom("generate", "fox", "--model", str(model), "--json", "--quiet")
    assert done.data["warnings"] == ["Not read: tail of it"]
    assert "tail of it" in done.err


@pytest.mark.parametrize("name", ["with space", 'it\'s "q"', "Ümläut 日本 \U0001f408", "a#b%20", "x" * 200])
def test_pictures_go_where_they_are_told(
    name: str, headroom: Headroom, script: Any, model: Path, tmp_path: Path
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert headroom("generate", "fox", "--model", str(model), "--out", str(folder)).code == 0
    assert script.runs[-1].output.folder == folder
    assert headroom("generate", "fox", "--model", str(model), "--out", str(folder / "v1.5 test")).code == 0
    assert script.runs[-1].output.path == folder / "v1.5 test.png"


def test_c115_places_that_cannot_be_written_are_refused_before_anything_runs(
    headroom: Headroom, script: Any, model: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    kinds = {
        f"{tmp_path}/gone/": "folder_missing",
        f"{tmp_path}/gone/fox.png": "folder_missing",
        f"{tmp_path}/file/fox.png": "folder_is_file",
        f"{tmp_path}/file/": "folder_is_file",
        f"{tmp_path}/{'x' * 300}.png": "name_too_long",
        f"{tmp_path}/{'ü' * 300}": "name_too_long",
    }
    for out, kind in kinds.items():
        done = headroom("generate", "fox", "--model", str(model), "--out", out, "--json")
        assert (done.code, done.data["error"]["kind"]) == (3, kind)
    assert script.runs == []
    if sys.platform == "linux":
        done = headroom("generate", "fox", "--model", str(model), "--out", "/proc/fox.png", "--json")
        assert done.code == 3


def _damage(model: Path, what: str) -> str:
    """Spoils a model folder; returns the kind of error that this is."""
    weights = model / "unet" / "diffusion_pytorch_model.safetensors"
    index = json.loads((model / "model_index.json").read_text())
    if what == "empty":
        for path in sorted(model.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        return "model_empty"
    if what == "lacks a file":
        (model / "vae" / "config.json").unlink()
        return "model_incomplete"
    if what == "lacks a folder":
        for path in (model / "tokenizer_2").iterdir():
            path.unlink()
        (model / "tokenizer_2").rmdir()
        return "model_incomplete"
    if what == "truncated":
        weights.write_bytes(weights.read_bytes()[:-10])
        return "model_damaged"
    if what == "corrupt":
        weights.write_bytes(b"\xff" * 500)
        return "model_damaged"
    if what == "pickle":
        weights.unlink()
        weights.with_suffix(".bin").write_bytes(b"\x80\x02}q\x00.")
        return "model_unsafe"
    if what == "unknown class":
        (model / "model_index.json").write_text(json.dumps(index | {"_class_name": "NoSuchPipeline"}))
        return "model_unknown"
    newer = {"_class_name": "NoSuchPipeline", "_diffusers_version": "9.9.9"}
    (model / "model_index.json").write_text(json.dumps(index | newer))
    return "model_too_new"


@pytest.mark.parametrize(
    "what",
    ["empty", "lacks a file", "lacks a folder", "truncated", "corrupt", "pickle", "unknown class", "newer"],
)
def test_models_that_cannot_run_are_refused_with_their_reason(
    what: str, headroom: Headroom, script: Any, model: Path
) -> None:
    kind = _damage(model, what)
    done = headroom("generate", "fox", "--model", str(model), "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, kind)
    assert done.data["error"]["do"]
    assert script.runs == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("C132-marker.ckpt", "model_unsafe"),
        ("C124-web-page.safetensors", "model_damaged"),
        ("C124-lfs-pointer.safetensors", "model_damaged"),
        ("C128-unknown-keys.safetensors", "model_unknown"),
        ("C128-no-tensors.safetensors", "model_damaged"),
    ],
)
def test_c124_c128_c132_files_that_are_no_model(
    name: str, kind: str, headroom: Headroom, cases: Path
) -> None:
    done = headroom("generate", "fox", "--model", str(cases / name), "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, kind)


def test_a_model_is_found_by_its_name(headroom: Headroom, script: Any, model: Path, home: Path) -> None:
    own = home / "data" / "models"
    own.mkdir(parents=True)
    model.rename(own / "zeros-folder")
    for name in ("zeros-folder", "ZEROS", str(own / "zeros-folder")):
        assert headroom("generate", "fox", "--model", name).code == 0
    assert headroom("generate", "fox", "--model", "nosuch").code == 3
    assert {run.request.model for run in script.runs} == {str(own / "zeros-folder")}


def test_memory_settings_and_presets_reach_the_plan(headroom: Headroom, script: Any, model: Path) -> None:
    settings = [
        "--memory",
        "dtype=float32",
        "--memory",
        "keep_loaded=3",
        "--preset",
        "Fastest",
        "--device",
        "cpu",
    ]
    assert headroom("generate", "fox", "--model", str(model), *settings).code == 0
    plan = script.runs[0].plan
    assert (plan.dtype, plan.keep_loaded, plan.device) == ("float32", 3.0, "cpu")
    assert json.loads(plan.settings_json)["keep_loaded"] == 3.0


def test_an_illegal_combination_is_refused_with_its_reason(
    headroom: Headroom, script: Any, model: Path
) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--memory", "offload=model", "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, "combination_refused")
    assert done.data["error"]["why"]
    assert script.runs == []


def test_c42_a_missing_device_is_refused_and_the_others_named(headroom: Headroom, model: Path) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--device", "cuda:7", "--json", "--anyway")
    assert (done.code, done.data["error"]["kind"]) == (3, "device_missing")
    assert "cpu" in done.data["error"]["why"]


def test_what_does_not_fit_is_refused_with_the_numbers_unless_anyway(
    headroom: Headroom, script: Any, model: Path
) -> None:
    limit = ["--model", str(model), "--memory", "max_memory=1KiB", "--json"]
    done = headroom("generate", "fox", *limit)
    assert (done.code, done.data["error"]["kind"]) == (3, "will_not_fit")
    assert done.data["error"]["facts"]["need_bytes"] > done.data["error"]["facts"]["budget_bytes"]
    assert done.data["plan_anyway"]["device"] == "cpu"
    assert script.runs == []
    done = headroom("generate", "fox", *limit, "--anyway")
    assert done.code == 0
    assert done.data["warnings"]
    assert len(script.runs) == 1


def test_plan_says_what_would_run_and_runs_nothing(headroom: Headroom, script: Any, model: Path) -> None:
    done = headroom("plan", "fox", "--model", str(model), "--memory", "dtype=float32")
    assert "Where things lie:" in done.out
    assert re.search(r"^  unet +in main memory; float32$", done.out, re.MULTILINE)
    assert done.code == 0
    assert "float32" in done.out
    assert "Fits" in done.out
    assert re.search(r"^Keep loaded +10 min$", done.out, re.MULTILINE)
    assert re.search(r"^Reserve +[0-9.]+ .iB$", done.out, re.MULTILINE)
    assert not re.search(r"^[a-z]+_[a-z_]+ ", done.out, re.MULTILINE), "a field's name instead of its label"
    assert "Tile size" not in done.out
    tiled = headroom(
        "plan", "fox", "--model", str(model), "--memory", "vae_tiling=on", "--size", "128x128"
    ).out
    assert re.search(r"^Tile size +[0-9]+ px$", tiled, re.MULTILINE)
    data = headroom("plan", "fox", "--model", str(model), "--json").data
    assert data["weights_fit"] is True
    assert data["plan"]["offload"] == "none"
    assert data["explanation"]
    assert script.runs == []
    done = headroom("plan", "fox", "--model", str(model), "--memory", "max_memory=1KiB", "--json")
    assert (done.code, done.data["weights_fit"], done.data["error"]["kind"]) == (3, False, "will_not_fit")
    assert headroom("plan", "fox", "--model", str(model), "--memory", "max_memory=1KiB", "--anyway").code == 0


def test_a_card_found_by_the_engine_is_used(headroom: Headroom, script: Any, model: Path) -> None:
    card = DeviceSheet(id="cuda:0", name="Small card", total=2**30, free=2**30, dtypes=("float16", "float32"))
    script.start = (Ready((card,)),)
    assert headroom("plan", "fox", "--model", str(model), "--json").data["plan"]["device"] == "cuda:0"


def test_numbers_that_json_lacks_are_words(headroom: Headroom, model: Path) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--guidance", "nan", "--json")
    value = json.loads(done.out, parse_constant=lambda name: math.nan)["error"]["facts"]["value"]
    assert value == "nan"


@pytest.mark.parametrize("name", ["x" * 300, "~no-such-user/model", "x/" * 3000])
def test_a_model_whose_path_cannot_be_is_not_found(name: str, headroom: Headroom) -> None:
    done = headroom("plan", "fox", "--model", name, "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, "model_missing")


def test_an_unknown_home_in_a_path_is_a_folder_that_is_not_there(headroom: Headroom, model: Path) -> None:
    done = headroom("generate", "fox", "--model", str(model), "--out", "~no-such-user/x.png", "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, "folder_missing")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps a working folder from being removed")
@pytest.mark.parametrize("home", ["relative", "~no-such-user/h"])
def test_a_working_folder_that_is_gone_is_told_in_words(
    home: str, headroom: Headroom, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = headroom("generate", "fox", "--model", str(model), "--out", "x.png", "--json")
    assert (done.code, done.data["error"]["kind"]) == (3, "folder_missing")
    monkeypatch.setenv("HEADROOM_HOME", home)
    assert headroom("models").code == 0


def test_a_home_in_the_settings_is_the_persons_own(
    headroom: Headroom, script: Any, model: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    SettingsStore(default_paths().settings).save(Settings(output_folder="~/pictures of mine"))
    done = headroom("generate", "fox", "--model", str(model))
    assert done.code == 3
    assert f"There is no folder {tmp_path / 'pictures of mine'}." in done.err
    (tmp_path / "pictures of mine").mkdir()
    assert headroom("generate", "fox", "--model", str(model)).code == 0
    assert script.runs[0].output.folder == tmp_path / "pictures of mine"
