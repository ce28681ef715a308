"""Between the strip, the viewer and the disk: choosing, saving, deleting, and taking a picture's settings again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject

from app.core.errors import Problem
from app.core.request import Lora
from app.media.metadata import PictureSettings, read_settings
from app.store.history import JobRecord
from app.ui.background import Background
from app.ui.drops import Kind, kind_of
from app.ui.gallery import Result
from app.ui.job_desk import JobDesk
from app.ui.main_window import MainWindow
from app.ui.result_actions import ResultActions
from app.ui.values import Values, values_from_json, values_to_json


class ResultDesk(QObject):
    """Hears the viewer's and the strip's buttons."""

    def __init__(
        self,
        window: MainWindow,
        desk: JobDesk,
        background: Background,
        open_model: Callable[[Path], object],
        model_named: Callable[[str], Path | None],
    ) -> None:
        super().__init__(window)
        self._window, self._background = window, background
        self._open_model, self._model_named = open_model, model_named
        self._loras_used = desk.loras_used
        self.actions = ResultActions(window, background)
        viewer, gallery = window.viewer, window.gallery
        gallery.chosen.connect(lambda result: self._chosen(result, desk))
        viewer.save_asked.connect(lambda: self._with_picture(self.actions.save))
        viewer.delete_asked.connect(lambda: self._with_picture(self.actions.delete))
        viewer.reveal_asked.connect(lambda: self._with_picture(self.actions.reveal))
        viewer.reuse_asked.connect(self.reuse)
        viewer.failed.connect(window.errors.show_problem)
        viewer.copied.connect(lambda: window.notices.add_passing(self.tr("The picture was copied.")))
        viewer.empty.prompt_chosen.connect(self._take_prompt)
        self.actions.failed.connect(window.errors.show_problem)
        self.actions.said.connect(window.notices.add_passing)
        self.actions.deleted.connect(self._deleted)
        desk.picture_done.connect(self._done)
        desk.preview_shown.connect(gallery.unselect)
        desk.nothing_made.connect(self.show_newest)
        window.dropped.connect(self.take_dropped)

    def fill(self, records: Sequence[JobRecord]) -> None:
        """The results of earlier runs, aside: a file that is gone is left out."""
        found = [
            Result(path, record.id, record.request.prompt, record.request.seed_of(place))
            for record in records
            for place, path in reversed(list(enumerate(record.files)))
        ]
        self._background.run(lambda: [result for result in found if result.path.is_file()], self._filled)

    def show_newest(self) -> None:
        """The newest result, or the first state."""
        results = self._window.gallery.results.results()
        if results:
            self._window.gallery.select(results[0].path)
        else:
            self._window.viewer.show_empty()

    def reuse(self) -> None:
        """The settings of the picture on screen, seed included and locked."""
        shown = self._window.viewer.shown
        if shown is not None:
            self._take(shown.settings)

    def take_dropped(self, path: Path) -> None:
        """A model is opened, a picture shown and its settings taken; anything else is passed over with a word."""
        kind = kind_of(path)
        if kind is Kind.MODEL:
            self._open_model(path)
        elif kind is Kind.PICTURE:
            self._window.viewer.open(path)
            self._background.run(lambda: read_settings(path), self._take)
        else:
            self._window.notices.add(
                self.tr("{name} is neither a model nor a picture, so it was left alone.").format(
                    name=path.name
                )
            )

    # ------------------------------------------------------------------ inside

    def _filled(self, results: list[Result] | Problem) -> None:
        if isinstance(results, list) and results:
            already = {result.path for result in self._window.gallery.results.results()}
            fresh = self._window.gallery.results.results()
            self._window.gallery.results.reset([*fresh, *(r for r in results if r.path not in already)])
            if self._window.viewer.path is None and not fresh:
                self._window.gallery.select(results[0].path)

    def _chosen(self, result: Result, desk: JobDesk) -> None:
        desk.stop_following()
        self._window.viewer.open(result.path)

    def _done(self, result: Result, show: bool) -> None:
        gallery = self._window.gallery
        gallery.results.put_first(result)
        if show:
            # Not through the strip's signal, which would count as the person's own choice.
            blocked = gallery.blockSignals(True)
            gallery.select(result.path)
            gallery.blockSignals(blocked)
            self._window.viewer.open(result.path)

    def _deleted(self, path: Path) -> None:
        self._window.gallery.results.remove(path)
        if self._window.viewer.path == path:
            self.show_newest()

    def _with_picture(self, act: Callable[[Path], object]) -> None:
        path = self._window.viewer.path
        if path is not None:
            act(path)

    def _take_prompt(self, prompt: str) -> None:
        self._window.prompt.set_prompt(prompt)
        self._window.prompt.button.setFocus()

    def _take(self, settings: PictureSettings | Problem | None) -> None:
        if not isinstance(settings, PictureSettings) or settings.prompt is None:
            self._window.notices.add(self.tr("There are no settings in this picture."))
            return
        now = self._window.prompt.values()
        found = replace(_values(settings, now), loras=self._loras_named(settings.loras, now.loras))
        self._window.prompt.set_values(found)
        for name, value in settings.rejected:
            line = self.tr("The picture's {name} “{value}” cannot be used and was left as it is here.")
            self._window.notices.add(line.format(name=name, value=value))
        self._take_model(settings.model or "")

    def _loras_named(self, wanted: Sequence[Lora], now: Sequence[Lora]) -> tuple[Lora, ...]:
        """A picture names LoRA files without their folders: those that were used here are known by their names."""
        known = {Path(lora.path).name: lora.path for lora in (*self._loras_used(), *now)}
        for lora in wanted:
            if lora.path not in known:
                line = self.tr(
                    "The picture was made with the LoRA {name}, which is not known here: add it again."
                )
                self._window.notices.add(line.format(name=lora.path))
        return tuple(Lora(known[lora.path], lora.weight) for lora in wanted if lora.path in known)

    def _take_model(self, name: str) -> None:
        path = self._model_named(name) if name else None
        if path is not None:
            self._open_model(path)
        elif name:
            line = self.tr(
                "The picture was made with the model {name}, which is not here: the chosen one is used."
            )
            self._window.notices.add(line.format(name=name))


def _values(settings: PictureSettings, now: Values) -> Values:
    """The picture's values over those in the panel; its seed is locked, so that Generate makes it again."""
    names = ("prompt", "negative", "width", "height", "steps", "guidance", "seed", "frames", "fps")
    found = {name: value for name in names if (value := getattr(settings, name)) is not None}
    if found.get("frames") == 1:  # of a picture
        found["frames"] = 0
    found |= {"count": 1, "seed_locked": "seed" in found or now.seed_locked}
    found.setdefault("negative", "")
    return values_from_json(found, Values(**values_to_json(now)))
