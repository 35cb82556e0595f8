"""A diagram whose inputs are read and whose output is used, and which is changed while it runs.

A change is built beside, tried in the next tick together with the version that runs, and taken if
the output does not jump by more than it may. Its structure stays what it is where something has
power that the diagram moves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.named_files import EmbeddedPath
from hil.diagram.check.whole_text import whole_text
from hil.diagram.file.read import read_text
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.live import Successor, Version

if TYPE_CHECKING:
    from hil.diagram.check.flat import Endpoint
    from hil.diagram.file.model import DiagramFile
    from hil.diagram.run.change import DiagramChange
    from hil.diagram.run.engine import DiagramState
    from hil.diagram.run.models import DiagramModels
    from hil.diagram.run.taps import DiagramTaps

Array = NDArray[np.float64]
Read = Callable[[], Array]
"""Reads the numbers of a signal."""
Feed = tuple[slice | NDArray[np.intp], Read]
"""Places of some inputs among a version's numbers, and the reader of what they are given."""
Bind = Callable[["DiagramFile", Mapping["Endpoint", Any]], Mapping["Endpoint", Any]]
"""Parameters of another file, with those that are taken from the machine."""


@dataclass(frozen=True, slots=True, eq=False)
class Connections:
    """Places where a version's inputs are read, and where its output is."""

    feeds: tuple[Feed, ...]
    """Places of the inputs, and the readers of their signals."""
    output: NDArray[np.intp]
    """Places of the numbers of the output."""
    shown: NDArray[np.intp]
    """Places of the numbers that panel blocks show; -1 for one that is not there."""
    gone: NDArray[np.intp] = field(init=False)
    """Indices in `shown` of those that are not there."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "gone", np.flatnonzero(self.shown < 0))


@dataclass(frozen=True, slots=True, eq=False)
class ConnectedVersion:
    """A version of a diagram with its inputs and its output connected."""

    version: Version
    connections: Connections
    start: DiagramState
    """State of its engine before the first tick."""


@dataclass(frozen=True, slots=True, eq=False)
class PreparedChange:
    """A change that is ready to be tried in the next tick."""

    change: DiagramChange
    """Change, whose text needs no other file."""
    successor: Successor
    after: ConnectedVersion
    changed_values: tuple[tuple[str, Any, Any], ...]
    """Each parameter that is set: its path, what it was, what it will be."""


@dataclass(frozen=True, slots=True)
class ChangeOutcome:
    """Result of a change."""

    refused: str
    """Reason for a refusal; empty if it was taken."""
    jump: float
    """Jump of the output at the change, made or avoided; nan if that is not known."""


@dataclass(frozen=True, slots=True, eq=False)
class OutputBounds:
    """Bounds of each number of an output, each shape (n,)."""

    most: Array
    """Greatest amount that leaves it."""
    jump: Array
    """Most by which it may jump at a change."""
    units: Sequence[str]
    least: Array = field(init=False)
    """Least number that leaves it: its greatest amount below zero."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "least", -self.most)


