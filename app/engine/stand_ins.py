"""Components for a dry run: networks without weights, tokenizers without words. Loads nothing."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from diffusers.configuration_utils import ConfigMixin
from torch.utils._pytree import tree_map
from transformers import BatchEncoding

META = torch.device("meta")
_WORDS = 8
"""Tokens of the prompt that stand-ins pretend: far below what encoders read, as prompts are."""


class StandInTokenizer:
    """Tells the sizes that a tokenizer would: encoders are given all the tokens they read, whatever the words."""

    def __init__(self, model_max_length: int) -> None:
        self.model_max_length = model_max_length

    def __call__(self, text: Any, padding: Any = None, max_length: int | None = None, **_: Any) -> Any:
        prompts = 1 if isinstance(text, str) else len(text)
        length = max_length or self.model_max_length
        if padding == "longest":
            length = _WORDS
        ids = torch.zeros(prompts, length, dtype=torch.long)
        mask = torch.zeros_like(ids)
        mask[:, :_WORDS] = 1
        return BatchEncoding({"input_ids": ids, "attention_mask": mask})

    def tokenize(self, _text: str) -> list[str]:
        """No words, so none of them is an embedding learnt later."""
        return []

    def batch_decode(self, ids: Any, **_: Any) -> list[str]:
        """No words."""
        return [""] * len(ids)


def empty_model(cls: Any, config: dict[str, Any], dtype: torch.dtype) -> torch.nn.Module:
    """A network of the class and configuration on meta, each weight in the format in which it would be loaded."""
    usual = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with META:
            of_diffusers = issubclass(cls, ConfigMixin)
            model = cls.from_config(config) if of_diffusers else cls(cls.config_class.from_dict(config))
    finally:
        torch.set_default_dtype(usual)
    is_precise = _precise_words(model, dtype, of_diffusers)
    for name, weight in model.named_parameters():
        if weight.is_floating_point():
            weight.data = weight.data.to(torch.float32 if is_precise(name) else dtype)
    return model.eval().requires_grad_(False)


def _precise_words(model: Any, dtype: torch.dtype, of_diffusers: bool) -> Callable[[str], bool]:
    """Which weights the libraries load in float32 whatever is asked, by their names."""
    always = set(getattr(model, "_keep_in_fp32_modules_strict", None) or ())
    if of_diffusers or dtype is torch.float16:
        always |= set(model._keep_in_fp32_modules or ())
    return lambda name: not always.isdisjoint(name.split("."))


def reads_on_meta(module: torch.nn.Module) -> None:
    """Whatever the module is given comes to meta first, as a pipeline's steps are counted on the CPU."""

    def bring(_module: Any, args: Any, kwargs: Any) -> Any:
        return tree_map(_to_meta, args), tree_map(_to_meta, kwargs)

    module.register_forward_pre_hook(bring, with_kwargs=True)


def _to_meta(value: Any) -> Any:
    return value.to(META) if isinstance(value, torch.Tensor) and not value.is_meta else value


def counts_on_cpu(scheduler: Any) -> None:
    """The scheduler's numbers stay where they have values."""
    real = scheduler.set_timesteps

    @functools.wraps(real)
    def set_timesteps(*args: Any, device: Any = None, **kwargs: Any) -> Any:
        return real(*args, device="cpu", **kwargs)

    scheduler.set_timesteps = set_timesteps
