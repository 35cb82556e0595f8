"""Velocities that a functional diagram makes: by itself, computed ahead, or of what is asked."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hil.config.errors import ConfigError
from hil.config.settings import settings_text
from hil.desk.endpoints import PlaceError
from hil.desk.velocity.source import (
    Frame,
    SourceError,
    Twist,
    VelocitySource,
    WrappedSource,
    checked_time,
    rest,
)  # fmt: skip
from hil.diagram.change import DiagramChange
from hil.diagram.check import load
from hil.diagram.engine import Engine
from hil.diagram.fault import NonFiniteError
from hil.diagram.flat import Endpoint
from hil.diagram.seam import Endpiece, Seam, Wiring, joined
from hil.stations.arm.sources.recorded import SampledSource
from hil.stations.arm.sources.slew import PERIOD_MAX_S
from hil.stations.arm.sources.source import SourceLimits

if TYPE_CHECKING:
    from hil.diagram.taps import DiagramTaps, OpenTaps

OFFERED: Final = (Endpiece("linear_asked", "m/s", (3,)), Endpiece("angular_asked", "rad/s", (3,)))
ACCEPTED: Final = (Endpiece("linear", "m/s", (3,)), Endpiece("angular", "rad/s", (3,)))
TICKS_MOST: Final = 10_000_000
TICK_SHARE: Final = 1e-6
"""A duration this near to whole ticks is one, as a share of a tick."""


class VelocityDiagram:
    """A diagram whose outputs are a gripper's velocity.

    Args:
        path: of its file.
    """

    def __init__(
        self, path: Path, engine: Engine, seam: Seam, changes: Mapping[Endpoint, Any]
    ) -> None:
        self.path, self.engine, self.changes = path, engine, changes
        self._inputs = {fed: name for name, fed in seam.signals.items()}
        self._linear, self._angular = (engine.outputs[seam.outputs[one.name]] for one in ACCEPTED)

    @property
    def base_s(self) -> float:
        """From tick to tick [s]."""
        return self.engine.sound.flat.base_s

    def feed(self, asked: Twist) -> None:
        """Give it what is asked, from the next tick on."""
        for signal, values in zip(OFFERED, (asked.linear_m_s, asked.angular_rad_s), strict=True):
            if signal.name in self._inputs:
                self.engine.set_input(self._inputs[signal.name], values)

    def velocity(self, frame: Frame) -> Twist:
        """What it wants after the last tick."""
        values = self.engine.values
        return Twist(values[self._linear].copy(), values[self._angular].copy(), frame)


def velocity_diagram(path: Path, set_: Mapping[str, Any], *, operated: bool) -> VelocityDiagram:
    """The diagram of a file.

    Args:
        set_: parameters in place of the file's.
        operated: whether somebody asks for velocities; else it has no inputs.

    Raises:
        SourceError: with a line for each fault.
    """
    changes = DiagramChange(set_).changes
    try:
        sound = load(path, changes)
        seam = joined(sound, OFFERED if operated else (), ACCEPTED, Wiring(), str(path))
    except ConfigError as error:
        raise SourceError(str(error)) from None
    return VelocityDiagram(path, Engine(sound), seam, changes)


def seen_from_outside(diagram: VelocityDiagram) -> OpenTaps | None:
    """Where the editor finds its values; None if the file cannot be read any more."""
    from hil.diagram.taps import OpenTaps  # Linux only

    path = diagram.path.resolve()
    with suppress(ConfigError):
        return OpenTaps(path.stem, path, settings_text(path), diagram.changes)
    return None


class DrawnSource(SampledSource):
    """A motion that a diagram draws by itself, computed to its end before anything moves.

    Raises:
        SourceError: with the tick, value and limit: what is too fast, changes too fast, does not
            begin and end at rest, or cannot be computed, by the block.
    """

    def __init__(
        self, diagram: VelocityDiagram, duration_s: float, limits: SourceLimits, frame: Frame
    ) -> None:
        path, base_s, engine = diagram.path, diagram.base_s, diagram.engine
        count = round(duration_s / base_s)
        if not 1 <= count <= TICKS_MOST or abs(duration_s / base_s - count) > TICK_SHARE:
            raise SourceError(
                f"duration_s = {duration_s!r} s: whole ticks of {base_s:g} s of {path} are needed, "
                f"1 to {TICKS_MOST}"
            )
        linear, angular = np.zeros((count + 1, 3)), np.zeros((count + 1, 3))
        for tick in range(count + 1):
            try:
                engine.step()
            except NonFiniteError as error:
                raise SourceError(f"{path}: {error}") from None
            wanted = diagram.velocity(frame)
            linear[tick], angular[tick] = wanted.linear_m_s, wanted.angular_rad_s

        def place(tick: int) -> str:
            return f"{path}, tick {tick} ({tick * base_s:g} s)"

        times_s = base_s * np.arange(count + 1, dtype=np.float64)
        super().__init__(times_s, linear, angular, limits, frame, place)


class OperatedSource(WrappedSource):
    """What an operator asks for, as a diagram makes a velocity of it.

    While nobody holds it, it wants zero velocity, and the diagram begins anew: what it remembers of
    before moves nothing.

    Args:
        taps: where who has the diagram open sees its values; given back with the source.
    """

    def __init__(
        self, inner: VelocitySource, diagram: VelocityDiagram, taps: OpenTaps | None = None
    ) -> None:
        super().__init__(inner)
        self._opened = ExitStack()
        self._taps: DiagramTaps | None = None
        if taps is not None:
            with suppress(PlaceError):  # nobody watches then; it moves as well
                self._taps = self._opened.enter_context(taps).taps
        self._diagram = diagram
        self._start = diagram.engine.snapshot()
        self._begun_s: float | None = None
        self._fault = ""

    @property
    def end_reason(self) -> str:
        """Why it has ended; empty while it lasts."""
        return self._fault or self._inner.end_reason

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`; it ends where the diagram made a number that is not finite."""
        asked = None if self._fault else self._inner.sample(checked_time(t_s))
        if asked is None:
            return None
        if not self._inner.held:
            self._begun_s = None
            return rest(asked.frame)
        if self._begun_s is None:
            self._begun_s = t_s
            self._diagram.engine.restore(self._start)
        return self._computed(asked, t_s - self._begun_s)

    def _computed(self, asked: Twist, lasted_s: float) -> Twist | None:
        diagram, engine = self._diagram, self._diagram.engine
        diagram.feed(asked)
        due = 1 + int(lasted_s / diagram.base_s + TICK_SHARE)
        most = 1 + int(PERIOD_MAX_S / diagram.base_s)
        try:
            for _ in range(min(due - engine.tick, most)):
                engine.step()
        except NonFiniteError as error:
            self._fault = f"{diagram.path}: {error}"
            return None
        if self._taps is not None:
            self._taps.push(engine)
        return diagram.velocity(asked.frame)

    def close(self) -> None:
        """Close the source; nobody sees its values any more."""
        self._taps = None
        self._opened.close()
        super().close()
