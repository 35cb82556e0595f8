"""Velocities that a functional diagram makes: by itself, computed ahead, or of what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from hil.config.errors import ConfigError
from hil.config.settings import settings_text
from hil.desk.endpoints import PlaceError
from hil.desk.velocity.source import (
    Array,
    Frame,
    SourceError,
    SourceWrapper,
    Twist,
    VelocitySource,
    check_time,
    rest,
)  # fmt: skip
from hil.diagram.check.flat import AS_TABLE
from hil.diagram.check.seam import Endpiece, Wiring, joined
from hil.diagram.file.read import read_text
from hil.diagram.run.connection import ConnectedDiagram, Connections, OutputBounds
from hil.diagram.run.fault import StoppedError
from hil.diagram.run.live import Version
from hil.diagram.run.operator_actions import Timed, operated
from hil.diagram.run.panel_page import paths_of_displays, places_of_displays
from hil.diagram.run.precomputation import precompute
from hil.stations.arm.sources.recorded_velocity import SampledSource
from hil.stations.arm.sources.slew import PERIOD_MAX_S
from hil.stations.arm.sources.source import SourceLimits

if TYPE_CHECKING:
    from hil.diagram.run.change import DiagramChange
    from hil.diagram.run.taps import OpenTaps

OFFERED: Final = (Endpiece("linear_asked", "m/s", (3,)), Endpiece("angular_asked", "rad/s", (3,)))
ACCEPTED: Final = (Endpiece("linear", "m/s", (3,)), Endpiece("angular", "rad/s", (3,)))
UNITS: Final = ("m/s", "m/s", "m/s", "rad/s", "rad/s", "rad/s")
TICKS_MOST: Final = 10_000_000
TICK_SHARE: Final = 1e-6
"""A duration this near to whole ticks is one, as a share of a tick."""
_NO_MODELS: Final = {
    False: ("while this motion is computed ahead", AS_TABLE),
    True: (
        "which would have to begin anew each time that the operator lets go, and to step many "
        "times within a waypoint, while the robot waits for nobody",
        'a world\'s run takes it (station = "world")',
    ),
}
"""Why an FMU moves no gripper, by whether somebody operates, and what does."""
JUMP_PART: Final = 0.05
"""Of the greatest velocity, by which what it wants may jump at a change."""


class VelocityDiagram:
    """A diagram whose outputs are a gripper's velocity.

    Args:
        text: of its file.
        version: that begins.
        is_operated: whether somebody asks for velocities; else it has no inputs.
        limits: of the source.
        acts: a person's, with their times, in their order.
        fixed: why its structure stays what it is; empty if it may change.

    Raises:
        ConfigError: if its inputs and outputs are not those of a velocity.
    """

    def __init__(
        self, text: str, version: Version, *, is_operated: bool, limits: SourceLimits,
        acts: Sequence[Timed] = (), fixed: str = "",
    ) -> None:  # fmt: skip
        self.text, self.version, self.acts = text, version, tuple(acts)
        self.path: Path = version.file.path
        self.asked = rest("gripper")
        """What is asked for, from the next tick on."""
        self._offered = OFFERED if is_operated else ()
        self._shown = paths_of_displays(version.file)
        most = np.repeat([limits.linear_m_s, limits.angular_rad_s], 3)
        bounds = OutputBounds(np.full(6, np.inf), JUMP_PART * most, UNITS)
        self.diagram = ConnectedDiagram(
            version, self._connections, lambda _, changes: changes, bounds, fixed
        )
        """That computes."""

    def _connections(self, version: Version) -> Connections:
        engine = version.engine
        seam = joined(version.sound, self._offered, ACCEPTED, Wiring(), str(version.file.path))
        reads = {"linear_asked": self._linear_asked, "angular_asked": self._angular_asked}
        feeds = tuple((engine.inputs[name], reads[signal])
                      for name, signal in seam.signals.items())  # fmt: skip
        ends = [engine.outputs[seam.outputs[one.name]] for one in ACCEPTED]
        places = np.concatenate([np.arange(one.start, one.stop) for one in ends])
        return Connections(feeds, places, places_of_displays(engine, self._shown))

    def _linear_asked(self) -> Array:
        return self.asked.linear_m_s

    def _angular_asked(self) -> Array:
        return self.asked.angular_rad_s


def velocity_diagram(
    path: Path, set_: DiagramChange, limits: SourceLimits, *, is_operated: bool,
    press: Sequence[str] = (), slide: Sequence[str] = (), fixed: str = "",
) -> VelocityDiagram:  # fmt: skip
    """The diagram of a file.

    Args:
        set_: parameters in place of the file's.
        limits: of the source.
        is_operated: whether somebody asks for velocities; else it has no inputs.
        press: ``NAME@S`` each, see `operated`.
        slide: ``NAME=VALUE@S`` each.
        fixed: why its structure stays what it is while it runs; empty if it may change.

    Raises:
        SourceError: with a line for each fault.
    """
    try:
        text = settings_text(path)
        file = read_text(text, path)
        version = Version.of(file, set_.changes, models=True)
        version.sound.flat.refuse_models(*_NO_MODELS[is_operated])
        acts = operated(file, press, slide)
        return VelocityDiagram(
            text, version, is_operated=is_operated, limits=limits, acts=acts, fixed=fixed
        )
    except ConfigError as error:
        raise SourceError(str(error)) from None


def seen_from_outside(made: VelocityDiagram) -> OpenTaps:
    """Where the editor finds its values."""
    from hil.diagram.run.taps import OpenTaps  # Linux only

    path = made.path.resolve()
    return OpenTaps(path.stem, path, made.text, made.version.changes)


class DrawnSource(SampledSource):
    """A motion that a diagram draws by itself, computed to its end before anything moves.

    Raises:
        SourceError: with the tick, value and limit: what is too fast, changes too fast, does not
            begin and end at rest, or cannot be computed, by the block.
    """

    def __init__(
        self, made: VelocityDiagram, duration_s: float, limits: SourceLimits, frame: Frame
    ) -> None:
        path, base_s = made.path, made.diagram.base_s
        count = round(duration_s / base_s)
        if not 1 <= count <= TICKS_MOST or abs(duration_s / base_s - count) > TICK_SHARE:
            raise SourceError(
                f"duration_s = {duration_s!r} s: whole ticks of {base_s:g} s of {path} are needed, "
                f"1 to {TICKS_MOST}"
            )
        linear, angular = np.zeros((count + 1, 3)), np.zeros((count + 1, 3))
        try:
            for tick, engine in enumerate(precompute(made.version, made.acts, count + 1)):
                linear[tick], angular[tick] = (engine.output(one.name) for one in ACCEPTED)
        except (StoppedError, ConfigError) as error:
            raise SourceError(f"{path}: {error}") from None

        def place(tick: int) -> str:
            return f"{path}, tick {tick} ({tick * base_s:g} s)"

        times_s = base_s * np.arange(count + 1, dtype=np.float64)
        super().__init__(times_s, linear, angular, limits, frame, place)


class OperatedSource(SourceWrapper):
    """What an operator asks for, as a diagram makes a velocity of it.

    While nobody holds it, it wants zero velocity, and the diagram begins anew: what it remembers of
    before moves nothing.

    Args:
        taps: where who has the diagram open sees its values; given back with the source.
    """

    def __init__(
        self, inner: VelocitySource, made: VelocityDiagram, taps: OpenTaps | None = None
    ) -> None:
        super().__init__(inner)
        self._opened = ExitStack()
        self._made, self._diagram = made, made.diagram
        if taps is not None:
            with suppress(PlaceError):  # nobody watches then; it moves as well
                self._diagram.taps = self._opened.enter_context(taps).taps
        self._begun_s: float | None = None
        self._wanted = np.zeros(6)
        self._fault = ""

    @property
    def end_reason(self) -> str:
        """Why it has ended; empty while it lasts."""
        return self._fault or self._inner.end_reason

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`; it ends where the diagram made a number that is not finite."""
        asked = None if self._fault else self._inner.sample(check_time(t_s))
        if asked is None:
            return None
        if not self._inner.held:
            self._let_go()
            return rest(asked.frame)
        if self._begun_s is None:
            self._begun_s = t_s
        return self._computed(asked, t_s - self._begun_s)

    def _let_go(self) -> None:
        """Begin anew; a change that is offered now is taken at once."""
        if self._begun_s is not None or self._diagram.trying:
            self._begun_s, self._made.asked = None, rest("gripper")
            self._diagram.begin_anew()

    def _computed(self, asked: Twist, lasted_s: float) -> Twist | None:
        self._made.asked, diagram = asked, self._diagram
        due = 1 + int(lasted_s / diagram.base_s + TICK_SHARE)
        most = 1 + int(PERIOD_MAX_S / diagram.base_s)
        try:
            for _ in range(min(due - diagram.ticks, most)):
                self._wanted = diagram.compute()
        except StoppedError as error:
            self._fault = f"{self._made.path}: {error}"
            return None
        diagram.publish()
        return Twist(self._wanted[:3], self._wanted[3:], asked.frame)

    def close(self) -> None:
        """Close the source; nobody sees its values any more."""
        self._diagram.taps = None
        self._opened.close()
        super().close()
