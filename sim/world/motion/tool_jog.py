"""A robot's tool led by a velocity, in axes of the tool or of the world, within its joints' bounds.

The velocity wanted is approached by bounded accelerations, and the tool keeps to the line that this
draws. Where a joint would leave its bounds of speed or its room to stop before a limit, or where
the line bends so much for it that this takes half of its acceleration (near singular poses), the
whole motion becomes slower, down to rest. Where even that is too much for a joint, or the line
leaves what the robot can reach, all joints come to rest together, and it goes no further that way.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain import Chain
from sim.world.motion.inverse import rotation_left
from sim.world.motion.joint_bounds import BoundedJoints
from sim.world.robots.tree import turn

Array = NDArray[np.float64]

NEWTON: Final = 3
"""Iterations of a step, at most: the way of a step is short."""
DAMPING: Final = 1e-9
"""Of the inverse, far below any pose that can be used."""
NEAR: Final = 1e-7
"""A step has arrived if it is no further away [m] and [rad]."""
BENDING_PART: Final = 0.5
"""Of a joint's acceleration, what the bend of a line may take."""
STILL: Final = 1e-12
"""Change of a joint in a step that is none [rad] or [m]."""


@dataclass(frozen=True, slots=True)
class ToolBounds:
    """How fast a tool may be led."""

    speed_m_s: float
    """Along its line."""
    acceleration_m_s2: float
    """Likewise."""
    turn_rad_s: float
    """About its axis."""
    turn_acceleration_rad_s2: float
    """Likewise."""


