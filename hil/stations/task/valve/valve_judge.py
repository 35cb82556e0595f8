"""Judge of the task `valve`, by the true state of the world.

Done is: the wheel turned by the angle within 0.5 deg after release, the hand clear of it and at
rest; until then force and moment on the wheel kept to their targets in every grasp, no drive of the
arm was saturated for long, the fingers have not slipped far, and nothing else was touched.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.stations.task.judge.collisions import AllowedContacts, Collisions
from hil.stations.task.plan.reasons import Reason, TaskFinding, timed_out
from hil.stations.task.valve.airlock import WHEEL
from hil.stations.task.valve.grasp import SETTLING_S, SHARE, GraspErrors
from hil.stations.task.valve.grasp_watch import GraspWatch, JudgedTick
from hil.stations.task.valve.targets import stated_targets
from hil.stations.task.valve.turn_signals import SIGNALS
from sim.world.engine.body_groups import BodyGroups, GroupContact, JointSpeeds
from sim.world.engine.sensor_measurement import MeasuredValues
from sim.world.robots.sensor_values import quantities
from sim.world.robots.sensors import SensorKind

if TYPE_CHECKING:
    from hil.stations.task.valve.settings import ValveSettings
    from sim.world.engine.step_contacts import StepContacts
    from sim.world.engine.world import World, WorldRobot

Array = NDArray[np.float64]
Point = tuple[float, float, float]

REST_S: Final = 0.5
"""Time at rest that counts [s]."""
REST_SPEED: Final = 0.02
"""Speed of a joint of the robot at rest [rad/s]."""
FORCE_MOST_N: Final = 20.0
"""Error of the force that is never allowed while errors count [N]."""
MOMENT_MOST_NM: Final = 4.0
"""Error of the moment that is never allowed while errors count [N m]."""
UNJUDGED_DEG: Final = 5.0
"""Greatest turn of the wheel, of either direction added up, in which no errors count [deg]."""
CLEAR_M: Final = 0.08
"""Least distance before the wheel of the middle of the fingers, for a hand that is clear [m]."""
GRASP_M: Final = 0.16
"""Distance of the middle of the fingers from the palm's frame, along its z axis [m]."""
NO_WHEEL: Final = (math.nan,) * len(SIGNALS)
PALM: Final = "palm"
FINGER: Final = "finger"
COLLAR: Final = "collar"
ALLOWED: Final = AllowedContacts(
    pairs=frozenset({("hand", "wheel"), ("hand", "hand"), ("hand", "robot"), ("robot", "robot")}),
    among=frozenset({"other", "wheel"}),
)
"""Contacts that are allowed."""


