"""One job from its message to its files: load, place, encode, denoise, decode, write. Catches nothing of its own."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from app.core.errors import AppError, ErrorKind, Problem
from app.core.family import Component, Family, Media
from app.core.lora_file import fit_loras
from app.core.messages import (
    Cancelled,
    DryRun,
    Failed,
    Finished,
    FootprintTaken,
    Notice,
    Phase,
    PictureDone,
    Placed,
    Ready,
    Run,
)
from app.core.model_file import ModelInfo, read_json, read_model
from app.core.text import say
from app.engine import devices, probe, troubles
from app.engine.inputs import open_media, shorter_than_asked
from app.engine.keeper import Keeper
from app.engine.mailbox import Mailbox
from app.engine.meter import Meter
from app.engine.output import Origin, write_result
from app.engine.placement import where_things_lie
from app.engine.reporter import Previews, Reporter
from app.engine.scratch import Scratch
from app.engine.stopping import stoppable
from app.media.offload_files import sweep


class Runner:
    """Runs one job after the other and keeps what is loaded between them."""

    def __init__(
        self,
        mail: Mailbox,
        families: Mapping[str, Family],
        resources: Path | None,
        scratch: Path | None = None,
    ) -> None:
        self._mail, self._families, self._resources = mail, families, resources
        places = Scratch(scratch)
        sweep(places.folder)  # what an engine that was killed left there may be as large as a model
        self._keeper = Keeper(places)
        self._versions = probe.versions()
        self._unload_at: float | None = None
        self._files: list[Path] = []
        self._baseline = devices.held("cpu")
        torch.backends.cudnn.benchmark = False
        torch.backends.cudnn.deterministic = True  # the same seed gives the same picture, on a GPU too

    def ready(self) -> Ready:
        """What the machine has now."""
        return probe.ready(self._baseline)

    def warm_up(self) -> None:
        """Imports the pipelines' modules while there is nothing to do; a job that needs a broken one names it."""
        for family in self._families.values():
            for name in family.pipelines:
                with contextlib.suppress(ImportError, AttributeError, RuntimeError):
                    getattr(importlib.import_module("diffusers"), name)

    def run(self, message: Run) -> None:
        """Runs a job to its Finished; raises whatever went wrong, also JobCancelled."""
        self._unload_at, self._files = None, []
        plan = message.plan
        self._family(message)  # a plan of one that is not here ends before anything is freed
        _check_device(plan.device)
        for device, size in plan.limits or ((plan.device, plan.memory_limit),):
            devices.limit(device, size)
        self._keeper.make_way(plan)  # before the peak is measured: it is this plan's
        with torch.no_grad(), Meter(plan.device, self._mail.send) as meter:
            job = _Job(
                message,
                self._families,
                self._mail,
                self._keeper,
                self._resources,
                self._versions,
                self._files,
            )
            job.run()
            devices.synchronize(plan.device)
            finished = Finished(
                message.job, tuple(self._files), job.reporter.seconds(), meter.peaks(), job.loaded
            )
        self._mail.send(finished)
        self._rest(plan.keep_loaded)

    def dry_run(self, message: DryRun) -> None:
        """Measures what a job would take; nothing is loaded for it. Raises as ``run`` does."""
        from app.engine.dry_run import footprint_of  # only here: a job needs none of it

        family = self._family(message)
        info = read_model(Path(message.request.model), {family.id: family}, self._resources)
        media = open_media(message.request)
        footprint = footprint_of(
            info, family, message.request, message.plan, media, lambda: self._mail.check(message.job)
        )
        self._mail.send(FootprintTaken(message.job, footprint))

    def cancelled(self, message: Run | DryRun) -> None:
        """Ends a job that was stopped: everything is where a normal end leaves it."""
        if not message.plan.is_still:
            self._keeper.unplace()
        devices.give_back(message.plan.device)
        self._rest(message.plan.keep_loaded)
        self._mail.send(Cancelled(message.job, tuple(self._files)))

    def failed(self, message: Run | DryRun, problem: Problem) -> None:
        """Ends a job that went wrong. Called when its exception is gone, as that keeps its tensors alive."""
        self._keeper.unplace()
        if problem.kind is ErrorKind.PICTURE_NOT_FINITE and (part := self._keeper.not_finite()):
            problem = AppError(ErrorKind.MODEL_NOT_FINITE, problem.detail, part=part).problem
        self._rest(message.plan.keep_loaded)
        self._mail.send(Failed(message.job, problem, tuple(self._files)))

    def problem_of(self, error: BaseException, message: Run | DryRun) -> Problem:
        """What an exception of this job means."""
        return troubles.problem_of(error, message.plan)

    def idle_seconds(self) -> float | None:
        """How long the model may still stay while nothing comes; None: for ever, or nothing is loaded."""
        if self._unload_at is None or not self._keeper.holds_anything:
            return None
        return max(0.0, self._unload_at - time.monotonic())

    def unload(self) -> None:
        """Gives back all that is loaded."""
        self._keeper.drop()
        self._unload_at = None

    def _rest(self, minutes: float) -> None:
        self._unload_at = time.monotonic() + minutes * 60

    def _family(self, message: Run | DryRun) -> Family:
        family = self._families.get(message.plan.family)
        if family is None:
            raise AppError(
                ErrorKind.MODEL_UNKNOWN, path=message.request.model, reason="class", name=message.plan.family
            )
        return family


