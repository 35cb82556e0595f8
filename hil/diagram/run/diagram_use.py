"""Use of a diagram by a scenario: its file, parameters in place of its own, its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from hil.config.errors import ConfigError
from hil.config.file_search import find_file
from hil.config.settings import Settings, settings_text

if TYPE_CHECKING:
    from hil.diagram.check.diagram import SoundDiagram
    from hil.diagram.check.flat import Endpoint
    from hil.diagram.check.seam import Wiring
    from hil.diagram.file.model import DiagramFile
    from hil.diagram.run.change import DiagramChange
    from hil.diagram.run.live import Version

Value = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""A number, a list of them, or rows of them."""
RobotFacts = Mapping[str, Callable[[], Any]]
"""Parameters that a diagram takes from the robot that it moves, by their names; `ConfigError` if
the robot has none."""
TooSlow = Literal["report", "refuse"]
"""Reaction to a diagram that is too slow for its period."""


class GivenParameter(Settings):
    """A parameter in place of one in the diagram's file."""

    parameter: str
    """Name of a parameter of the diagram, or ``block.name`` of a block's: ``kp``, ``law/pi.kp``."""
    value: bool | int | Value | str
    """Value, within the limits that the diagram's file declares."""


class FeedInput(Settings):
    """Source of an input of the diagram."""

    input: str
    """Name of the input."""
    signal: str | None = None
    """Name of a signal of the station; left out with `value`: the signal of the same name."""
    value: bool | Value | None = None
    """Numbers that stay, or a yes or no."""
    frame: str = ""
    """Name of the signal's axes in the diagram; left out, that of the station."""


class JointGroup(Settings):
    """Group of driven joints that all turn or all slide, with signals and a setpoint of its own."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length=30)]
    """Name of the group, and of its setpoint; its signals begin with it: ``arm_position_rad``."""
    joints: Annotated[tuple[int, ...], Field(min_length=1)]
    """Numbers of its driven joints, from the base on."""
    end: int | None = None
    """Number of the end, at the last of these joints, that is its end effector; left out, the
    robot's first, if these joints lead to it."""
    output: str = ""
    """Output that commands it; left out, the one that is called as the group."""


class ChangeDiagram(Settings):
    """A change of the diagram while it runs."""

    at_s: Annotated[float, Field(ge=0.0, le=1e6)]
    """Time of the change [s]: it is tried in the next tick of the diagram."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters: all of them are taken, or none."""
    file: str = ""
    """Another diagram in its place, found like the first; states are carried over by the paths of
    blocks, and parameters that were set before are not set in it."""
    force: bool = False
    """Whether it is taken although the command jumps by more than `jump`."""


class DiagramUse(Settings):
    """A diagram that commands the drives of a run, computed in every tick of its own."""

    file: str
    """Diagram file; in the folder of the scenario, or shipped."""
    output: str = ""
    """Output that is the command; left out, the one that is called as the interface: ``torque``,
    ``speed`` or ``voltage``."""
    feed: tuple[FeedInput, ...] = ()
    """Inputs that are not called as the signal that they take."""
    library: dict[str, str] = Field(default_factory=dict)
    """Sub-diagrams of the file in whose places others are computed: its name, and the diagram, of
    the scenario's folder or shipped, with the same ports: ``{ Navigator = "mf4_drive_robust" }``. A
    change while it runs that has a file of its own has that file's sub-diagrams."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    base_s: Annotated[float, Field(gt=0.0, le=10.0)] | None = None
    """Base period in place of the file's [s]."""
    joints: tuple[int, ...] = ()
    """Numbers of the robot's driven joints that it commands and whose signals it gets, from the
    base on; empty for all. A built-in law holds the others where they should be."""
    end: int | None = None
    """Number of the end, at the last of these joints, that is its end effector; left out, the
    robot's first."""
    group: tuple[JointGroup, ...] = ()
    """Groups of joints that it commands, each by an output of its own, in place of `joints`, `end`
    and `output`."""
    change: tuple[ChangeDiagram, ...] = ()
    """Changes while it runs, in any order."""
    jump: Annotated[float, Field(gt=0.0)] | None = None
    """Most that a command may jump by a change, in its unit; left out, a twentieth of what each
    drive can, and nothing where a drive has no bound. A change that would make it jump by more is
    refused, unless it is forced."""
    too_slow: TooSlow = "report"
    """Reaction if 1 of 1000 of its ticks takes longer than its period on this machine: it is
    reported when the scenario is checked and when it runs in real time, or refused there."""

    def commanded(self, driven: Sequence[int]) -> tuple[int, ...]:
        """Numbers of the joints that it commands, of those that are driven."""
        grouped = tuple(joint for one in self.group for joint in one.joints)
        return grouped or self.joints or tuple(driven)

    def wiring(self, setpoint: str) -> Wiring:
        """Return the inputs and outputs as the seam takes them."""
        from hil.diagram.check.seam import Wiring

        inputs = {
            one.input: one.value if one.value is not None else one.signal or one.input
            for one in self.feed
        }
        frames = {one.input: one.frame for one in self.feed if one.frame}
        outputs = {one.name: one.output for one in self.group if one.output}
        if self.output:
            outputs[setpoint] = self.output
        return Wiring(inputs, outputs, frames)


