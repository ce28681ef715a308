"""Clips as animated PNG: every frame and its time come back, however equal; foreign files give no other error."""

from __future__ import annotations

import contextlib
import io
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from app.core.errors import AppError, ErrorKind
from app.media import clip
from app.media.check import to_pixels
from app.media.clip import encode_clip, read_clip, write_clip
from app.media.metadata import PictureInfo, read_settings
from app.media.open import open_picture, size_of, thumbnail

Pixels = NDArray[np.uint8]
MakeInfo = Callable[..., PictureInfo]


def moving(frames: int, height: int = 24, width: int = 40) -> Pixels:
    """Noise that changes from frame to frame."""
    return np.random.default_rng(0).integers(0, 256, (frames, height, width, 3), dtype=np.uint8)


def shown(path: Path) -> Pixels:
    """The file's frames."""
    return np.stack([np.asarray(frame) for frame in read_clip(path).frames])


def test_every_frame_comes_back(tmp_path: Path, make_info: MakeInfo) -> None:
    pixels = moving(7)
    path = write_clip(pixels, 8, tmp_path / "fox.png", make_info())
    assert path == tmp_path / "fox.png"
    assert np.array_equal(shown(path), pixels)
    assert [file.name for file in tmp_path.iterdir()] == ["fox.png"]
    assert write_clip(pixels, 8, tmp_path / "fox.png", make_info()).name == "fox-2.png"


@pytest.mark.parametrize(
    "order", [[0, 0, 1, 2], [0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 1, 0, 1], [0, 0, 0]], ids=str
)
def test_equal_frames_in_a_row_stay_frames(order: list[int], tmp_path: Path, make_info: MakeInfo) -> None:
    """Pillow joins them into one that stands longer, so that every second clip of doubled frames was refused."""
    pixels = moving(3)[order]
    path = write_clip(pixels, 16, tmp_path / "a.png", make_info())
    assert np.array_equal(shown(path), pixels)
    assert read_clip(path).fps == 16


def test_a_clip_of_one_colour_that_fades_has_all_its_frames(tmp_path: Path, make_info: MakeInfo) -> None:
    pixels = np.zeros((256, 4, 4, 3), np.uint8)
    pixels[:] = np.arange(256, dtype=np.uint8)[:, None, None, None]
    assert np.array_equal(shown(write_clip(pixels, 24, tmp_path / "a.png", make_info())), pixels)


def test_one_frame_is_a_picture(tmp_path: Path, make_info: MakeInfo) -> None:
    pixels = moving(1)
    path = write_clip(pixels, 8, tmp_path / "a.png", make_info())
    assert np.array_equal(shown(path), pixels)
    with Image.open(path) as picture:
        assert getattr(picture, "n_frames", 1) == 1
        assert np.array_equal(np.asarray(picture), pixels[0])


@pytest.mark.parametrize(
    "fps",
    [1, 8, 12.5, 15, 16, 23.976, 24, 24000 / 1001, 25, 29.97, 30, 50, 60, 120, 240, 0.5, 0.3333333, 0.01],
)
def test_frames_a_second_are_not_rounded_to_milliseconds(
    fps: float, tmp_path: Path, make_info: MakeInfo
) -> None:
    path = write_clip(moving(2), fps, tmp_path / "a.png", make_info())
    assert read_clip(path).fps == pytest.approx(fps, rel=1e-5)


@pytest.mark.parametrize("fps", [0, -1, 1e-9, 1e9])
def test_odd_rates_still_make_a_file(fps: float, tmp_path: Path, make_info: MakeInfo) -> None:
    path = write_clip(moving(2), fps, tmp_path / "a.png", make_info())
    assert len(read_clip(path).frames) == 2
    assert read_clip(path).fps > 0


