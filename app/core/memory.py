"""MemorySettings: every control of the memory panel, declared once. The planner turns them into a Plan.

The engine must not know this module: it reads plans.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.core.knobs import Knob, KnobKind, knob
from app.core.text import Text, say

AUTO = say("core", "Auto")
_ON_OFF = (("auto", AUTO), ("on", say("core", "On")), ("off", say("core", "Off")))

ATTENTION_BACKENDS = (
    "native", "flash", "flash_hub", "flash_varlen", "flash_varlen_hub", "flash_4_hub", "_flash_3", "_flash_varlen_3",
    "_flash_3_hub", "_flash_3_varlen_hub", "aiter_fa2_hub", "flex", "_native_cudnn", "_native_efficient",
    "_native_flash", "_native_math", "_native_npu", "_native_xla", "sage", "sage_hub", "sage_blackwell_hub",
    "sage_varlen", "_sage_qk_int8_pv_fp8_cuda", "_sage_qk_int8_pv_fp8_cuda_sm90", "_sage_qk_int8_pv_fp16_cuda",
    "_sage_qk_int8_pv_fp16_triton", "xformers",
)  # fmt: skip
"""diffusers' own names; a test compares."""
_GROUPS = say("core", "Group offload")
_FORMATS = say("core", "Number formats")
_VAE = say("core", "Decoder (VAE)")
_PLACES = say("core", "Parts and GPUs")
_SPEED = say("core", "Speed")
_KEEPING = say("core", "What is kept")
"""The headings of what does not stand open, in the order of their first fields."""
_OFFLOADS = (
    ("auto", AUTO),
    ("none", say("core", "None: all on the GPU")),
    ("model", say("core", "Model: one part at a time")),
    ("sequential", say("core", "Sequential: one layer at a time")),
    ("group_block", say("core", "Groups of blocks: one at a time")),
    ("group_leaf", say("core", "Groups of layers: one at a time")),
    ("partial", say("core", "Partial: as many blocks as fit stay")),
)
_STORAGES = (
    ("auto", AUTO),
    ("none", say("core", "Off")),
    ("fp8_e4m3", say("core", "E4M3: finer steps")),
    ("fp8_e5m2", say("core", "E5M2: wider range")),
)
_QUANTIZATIONS = (
    ("none", say("core", "Off")),
    ("bnb_8bit", say("core", "bitsandbytes, 8 bits")),
    ("bnb_nf4", say("core", "bitsandbytes, 4 bits (nf4)")),
    ("torchao_int8", say("core", "torchao, int8")),
    ("torchao_fp8", say("core", "torchao, fp8")),
)
_PART = say("core", "For this part of the model alone.")
PART_KNOBS = {
    "offload": Knob(
        kind=KnobKind.CHOICE,
        label=say("core", "Offload"),
        price=_PART,
        choices=tuple(pair for pair in _OFFLOADS if pair[0] not in ("auto", "partial")),
    ),
    "device": Knob(kind=KnobKind.DEVICE, label=say("core", "GPU"), price=_PART),
    "storage": Knob(
        kind=KnobKind.CHOICE,
        label=say("core", "fp8 storage"),
        price=_PART,
        choices=_STORAGES[1:],
    ),
    "quantization": Knob(
        kind=KnobKind.CHOICE,
        label=say("core", "Quantization"),
        price=_PART,
        choices=_QUANTIZATIONS,
    ),
}


