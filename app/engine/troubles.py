"""What a job's exception means for people: an AppError's own words, memory that ran out, or something unforeseen."""

from __future__ import annotations

import re
import tempfile
import traceback
from dataclasses import replace
from typing import Any

import torch
from safetensors import SafetensorError

from app.core.errors import AppError, ErrorKind, Problem
from app.core.plan import AUTO_FOLDER, Plan
from app.core.units import parse_size
from app.engine import devices
from app.media.offload_files import PREFIX

_TRIED = re.compile(r"[Tt]ried to allocate ([\d.]+ ?[KMGT]?i?B|\d+ bytes)")
_HOST_MEMORY = ("DefaultCPUAllocator", "can't allocate memory", "Cannot allocate memory", "bad alloc")


def problem_of(error: BaseException, plan: Plan) -> Problem:
    """The problem that ``error`` is. Keeps nothing of it: its frames hold the job's tensors."""
    detail = "".join(traceback.format_exception(error))
    if isinstance(error, AppError):
        return replace(error.problem, detail=error.problem.detail or detail)
    where = _out_of_memory(error, plan)
    if where is not None:
        facts: dict[str, Any] = {"device": where, "peak": _peak(where), "free": devices.memory_info(where)[0]}
        if needed := _needed(str(error)):
            facts["needed"] = needed
        return AppError(ErrorKind.OUT_OF_MEMORY, detail, **facts).problem
    if isinstance(error, OSError | SafetensorError) and (folder := _offload_folder(error, plan)):
        return AppError(ErrorKind.WRITE_FAILED, detail, path=folder).problem
    return AppError(ErrorKind.UNEXPECTED, detail, error=f"{type(error).__name__}: {error}"[:500]).problem


def _offload_folder(error: BaseException, plan: Plan) -> str:
    """Where this plan's weights wait in files, which is what is read while a job runs; empty if nowhere."""
    if not plan.group.disk_folder and "disk" not in dict(plan.device_map).values():
        return ""
    named = re.search(rf"(\S*){PREFIX}\S*", str(error))
    chosen = "" if plan.group.disk_folder == AUTO_FOLDER else plan.group.disk_folder
    return named[1] if named and named[1] else chosen or tempfile.gettempdir()


def _out_of_memory(error: BaseException, plan: Plan) -> str | None:
    """The device whose memory ran out, if that is what happened."""
    if isinstance(error, torch.OutOfMemoryError):
        return plan.device
    if isinstance(error, MemoryError):
        return "cpu"
    if isinstance(error, RuntimeError):
        if any(sign in str(error) for sign in _HOST_MEMORY):
            return "cpu"
        if "out of memory" in str(error).lower():  # how MPS and some drivers say it
            return plan.device
    return None


def _peak(device: str) -> int:
    return devices.held("cpu") if device == "cpu" else devices.peak(device)


def _needed(message: str) -> int | None:
    match = _TRIED.search(message)
    if match is None:
        return None
    try:
        return parse_size(match[1].replace(" bytes", "B"))
    except ValueError:
        return None