@dataclass(frozen=True, slots=True, eq=False)
class UsedDiagram:
    """A diagram as a scenario uses it, read and checked."""

    path: Path
    """Path of its file."""
    text: str
    """The file itself."""
    file: DiagramFile
    """Content of the file."""
    changes: Mapping[Endpoint, Any]
    """The scenario's parameters."""
    sound: SoundDiagram
    """Checked diagram, with the scenario's parameters."""
    robot: RobotFacts
    """Parameters that the robot gives."""

    @property
    def version(self) -> Version:
        """A version that begins; another one each time. Who runs it sees to its FMUs."""
        from hil.diagram.run.engine import Engine
        from hil.diagram.run.live import Version

        return Version(self.file, self.changes, Engine(self.sound, models=True))

    def bound(self, file: DiagramFile, changes: Mapping[Endpoint, Any]) -> dict[Endpoint, Any]:
        """Return changes for a file in place of this one, with the robot's parameters."""
        return _bound(file, changes, self.robot)


def read_used_diagram(
    use: DiagramUse, scenario_file: Path, key: str, robot: RobotFacts
) -> UsedDiagram:
    """Read the diagram of a scenario.

    Args:
        key: of the scenario that names it.
        robot: what the diagram's parameters of these names are, if it has them and the scenario
            does not set them.

    Raises:
        ConfigError: with a line for each fault.
    """
    path = find_file(use.file, beside=scenario_file, folder="diagrams", key=f"{key}.file")
    others = {
        name: find_file(one, beside=scenario_file, folder="diagrams", key=f"{key}.library.{name}")
        for name, one in use.library.items()
    }
    text = whole_of_parts(settings_text(path), path, others)
    if use.base_s is not None:
        text = text_at_period(text, path, use.base_s)
    return diagram_of_text(use, text, path, robot)


def text_at_period(text: str, path: Path, base_s: float) -> str:
    """Return the text of a diagram with another base period.

    Raises:
        ConfigError: with a line for each fault.
    """
    from hil.diagram.file.read import read_text
    from hil.diagram.file.write import text_of

    return text_of(replace(read_text(text, path), base_s=base_s))


def whole_of_parts(text: str, path: Path, others: Mapping[str, Path]) -> str:
    """Return the text of a diagram in which other files take the places of sub-diagrams.

    Args:
        others: name of a sub-diagram → file of the diagram that takes its place; without any the
            text is given back as it is.

    Raises:
        ConfigError: with a line for each fault.
    """
    if not others:
        return text
    texts = tuple((name, one, settings_text(one)) for name, one in others.items())
    return _exchanged(text, path, texts)


@lru_cache(maxsize=4)
def _exchanged(text: str, path: Path, others: tuple[tuple[str, Path, str], ...]) -> str:
    """Return a text with other texts, by name and path, in the places of sub-diagrams."""
    from hil.diagram.check.whole_text import whole_text
    from hil.diagram.file.exchange import exchange_subdiagrams
    from hil.diagram.file.read import read_text
    from hil.diagram.file.write import text_of

    files: dict[str, DiagramFile] = {}
    for name, one, alone in others:
        files[name] = replace(read_text(whole_text(read_text(alone, one), alone), one), path=one)
    return text_of(exchange_subdiagrams(read_text(text, path), files))


def diagram_of_text(use: DiagramUse, text: str, path: Path, robot: RobotFacts) -> UsedDiagram:
    """Read a diagram as `read_used_diagram` does, with the text of the file at hand."""
    from hil.diagram.check.diagram import check
    from hil.diagram.file.read import read_text

    file = read_text(text, path)
    changes = _bound(file, change_of(use.set).changes, robot)
    return UsedDiagram(path, text, file, changes, check(file, changes), robot)


def _bound(
    file: DiagramFile, changes: Mapping[Endpoint, Any], robot: RobotFacts
) -> dict[Endpoint, Any]:  # fmt: skip
    own = {
        ("", name): fact() for name, fact in robot.items()
        if name in file.top.parameters and ("", name) not in changes
    }  # fmt: skip
    return {**own, **changes}


def change_of(given: Iterable[GivenParameter]) -> DiagramChange:
    """Return the change that sets parameters."""
    from hil.diagram.run.change import DiagramChange

    return DiagramChange({one.parameter: one.value for one in given})


def changes_at(use: DiagramUse, scenario_file: Path, key: str) -> list[tuple[float, DiagramChange]]:
    """Return the changes of a scenario with their times [s], their files read; nothing is judged.

    Raises:
        ConfigError: if a file is not there, or a change is none.
    """
    found: list[tuple[float, DiagramChange]] = []
    for number, one in enumerate(use.change):
        place, text, source = f"{key}.change.{number}", "", ""
        if one.file:
            path = find_file(one.file, beside=scenario_file, folder="diagrams", key=f"{place}.file")
            text, source = settings_text(path), str(path)
        elif not one.set:
            raise ConfigError(str(scenario_file), [f"{place}: set or file is needed"])
        change = replace(change_of(one.set), text=text, source=source, forced=one.force)
        found.append((one.at_s, change))
    return sorted(found, key=lambda pair: pair[0])
