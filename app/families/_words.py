"""How much of a prompt an encoder reads, for every family; takes a tokenizer, knows no model."""

from __future__ import annotations

from typing import Any


def read_until(tokenizer: Any, prompt: str, limit: int, end_marks: int = 1) -> int:
    """Where the first word begins that is not wholly among the first ``limit`` tokens; the prompt's length when all
    are. The last ``end_marks`` places are the marks' that close a prompt."""
    read = tokenizer(prompt, return_offsets_mapping=True, verbose=False)
    if len(read["input_ids"]) <= limit:
        return len(prompt)
    first_lost = int(read["offset_mapping"][limit - end_marks][0])
    while (
        first_lost < len(prompt) and prompt[first_lost].isspace()
    ):  # some tokens begin with the gap before them
        first_lost += 1
    while first_lost > 0 and not prompt[first_lost - 1].isspace():
        first_lost -= 1
    return first_lost
