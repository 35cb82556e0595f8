"""What options of diagrams mean: values of parameters, inputs over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hil.config.errors import ConfigError, MotionError
from hil.config.file_search import find_file
from hil.terminal.completion import offered

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hil.diagram.check.diagram import SoundDiagram
    from hil.diagram.check.flat import Endpoint
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import Timed

FileArg = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Diagram file, or the name of a shipped one (force_joint).",
        autocompletion=offered("diagrams"),
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="[PATH.]NAME=VALUE",
        help="A parameter of a block, or of the diagram itself, instead of the file's: "
        "ft/pid.kp=0.3.",
    ),
]
InputOption = Annotated[
    list[str] | None,
    typer.Option(
        "--input",
        metavar="NAME=NUMBERS|NAME=FILE.csv",
        help="An input: numbers that stay, or columns t_s and NAME (NAME_1, … of a vector), "
        "each row held until the next. `linear` takes 0 for one that is left out.",
    ),
]

PressOption = Annotated[
    list[str] | None,
    typer.Option("--press", metavar="NAME@S", help="Press a PanelButton at a time [s]: start@2."),
]
SlideOption = Annotated[
    list[str] | None,
    typer.Option(
        "--slide",
        metavar="NAME=VALUE@S",
        help="Set a PanelSlider or PanelSwitch at a time [s]: gain=0.4@3, lamp=true@1.",
    ),
]


def load_diagram_for_actions(
    name: str, settings: Sequence[str], pressed: Sequence[str], slid: Sequence[str]
) -> tuple[str, Version, list[Timed]]:
    """As `diagram_of`, to be changed while it runs by what is pressed and slid.

    Raises:
        ConfigError: If it cannot run, or an act is none.
    """
    from hil.diagram.file.read import read
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import operated

    path = find_file(name, folder="diagrams", key="FILE")
    file = read(path)
    version = Version.of(file, changes_of(settings), models=True)
    return str(path), version, operated(file, pressed, slid)


def diagram_of(name: str, settings: Sequence[str]) -> tuple[str, SoundDiagram]:
    """The file that is meant, and its diagram with parameters set.

    Raises:
        ConfigError: If it cannot run.
    """
    from hil.diagram.check.diagram import load

    path = find_file(name, folder="diagrams", key="FILE")
    return str(path), load(path, changes_of(settings))


def changes_of(settings: Sequence[str]) -> dict[Endpoint, Any]:
    """Values of ``--set``: path of a block and name of a parameter → value."""
    from hil.diagram.run.change import tuples
    from sim.toml_reader import TomlReadError, read_value

    changes: dict[Endpoint, Any] = {}
    for one in settings:
        place, equals, text = one.partition("=")
        path, _, name = place.strip().rpartition(".")
        if not equals or not name:
            raise ConfigError("--set", [f"{one[:80]!r}: write it as path.name=value"])
        try:
            value = read_value(text)
        except TomlReadError:
            value = text
        changes[path, name] = tuples(value)
    return changes


class InputPlan:
    """What the inputs of a diagram are at each tick.

    Args:
        sound: The diagram.
        given: Texts ``NAME=1,2,3``, for numbers that stay, or ``NAME=FILE.csv``.
        left_out_is_zero: No input need be given.
    """

    def __init__(self, sound: SoundDiagram, given: Sequence[str], *, left_out_is_zero: bool = False
                 ) -> None:  # fmt: skip
        self._steady: dict[str, list[float]] = {}
        self._tables: dict[str, tuple[NDArray[Any], NDArray[Any]]] = {}
        sizes = {one.path: sound.types[one.path, "y"].size for one in sound.flat.inputs()}
        for one in given:
            name, _, text = one.partition("=")
            if name not in sizes:
                there = f"it has {', '.join(sizes)}" if sizes else "it has none"
                raise ConfigError("--input", [f"{name[:60]!r}: no such input; {there}"])
            if text.endswith(".csv"):
                self._tables[name] = _table(name, text, sizes[name])
            else:
                self._steady[name] = _numbers(one, text, sizes[name])
        missing = sizes.keys() - self._steady.keys() - self._tables.keys()
        if missing and not left_out_is_zero:
            problem = ", ".join(sorted(missing))
            raise ConfigError(
                "--input", [f"{problem}: left out; write NAME=NUMBER or NAME=FILE.csv"]
            )

    def steady(self) -> dict[str, list[float]]:
        """Inputs that stay what they are."""
        return self._steady

    def at(self, time_s: float) -> dict[str, NDArray[Any]]:
        """Inputs that change: each holds its last row; before its first row, that."""
        import numpy as np

        found = {}
        for name, (times_s, rows) in self._tables.items():
            row = int(np.searchsorted(times_s, time_s + 1e-12, side="right")) - 1
            found[name] = rows[max(row, 0)]
        return found


def _numbers(one: str, text: str, size: int) -> list[float]:
    from hil.terminal.console import numbers

    words = "a number" if size == 1 else f"{size} numbers"
    return numbers(text, size, "--input", f"{words} for {one.partition('=')[0]}")


def _table(name: str, text: str, size: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times and rows of a CSV file: ``t_s`` (or ``t_ms``, …), and name, or name_1, name_2, …."""
    import numpy as np

    from hil.config.times import read_timed

    columns = [name] if size == 1 else [f"{name}_{number}" for number in range(1, size + 1)]
    try:
        table, time, times_s = read_timed(text, columns)
    except MotionError as error:
        raise ConfigError("--input", [str(error)]) from None
    if not (np.diff(times_s) > 0.0).all():
        raise ConfigError(text, [f"column {time!r}: each time must be above the one before"])
    return times_s, np.stack([table.columns[one] for one in columns], axis=1)
