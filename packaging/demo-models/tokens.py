"""Makes the demo model's CLIP tokenizer: whole words for its captions, byte pieces for all other text.

The pairs to merge are learned from the list of words alone, until each is a single token; a run is the same
every time. All 256 bytes are in the vocabulary, so no text of any script is refused.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import scenes

END_OF_WORD = "</w>"
START, END = "<|startoftext|>", "<|endoftext|>"
LENGTH = 77
EXTRA_WORDS = ("a", "an", "the", "and", "centre")

Pair = tuple[str, str]


def words() -> list[str]:
    """Every word that a caption can hold, sorted."""
    found = {*scenes.COLOURS, *scenes.SHAPES, *EXTRA_WORDS}
    for text in (*scenes.SIZES, *scenes.POSITIONS, *scenes.CENTRE_WORDS):
        found.update(text.split())
    for wording in scenes.WORDINGS:
        found.update(re.findall(r"[a-z]+", re.sub(r"{\w+}", "", wording)))
    return sorted(found)


def byte_letters() -> list[str]:
    """The printable letter that stands for each byte in byte-level vocabularies."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in plain]
    return [chr(byte) for byte in plain] + [chr(256 + index) for index in range(len(others))]


def learn_merges(vocabulary: list[str]) -> list[Pair]:
    """Merge the most frequent pair, ties by order, until each word is one piece."""
    split = [[*word[:-1], word[-1] + END_OF_WORD] for word in vocabulary]
    merges: list[Pair] = []
    while pairs := Counter(pair for pieces in split for pair in pairwise(pieces)):
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        merges.append(best)
        split = [_merged(pieces, best) for pieces in split]
    return merges


def _merged(pieces: list[str], pair: Pair) -> list[str]:
    result: list[str] = []
    for piece in pieces:
        if result and (result[-1], piece) == pair:
            result[-1] += piece
        else:
            result.append(piece)
    return result


def vocabulary(merges: list[Pair]) -> dict[str, int]:
    """Bytes, bytes that end a word, merged pieces, then the two marks, numbered in CLIP's order."""
    letters = byte_letters()
    pieces = [*letters, *(letter + END_OF_WORD for letter in letters), *map("".join, merges), START, END]
    return {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}


def write(folder: Path) -> None:
    """Write the tokenizer's files as diffusers expects them in a pipeline's folder."""
    folder.mkdir(parents=True, exist_ok=True)
    merges = learn_merges(words())
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    marks = {"bos_token": START, "eos_token": END, "pad_token": END, "unk_token": END}
    settings = {
        **marks,
        "add_prefix_space": False,
        "clean_up_tokenization_spaces": False,
        "do_lower_case": True,
        "model_max_length": LENGTH,
        "tokenizer_class": "CLIPTokenizer",
    }
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, content in {
        "vocab.json": vocabulary(merges),
        "special_tokens_map.json": marks,
        "tokenizer_config.json": settings,
    }.items():
        (folder / name).write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
