"""Packs a component's linear layers with torchao or bitsandbytes once it is read. Decides nothing: plans do.

The optional libraries are imported only when a plan names them.
"""

from __future__ import annotations

from typing import Any

import torch

from app.core.errors import AppError, ErrorKind
from app.core.family import Component
from app.core.parts import ComponentInfo
from app.core.plan import Plan, Quantization
from app.core.rules import AO, BNB, QUANTIZERS, not_installed
from app.core.text import say


def refuse_missing(part: Component, plan: Plan) -> None:
    """Raises before anything is read where the library of a component's packing does not load."""
    kind = plan.placement(part.name).quantization
    if kind not in QUANTIZERS:
        return
    package = QUANTIZERS[kind]
    try:
        __import__(package)
    except ImportError as error:
        raise AppError(
            ErrorKind.COMBINATION_REFUSED, str(error), name="quantization", value=kind.value,
            reason=not_installed(package),
        ) from error  # fmt: skip


def reading_options(part: Component, plan: Plan, dtype: torch.dtype) -> dict[str, Any]:
    """What a class's ``from_pretrained`` is told: bitsandbytes packs while it reads, onto the GPU."""
    kind = plan.placement(part.name).quantization
    if QUANTIZERS.get(kind) != BNB:
        return {}
    from diffusers import BitsAndBytesConfig

    if kind is Quantization.BNB_8BIT:
        return {"quantization_config": BitsAndBytesConfig(load_in_8bit=True)}
    return {
        "quantization_config": BitsAndBytesConfig(
            load_in_4bit=True, bnb_4bit_quant_type="nf4", bnb_4bit_compute_dtype=dtype
        )
    }


def refuse_other_files(info: ComponentInfo, plan: Plan) -> None:
    """Raises where a plan was made for weights that are packed otherwise than the file is."""
    kind = plan.placement(info.name).quantization
    if info.packed is not (kind is Quantization.GGUF):
        raise AppError(
            ErrorKind.COMBINATION_REFUSED, name="quantization", value=kind.value,
            reason=say("core", "The weights in this file are packed in another way."),
        )  # fmt: skip


def pack(module: torch.nn.Module, part: Component, plan: Plan) -> None:
    """Packs by torchao what has been read: the same way for folders, single files and both libraries' classes."""
    kind = plan.placement(part.name).quantization
    if QUANTIZERS.get(kind) != AO:
        return
    from torchao.quantization import Float8WeightOnlyConfig, Int8WeightOnlyConfig, quantize_

    config = Int8WeightOnlyConfig() if kind is Quantization.TORCHAO_INT8 else Float8WeightOnlyConfig()
    precise = tuple(getattr(module, "_keep_in_fp32_modules", None) or ())

    def packs(layer: torch.nn.Module, name: str) -> bool:
        return isinstance(layer, torch.nn.Linear) and not any(word in name.split(".") for word in precise)

    quantize_(module, config, filter_fn=packs)
