"""PyInstaller's hook for torch: its libraries and what it needs beside its modules, nothing of its tests or headers.

Replaces the contributed hook, which takes all of torch's modules and sources.
"""

from pathlib import Path

from PyInstaller.compat import is_linux
from PyInstaller.utils.hooks import PY_DYLIB_PATTERNS, collect_dynamic_libs, get_package_paths, logger

_FOLDER = Path(get_package_paths("torch")[1])

binaries = collect_dynamic_libs("torch", search_patterns=[*PY_DYLIB_PATTERNS, "*.so.*"])
# torch looks for it when it is imported, and gives up if it is not there
binaries += [(str(path), "torch/bin") for path in _FOLDER.glob("bin/torch_shm_manager*")]
datas = [(str(_FOLDER / "_dynamo" / "graph_break_registry.json"), "torch/_dynamo")]
hiddenimports: list[str] = []
warn_on_missing_hiddenimports = False
# links to these at the top of the bundle make torch look for its other libraries there
bindepend_symlink_suppression = ["**/torch/lib/*.so*"]

if is_linux:
    # the CUDA build takes its libraries from nvidia-* distributions, named in torch's metadata
    from importlib.metadata import requires

    from _pyinstaller_hooks_contrib.utils import nvidia_cuda
    from packaging.requirements import Requirement

    _needs = (Requirement(line) for line in requires("torch") or [])
    _names = [need.name for need in _needs if need.marker is None or need.marker.evaluate({"extra": ""})]
    hiddenimports += nvidia_cuda.infer_hiddenimports_from_requirements(_names)
    logger.info("torch: CUDA libraries %r", hiddenimports)