class ToolJog:
    """Leads the place of a chain; with fewer than six joints its position alone.

    Args:
        chain: to the place.
        joints: of the whole robot; those that are not of the chain stay where they are.
    """

    def __init__(self, chain: Chain, joints: BoundedJoints, bounds: ToolBounds) -> None:
        self._chain, self._joints, self._bounds = chain, joints, bounds
        self._places = list(chain.places)
        self._rows = 6 if len(chain.joints) >= 6 else 3
        self._twist = np.zeros(6)
        self._pose = self._found()
        self._blocked: Array | None = None
        self.held_back: int | None = None
        """Place among the drives of the joint that slows the motion down; None if none does."""
        self.share: float = 1.0
        """What is left of the speed wanted, 0 to 1."""

    @property
    def blocked(self) -> bool:
        """Whether it goes no further in the direction wanted."""
        return self._blocked is not None

    def step(self, wanted: Array, *, in_tool: bool) -> None:
        """A step towards a velocity, which is taken into the bounds first.

        Args:
            wanted: speed [m/s], then turn rate [rad/s], shape (6,); zeros stop it.
            in_tool: whether these are in axes of the tool; else in those of the world.
        """
        joints = self._joints
        if self._blocked is not None:
            if not joints.at_rest or _alike(wanted, self._blocked):
                joints.slow_down()
                return
            self._blocked = None
        if joints.at_rest:
            self._twist, self._pose = np.zeros(6), self._found()
        twist = self._limit_slew(self._bounded(wanted), in_tool=in_tool)
        if not twist.any():
            joints.at_speeds(np.zeros(len(joints.positions)))
            self._twist = twist
            return
        self._go(twist, wanted)

    def _go(self, twist: Array, wanted: Array) -> None:
        joints, period_s = self._joints, self._joints.period_s
        target, q = moved(self._pose, twist, period_s), joints.positions[self._places]
        rates, bending = np.zeros((2, len(joints.positions)))
        change, bent, arrived = self._inverse(q, target)
        rates[self._places], bending[self._places] = change / period_s, bent / period_s**2
        slowest, fastest = self._shares(rates, bending)
        self.share = fastest if arrived else 0.0
        if not arrived or slowest > fastest:
            self._blocked = wanted.copy()
            joints.slow_down()
            return
        joints.go(fastest * rates)
        self._twist = fastest * twist
        self._pose = moved(self._pose, self._twist, period_s)

    def _found(self) -> Array:
        return self._chain.pose(self._joints.positions[self._places])

    def _bounded(self, wanted: Array) -> Array:
        """The same velocity, slower if it is too fast."""
        straight, turning = float(np.linalg.norm(wanted[:3])), float(np.linalg.norm(wanted[3:]))
        most = self._bounds
        share = max(straight / most.speed_m_s, turning / most.turn_rad_s, 1.0)
        return wanted / share

    def _limit_slew(self, wanted: Array, *, in_tool: bool) -> Array:
        """The velocity of the next step in the world's axes."""
        rotation = self._pose[:3, :3]
        if in_tool:
            wanted = np.concatenate([rotation @ wanted[:3], rotation @ wanted[3:]])
        change = wanted - self._twist
        period_s, most = self._joints.period_s, self._bounds
        needed_s = max(
            float(np.linalg.norm(change[:3])) / most.acceleration_m_s2,
            float(np.linalg.norm(change[3:])) / most.turn_acceleration_rad_s2,
        )
        return wanted if needed_s <= period_s else self._twist + period_s / needed_s * change

    def _inverse(self, q: Array, target: Array) -> tuple[Array, Array, bool]:
        """Change of the chain's variables to a pose nearby, and whether that arrives there.

        Beside it how that change itself changes in the next step of the same velocity: from
        ``J q' = v`` follows ``J q'' = -J' q'``.
        """
        found = q
        error, jacobian, square = self._near(found, target)
        first = jacobian
        for _ in range(NEWTON):
            found = found + jacobian.T @ np.linalg.solve(square, error)
            error, jacobian, square = self._near(found, target)
            if float(np.abs(error).max()) < 1e-3 * NEAR:
                break
        change = found - q
        bent = -jacobian.T @ np.linalg.solve(square, (jacobian - first) @ change)
        return change, bent, float(np.abs(error).max()) < NEAR

    def _near(self, q: Array, target: Array) -> tuple[Array, Array, Array]:
        """What is left to a pose, the Jacobian there, and its damped square."""
        frames, error = self._chain.frames(q), np.empty(6)
        error[:3] = target[:3, 3] - frames[-1][:3, 3]
        error[3:] = rotation_left(target[:3, :3], frames[-1][:3, :3])
        jacobian = self._chain.jacobian(frames)[: self._rows]
        square = jacobian @ jacobian.T + DAMPING * np.eye(self._rows)
        return error[: self._rows], jacobian, square

    def _shares(self, rates: Array, bending: Array) -> tuple[float, float]:
        """Smallest and greatest share of all rates that the bounds of all joints allow."""
        joints = self._joints
        least, most = joints.range()
        slowest, fastest, self.held_back = 0.0, 1.0, None
        for place, rate in enumerate(rates.tolist()):
            low, high = float(least[place]), float(most[place])
            if abs(rate) * joints.period_s < STILL:
                if low > 0.0 or high < 0.0:
                    return np.inf, fastest
                continue
            ends = (low / rate, high / rate) if rate > 0.0 else (high / rate, low / rate)
            slowest = max(slowest, ends[0])
            if ends[1] < fastest:
                fastest, self.held_back = ends[1], place
        bent = np.abs(bending) / (BENDING_PART * joints.bounds.acceleration)
        place = int(np.argmax(bent))
        if bent[place] > 0.0 and (gentle := float(bent[place]) ** -0.5) < fastest:
            fastest, self.held_back = max(gentle, min(slowest, fastest)), place
        return slowest, fastest


def _alike(wanted: Array, blocked: Array) -> bool:
    """Whether a velocity has about the direction of another one."""
    product = float(wanted @ blocked)
    return product > 0.99 * float(np.linalg.norm(wanted) * np.linalg.norm(blocked))


def moved(pose: Array, twist: Array, period_s: float) -> Array:
    """A pose after a time at a velocity in the world's axes, shape (4, 4)."""
    found = pose.copy()
    found[:3, 3] += twist[:3] * period_s
    angle = float(np.linalg.norm(twist[3:])) * period_s
    if angle > 0.0:
        found[:3, :3] = turn(twist[3:].tolist(), angle) @ pose[:3, :3]
    return found