@dataclass(frozen=True)
class MemorySettings:
    """How the work is computed, as a person may set it; ``auto`` leaves the choice to the planner.

    The names are the contract of ``--memory name=value``, of presets and of ``headroom plan --json``.
    """

    device: str = knob(
        "auto",
        kind=KnobKind.DEVICE,
        label=say("core", "GPU"),
        price=say("core", "Which device does the work: Auto takes the one with the most memory."),
    )
    max_memory: str = knob(
        "auto",
        kind=KnobKind.SIZE,
        low=1,
        per_device=True,
        label=say("core", "Maximum memory"),
        price=say(
            "core",
            "The most this program may hold on that device: less leaves room for others but is slower.",
        ),
    )
    offload: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_OFFLOADS,
        label=say("core", "Offload"),
        price=say(
            "core",
            "Keeps weights in main memory until they are needed: same picture, less GPU memory, slower.",
        ),
    )
    storage: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_STORAGES,
        lossy=True,
        label=say("core", "fp8 storage"),
        price=say("core", "Keeps weights in 8 bits: half the memory, slightly different pictures."),
    )
    vae_tiling: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        lossy=True,
        label=say("core", "VAE tiling"),
        price=say(
            "core", "Decodes the picture in tiles: far less memory at the end, faint seams are possible."
        ),
    )
    group_blocks: int = knob(
        1,
        kind=KnobKind.WHOLE,
        low=1,
        high=64,
        group=_GROUPS,
        label=say("core", "Blocks per group"),
        price=say("core", "How many blocks move at a time: more is faster and needs their memory at once."),
    )
    stream: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        group=_GROUPS,
        label=say("core", "Stream ahead"),
        price=say(
            "core", "Copies the next group while this one computes: faster, for up to twice the main memory."
        ),
    )
    record_stream: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        group=_GROUPS,
        label=say("core", "Record stream"),
        price=say("core", "Leaves waiting to the allocator: a little faster, for a little more GPU memory."),
    )
    low_cpu_mem: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        group=_GROUPS,
        label=say("core", "Pin as needed"),
        price=say(
            "core", "Pins main memory group by group while streaming: far less of it, but slower copies."
        ),
    )
    non_blocking: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        group=_GROUPS,
        label=say("core", "Non-blocking copies"),
        price=say("core", "Does not wait for each copy: a little faster with group offload, else no gain."),
    )
    disk_offload: str = knob(
        "off",
        kind=KnobKind.CHOICE,
        choices=(("off", say("core", "Off")), ("on", say("core", "On"))),
        group=_GROUPS,
        label=say("core", "Offload to disk"),
        price=say(
            "core", "Groups wait in files, not in main memory: for little RAM, limited by the disk's speed."
        ),
    )
    disk_folder: str = knob(
        "",
        kind=KnobKind.FOLDER,
        group=_GROUPS,
        label=say("core", "Folder for it"),
        price=say(
            "core",
            "Where those files lie while a model is loaded: a fast disk helps, they are deleted after.",
        ),
    )
    quantization: str = knob(
        "none",
        kind=KnobKind.CHOICE,
        choices=_QUANTIZATIONS,
        lossy=True,
        group=_FORMATS,
        label=say("core", "Quantization"),
        price=say(
            "core",
            "Packs the denoiser's weights in 8 or 4 bits: much less memory, but other pictures.",
        ),
    )
    dtype: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=(
            ("auto", AUTO),
            ("bfloat16", say("core", "bfloat16")),
            ("float16", say("core", "float16")),
            ("float32", say("core", "float32")),
        ),
        lossy=True,
        group=_FORMATS,
        label=say("core", "Precision"),
        price=say(
            "core", "The number format that computes: float32 doubles the memory of the 16-bit formats."
        ),
    )
    skip_modules: str = knob(
        "",
        kind=KnobKind.LIST,
        group=_FORMATS,
        label=say("core", "fp8: keep modules"),
        price=say(
            "core",
            "Layers whose names match these patterns keep 16 bits under fp8 storage: finer, but larger.",
        ),
    )
    skip_classes: str = knob(
        "",
        kind=KnobKind.LIST,
        group=_FORMATS,
        label=say("core", "fp8: keep classes"),
        price=say(
            "core",
            "Layers of these classes, such as Linear, keep 16 bits under fp8 storage: finer, larger.",
        ),
    )
    vae_slicing: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        group=_VAE,
        label=say("core", "VAE slicing"),
        price=say("core", "Decodes a batch one picture at a time; Headroom makes them one by one anyway."),
    )
    vae_tile_size: int = knob(
        0,
        kind=KnobKind.WHOLE,
        low=0,
        high=8192,
        lossy=True,
        group=_VAE,
        unit=say("core", "px"),
        label=say("core", "Tile size"),
        price=say(
            "core",
            "A side of one VAE tile, 0 for a size that fits: smaller saves memory and shows more seams.",
        ),
    )
    vae_tile_overlap: float = knob(
        0.25,
        kind=KnobKind.NUMBER,
        low=0,
        high=0.75,
        lossy=True,
        group=_VAE,
        label=say("core", "Tile overlap"),
        price=say(
            "core", "How much of a tile its neighbour covers too: more hides seams but decodes more tiles."
        ),
    )
    vae_endpoint: str = knob(
        "",
        kind=KnobKind.ADDRESS,
        lossy=True,
        group=_VAE,
        label=say("core", "Remote VAE"),
        price=say(
            "core", "A server that decodes instead of this machine: no memory here, but it sees your picture."
        ),
    )
    spread: str = knob(
        "single",
        kind=KnobKind.CHOICE,
        choices=(
            ("single", say("core", "One GPU")),
            ("balanced", say("core", "Balanced: whole parts")),
            ("auto", say("core", "Split: the denoiser too")),
            ("custom", say("core", "Custom map")),
        ),
        group=_PLACES,
        label=say("core", "Several GPUs"),
        price=say(
            "core", "Lays one model over several GPUs: it fits without offload, but they work in turn."
        ),
    )
    device_map: str = knob(
        "",
        kind=KnobKind.MAP,
        group=_PLACES,
        label=say("core", "Device map"),
        price=say(
            "core", "Where each part lies when the map is custom: a GPU, cpu or disk; the last two are slow."
        ),
    )
    component: tuple[tuple[str, str], ...] = knob(
        (),
        kind=KnobKind.PARTS,
        parts=PART_KNOBS,
        group=_PLACES,
        label=say("core", "Single parts"),
        price=say(
            "core", "Other values for one part of the model, such as its own GPU: for those who know it well."
        ),
    )
    attention: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=(("auto", AUTO), *((name, Text(name)) for name in ATTENTION_BACKENDS)),
        lossy=True,
        group=_SPEED,
        label=say("core", "Attention"),
        price=say(
            "core", "Which kernel computes attention: some are faster, and all may change the last digits."
        ),
    )
    compile: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        lossy=True,
        group=_SPEED,
        label=say("core", "Compile"),
        price=say(
            "core", "Compiles the repeated blocks once: later steps are faster, the first takes minutes."
        ),
    )
    channels_last: str = knob(
        "auto",
        kind=KnobKind.CHOICE,
        choices=_ON_OFF,
        lossy=True,
        group=_SPEED,
        label=say("core", "Channels last"),
        price=say(
            "core", "Another order of the numbers in memory: less work memory on recent GPUs, else no gain."
        ),
    )
    keep_loaded: float = knob(
        10.0,
        kind=KnobKind.NUMBER,
        low=0,
        high=1440,
        group=_KEEPING,
        unit=say("core", "min"),
        label=say("core", "Keep loaded"),
        price=say("core", "How long the model stays in memory after a job: the next one starts at once."),
    )
    reserve: str = knob(
        "auto",
        kind=KnobKind.SIZE,
        group=_KEEPING,
        label=say("core", "Reserve"),
        price=say("core", "Memory always left free on the device, for the screen and other programs."),
    )