class ConnectedDiagram:
    """A diagram that runs.

    Args:
        version: that begins.
        connect: connects a version; `ConfigError` if it does not fit.
        bind: of another file in its place.
        bounds: of its output.
        fixed: why its structure stays what it is; empty if it may change.
        models: its FMUs, which begin when it is restarted, and are closed with it.

    Raises:
        ConfigError: if it does not fit.
    """

    def __init__(
        self, version: Version, connect: Callable[[Version], Connections], bind: Bind,
        bounds: OutputBounds, fixed: str = "", models: DiagramModels | None = None,
    ) -> None:  # fmt: skip
        self._models = models
        self._connect, self._bind, self._bounds, self._fixed = connect, bind, bounds, fixed
        self._first = self.now = self._connected(version)
        self._offered: PreparedChange | None = None
        self.outcome: ChangeOutcome | None = None
        """Result of the change that was offered last; None until it was tried."""
        self.taps: DiagramTaps | None = None
        """Taps for observers of what it computes; None while there can be none."""

    def _connected(self, version: Version) -> ConnectedVersion:
        connections = self._connect(version)
        return ConnectedVersion(version, connections, version.engine.snapshot())

    @property
    def ticks(self) -> int:
        """Computed since it began, or began anew."""
        return self.now.version.engine.tick

    @property
    def base_s(self) -> float:
        """From tick to tick [s]."""
        return self.now.version.sound.flat.base_s

    @property
    def trying(self) -> bool:
        """Whether a change is offered that was not tried yet."""
        return self._offered is not None

    def compute(self) -> Array:
        """Compute a tick: read the signals, compute, try a change that is offered.

        Returns:
            The output within its bounds, shape (n,).

        Raises:
            StoppedError: if a block of the version that runs cannot continue.
        """
        offered, self._offered = self._offered, None
        if self._models is not None:
            self._models.before(self.now.version.engine)
        if offered is not None:
            offered.successor.carry_over()
        found = self._step(self.now)
        if offered is not None:
            found = self._tried(offered, found)
        if self._models is not None:
            self._models.after(self.now.version.engine)
        return found

    def publish(self) -> None:
        """Publish the values after the last tick to observers."""
        if self.taps is not None:
            self.taps.push(self.now.version.engine)

    def _step(self, one: ConnectedVersion) -> Array:
        engine, bounds = one.version.engine, self._bounds
        values = engine.values
        for where, read in one.connections.feeds:
            values[where] = read().reshape(-1)
        engine.step()
        output = values[one.connections.output]
        return np.minimum(np.maximum(output, bounds.least), bounds.most)

    def shown(self) -> Array:
        """Read the values of blocks that show something, shape (blocks,); nan where gone."""
        connections = self.now.connections
        found = self.now.version.engine.values[connections.shown]
        found[connections.gone] = np.nan
        return found

    def restart(self) -> None:
        """Begin again with the version that began, with all states as at the start.

        Raises:
            RefusedError: if an FMU of it does not begin.
        """
        self.now, self._offered = self._first, None
        self._rewind(self.now)
        if self._models is not None:
            self._models.begin()

    def close(self) -> None:
        """End its FMUs."""
        if self._models is not None:
            self._models.close()

    def begin_anew(self) -> None:
        """Begin again with the version that runs, or with one that is offered."""
        offered, self._offered = self._offered, None
        if offered is not None:
            self._tried_at_rest(offered)
        self._rewind(self.now)

    @staticmethod
    def _rewind(one: ConnectedVersion) -> None:
        one.version.engine.restore(one.start)

    def _tried_at_rest(self, offered: PreparedChange) -> None:
        """Take a version whose first tick can be computed; nothing depends on the output now."""
        try:
            self._step(offered.after)
        except StoppedError as error:
            self.outcome = ChangeOutcome(str(error), math.nan)
        else:
            self.now, self.outcome = offered.after, ChangeOutcome("", 0.0)

    # --- changes -------------------------------------------------------------------------------

    def prepare(self, change: DiagramChange) -> PreparedChange:
        """Build what a change makes of the diagram that runs; it may be called beside the cycle.

        Raises:
            ConfigError: with a line for each fault.
        """
        now, changes, file = self.now, change.changes, None
        source = str(now.version.file.path)
        if self._fixed and (change.text or change.texts):
            what = change.source or "another diagram" if change.text else ", ".join(change.texts)
            raise ConfigError(source, [f"{what}: its structure stays as it is: {self._fixed}"])
        if change.text:
            kind = EmbeddedPath if change.carried else Path
            file = read_text(change.text, kind(change.source or "diagram.toml"))
            changes = dict(self._bind(file, changes))
        version, changed = now.version.changed(changes, file)
        if self._fixed and not version.engine.table.has_rows_of(now.version.engine.table):
            text = f"{change}: its structure stays as it is, numbers may change: {self._fixed}"
            raise ConfigError(source, [text])
        after = self._connected(version)
        if file is not None:
            change = replace(change, text=whole_text(file, change.text))
        return PreparedChange(change, Successor(now.version, version), after, changed)

    def offer(self, prepared: PreparedChange) -> None:
        """Try a change in the next tick; `outcome` has its result then.

        One that was prepared for another version than the one that runs is refused at once.
        """
        if prepared.successor.before is self.now.version:
            self._offered, self.outcome = prepared, None
        else:
            self.outcome = ChangeOutcome("another change came first", math.nan)

    def _tried(self, offered: PreparedChange, found: Array) -> Array:
        """Compute the tick with the other version too, and continue with it if that succeeds."""
        try:
            wanted = self._step(offered.after)
        except StoppedError as error:
            return self._keep(found, str(error), math.nan)
        jumps, most = np.abs(wanted - found), self._bounds.jump
        worst = int(np.argmax(jumps - most))
        jump = float(jumps[worst])
        if jump > most[worst] and not offered.change.forced:
            unit = self._bounds.units[worst]
            text = f"the command jumps by {jump:.4g} {unit}, at most {most[worst]:.4g} {unit}"
            return self._keep(found, text, jump)
        self.now, self.outcome = offered.after, ChangeOutcome("", jump)
        return wanted

    def _keep(self, found: Array, refused: str, jump: float) -> Array:
        self.outcome = ChangeOutcome(refused, jump)
        return found
