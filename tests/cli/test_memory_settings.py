"""Memory settings on the command line: the help lists them all from their declarations; maps also come from files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from app.cli.arguments import parse
from app.core.hardware import DeviceSheet
from app.core.knobs import KnobKind, knobs_of
from app.core.memory import MemorySettings
from app.core.messages import Ready

if TYPE_CHECKING:
    from conftest import Headroom
else:
    Headroom = Any


def test_help_lists_every_setting_with_values_unit_and_price(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["plan", "--help"])
    words = " ".join(capsys.readouterr().out.split())
    for name, known in knobs_of(MemorySettings).items():
        assert re.search(rf" {name}(\.NAME\.\w+)? ", words), name
        assert str(known.price) in words, name
        for choice, _ in known.choices:
            assert choice in words
        if known.unit is not None:
            assert f"{known.high:g} {known.unit}" in words
        if known.kind is KnobKind.PARTS:
            assert all(f"{name}.NAME.{part}" in words for part in known.parts)
    assert "cuda:0=10GiB,cuda:1=6GiB" in words


def test_a_map_may_stand_in_a_file(headroom: Headroom, script: Any, model: Path, tmp_path: Path) -> None:
    card = DeviceSheet(id="cuda:0", name="Small card", total=2**30, free=2**30, dtypes=("float16", "float32"))
    script.start = (Ready((card,)),)
    (tmp_path / "map.json").write_text('{"vae": "cpu"}')
    arguments = ("plan", "fox", "--model", str(model), "--json", "--memory", "spread=custom", "--memory")
    done = headroom(*arguments, f"device_map={tmp_path / 'map.json'}")
    assert done.data["plan"]["device_map"] == [["vae", "cpu"]]
    assert json.loads(done.data["plan"]["settings_json"])["device_map"] == '{"vae": "cpu"}'
    done = headroom(*arguments, f"device_map={tmp_path / 'none.json'}")
    assert (done.code, done.data["error"]["kind"]) == (2, "setting_invalid")
    (tmp_path / "big.json").write_text(" " * 2**20 + '{"vae": "cpu"}')
    assert headroom(*arguments, f"device_map={tmp_path / 'big.json'}").code == 2


@pytest.mark.parametrize(
    ("given", "allowed"),
    [("offload", "auto, none, model"), ("max_memory", "auto, 10GiB"), ("skip_modules", "norm, ^proj_out$")],
)
def test_a_setting_without_a_value_is_told_what_may_stand_there(
    headroom: Headroom, model: Path, given: str, allowed: str
) -> None:
    done = headroom("plan", "fox", "--model", str(model), "--memory", given)
    assert done.code == 2
    assert allowed in done.err
    assert f"{given} has no value." in done.err


def test_a_pattern_that_is_none_is_told_with_its_place(headroom: Headroom, model: Path) -> None:
    done = headroom("plan", "fox", "--model", str(model), "--memory", "skip_modules=(")
    assert done.code == 2
    assert "It cannot be read from character 1 on." in done.err
    assert "such as norm" in done.err
    assert "subpattern" not in done.err


def test_a_part_that_the_model_has_not_is_told_with_those_it_has(headroom: Headroom, model: Path) -> None:
    done = headroom("plan", "fox", "--model", str(model), "--memory", "component.banana.offload=model")
    assert done.code == 3
    assert "This model has no part “banana”." in done.err
    assert "text_encoder, text_encoder_2, unet, vae" in done.err
