"""The command line's words: commands, options and their help. Decides nothing about values beyond their type."""

from __future__ import annotations

import argparse
import os
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from app import __version__
from app.core.errors import AppError, ErrorKind
from app.core.knobs import Knob, KnobKind, knobs_of
from app.core.memory import MemorySettings
from app.core.request import Task


class UsageError(Exception):
    """The arguments make no command; the text says why, ``usage`` how it goes, ``help`` what to type for more."""

    def __init__(self, text: str, usage: str, help_: str) -> None:
        super().__init__(text)
        self.usage, self.help = usage, help_


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message, self.format_usage(), f"{self.prog} --help")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The parsed arguments. Raises UsageError and AppError; ``--help`` and ``--version`` raise SystemExit(0)."""
    return _parser().parse_args([readable(argument) for argument in argv])


def readable(argument: str) -> str:
    """An argument as its text: in an ASCII locale the system hands bytes over undecoded."""
    if argument.isascii():
        return argument
    try:
        return os.fsencode(argument).decode("utf-8")
    except UnicodeError:
        return argument


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="headroom", allow_abbrev=False, description="Pictures from diffusion models on your own machine."
    )
    parser.add_argument("--version", action="version", version=f"Headroom {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", parser_class=_Parser, required=True)
    generate = _command(commands, "generate", "make pictures from a prompt")
    _add_request(generate)
    generate.add_argument("--quiet", action="store_true", help="no progress, only the files' paths")
    plan = _command(commands, "plan", "say what would run and why, without running it")
    _add_request(plan)
    plan.add_argument("--quiet", action="store_true", help=argparse.SUPPRESS)
    models = _command(commands, "models", "list the models that are found")
    models.add_argument(
        "--copy",
        nargs=2,
        metavar=("MODEL", "FOLDER"),
        help="write a model's folder again, its weights in parts",
    )
    models.add_argument(
        "--shard-size", metavar="SIZE", default="2GB", help="of a part, with --copy (default: 2GB)"
    )
    doctor = _command(commands, "doctor", "say what this machine and installation have")
    resume = _command(commands, "resume", "list interrupted jobs, or run one again")
    resume.add_argument("job", nargs="?", metavar="JOB", help="the job's number, or its beginning")
    resume.add_argument("--quiet", action="store_true", help="no progress, only the files' paths")
    for command in (models, doctor, resume):
        command.add_argument("--json", action="store_true", help="print one JSON object")
    return parser


def _command(commands: Any, name: str, words: str) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=words, description=f"{words[0].upper()}{words[1:]}.", allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    return parser


def _add_request(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _memory_help()
    add = parser.add_argument
    add("prompt", metavar="PROMPT", help="what the picture shows; after -- it may begin with a dash")
    add("--model", metavar="NAME|PATH", help="a model's name, folder or file (default: the built-in one)")
    add("--negative", metavar="TEXT", default="", help="what it should not show")
    add("--size", metavar="WxH", help="in pixels (default: the model's own, in the shape of --image)")
    add("--image", metavar="FILE", help="a picture to begin from")
    add("--mask", metavar="FILE", help="a picture that is white where --image is drawn anew")
    add("--video", metavar="FILE", help="a clip to begin from")
    add(
        "--strength",
        type=_number("--strength", float),
        metavar="X",
        help="how far it is changed: 0 hardly, 1 wholly",
    )
    add(
        "--lora",
        action="append",
        default=[],
        metavar="FILE[:WEIGHT]",
        help="a LoRA file, and how strongly it acts (default: 1); repeatable",
    )
    add("--frames", type=_number("--frames", int), metavar="N", help="of a clip (default: the model's own)")
    add(
        "--fps",
        type=_number("--fps", float),
        metavar="X",
        help="frames per second of a clip (default: the model's own)",
    )
    add("--task", choices=[task.value for task in Task], help="default: what was given decides")
    add("--steps", type=_number("--steps", int), metavar="N", help="how often the picture is refined")
    add(
        "--guidance",
        type=_number("--guidance", float),
        metavar="X",
        help="how closely the prompt is followed",
    )
    add("--seed", metavar="N", help="0 to 2^64-1 (default: drawn)")
    add(
        "--count",
        type=_number("--count", int),
        default=1,
        metavar="N",
        help="how many pictures; each has the next seed",
    )
    add(
        "--memory",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a memory setting, see below; repeatable",
    )
    add(
        "--preset", default="fits", metavar="NAME", help="fits (default), fastest, lowest, or one of your own"
    )
    add("--device", metavar="NAME", help="the same as --memory device=NAME")
    add("--out", metavar="PATH", help="a folder, or a .png file (default: Headroom in your pictures folder)")
    add("--anyway", action="store_true", help="run even if the numbers say that it will not fit")
    add("--json", action="store_true", help="print one JSON object")


def _number(option: str, kind: type[int] | type[float]) -> Callable[[str], float]:
    """Reads an option's number; argparse's own words for what is none say neither why nor what to do."""

    def read(text: str) -> float:
        try:
            return kind(text)
        except ValueError:
            allowed = "whole numbers, such as 20" if kind is int else "numbers, such as 4.5"
            raise AppError(ErrorKind.SETTING_INVALID, name=option, value=text[:80], allowed=allowed) from None

    return read


def _memory_help() -> str:
    """Every setting: its values, unit and price, from its declaration."""
    lines = ["memory settings (KEY=VALUE):"]
    for name, known in knobs_of(MemorySettings).items():
        if known.kind is KnobKind.PARTS:
            for part, knob in known.parts.items():
                lines.append(f"  {name}.NAME.{part}")
                lines += _wrapped(_values(knob))
            lines += _wrapped(str(known.price))
            continue
        lines.append(f"  {name}")
        lines += _wrapped(_values(known)) + _wrapped(str(known.price))
    return "\n".join(lines)


def _values(known: Knob) -> str:
    """What a setting takes, with its unit."""
    if known.kind is KnobKind.CHOICE:
        return ", ".join(choice for choice, _ in known.choices)
    if known.kind in (KnobKind.NUMBER, KnobKind.WHOLE):
        unit = f" {known.unit}" if known.unit is not None else ""
        return f"{known.low:g} to {known.high:g}{unit}"
    several = ", or one for each device: cuda:0=10GiB,cuda:1=6GiB,cpu=24GiB" if known.per_device else ""
    return {
        KnobKind.SIZE: f"auto, 10GiB, 10GB, 80%{several}",
        KnobKind.DEVICE: "auto, cpu, cuda:0, …",
        KnobKind.LIST: "words or patterns, separated by commas",
        KnobKind.FOLDER: "a folder",
        KnobKind.ADDRESS: "https://… or http://…",
        KnobKind.MAP: 'a JSON object, or a file with one: {"unet": "cuda:0", "vae": "cuda:1"}',
    }[known.kind]


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


def device_clash(arguments: argparse.Namespace) -> AppError | None:
    """The error of naming two devices at once."""
    named = [
        text.partition("=")[2] for text in arguments.memory if text.partition("=")[0].strip() == "device"
    ]
    if arguments.device is not None and any(other != arguments.device for other in named):
        return AppError(ErrorKind.SETTING_INVALID, name="device", value=named[-1], allowed=arguments.device)
    return None
