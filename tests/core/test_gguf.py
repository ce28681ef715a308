"""GGUF headers as the format's own library writes them, and what is said of files that are none or damaged."""

from __future__ import annotations

import struct
from pathlib import Path

import gguf
import gguf_files
import pytest
import torch

from app.core.error_words import sentence
from app.core.errors import AppError, ErrorKind
from app.core.gguf import READABLE, read_gguf
from app.core.model_file import read_model
from app.families import all_families

WEIGHTS = {"a.weight": torch.ones(3, 64), "a.bias": torch.ones(3), "conv.weight": torch.ones(2, 3, 1, 1)}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A small whole file."""
    return gguf_files.write(WEIGHTS, tmp_path / "small.gguf", "Q4_0")


def test_names_formats_and_shapes_are_read_in_torchs_order(file: Path) -> None:
    found = read_gguf(file)
    assert {name: tensor.shape for name, tensor in found.items()} == {
        name: tuple(weight.shape) for name, weight in WEIGHTS.items()
    }
    assert {name: tensor.dtype for name, tensor in found.items()} == {
        "a.weight": "Q4_0", "a.bias": "F32", "conv.weight": "F32",
    }  # fmt: skip
    assert found["a.weight"].bytes == 3 * 2 * 18


def test_the_sizes_are_those_of_the_formats_library() -> None:
    from app.core import gguf as ours

    for number, (name, numbers, size) in ours._FORMATS.items():
        assert gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]] == (numbers, size)
        assert gguf.GGMLQuantizationType[name] == number


def test_what_can_be_read_is_what_diffusers_unpacks() -> None:
    from diffusers.quantizers.gguf.utils import SUPPORTED_GGUF_QUANT_TYPES

    assert {"F32", "F16", *(kind.name for kind in SUPPORTED_GGUF_QUANT_TYPES)} == READABLE


@pytest.mark.parametrize("kept", [3, 6, 20, 60, 200, -40])
def test_a_file_that_was_cut_is_damaged(file: Path, kept: int) -> None:
    whole = file.read_bytes()
    file.write_bytes(whole[:kept])
    with pytest.raises(AppError) as caught:
        read_gguf(file)
    assert caught.value.kind is ErrorKind.MODEL_DAMAGED
    assert "small.gguf" in str(sentence(caught.value.problem))


@pytest.mark.parametrize(
    ("offset", "value"),
    [(4, struct.pack("<I", 99)), (8, struct.pack("<Q", 1 << 60)), (16, struct.pack("<Q", 1 << 60)),
     (24, struct.pack("<Q", 1 << 60))],
)  # fmt: skip
def test_numbers_that_no_file_has_are_not_believed(file: Path, offset: int, value: bytes) -> None:
    data = bytearray(file.read_bytes())
    data[offset : offset + len(value)] = value
    file.write_bytes(data)
    with pytest.raises(AppError) as caught:
        read_gguf(file)
    assert caught.value.kind is ErrorKind.MODEL_DAMAGED


def test_a_format_that_cannot_be_unpacked_is_named(tmp_path: Path) -> None:
    writer = gguf.GGUFWriter(tmp_path / "odd.gguf", "test")
    data = torch.zeros(1, 66, dtype=torch.uint8).numpy()
    writer.add_tensor("a.weight", data, raw_dtype=gguf.GGMLQuantizationType.IQ2_XXS)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    with pytest.raises(AppError) as caught:
        read_gguf(tmp_path / "odd.gguf")
    assert "IQ2_XXS" in str(sentence(caught.value.problem))


def test_a_file_alone_says_where_to_put_it(file: Path) -> None:
    with pytest.raises(AppError) as caught:
        read_model(file, all_families())
    assert caught.value.kind is ErrorKind.MODEL_NEEDS_PARTS
    assert "small.config" in str(sentence(caught.value.problem))