class ValveJudge:
    """Judge of one run.

    Args:
        world: world with the robot as its first, at its beginning.
        angle_rad: angle to turn by [rad].
        said: reads the law's targets, ``force_n`` and ``moment_nm``, along and about the axis.
        voltages: reads the last commands of the drives, the arm's first.
        wheel: name of the wheel's body; what it is called means nothing.
        contacts: reading that is up to date before each look; None if the judge reads itself.
    """

    def __init__(
        self, world: World, settings: ValveSettings, angle_rad: float,
        said: Callable[[str], float], voltages: Callable[[], Array], wheel: str = WHEEL,
        contacts: StepContacts | None = None,
    ) -> None:  # fmt: skip
        self._settings, self._angle_rad = settings, angle_rad
        self._targets, self._voltages = stated_targets(said), voltages
        self._robot = robot = world.robots[0]
        self._wheel = world.bodies.get(wheel)
        links = {one.name: one.number for one in robot.placed.robot.links}
        engine = {f"{robot.placed.prefix}l{number}": name for name, number in links.items()}
        self._palm = links[PALM]
        self._fingers = tuple(body for body, name in engine.items() if FINGER in name)
        groups = {body: "hand" if name in (PALM, COLLAR) or FINGER in name else "robot"
                  for body, name in engine.items()}  # fmt: skip
        self._contacts = BodyGroups(world, {**groups, wheel: "wheel"}, contacts=contacts)
        self._collisions = Collisions(self._contacts, ALLOWED, engine)
        joints = [one.joint for one in robot.drives]
        self._arm = len(joints) - len(self._fingers)
        self._speeds = JointSpeeds(world, robot, joints)
        self._measured, self._wrist = MeasuredValues(robot), _place_of_wrist(robot)
        self._start_rad = 0.0 if self._wheel is None else sum(self._wheel.start)
        self.errors: GraspErrors = GraspErrors(settings.force_error_n, settings.moment_error_nm)
        """Errors of the grasps."""
        self._watch = GraspWatch(self.errors)
        self._now_s = self._rest_since_s = self._free_since_s = 0.0
        self._saturated_s, self._touches = 0.0, False
        self._was_rad: float | None = None
        self._unjudged_rad = 0.0
        self._axis_wrench = self._now_errors = (math.nan, math.nan)
        self._fatal: TaskFinding | None = None

    def look(self, t_s: float) -> tuple[TaskFinding, ...]:
        """Look at the world before a step."""
        contacts = self._contacts.now()
        found = self._collisions.find(t_s, contacts)
        found += [*self._grasps(t_s, contacts), *self._saturation(t_s)]
        if self._speeds.any_above(REST_SPEED):
            self._rest_since_s = t_s
        if self._fatal is None:
            self._fatal = next((one for one in found if one.final), None)
        self._now_s = t_s
        return tuple(found)

    @property
    def collisions(self) -> int:
        """Number of contacts that were not allowed: pairs of bodies, each from touch to parting."""
        return self._collisions.count

    @property
    def at_rest(self) -> bool:
        """Whether the robot is at rest."""
        return self._now_s - self._rest_since_s >= REST_S

    def values(self) -> tuple[float, ...]:
        """Values of `hil.stations.task.valve.turn_signals.SIGNALS`."""
        if self._wheel is None:
            return NO_WHEEL
        force_n, moment_nm = (one.value for one in self._targets)
        turned_rad = sum(self._wheel.coordinates()) - self._start_rad
        grasp = 0.0 if not self.errors.held else 2.0 if self._watch.settled else 1.0
        return (force_n, moment_nm, *self._axis_wrench, *self._now_errors, turned_rad,
                self.errors.slip_rad, grasp)  # fmt: skip

    @property
    def angle_error_rad(self) -> float:
        """Angle of the wheel from where it began, less the wanted one [rad]."""
        if self._wheel is None:
            return -self._angle_rad
        return sum(self._wheel.coordinates()) - self._start_rad - self._angle_rad

    def conclude(self, t_s: float) -> TaskFinding | None:
        """Why the task is not done; None if it is."""
        if self._fatal is not None:
            return self._fatal
        settings, at = self._settings, self._middle_m()
        if t_s >= settings.time_limit_s:
            return timed_out(t_s, settings.time_limit_s)
        error_deg, limit = math.degrees(self.angle_error_rad), settings.angle_within_deg
        if abs(error_deg) > limit:
            text = f"the wheel is {error_deg:.2f} deg from its angle, at most {limit:g} deg"
            return TaskFinding("angle", t_s, text, at, error_deg, limit, "deg")
        if not self.errors.grasps:
            text = f"the wheel was turned without a grasp of {SETTLING_S:g} s by all fingers"
            return TaskFinding("grip_lost", t_s, text, at)
        if (loose_deg := math.degrees(self._unjudged_rad)) > UNJUDGED_DEG:
            text = (f"the wheel was turned by {loose_deg:.1f} deg without a grasp whose errors "
                    f"count, at most {UNJUDGED_DEG:g} deg")  # fmt: skip
            return TaskFinding("grip_lost", t_s, text, at, loose_deg, UNJUDGED_DEG, "deg")
        if (share := self.errors.worst_share) > SHARE:
            limits = f"{settings.force_error_n:g} N or {settings.moment_error_nm:g} N m"
            text = f"errors beyond {limits} in {100 * share:.1f} % of a grasp, at most 1 %"
            return TaskFinding("force", t_s, text, at, share, SHARE, "1")
        clear_m = self._clear_m()
        if self._touches or clear_m < CLEAR_M or not self.at_rest:
            text = (f"the hand touches the wheel or moves, or is {clear_m:.3f} m before it, "
                    f"at least {CLEAR_M:g} m")  # fmt: skip
            return TaskFinding("not_clear", t_s, text, at, clear_m, CLEAR_M, "m")
        return None

    def measures(self) -> Mapping[str, float]:
        """Figures of the run so far."""
        return {
            "contacts": float(self.collisions),
            "angle_error_deg": math.degrees(self.angle_error_rad),
            "force_error_n": self.errors.force_n, "moment_error_nm": self.errors.moment_nm,
            "saturated_s": self._saturated_s, "slip_deg": math.degrees(self.errors.slip_rad),
            "grasps": float(self.errors.grasps),
        }  # fmt: skip

    def _grasps(self, t_s: float, contacts: tuple[GroupContact, ...]) -> Iterator[TaskFinding]:
        """Errors of force and moment in a grasp, and slip."""
        own = [one for one in contacts if one.groups == ("hand", "wheel")]
        self._touches = bool(own)
        pressed = dict.fromkeys(self._fingers, 0.0)
        for one in own:
            if one.bodies[0] in pressed:
                pressed[one.bodies[0]] += self._contacts.force_n(one)
        if self._wheel is None:
            return
        broken = [one.read(t_s) for one in self._targets]
        self._measure()
        counted = self._watch.update(
            t_s, min(pressed.values()), self._turn_rad(), touches=self._touches,
            errors_now=self._now_errors,
        )  # fmt: skip
        if self.errors.held and self._fatal is None:
            for one in filter(None, broken):
                yield self._beyond("force", t_s, *one)
        self._follow_wheel()
        if counted:
            yield from self._beyond_limits(counted)

    def _follow_wheel(self) -> None:
        """Add what the wheel has turned since the last step while no errors count."""
        assert self._wheel is not None  # noqa: S101  # only with a wheel
        now_rad = sum(self._wheel.coordinates())
        if self._was_rad is not None and not self._watch.settled:
            self._unjudged_rad += abs(now_rad - self._was_rad)
        self._was_rad = now_rad

    def _beyond_limits(self, counted: tuple[JudgedTick, ...]) -> Iterator[TaskFinding]:
        """Findings about ticks of a grasp that count."""
        slip_deg = math.degrees(self.errors.slip_rad)
        for tick in counted:
            checks: tuple[tuple[Reason, str, float, float, str], ...] = (
                ("force", "error of the force on the valve", tick.force_n, FORCE_MOST_N, "N"),
                ("force", "error of the moment on the valve", tick.moment_nm, MOMENT_MOST_NM,
                 "N m"),
                ("slip", "slip of the fingers on the rim", slip_deg, self._settings.slip_deg,
                 "deg"),
            )  # fmt: skip
            for reason, what, value, limit, unit in checks:
                if not value <= limit and self._fatal is None:  # a nan is beyond every limit
                    yield self._beyond(reason, tick.t_s, what, value, limit, unit)

    def _beyond(
        self, reason: Reason, t_s: float, what: str, value: float, limit: float, unit: str
    ) -> TaskFinding:
        """Finding about a value beyond its limit."""
        text = f"{what} {value:.2f} {unit}, at most {limit:g} {unit}"
        return TaskFinding(reason, t_s, text, self._middle_m(), value, limit, unit)

    def _saturation(self, t_s: float) -> Iterator[TaskFinding]:
        """Time for which a drive of the arm is saturated at a stretch."""
        if np.abs(self._voltages()[: self._arm]).max() < 1.0:
            self._free_since_s = t_s
        stretch_s, limit = t_s - self._free_since_s, self._settings.saturated_s
        self._saturated_s = max(self._saturated_s, stretch_s)
        if stretch_s > limit and self._fatal is None:
            text = f"a drive of the arm is saturated for {stretch_s:.3f} s, at most {limit:g} s"
            yield TaskFinding("saturated", t_s, text, self._middle_m(), stretch_s, limit, "s")

    def _measure(self) -> None:
        """Force [N] and moment [N m] along and about the axis, and their errors with the sides."""
        assert self._wheel is not None  # noqa: S101  # only with a wheel
        hand = self._robot.pose(self._palm)[:3, :3]
        axis = self._wheel.pose()[:3, 0]
        wrench = self._measured.now()[self._wrist : self._wrist + 6]
        force, moment = self._targets
        applied_n, applied_nm = hand @ wrench[:3], hand @ wrench[3:]
        off_n, off_nm = applied_n - force.value * axis, applied_nm - moment.value * axis
        self._axis_wrench = float(applied_n @ axis), float(applied_nm @ axis)
        self._now_errors = float(np.linalg.norm(off_n)), float(np.linalg.norm(off_nm))

    def _turn_rad(self) -> float:
        """Turn of the hand relative to the wheel about its axis, within half a turn [rad]."""
        assert self._wheel is not None  # noqa: S101  # only with a wheel
        rest = self._wheel.pose()[:3, :3].T @ self._robot.pose(self._palm)[:3, :3]
        return math.atan2(rest[2, 0], rest[1, 0])

    def _clear_m(self) -> float:
        """Distance of the middle of the fingers before the wheel, along its axis [m]."""
        if self._wheel is None:
            return math.inf
        wheel = self._wheel.pose()
        return float((wheel[:3, 3] - np.array(self._middle_m())) @ wheel[:3, 0])

    def _middle_m(self) -> Point:
        """Middle of the fingers in the world [m]."""
        hand = self._robot.pose(self._palm)
        x, y, z = (hand[:3, 3] + GRASP_M * hand[:3, 2]).tolist()
        return x, y, z


def _place_of_wrist(robot: WorldRobot) -> int:
    """Place of the wrist's force among the values of all sensors."""
    document, at = robot.placed.robot, 0
    for sensor in document.sensors:
        if sensor.kind is SensorKind.WRENCH:
            return at
        at += sum(len(one.parts) for one in quantities(document, sensor))
    raise ValueError(f"robot {document.name}: no sensor of kind wrench; the judge needs one")