@dataclass
class _Job:
    """What belongs to one job only."""

    message: Run
    families: Mapping[str, Family]
    mail: Mailbox
    keeper: Keeper
    resources: Path | None
    versions: tuple[tuple[str, str], ...]
    files: list[Path]
    loaded: tuple[str, ...] = ()
    reporter: Reporter = field(init=False)

    def __post_init__(self) -> None:
        request = self.message.request
        self.reporter = Reporter(self.mail, self.message.job, request.steps, request.count)

    @property
    def family(self) -> Family:
        """The model's, as the plan says."""
        return self.families[self.message.plan.family]

    def check(self) -> None:
        """Raises JobCancelled when the job is to stop: for every block."""
        self.mail.check(self.message.job)

    def check_now(self) -> None:
        """The same, looking without fail: between phases and steps."""
        self.mail.check(self.message.job, at_once=True)

    def run(self) -> None:
        """All phases of all pictures."""
        # first: a file that is no picture is said before minutes of loading
        media = open_media(self.message.request)
        if note := shorter_than_asked(self.message.request, media):
            self.mail.send(Notice(self.message.job, note))
        info, pipe = self._load()
        with stoppable(pipe, self.check), self.keeper.first_passes():
            self._tell_lost_words(pipe)
            with self.reporter.phase(Phase.ENCODE):
                self.check_now()
                embeds = self.family.encode(pipe, self.message.request, self.message.plan, media)
            rows = _preview_rows(info, self.family) if self.message.previews else ()
            previews = Previews(self.mail, self.message.job, rows)
            for picture in range(self.message.request.count):
                self._picture(pipe, picture, embeds, media, previews, info)

    def _load(self) -> tuple[ModelInfo, Any]:
        request, plan = self.message.request, self.message.plan
        with self.reporter.phase(Phase.LOAD):
            info = read_model(Path(request.model), {self.family.id: self.family}, self.resources)
            # before minutes of loading: a wrong file is said at once
            fits = fit_loras(request.loras, info, self.families)
            pipe, self.loaded = self.keeper.obtain(
                info, plan, self.family, request.task, self._loading, self.check, fits
            )
        self.mail.send(Placed(self.message.job, where_things_lie(pipe, plan)))
        return info, pipe

    def _loading(self, part: Component, number: int, parts: int) -> None:
        self.check_now()
        self.reporter.progress(Phase.LOAD, number, parts, part.name)

    def _picture(
        self,
        pipe: Any,
        picture: int,
        embeds: Mapping[str, Any],
        media: Media,
        previews: Previews,
        info: ModelInfo,
    ) -> None:
        def report(step: int, latents: Any) -> None:
            self.check_now()
            self.reporter.step(step)
            previews.offer(picture, latents)

        message, reporter = self.message, self.reporter
        with reporter.phase(Phase.DENOISE, picture):
            latents = self.family.denoise(pipe, message.request, picture, embeds, media, report)
        with reporter.phase(Phase.DECODE, picture):
            self.check_now()
            decoded = self.family.decode(pipe, message.request, latents)
        self.check_now()
        with reporter.phase(Phase.WRITE, picture):
            path = write_result(message, picture, decoded, self._origin(info, pipe))
        self.files.append(path)
        self.mail.send(PictureDone(message.job, picture, message.request.seed_of(picture), path))

    def _origin(self, info: ModelInfo, pipe: Any) -> Origin:
        sampler = type(pipe.scheduler).__name__.removesuffix("Scheduler")
        return Origin(model=info.name, sampler=sampler, versions=self.versions)

    def _tell_lost_words(self, pipe: Any) -> None:
        request = self.message.request
        lines = (
            (
                say("core", "The model reads only the beginning of the prompt. Not read: {words}"),
                request.prompt,
            ),
            (
                say("core", "The model reads only the beginning of the negative prompt. Not read: {words}"),
                request.negative,
            ),
        )
        for line, text in lines:
            lost = self.family.tokens(pipe, text, self.message.plan) if text else ()
            if lost:
                self.mail.send(Notice(self.message.job, line.of(words=" ".join(lost))))


def _check_device(device: str) -> None:
    if device not in probe.device_ids():
        raise AppError(ErrorKind.DEVICE_MISSING, device=device, devices=", ".join(probe.device_ids()))


def _preview_rows(info: ModelInfo, family: Family) -> tuple[tuple[float, ...], ...]:
    """The model's own linear map to colours where it brings one, else its family's."""
    extra = info.path / "headroom.json"
    given = read_json(extra).get("latent_rgb") if info.path.is_dir() and extra.is_file() else None
    if isinstance(given, dict) and given.get("weight") and given.get("bias"):
        rows = (*given["weight"], given["bias"])
        if all(isinstance(row, list) and len(row) == 3 for row in rows):
            return tuple(tuple(float(value) for value in row) for row in rows)
    return family.latent_rgb
