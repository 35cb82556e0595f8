"""Copy mode: joints follow those of another machine, within their own bounds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.stations.world.sources.source import SourceNews, setpoint_of

if TYPE_CHECKING:
    from hil.stations.world.plan.copy_map import CopyMap
    from safety.robot_limits import RobotSetpoint
    from sim.world.motion.joint_bounds import BoundedJoints

Array = NDArray[np.float64]


class ValueStream(Protocol):
    """Stream of values that lead joints."""

    @property
    def duration_s(self) -> float | None:
        """Duration [s]; None for values that are received."""
        ...

    def values(self, t_s: float) -> Array | None:
        """Values at a time that never goes back, shape (values,); None if there are none now."""
        ...

    def news(self) -> Sequence[SourceNews]:
        """Events since the last call."""
        ...

    def close(self) -> None:
        """Release what it holds."""
        ...


class HeldStream:
    """Stream that counts only while an operator holds the motion.

    Holding anew chooses the sender that leads, if the one before is silent.

    Args:
        choose: lets another sender lead.
    """

    def __init__(
        self, inner: ValueStream, held: Callable[[], bool], choose: Callable[[], None]
    ) -> None:
        self._inner, self._held, self._choose = inner, held, choose
        self._was_held = True

    @property
    def duration_s(self) -> float | None:
        """Duration [s]; None for values that are received."""
        return self._inner.duration_s

    def values(self, t_s: float) -> Array | None:
        """Values at a time; None while nobody holds it."""
        held = self._held()
        if held and not self._was_held:
            self._choose()
        self._was_held = held
        found = self._inner.values(t_s)
        return found if held else None

    def news(self) -> Sequence[SourceNews]:
        """Events since the last call."""
        return self._inner.news()

    def close(self) -> None:
        """Close the inner stream."""
        self._inner.close()


class CopySource:
    """Source that leads joints by values; without fresh ones they stop within bounds, and hold.

    Args:
        joints: joints where the robot starts.
        smoothing_s: see `BoundedJoints.towards`.
        duration_s: longest duration; None if it ends with its stream, where that ends.
    """

    def __init__(
        self,
        joints: BoundedJoints,
        stream: ValueStream,
        led_by: CopyMap,
        smoothing_s: float,
        duration_s: float | None,
    ) -> None:
        self._joints, self._stream, self._map = joints, stream, led_by
        self._smoothing_s, self._cut_s = smoothing_s, duration_s
        self._others = joints.positions
        self._led: bool | None = None
        self._news = list[SourceNews]()
        self.duration_s: float | None = duration_s or stream.duration_s
        """Duration [s]; None until somebody stops it."""
        self.ended: bool = False
        """Whether it is over, and the joints are at rest."""

    def setpoint(self, index: int) -> RobotSetpoint:
        """Setpoint of a step."""
        if index and not self.ended:  # the first step is where it starts
            self._go_on(index * self._joints.period_s)
        return setpoint_of(self._joints)

    def _go_on(self, t_s: float) -> None:
        values = self._stream.values(t_s)
        over = self.duration_s is not None and t_s > self.duration_s
        if not over:
            self._note_led(values is not None)
        if values is None or (over and self._cut_s is not None):
            self._joints.at_speeds(np.zeros(len(self._others)))
        else:
            targets = self._map.targets(values, self._others)
            self._joints.towards(targets, self._smoothing_s)
        self.ended = over and self._joints.at_rest

    def _note_led(self, led: bool) -> None:
        """Report values that fail to come, and those that come again."""
        if led == self._led:
            return
        before, self._led = self._led, led
        if led:
            self._news.append(SourceNews("there are values; the joints follow", {"led": True}))
        elif before is None:
            self._news.append(SourceNews("no values yet; the joints hold", {"led": False}))
        else:
            text = "no values: the joints stop, and hold until there are some"
            self._news.append(SourceNews(text, {"led": False}, warning=True))

    def news(self) -> Sequence[SourceNews]:
        """Events: values that failed to come, or came again, and frames that were dropped."""
        taken, self._news = [*self._news, *self._stream.news()], []
        return taken

    def close(self) -> None:
        """Close the stream."""
        self._stream.close()
