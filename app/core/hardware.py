"""What the machine has, as data: one sheet per device that torch reports, and the host's memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class DeviceSheet:
    """A device as the engine sees it. Sizes in bytes; ``free`` is what any program could still take."""

    id: str
    """``cpu``, or torch's name with index: ``cuda:0``, ``mps:0``, ``xpu:1`` …"""
    name: str
    total: int
    free: int
    held: int = 0
    """What this program's engine holds there already (and can give back for the next job)."""
    uuid: str = ""
    """For matching NVML's cards, whose order differs from CUDA's."""
    dtypes: tuple[str, ...] = ("float32",)
    """16-bit formats that compute at full speed there, best first, then float32."""
    shared: bool = False
    """Memory shared with the host (integrated GPUs, Apple)."""
    streams: bool = False
    """Whether copies can run beside computing."""
    workspace: bool = False
    """Whether its half-precision convolutions copy what they read and write into another order (cuDNN's do)."""
    libraries: int = 0
    """Bytes that the vendor's libraries take for themselves from the same memory (cuBLAS's workspace)."""
    compiles: bool = False
    """Whether torch can compile for it here: a code generator, and the compiler that it calls."""

    @property
    def type(self) -> str:
        """The device type without its index."""
        return self.id.split(":")[0]

    @property
    def is_cpu(self) -> bool:
        """Whether this is the host's processor."""
        return self.id == "cpu"


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """All devices (the CPU last) and the host's memory, in bytes."""

    devices: tuple[DeviceSheet, ...]
    ram_total: int = 0
    ram_free: int = 0
    packages: tuple[str, ...] = ()
    """Those of the optional libraries (quantization, attention kernels) that are installed."""

    def device(self, name: str) -> DeviceSheet | None:
        """The sheet of ``name``; ``cuda`` means ``cuda:0``."""
        wanted = name.strip().lower()
        for sheet in self.devices:
            if wanted in (sheet.id, f"{sheet.type}" if sheet.id.endswith(":0") else sheet.id):
                return sheet
        return None

    @property
    def best(self) -> DeviceSheet | None:
        """The accelerator with the most memory, else the CPU."""
        accelerators = [sheet for sheet in self.devices if not sheet.is_cpu]
        if accelerators:
            return max(accelerators, key=lambda sheet: sheet.total)
        return self.device("cpu")
