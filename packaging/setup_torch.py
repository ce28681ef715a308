"""Which accelerator this machine has, and which build of PyTorch fits it.

Looks at files and small programs only; installs nothing itself. Knows pip through setup_pip alone.
"""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from setup_base import Problem, say
from setup_pip import Pip

TORCH = "2.13.0"
"""The release that the project is tested with; inside the range that pyproject.toml allows."""

WHEELS = "https://download.pytorch.org/whl/"
KINDS = ("cpu", "cuda", "rocm", "xpu")
ROCM = "rocm7.2"
CUDA_DRIVER = {"cu130": 580, "cu126": 525}
"""The oldest NVIDIA driver of each CUDA build."""

ROCM_CHIPS = frozenset(
    f"gfx{chip}" for chip in (900, 906, 908, "90a", 942, 950, 1030, 1100, 1101, 1102, 1150, 1151, 1200, 1201)
)
"""The AMD chips that PyTorch's ROCm build has code for."""

PROBE_SECONDS = 15


@dataclass(frozen=True)
class Accelerator:
    """What was found: a kind, words for a person, and for NVIDIA the CUDA build that card and driver take."""

    kind: str
    words: str
    cuda: str = "cu130"


@dataclass(frozen=True)
class Build:
    """A build of PyTorch to install: pip's arguments, and its size for a person."""

    kind: str
    words: str
    megabytes: int
    requirement: str = f"torch=={TORCH}"
    index: str = ""

    @property
    def arguments(self) -> list[str]:
        """What to hand to `pip install`."""
        return [self.requirement, *(["--extra-index-url", self.index] if self.index else [])]


SIZES = {"cpu": 200, "apple": 100, "cuda": 2900, "rocm": 4800, "xpu": 2000}
"""Megabytes to download, dependencies included."""

SPACE = {"cpu": 4, "apple": 3, "cuda": 12, "rocm": 24, "xpu": 12}
"""Gigabytes that the whole environment needs while it is made."""


def evidence() -> str:
    """Signs of accelerators that cost no process; when they are the same, the last answer still holds."""
    signs = [name for name in ("nvidia-smi", "rocminfo", "xpu-smi") if shutil.which(name)]
    signs += [path for path in ("/dev/kfd", "/dev/dxg", "/proc/driver/nvidia/version") if Path(path).exists()]
    return ",".join([*signs, *drm_vendors(), *level_zero()])


def drm_vendors(base: str = "/sys/class/drm") -> list[str]:
    """PCI vendors of the display adapters that Linux knows."""
    return sorted({read(path) for path in Path(base).glob("card*/device/vendor")} - {""})


def level_zero() -> list[str]:
    """Intel's compute driver, without which the XPU build finds nothing."""
    folders = ("/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib")
    return ["level-zero"] if any(any(Path(f).glob("libze_intel_gpu.so*")) for f in folders) else []


def detect() -> Accelerator:
    """The accelerator that this machine has; the first of NVIDIA, AMD, Intel, Apple."""
    if sys.platform == "darwin":
        return apple()
    return nvidia() or amd() or intel() or Accelerator("cpu", "no accelerator")


def apple() -> Accelerator:
    """Apple's chips; PyTorch has no builds for Intel Macs any more."""
    if platform.machine() != "arm64":
        raise Problem(
            "PyTorch has no build for this Python: it needs a Mac with an Apple chip, and a Python made for "
            "one (not one that runs under Rosetta). Install Python from https://www.python.org/downloads/macos/.",
            3,
        )
    return Accelerator("apple", "an Apple chip")


def nvidia() -> Accelerator | None:
    """An NVIDIA card, and the newest CUDA build that its driver and chip take."""
    rows = output("nvidia-smi", "--query-gpu=name,driver_version,compute_cap", "--format=csv,noheader")
    cards = [[part.strip() for part in row.split(",")] for row in rows.splitlines() if row.count(",") == 2]
    if cards:
        name, driver, _ = cards[0]
        caps = [number(card[2]) for card in cards]
        return Accelerator("cuda", f"{name}, driver {driver}", cuda_build(number(driver), min(caps)))
    text = read("/proc/driver/nvidia/version")
    found = re.search(r"\b(\d{3})\.\d+", text)
    if found:
        return Accelerator(
            "cuda", f"an NVIDIA card, driver {found.group(0)}", cuda_build(number(found.group(0)), 0)
        )
    return None


def cuda_build(driver: float, capability: float) -> str:
    """The CUDA build for a driver and the oldest card (0: unknown); CUDA 13 leaves out chips before 7.5."""
    if 0 < driver < CUDA_DRIVER["cu126"]:
        return ""
    return "cu126" if 0 < driver < CUDA_DRIVER["cu130"] or 0 < capability < 7.5 else "cu130"


def amd() -> Accelerator | None:
    """An AMD chip that PyTorch's ROCm build has code for."""
    if not Path("/dev/kfd").exists():
        return None
    chips = set(re.findall(r"\bgfx[0-9a-f]{3,4}\b", output("rocminfo"))) or kfd_chips()
    for chip in sorted(chips & ROCM_CHIPS):
        return Accelerator("rocm", f"an AMD {chip}")
    if chips:
        names = ", ".join(sorted(chips))
        say(f"PyTorch has no build for the AMD chip found here ({names}); --torch rocm tries anyway.")
    return None


