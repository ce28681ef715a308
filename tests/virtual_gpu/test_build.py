"""The virtual GPU is built once for what it is made from, and says why it cannot be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from headroom_vgpu import CannotBuildError, build


@pytest.fixture
def device(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The device's sources, to change, and an empty cache."""
    folder = Path(shutil.copytree(build.DEVICE, tmp_path / "device"))
    monkeypatch.setattr(build, "DEVICE", folder)
    monkeypatch.setattr(build, "SOURCE", folder / "vgpu.cpp")
    monkeypatch.setenv("VGPU_CACHE", str(tmp_path / "cache"))
    return folder


def test_every_file_of_the_device_counts_for_the_cache(device: Path) -> None:
    assert {file.suffix for file in device.iterdir()} == {".h", ".cpp"}
    before = build._tag()
    assert build._tag() == before
    for file in device.iterdir():
        text = file.read_text()
        file.write_text(f"{text}\n// changed")
        assert build._tag() != before, file.name
        file.write_text(text)


def test_what_is_in_the_cache_is_not_built_again(device: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(CannotBuildError, match="need a C\\+\\+ compiler, and no-such-compiler was not found"):
        build.library()
    built = build.cache_folder() / f"vgpu-{build._tag()}.so"
    built.touch()
    assert build.library() == built


def test_a_compilers_refusal_is_told_and_leaves_nothing(
    device: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in device.iterdir():
        file.write_text("#error not today\n")
    with pytest.raises(CannotBuildError, match=r"mend device/(.|\n)*not today"):
        build.library()
    assert not list(build.cache_folder().iterdir())
