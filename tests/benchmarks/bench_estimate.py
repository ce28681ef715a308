"""What the dry run foretells of full-size models over what others measured on GPUs, from the shipped configurations.

No weights are needed. Prints JSON; takes about half a minute. The figures' sources stand beside them.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]
os.environ.setdefault("OMP_NUM_THREADS", "1")

DIFFUSERS, TORCHAO = "huggingface/diffusers pull request 11682", "sayakpaul/diffusers-torchao README"
FLUX: tuple[tuple[str, str, float, str], ...] = (
    ("offload none", "peak", 33.851, TORCHAO),
    ("offload none", "loaded", 31.438, TORCHAO),
    ("offload model", "peak", 22.64, DIFFUSERS),
    ("group_leaf, stream", "denoise", 0.53, DIFFUSERS),
)
"""Plan, what of it, GiB (``max_memory_allocated``), and who measured it: FLUX.1-dev, 1024 px, bfloat16."""


def main() -> None:
    from app.core.estimate import estimate
    from app.core.family import Media
    from app.core.hardware import DeviceSheet, Hardware
    from app.core.plan import Dtype, GroupOptions, OffloadMode, Plan
    from app.core.request import GenerationRequest
    from app.core.units import GIB, MIB
    from app.engine.dry_run import footprint_of
    from app.families import all_families

    family = all_families()["flux"]
    info = of_configurations(ROOT / "resources" / "catalogue" / "flux-dev", family)
    request = GenerationRequest(
        model=str(info.path), prompt="a cat", width=1024, height=1024, steps=2, guidance=3.5, seed=1
    )
    plan = Plan(family="flux", device="cuda:0", dtype=Dtype.BFLOAT16)
    card = DeviceSheet(
        id="cuda:0", name="", total=80 * GIB, free=80 * GIB, workspace=True, libraries=32 * MIB
    )
    plans = {
        "offload none": plan,
        "offload model": replace(plan, offload=OffloadMode.MODEL),
        "group_leaf, stream": replace(plan, offload=OffloadMode.GROUP_LEAF, group=GroupOptions(stream=True)),
    }
    footprint = footprint_of(info, family, request, plan, Media())
    rows = []
    for name, what, published, source in FLUX:
        need = estimate(footprint, plans[name], family, Hardware(devices=(card,)))
        assert need is not None
        found = {**need.peaks["cuda:0"], "peak": need.peak("cuda:0"), "loaded": need.loaded["cuda:0"]}[what]
        rows.append(
            {
                "plan": name,
                "what": what,
                "foretold_gib": round(found / GIB, 3),
                "published_gib": published,
                "ratio": round(found / GIB / published, 4),
                "source": source,
            }
        )
    print(json.dumps({"model": "FLUX.1-dev, 1024 px, bfloat16", "rows": rows}, indent=1))


def of_configurations(folder: Path, family: Any) -> Any:
    """A model of which only the configurations are there."""
    from app.core.family import ModelSource
    from app.core.model_file import ModelInfo
    from app.core.parts import ComponentInfo

    names = {"scheduler": "scheduler_config.json", "tokenizer": "tokenizer_config.json"}
    index = json.loads((folder / "model_index.json").read_text())
    configs = {"model_index": index}
    for part in family.components:
        file = folder / part.name / names.get(part.role, "config.json")
        configs[part.name] = json.loads(file.read_text()) if file.is_file() else {}
    parts = tuple(
        ComponentInfo(
            name=part.name,
            role=part.role,
            class_name=index[part.name][1],
            label=part.label,
            numbers=int(part.weights),
        )
        for part in family.components
        if index.get(part.name, (None, None))[1]
    )
    return ModelInfo(
        path=folder, name=folder.name, family=family.id, source=ModelSource(path=folder), components=parts,
        limits=family.limits(configs), configs=configs,
    )  # fmt: skip


if __name__ == "__main__":
    main()