def test_the_same_reader_finds_the_metadata_of_pictures_and_clips(
    tmp_path: Path, make_info: MakeInfo
) -> None:
    info = make_info(prompt="日本 \U0001f408 \n two", frames=49, fps=8, task="text-to-video", seed=2**64 - 1)
    path = write_clip(moving(3), 8, tmp_path / "a.png", info)
    found = read_settings(path)
    assert found is not None
    assert (found.prompt, found.seed, found.steps) == (info.request.prompt, 2**64 - 1, 12)
    assert (found.frames, found.fps) == (49, 8)
    with Image.open(path) as picture:
        assert "Steps: 12, Sampler: Euler" in picture.info["parameters"]


def test_the_viewer_shows_the_first_frame(tmp_path: Path, make_info: MakeInfo) -> None:
    pixels = moving(3)
    path = write_clip(pixels, 8, tmp_path / "a.png", make_info())
    assert np.array_equal(np.asarray(open_picture(path)), pixels[0])
    assert (size_of(path).width, size_of(path).height) == (40, 24)
    assert thumbnail(path, 20).size == (20, 12)


def test_other_programs_read_it_as_an_animation(tmp_path: Path, make_info: MakeInfo) -> None:
    data = encode_clip(moving(4), 16, make_info())
    with Image.open(io.BytesIO(data)) as picture:
        assert (picture.n_frames, picture.is_animated, picture.info["loop"]) == (4, True, 0)
        assert picture.info["duration"] == 62.5
        picture.verify()


def test_the_ends_of_8_bits_stay(tmp_path: Path, make_info: MakeInfo) -> None:
    decoded = np.linspace(-0.2, 1.2, 3 * 8 * 8 * 3, dtype=np.float32).reshape(3, 8, 8, 3)
    pixels = to_pixels(decoded)
    assert (pixels.min(), pixels.max()) == (0, 255)
    assert np.array_equal(pixels, np.stack([to_pixels(frame) for frame in decoded]))
    assert np.array_equal(shown(write_clip(pixels, 8, tmp_path / "a.png", make_info())), pixels)


def test_one_frame_that_is_no_number_spoils_the_clip() -> None:
    decoded = np.random.default_rng(0).random((4, 8, 8, 3), dtype=np.float32)
    decoded[2, 0, 0, 0] = np.nan
    with pytest.raises(AppError) as caught:
        to_pixels(decoded)
    assert caught.value.kind is ErrorKind.PICTURE_NOT_FINITE


def test_a_clip_of_one_colour_is_blank() -> None:
    with pytest.raises(AppError) as caught:
        to_pixels(np.full((4, 8, 8, 3), 0.5, np.float32))
    assert caught.value.kind is ErrorKind.PICTURE_BLANK


