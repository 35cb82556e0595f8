"""How a scenario uses a diagram: its file, parameters in place of its own, what feeds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from hil.config.settings import Settings, settings_text
from hil.config.shipped import find_file

if TYPE_CHECKING:
    from hil.diagram.check import SoundDiagram
    from hil.diagram.seam import Wiring

Value = float | tuple[float, ...] | tuple[tuple[float, ...], ...]
"""A number, a list of them, or rows of them."""
TooSlow = Literal["report", "refuse"]
"""What becomes of a diagram that is too slow for its period."""


class GivenParameter(Settings):
    """A parameter in place of what the diagram's file says."""

    parameter: str
    """Name of a parameter of the diagram, or ``block.name`` of a block's: ``kp``, ``law/pi.kp``."""
    value: bool | int | Value | str
    """Within the limits that the diagram's file declares."""


class FeedInput(Settings):
    """What an input of the diagram is fed with."""

    input: str
    """Its name."""
    signal: str | None = None
    """Name of a signal of the station; left out with `value`: the signal of the same name."""
    value: Value | None = None
    """Numbers that stay."""
    frame: str = ""
    """What the diagram calls the signal's axes; left out, as the station does."""


class DiagramUse(Settings):
    """A diagram that commands the drives of a run, computed in every tick of its own."""

    file: str
    """Diagram file; a relative path: beside the scenario, then from where one stands."""
    output: str = ""
    """Output that is the command; left out, the one that is called as the interface: ``torque``,
    ``speed`` or ``voltage``."""
    feed: tuple[FeedInput, ...] = ()
    """Inputs that are not called as the signal that they take."""
    set: tuple[GivenParameter, ...] = ()
    """Parameters in place of the file's."""
    joints: tuple[int, ...] = ()
    """Numbers of the robot's driven joints that it commands and whose signals it is told, from the
    base on; empty for all. A built-in law holds the others where they should be."""
    end: int | None = None
    """Number of the end, at the last of these joints, that is its end effector; left out, the
    robot's first."""
    too_slow: TooSlow = "report"
    """What becomes of it if 1 of 1000 of its ticks takes longer than its period on this machine:
    it is said when the scenario is checked and when it runs in real time, or refused there."""

    def wiring(self, setpoint: str) -> Wiring:
        """Inputs and outputs as the seam takes them."""
        from hil.diagram.seam import Wiring

        inputs = {
            one.input: one.value if one.value is not None else one.signal or one.input
            for one in self.feed
        }
        frames = {one.input: one.frame for one in self.feed if one.frame}
        return Wiring(inputs, {setpoint: self.output} if self.output else {}, frames)


@dataclass(frozen=True, slots=True, eq=False)
class UsedDiagram:
    """A diagram as a scenario uses it, read and checked."""

    path: Path
    """Of its file."""
    text: str
    """The file itself."""
    sound: SoundDiagram
    """It can run, with the scenario's parameters."""


def used_diagram(use: DiagramUse, scenario_file: Path, key: str, joints: int) -> UsedDiagram:
    """Read the diagram of a scenario.

    Args:
        key: of the scenario that names it.
        joints: how many the robot has that it moves; bound to the diagram's parameter ``joints``,
            if it has one and the scenario does not set it.

    Raises:
        ConfigError: with a line for each fault.
    """
    from hil.diagram.check import check
    from hil.diagram.read import read_text

    path = find_file(use.file, beside=scenario_file, folder="diagrams", key=f"{key}.file")
    text = settings_text(path)
    file = read_text(text, path)
    changes = changes_of(use.set)
    if "joints" in file.top.parameters:
        changes.setdefault(("", "joints"), joints)
    return UsedDiagram(path, text, check(file, changes))


def changes_of(given: Sequence[GivenParameter]) -> dict[tuple[str, str], Any]:
    """Path of a block, empty for the diagram, and name of its parameter → value."""
    changes: dict[tuple[str, str], Any] = {}
    for one in given:
        path, _, name = one.parameter.rpartition(".")
        changes[path, name] = one.value
    return changes
