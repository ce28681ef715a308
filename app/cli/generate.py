"""``headroom generate`` and ``headroom plan``: the same questions to the planner; only the first runs the answer."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from app.cli.codes import DONE, before_run
from app.cli.console import Console, error_json
from app.cli.job import run_job, show_ending
from app.cli.plan_text import need_json, need_lines, plan_lines
from app.cli.session import EngineSession, MakeHost, hardware_of
from app.cli.wishes import Wishes, output_of, wishes_of
from app.core.errors import AppError, ErrorKind, Problem
from app.core.estimate import Need, estimate
from app.core.hardware import Hardware
from app.core.plan import Plan, plan_to_json
from app.core.planner import Decision, Rejection, explain, make_plan, with_need
from app.core.request import request_to_json
from app.families import all_families
from app.media.leftovers import remove_leftovers
from app.store.history import History
from app.store.paths import Paths
from app.store.settings import Settings


def generate(
    arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console, make_host: MakeHost
) -> int:
    """Makes the pictures and returns the exit code."""
    wishes = wishes_of(arguments, paths, saved)
    output = output_of(arguments.out, paths, saved)
    remove_leftovers(output.folder)
    _say_notes(wishes, console)
    history = History(paths.history)
    try:
        history.recover(adopt=False)
        for notice in history.notices:
            console.warn(notice)
        with EngineSession(paths.logs, make_host) as engine:
            decision = _decide(wishes, hardware_of(engine.wait_ready()))
            plan = _plan_to_run(decision, arguments.anyway, console)
            if plan is None:
                return _refuse(decision, console)
            for reason in plan.reasons:
                console.note(reason)
            ending = run_job(engine, history, console, lambda queue: queue.add(wishes.request, plan, output))
        assert ending is not None  # a new job can always be added
        show_ending(ending, console)
        return ending.code
    finally:
        history.close()


def show_plan(
    arguments: argparse.Namespace, paths: Paths, saved: Settings, console: Console, make_host: MakeHost
) -> int:
    """Says what would run, and returns 3 if nothing would."""
    wishes = wishes_of(arguments, paths, saved)
    if arguments.out is not None:
        output_of(arguments.out, paths, saved)
    _say_notes(wishes, console)
    with EngineSession(paths.logs, make_host) as engine:
        hardware = hardware_of(engine.wait_ready())
        decision = _decide(wishes, hardware)
        plan = _plan_to_run(decision, arguments.anyway, console)
        need = None if plan is None else _need(engine, wishes, plan, hardware, console)
    if plan is None:
        assert isinstance(decision, Rejection)
        console.problem(decision.problem)
        console.data(_plan_json(wishes, decision, console))
        return before_run(decision.problem.kind)
    if need is not None:
        plan = with_need(plan, need)
        decision = plan if isinstance(decision, Plan) else replace(decision, plan=plan)
    for line in (*plan_lines(plan, wishes.model), *need_lines(need)):
        console.result(line)
    for sentence in explain(decision):
        console.result(str(sentence))
    console.data(_plan_json(wishes, decision, console) | need_json(need))
    return DONE


def _need(
    engine: EngineSession, wishes: Wishes, plan: Plan, hardware: Hardware, console: Console
) -> Need | None:
    """What the plan takes, measured without weights; None, and why in a warning, where that is not known."""
    try:
        footprint = engine.footprint(wishes.request, plan)
    except AppError as error:
        console.warn(f"What it needs at work could not be measured. {_what(error.problem)}")
        return None
    return estimate(footprint, plan, all_families()[plan.family], hardware)


def _decide(wishes: Wishes, hardware: Hardware) -> Decision:
    family = all_families()[wishes.model.family]
    return make_plan(wishes.model, family, wishes.request, wishes.settings, hardware, wishes.goal)


def _plan_to_run(decision: Decision, anyway: bool, console: Console) -> Plan | None:
    """The plan; of a rejection only with ``--anyway``, and only where it is a matter of memory."""
    if isinstance(decision, Plan):
        return decision
    if anyway and decision.plan is not None and decision.problem.kind is ErrorKind.WILL_NOT_FIT:
        console.warn(f"{_what(decision.problem)} It runs anyway, as you asked.")
        return decision.plan
    return None


def _refuse(decision: Decision, console: Console) -> int:
    assert isinstance(decision, Rejection)
    error: dict[str, Any] = {"error": error_json(decision.problem), "files": [], "warnings": console.warnings}
    if decision.plan is not None:
        error["plan_anyway"] = plan_to_json(decision.plan)
    console.problem(decision.problem)
    if decision.problem.kind is ErrorKind.WILL_NOT_FIT and decision.plan is not None:
        console.note("With --anyway it is tried all the same.")
    console.data(error)
    return before_run(decision.problem.kind)


def _plan_json(wishes: Wishes, decision: Decision, console: Console) -> dict[str, Any]:
    plan = decision.plan if isinstance(decision, Rejection) else decision
    result: dict[str, Any] = {
        "weights_fit": isinstance(decision, Plan),
        "work_estimated": plan is not None and plan.estimate.work is not None,
        "plan": None if plan is None else plan_to_json(plan),
        "explanation": [str(sentence) for sentence in explain(decision)],
        "request": request_to_json(wishes.request),
        "warnings": console.warnings,
    }
    if isinstance(decision, Rejection):
        result["error"] = error_json(decision.problem)
    return result


def _say_notes(wishes: Wishes, console: Console) -> None:
    for note in wishes.notes:
        console.warn(note)


def _what(problem: Problem) -> str:
    return error_json(AppError.from_problem(problem).problem)["what"]