@pytest.mark.parametrize("share", [0, 0.1, 0.4, 0.7, 0.99])
def test_a_file_that_arrived_cut_is_no_success(
    share: float, tmp_path: Path, make_info: MakeInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = clip.encode_clip

    def cut(pixels: Pixels, fps: float, info: PictureInfo) -> bytes:
        data = real(pixels, fps, info)
        return data[: int(len(data) * share)]

    monkeypatch.setattr(clip, "encode_clip", cut)
    with pytest.raises(AppError) as caught:
        write_clip(moving(5), 8, tmp_path / "a.png", make_info())
    assert caught.value.kind is ErrorKind.WRITE_FAILED
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["pixels", "frames", "metadata"])
def test_another_clip_on_disk_is_no_success(
    change: str, tmp_path: Path, make_info: MakeInfo, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = clip.encode_clip

    def other(pixels: Pixels, fps: float, info: PictureInfo) -> bytes:
        return {
            "pixels": lambda: real(255 - pixels, fps, info),
            "frames": lambda: real(pixels[:-1], fps, info),
            "metadata": lambda: real(pixels, fps, make_info(seed=8)),
        }[change]()

    monkeypatch.setattr(clip, "encode_clip", other)
    with pytest.raises(AppError) as caught:
        write_clip(moving(3), 8, tmp_path / "a.png", make_info())
    assert caught.value.kind is ErrorKind.WRITE_FAILED
    assert list(tmp_path.iterdir()) == []


def test_damaged_clips_are_unreadable_or_shorter_and_nothing_else(
    tmp_path: Path, make_info: MakeInfo
) -> None:
    data, path = encode_clip(moving(3, 6, 6), 8, make_info()), tmp_path / "a.png"
    chance = random.Random(1)
    for _ in range(300):
        bad = bytearray(data)
        for _ in range(chance.randint(1, 4)):
            bad[chance.randrange(len(bad))] = chance.randrange(256)
        path.write_bytes(bad[: chance.randint(len(bad) // 2, len(bad))])
        with contextlib.suppress(AppError):
            assert len(read_clip(path).frames) <= 3


@pytest.mark.parametrize("format", ["GIF", "WEBP", "PNG"])
def test_animations_of_other_programs_are_read(format: str, tmp_path: Path) -> None:
    colours = [(200, 30, 30), (200, 30, 30), (30, 200, 30), (30, 30, 200)]
    first, *others = (Image.new("RGB", (16, 16), colour) for colour in colours)
    path = tmp_path / f"a.{format.lower()}"
    first.save(path, format, save_all=True, append_images=others, duration=100, loop=0)
    found = read_clip(path)
    assert found.fps == pytest.approx(10)
    assert len(found.frames) == 4  # the equal two are one in the file, which stands twice as long
    for frame, colour in zip(found.frames, colours, strict=True):
        assert frame.mode == "RGB"
        assert np.abs(np.asarray(frame, int)[8, 8] - colour).max() < 12


def test_no_more_frames_are_read_than_asked(tmp_path: Path, make_info: MakeInfo) -> None:
    pixels = moving(6)
    path = write_clip(pixels, 8, tmp_path / "a.png", make_info())
    found = read_clip(path, 4)
    assert np.array_equal(np.stack([np.asarray(frame) for frame in found.frames]), pixels[:4])
    first, second = Image.new("RGB", (8, 8), "red"), Image.new("RGB", (8, 8), "blue")
    slow = tmp_path / "slow.png"
    first.save(slow, save_all=True, append_images=[second], duration=[1, 60_000_000], loop=0)
    assert len(read_clip(slow, 9).frames) == 9  # sixty million times the shortest


def test_a_picture_is_a_clip_of_one_frame(tmp_path: Path, pixels: Pixels) -> None:
    Image.fromarray(pixels).save(tmp_path / "a.jpg")
    found = read_clip(tmp_path / "a.jpg")
    assert (len(found.frames), found.fps) == (1, 0)


def test_transparent_frames_show_the_background_not_what_is_hidden(tmp_path: Path) -> None:
    frames = [Image.new("RGBA", (8, 8), (255, 0, 0, alpha)) for alpha in (0, 255)]
    frames[0].save(tmp_path / "a.png", save_all=True, append_images=frames[1:], duration=100)
    first, second = (np.asarray(frame)[0, 0].tolist() for frame in read_clip(tmp_path / "a.png").frames)
    assert (first, second) == ([255, 255, 255], [255, 0, 0])


def test_no_file_and_no_clip_are_said(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("words")
    kinds = {
        "missing": ErrorKind.PICTURE_MISSING,
        "text": ErrorKind.PICTURE_UNREADABLE,
        ".": ErrorKind.PICTURE_MISSING,
    }
    for name, kind in kinds.items():
        with pytest.raises(AppError) as caught:
            read_clip(tmp_path / name)
        assert caught.value.kind is kind


def test_many_frames_are_written_and_compared_without_a_second_copy(
    tmp_path: Path, make_info: MakeInfo
) -> None:
    pixels = np.zeros((120, 96, 96, 3), np.uint8)  # 3 MiB; compresses to next to nothing
    pixels[:, :, :, 0] = np.arange(120, dtype=np.uint8)[:, None, None]
    tracemalloc.start()
    try:
        write_clip(pixels, 8, tmp_path / "a.png", make_info())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < pixels.nbytes / 2