def kfd_chips(base: str = "/sys/class/kfd/kfd/topology/nodes") -> set[str]:
    """AMD chips as the kernel lists them: 110000 is gfx1100, 90010 is gfx90a."""
    chips = set()
    for path in Path(base).glob("*/properties"):
        found = re.search(r"^gfx_target_version (\d+)$", read(path), re.MULTILINE)
        if found and int(found.group(1)):
            value = int(found.group(1))
            chips.add(f"gfx{value // 10000}{value // 100 % 100:x}{value % 100:x}")
    return chips


def intel() -> Accelerator | None:
    """An Intel card with its compute driver; a display adapter alone is no accelerator."""
    if sys.platform != "linux" or "0x8086" not in drm_vendors():
        return None
    return Accelerator("xpu", "an Intel GPU") if shutil.which("xpu-smi") or level_zero() else None


def output(*command: str) -> str:
    """What a small program says, or nothing."""
    if not shutil.which(command[0]):
        return ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""


def read(path: str | Path) -> str:
    """A small file's text, or nothing."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def number(text: str) -> float:
    """The leading number of a version, 0 when there is none: '580.95.05' is 580.95."""
    found = re.match(r"\d+(\.\d+)?", text)
    return float(found.group(0)) if found else 0.0


def choose(accelerator: Accelerator, pip: Pip) -> Build:
    """The build to install for an accelerator."""
    kind = accelerator.kind
    if kind == "cpu":
        return cpu_build(pip)
    if kind == "apple":
        return Build("apple", "build for Apple chips", SIZES["apple"])
    if kind == "cuda":
        if not accelerator.cuda:
            raise Problem(
                f"The NVIDIA driver is too old for PyTorch {TORCH} ({accelerator.words}). Install driver 580 "
                "or newer, or go without the card: python3 packaging/run.py --torch cpu",
                3,
            )
        return pinned("cuda", f"CUDA build, {accelerator.cuda}", accelerator.cuda)
    if kind == "rocm":
        return pinned("rocm", "ROCm build", ROCM)
    return pinned("xpu", "XPU build", "xpu")


def pinned(kind: str, words: str, label: str) -> Build:
    """A build by its local version, from PyTorch's own index beside the one that pip is set to."""
    return Build(kind, words, SIZES[kind], f"torch=={TORCH}+{label}", WHEELS + label)


def cpu_build(pip: Pip) -> Build:
    """The CPU build: what pip is set to if that is one, else PyTorch's CPU index, else what pip is set to."""
    offer = offered(pip, f"torch=={TORCH}", "--retries", "1", seconds=60)
    if is_cpu_build(offer):
        return Build("cpu", "CPU build", SIZES["cpu"])
    index = WHEELS + "cpu"
    local = f"torch=={TORCH}+cpu"
    if offered(
        pip, local, "--extra-index-url", index, "--timeout", "10", "--retries", "0", seconds=PROBE_SECONDS
    ):
        return Build("cpu", "CPU build", SIZES["cpu"], local, index)
    if not offer:
        # Nothing was offered at all: let the install itself fail, since that failure is explained.
        return Build("cpu", "CPU build", SIZES["cpu"])
    say(
        f"PyTorch's CPU builds ({index}) cannot be reached, so the default build is taken; "
        f"it also holds code for graphics cards and is a download of about {SIZES['cuda'] / 1000:.1f} GB."
    )
    return Build("cpu", "default build", SIZES["cuda"])


def is_cpu_build(offer: str) -> bool:
    """Whether an offered version (like 2.13.0+cpu) is a build without code for graphics cards."""
    if sys.platform == "linux":
        return offer.endswith("+cpu")
    return bool(offer) and "+cu" not in offer


def offered(pip: Pip, requirement: str, *options: str, seconds: float) -> str:
    """The version of the torch file that pip would take, or nothing.

    Reads pip's own words and ends it at the first file named: a dry run of an older pip downloads the file.
    """
    command = pip.command(
        "install", "--dry-run", "--no-deps", "--ignore-installed", "-v", *options, requirement
    )
    process, start = pip.begun("which torch", command, PYTHONUNBUFFERED="1")
    try:
        return first_file(process, pip.place.log, start, time.monotonic() + seconds)
    finally:
        process.kill()
        process.wait()


def first_file(process: subprocess.Popen, log: Path, start: int, deadline: float) -> str:
    """Follow a log until a torch wheel is named, the process ends, or time is up."""
    while True:
        ended = process.poll() is not None
        with log.open("rb") as lines:
            lines.seek(start)
            version = version_in(lines.read().decode("utf-8", "replace").splitlines())
        if version or ended or time.monotonic() > deadline:
            return version
        time.sleep(0.1)


def version_in(lines: Sequence[str]) -> str:
    """The version of the torch file that pip says it takes."""
    for line in lines:
        if not re.match(r"\s*(Processing|Downloading|Using cached|Obtaining)\b", line):
            continue
        found = re.search(r"\btorch-([^-/\s]+)-\S+\.whl", line)
        if found:
            return found.group(1).replace("%2B", "+").replace("%2b", "+")
    return ""
