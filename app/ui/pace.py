"""How long a job will take, from what jobs like it took here; None where nothing is known. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from app.core.plan import Plan
from app.core.request import GenerationRequest
from app.store.history import JobRecord, JobState

LIKE_IT = 5
"""The newest jobs that count."""


def expected_seconds(records: Iterable[JobRecord], request: GenerationRequest, plan: Plan) -> float | None:
    """The median of the newest like jobs, scaled by steps, pixels and count. Loading is left out: it is seldom."""
    found = []
    for record in records:
        if _alike(record, request, plan):
            found.append(_scaled(record, request))
        if len(found) == LIKE_IT:
            break
    return _median(found) if found else None


def _median(numbers: list[float]) -> float:
    """As in ``statistics``, which takes long to load."""
    ranked, middle = sorted(numbers), len(numbers) // 2
    return ranked[middle] if len(ranked) % 2 else (ranked[middle - 1] + ranked[middle]) / 2


def _alike(record: JobRecord, request: GenerationRequest, plan: Plan) -> bool:
    then = record.plan
    return (
        record.state is JobState.DONE
        and bool(record.seconds)
        and record.request.model == request.model
        and (then.device, then.offload, then.storage, then.dtype)
        == (plan.device, plan.offload, plan.storage, plan.dtype)
    )


def _scaled(record: JobRecord, request: GenerationRequest) -> float:
    seconds, then = dict(record.seconds), record.request
    pixels = request.width * request.height / (then.width * then.height)
    count = request.count / then.count
    denoise = seconds.get("denoise", 0.0) * pixels * request.steps / then.steps
    rest = seconds.get("decode", 0.0) * pixels + seconds.get("write", 0.0) * pixels
    return (denoise + rest) * count + seconds.get("encode", 0.0)
