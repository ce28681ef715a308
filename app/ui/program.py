"""The running program: session, jobs, desks and window, what is remembered, and a clean end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QDialog

from app.core.error_words import sentence
from app.core.errors import AppError, Problem
from app.core.hardware import Hardware
from app.core.messages import EngineDied, Placed
from app.core.model_file import ModelInfo
from app.core.planner import Decision
from app.core.text import Text
from app.families import all_families
from app.host.jobs import Jobs
from app.host.link import EngineLink
from app.host.telemetry import Telemetry
from app.media.leftovers import remove_leftovers
from app.store.history import History
from app.store.library import ModelEntry, default_model, find_models, named
from app.store.paths import Paths, whole
from app.store.presets import load_presets
from app.store.resources import resources_root
from app.store.settings import Settings, SettingsStore
from app.ui import theme
from app.ui.awake import KeepAwake
from app.ui.background import Background
from app.ui.commands import commands
from app.ui.job_desk import JobDesk
from app.ui.main_window import MainWindow
from app.ui.model_box import verdict_line
from app.ui.notify import bring_to_front
from app.ui.result_desk import ResultDesk
from app.ui.session import Session
from app.ui.shortcuts import HelpDialog, install
from app.ui.translate import model_name, words
from app.ui.values import draw_seed, values_from_json, values_to_json

if TYPE_CHECKING:
    from app.ui.settings_dialog import SettingsDialog

log = logging.getLogger(__name__)
RECENT = 200
SAVE_AFTER_MS = 1500
AnyDialog = TypeVar("AnyDialog", bound=QDialog)


class Program(QObject):
    """Everything that lives as long as the window."""

    def __init__(
        self,
        paths: Paths,
        store: SettingsStore,
        settings: Settings,
        history: History,
        link: EngineLink,
        telemetry: Telemetry,
    ) -> None:
        super().__init__()
        self._paths, self._store, self._settings = paths, store, settings
        self._history, self._link, self._telemetry = history, link, telemetry
        self._entries: list[ModelEntry] = []
        self._saving = self._first_model = True
        # Asked of the file as it was: a slow disk may read the first model after the first save.
        self._asked_before = bool(settings.request)
        self._background = Background(self)
        self._awake = KeepAwake()
        presets = load_presets(resources_root() / "presets", paths.config / "presets")
        self.session = Session(all_families(), presets, resources_root(), self._background, self)
        self.jobs = Jobs(history, link, self)
        self.window = MainWindow(self._background, presets, self._verdict)
        records = history.recent(RECENT)
        self.desk = JobDesk(self.window, self.session, self.jobs, self._awake, records)
        self.results = ResultDesk(
            self.window, self.desk, self._background, self.session.open_model, self._model_named
        )
        self._records = records
        self._saver = QTimer(self)
        self._saver.setSingleShot(True)
        self._saver.setInterval(SAVE_AFTER_MS)
        self._saver.timeout.connect(self._save)
        self._connect()
        self._remember_back()

    # ------------------------------------------------------------------ life

    def start(self, notices: Sequence[Text] = ()) -> None:
        """Shows the window; everything slow begins after it is painted."""
        for notice in notices:
            self.window.notices.add(words(notice))
        self.window.shown_first.connect(self._begin)
        self.window.show()

    def stop(self) -> None:
        """The event loop is over: what is remembered is written, threads and the engine end."""
        self._saver.stop()
        self._save()
        self._awake.close()
        self._telemetry.stop()
        self.jobs.close()
        self._link.stop()
        self._background.close()
        self.window.hide()

    def bring_to_front(self) -> None:
        """A second start called."""
        bring_to_front(self.window)

    def show_problem(self, problem: Problem) -> None:
        """From the last border."""
        self.window.errors.show_problem(problem)

    def _begin(self) -> None:
        self._link.start()
        self._telemetry.start()
        self._open_first_model()
        self._find_models()
        self.desk.offer_unfinished()
        self.results.fill(self._records)
        folder = self.session.folder
        self._background.run(lambda: remove_leftovers(folder), lambda _count: None)

    # ------------------------------------------------------------------ connections

    def _connect(self) -> None:
        window, session = self.window, self.session
        window.may_close = self._may_close
        window.prompt.changed.connect(self._values_changed)
        window.memory.changed.connect(lambda pair: session.set_memory(*pair))
        window.header.models.chosen.connect(session.open_model)
        window.header.theme_asked.connect(self.toggle_theme)
        window.header.settings_asked.connect(self.show_settings)
        window.header.help_asked.connect(self.show_help)
        session.memory_changed.connect(self._memory_changed)
        session.hardware_changed.connect(self._hardware_changed)
        session.model_changed.connect(self._model_changed)
        session.decision_changed.connect(self._decision_changed)
        session.refusals_changed.connect(window.memory.set_refusals)
        self.jobs.heard.connect(self._telemetry.handle)
        self.jobs.heard.connect(self._heard)
        self.jobs.changed.connect(lambda: self._telemetry.set_busy(self.jobs.running is not None))
        self._telemetry.sampled.connect(window.chart.add_sample)
        self._commands = commands(
            window,
            self.results,
            theme=self.toggle_theme,
            settings=self.show_settings,
            help_=self.show_help,
        )
        install(window, self._commands)

    def _values_changed(self) -> None:
        self.session.set_values(self.window.prompt.values())
        self.desk.show_pace()
        self._saver.start()

    def _memory_changed(self) -> None:
        self.window.memory.set_state(self.session.memory, self.session.preset)
        self._saver.start()

    def _hardware_changed(self, hardware: Hardware) -> None:
        self.window.memory.set_hardware(hardware)

    def _decision_changed(self, decision: Decision | None) -> None:
        self.window.memory.set_decision(decision)
        self.window.header.set_decision(decision, starting=self.session.hardware is None)
        self.desk.show_pace()

    def _heard(self, event: object) -> None:
        """What the engine says of where a model lies; an engine that died holds none."""
        if isinstance(event, Placed):
            self.window.memory.set_placed(event.parts)
        elif isinstance(event, EngineDied):
            self.window.memory.set_placed(())

    # ------------------------------------------------------------------ models

    def _open_first_model(self) -> None:
        wanted = Path(self._settings.model) if self._settings.model else default_model()
        if wanted is not None:
            self.session.open_model(wanted)

    def _find_models(self) -> None:
        paths, folders = self._paths, self._settings.model_folders
        self._background.run(lambda: find_models(paths, folders), self._models_found)

    def _models_found(self, entries: list[ModelEntry] | Problem) -> None:
        if isinstance(entries, list):
            self._entries = entries
            self.window.header.models.set_models(entries)
            if self.session.model is not None:
                self._show_model(self.session.model)

    def _model_changed(self, model: ModelInfo | Problem) -> None:
        if isinstance(model, Problem):
            self.window.errors.show_problem(model)
            if self.session.model is not None:
                self._show_model(self.session.model)
            elif (built_in := default_model()) is not None and self._first_model:
                self._first_model = False
                self.session.open_model(built_in)
            return
        self.window.prompt.set_limits(model.limits)
        if not self._first_model or not self._asked_before:
            self._take_defaults(model)
        self._first_model = False
        self._show_model(model)
        for note in model.notes:
            self.window.notices.add(words(note))
        self.window.viewer.empty.show_model(model_name(model.name), model.draws, model.examples)
        self._saver.start()

    def _take_defaults(self, model: ModelInfo) -> None:
        limits = model.limits
        values = replace(
            self.window.prompt.values(),
            width=limits.width,
            height=limits.height,
            steps=limits.steps,
            guidance=limits.guidance,
            frames=0,
            fps=0,
        )
        self.window.prompt.set_values(values)

    def _show_model(self, model: ModelInfo) -> None:
        entry = ModelEntry(path=model.path, name=model.name, info=model)
        self.window.header.models.set_current(entry)
        self.window.memory.set_model(model)

    def _model_named(self, name: str) -> Path | None:
        """The model that a picture names, unless it is the chosen one already."""
        current = self.session.model
        if current is not None and name.casefold() in (current.name.casefold(), current.path.name.casefold()):
            return current.path
        entry = named(self._entries, name)
        return entry.path if entry is not None and entry.usable else None

    def _verdict(self, entry: ModelEntry) -> str:
        if entry.problem is not None:
            return words(sentence(entry.problem).what)
        return verdict_line(self.session.verdict(entry.info)) if entry.info is not None else ""

    # ------------------------------------------------------------------ dialogs

    def toggle_theme(self) -> None:
        """Light and dark in turn."""
        mode = "light" if theme.tokens() == theme.tokens(dark=True) else "dark"
        self._settings = replace(self._settings, theme=mode)
        theme.apply(_app(), mode)
        dialog = self._settings_dialog()
        if dialog is not None:
            dialog.set_settings(self._settings)
        self._saver.start()

    def show_help(self) -> None:
        """The shortcuts, beside the window."""
        bring_to_front(self._open_dialog(HelpDialog) or HelpDialog(self.window, self._commands))

    def show_settings(self) -> None:
        """Language, theme, folders; not modal, and never twice: each would put its own values over the other's."""
        dialog = self._settings_dialog()
        if dialog is None:
            from app.ui.settings_dialog import SettingsDialog

            dialog = SettingsDialog(self._settings, self._paths.pictures, self.window)
            dialog.changed.connect(self._settings_changed)
        bring_to_front(dialog)

    def _settings_dialog(self) -> SettingsDialog | None:
        from app.ui.settings_dialog import SettingsDialog  # when it is asked for: the start is shorter

        return self._open_dialog(SettingsDialog)

    def _open_dialog(self, kind: type[AnyDialog]) -> AnyDialog | None:
        return next((found for found in self.window.findChildren(kind) if found.isVisible()), None)

    def _settings_changed(self, settings: Settings) -> None:
        before, self._settings = self._settings, settings
        if settings.theme != before.theme:
            theme.apply(_app(), settings.theme)
        if settings.model_folders != before.model_folders:
            self._find_models()
        self._set_folder()
        self._saver.start()

    # ------------------------------------------------------------------ what is remembered

    def _remember_back(self) -> None:
        settings = self._settings
        self.session.set_memory(settings.memory, settings.preset)
        self.window.memory.set_state(settings.memory, settings.preset)
        self._set_folder()
        start = replace(self.window.prompt.values(), seed=draw_seed())
        self.window.prompt.set_values(values_from_json(settings.request, start))
        self.window.restore(settings.window)

    def _set_folder(self) -> None:
        chosen = self._settings.output_folder
        self.session.folder = whole(Path(chosen)) if chosen else self._paths.pictures

    def _save(self) -> None:
        model = self.session.model
        self._settings = replace(
            self._settings,
            memory=self.session.memory,
            preset=self.session.preset,
            model=str(model.path) if model is not None else self._settings.model,
            window=self.window.state(),
            request=values_to_json(self.window.prompt.values()),
        )
        if not self._saving:
            return
        try:
            self._store.save(self._settings)
        except AppError as error:
            # Said once: a full or read-only disk must not fill the window with the same sentence.
            self._saving = False
            log.warning("Settings cannot be saved: %s", error)
            if self._store.writable:
                self.window.errors.show_problem(error.problem)

    # ------------------------------------------------------------------ the end

    def _may_close(self) -> bool:
        if not self.desk.busy:
            return True
        self.desk.ask_to_close()
        return False


def _app() -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        raise TypeError("the window needs a QApplication")
    return app
