"""Options that several verbs of ``hil cue`` share, and their common output."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from hil.config.errors import ConfigError, MotionError
from hil.config.files import write_whole
from hil.terminal.completion import offered

T = TypeVar("T")

RecordArg = Annotated[
    str,
    typer.Argument(
        metavar="RECORD",
        help="Recorded ride, a CSV file; or a scenario of a ride, a TOML file; or the name of a "
        "shipped one (test_drive, recorded_ride).",
        autocompletion=offered("scenarios", "motions", endings=(".toml", ".csv")),
    ),
]
MapOption = Annotated[
    str | None,
    typer.Option(
        "--map",
        metavar="MAP",
        help="Which column is what: a name in configs/rides, or a TOML file. Left out: columns "
        "named like f_x_m_s2.",
        autocompletion=offered("rides"),
    ),
]
RigOption = Annotated[
    str | None,
    typer.Option("--rig", metavar="RIG", help="Rig file or name.", autocompletion=offered("rigs")),
]
PresetOption = Annotated[
    str | None,
    typer.Option(
        "--preset",
        metavar="PRESET",
        help="A name in configs/cueing, or a TOML file.",
        autocompletion=offered("cueing"),
    ),
]
AlgorithmOption = Annotated[
    str | None,
    typer.Option(
        "--algorithm",
        metavar="NAME",
        help="classical, adaptive, optimal, mpc or direct, in place of the preset's.",
    ),
]
GainOption = Annotated[
    float | None,
    typer.Option(
        "--gain",
        metavar="SHARE",
        help="Share of the vehicle's forward force that is wanted; the rates keep the preset's "
        "ratio to it. Left out: the preset's own.",
    ),
]
PreviewOption = Annotated[
    float | None,
    typer.Option("--preview", metavar="S", help="How far mpc looks ahead in a recording [s]."),
]
NoGovernorOption = Annotated[
    bool,
    typer.Option("--no-governor", help="Ask for what the algorithm wants; only the gate is there."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1)]
PictureOption = Annotated[
    Path | None, typer.Option("--picture", metavar="PNG", help="Write the picture there.")
]


def asked(make: Callable[[], T]) -> T:
    """Call it; a recording that cannot be read is a refusal of what was asked."""
    try:
        return make()
    except MotionError as error:
        raise ConfigError("RECORD", [str(error)]) from None


def require_place(path: Path | None) -> None:
    """Refuse a file that could not be written, before there is anything to write.

    Raises:
        ConfigError: if its folder is not there.
    """
    if path is not None and not path.parent.is_dir():
        raise ConfigError("command line", [f"{path}: there is no folder {path.parent}"])


def write_file(path: Path, content: bytes) -> None:
    """Write a file of the user's.

    Raises:
        ConfigError: if that cannot be.
    """
    try:
        write_whole(path, content)
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be written: {error.strerror}"]) from None


def figure(value: float) -> str:
    """Return a number for people; a dash where there is none."""
    return f"{value:.3f}" if math.isfinite(value) else "-"
