"""Slow motions of a space arm, by which drive models and integrators are compared.

A motion is a start at rest in a bent posture and one set of commanded joint rates for every tick.
The commands are made once, on an ideal arm that follows them exactly; every drive model, payload
and integrator then gets the very same ones. They are those of an operator who moves a payload: 50
mm/s and up to 20 mrad/s of the gripper along and about different directions, or 0.01-0.05 rad/s of
joints, each with a reversal and a stop. What is random comes from a generator seeded by the number
of the motion.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.programmed_rates import ProgrammedRates, RateSettings, TwistFrame
from sim.world.space_arm.simulator import TICK_S
from sim.world.space_arm.singularity import PostureSolver, reach_m

Array = NDArray[np.float64]

TICKS = 56
"""Of a motion: 19.6 s."""
SPEED_M_S = 0.05
TURN_RAD_S = 0.02
LONG_ARM_M = 15.0
"""An arm that reaches less far moves slower in proportion."""
JOINT_RATES_RAD_S = (0.01, 0.05)
SEED = 1993

BEND_RAD = 0.35
"""How far each joint may be bent from the home posture at the start."""
ROOM_RAD = 0.25
"""Least distance of a start from the joints' limits."""
DEXTERITY = 0.5
"""Smallest singular value of a start, as a part of that of the home posture; and never so small
that programmed rates would warn of it."""
POSTURE_TRIALS = 1000

Pattern = tuple[tuple[int, float], ...]
"""Ticks and the part of the speed that is wanted for them, one after the other."""

THERE_AND_BACK: Pattern = ((24, 1.0), (24, -1.0), (8, 0.0))
MOVE_AND_STOP: Pattern = ((34, 1.0), (22, 0.0))
STOP_ON_THE_WAY: Pattern = ((16, 1.0), (10, 0.0), (20, 1.0), (10, 0.0))
TO_AND_FRO: Pattern = ((10, 1.0), (12, -1.0), (12, 1.0), (12, -1.0), (10, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class StudyMotion:
    """A start and the commands that follow."""

    name: str
    """Short, one word."""
    what: str
    """What is moved how, in words."""
    q_start_rad: Array
    """Angles of the joints at the start, at rest [rad], shape (n,)."""
    commands_rad_s: Array
    """Joint rates of each tick [rad/s], shape (N, n)."""

    def __post_init__(self) -> None:
        joints = len(self.q_start_rad)
        for name, shape in (("q_start_rad", (joints,)), ("commands_rad_s", (-1, joints))):
            array = np.array(getattr(self, name), dtype=np.float64).reshape(shape)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def duration_s(self) -> float:
        """Length [s]."""
        return len(self.commands_rad_s) * TICK_S


@dataclass(frozen=True, slots=True)
class _GripperMotion:
    """The gripper along ``line`` at full speed, and about ``turn``; zeros: a random direction."""

    name: str
    what: str
    frame: TwistFrame
    line: tuple[float, float, float]
    turn: tuple[float, float, float]
    pattern: Pattern


@dataclass(frozen=True, slots=True)
class _JointMotion:
    """Joints at random rates that change all at once, every so many ticks."""

    name: str
    what: str
    joints: tuple[int, ...]  # of those that the arm has; none: all
    hold_ticks: int

    def of(self, arm: Arm) -> list[int]:
        """List the joints that an arm has of these, its last one if it has none."""
        if not self.joints:
            return list(range(arm.joints))
        return [joint for joint in self.joints if joint < arm.joints] or [arm.joints - 1]


_ANY = (0.0, 0.0, 0.0)
_PLANS: tuple[_GripperMotion | _JointMotion, ...] = (
    _GripperMotion(
        "there-and-back", "gripper any way, turning; reversal; stop", TwistFrame.BASE, _ANY, _ANY,
        THERE_AND_BACK,
    ),
    _JointMotion("all-joints", "all joints, new rates every 8 ticks; stop", (), 8),
    _GripperMotion(
        "stop-on-the-way", "gripper along its own x, rolling; stop; on; stop", TwistFrame.GRIPPER,
        (1.0, 0.0, 0.0), (1.0, 0.0, 0.0), STOP_ON_THE_WAY,
    ),
    _GripperMotion(
        "sideways", "gripper along the base's y, turning about its z; reversal; stop",
        TwistFrame.BASE, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), THERE_AND_BACK,
    ),
    _JointMotion("shoulder", "yaw and pitch of the shoulder, new rates every 12 ticks", (0, 1), 12),
    _GripperMotion(
        "up", "gripper along the base's z, no turn; long move; stop", TwistFrame.BASE,
        (0.0, 0.0, 1.0), _ANY, MOVE_AND_STOP,
    ),
    _GripperMotion(
        "to-and-fro", "gripper any way, turning; four short moves; stop",
        TwistFrame.GRIPPER, _ANY, _ANY, TO_AND_FRO,
    ),
    _GripperMotion(
        "across", "gripper along its own y, turning about its z; reversal; stop",
        TwistFrame.GRIPPER, (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), THERE_AND_BACK,
    ),
    _JointMotion("wrist", "the three last joints, new rates every 6 ticks; stop", (3, 4, 5), 6),
    _GripperMotion(
        "outwards", "gripper along the base's x, turning about its y; long move; stop",
        TwistFrame.BASE, (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), MOVE_AND_STOP,
    ),
    _JointMotion("elbow", "pitch of shoulder, elbow and wrist, every 10 ticks", (1, 2, 3), 10),
    _GripperMotion(
        "any-way", "gripper any other way, turning; stop; on; stop", TwistFrame.BASE, _ANY, _ANY,
        STOP_ON_THE_WAY,
    ),
)  # fmt: skip

COUNT = len(_PLANS)
"""How many motions there are."""


def motions(
    arm: Arm, home_rad: Sequence[float] | Array, count: int = COUNT
) -> tuple[StudyMotion, ...]:
    """The first slow motions of an arm.

    Args:
        arm: the arm, without payload.
        home_rad: a bent posture away from singularities and limits [rad], shape (n,).
        count: how many, 1 to `COUNT`.

    Raises:
        ValueError: if there are not so many, or no start is found around the home posture.
    """
    if not 1 <= count <= COUNT:
        raise ValueError(f"{count} motions: 1 to {COUNT} are there")
    return tuple(_motion(arm, np.array(home_rad, dtype=np.float64), n) for n in range(count))


def drawn_motions(
    arm: Arm, home_rad: Sequence[float] | Array, count: int, speed: float = 1.0
) -> tuple[StudyMotion, ...]:
    """Slow motions from many starts, each with its own generator; the first are `motions`.

    Args:
        arm: the arm, without payload.
        home_rad: a bent posture away from singularities and limits [rad], shape (n,).
        count: how many, 1 or more; after `COUNT` their kinds come again, from other starts.
        speed: factor on all speeds; joints stay below their largest rates.

    Raises:
        ValueError: if no start is found around the home posture.
    """
    home = np.array(home_rad, dtype=np.float64)
    return tuple(_motion(arm, home, number, speed) for number in range(count))


def _motion(arm: Arm, home_rad: Array, number: int, speed: float = 1.0) -> StudyMotion:
    turn, kind = divmod(number, COUNT)
    plan = _PLANS[kind]
    rng = np.random.default_rng((SEED, number))
    start = _bent_posture(arm, home_rad, rng)
    if isinstance(plan, _GripperMotion):
        commands = _gripper_commands(arm, start, plan, rng, speed)
    else:
        commands = _joint_commands(arm, start, plan, rng, speed)
    name = plan.name if turn == 0 else f"{plan.name}-{turn + 1}"
    return StudyMotion(name, plan.what, start, commands)


def _bent_posture(arm: Arm, home_rad: Array, rng: np.random.Generator) -> Array:
    """A random posture near home that is about as far from singularities as home is."""
    solver = PostureSolver(arm, reach_m(arm))
    least = max(DEXTERITY * solver.at(home_rad).smallest, RateSettings().singular_warn)
    low = np.array([link.position_min_rad for link in arm.links]) + ROOM_RAD
    high = np.array([link.position_max_rad for link in arm.links]) - ROOM_RAD
    for _ in range(POSTURE_TRIALS):
        q = home_rad + rng.uniform(-BEND_RAD, BEND_RAD, arm.joints)
        if np.all((low <= q) & (q <= high)) and solver.at(q).smallest >= least:
            return q
    raise ValueError(
        f"home = {np.round(home_rad, 4).tolist()} rad: no start within {BEND_RAD} rad of it is "
        f"{ROOM_RAD} rad from every limit and away from singularities; a bent posture in the "
        "middle of the joints' ranges is needed"
    )


def _direction(wanted: tuple[float, float, float], rng: np.random.Generator) -> Array:
    vector = np.array(wanted) if any(wanted) else rng.standard_normal(3)
    return vector / np.linalg.norm(vector)


def _gripper_commands(
    arm: Arm, start: Array, plan: _GripperMotion, rng: np.random.Generator, factor: float
) -> Array:
    """Programmed rates along the path of an arm that follows them exactly, shape (N, n)."""
    speed = factor * SPEED_M_S * min(1.0, reach_m(arm) / LONG_ARM_M)
    turns = plan.turn != _ANY or plan.line == _ANY
    line, turn = _direction(plan.line, rng), _direction(plan.turn, rng)
    twist = np.concatenate((speed * line, (factor * TURN_RAD_S if turns else 0.0) * turn))
    programmed = ProgrammedRates(arm, TICK_S)
    q, commands = start.copy(), []
    for ticks, part in plan.pattern:
        for _ in range(ticks):
            rates = programmed.rates(q, part * twist, plan.frame).rates_rad_s
            q = q + rates * TICK_S
            commands.append(rates)
    return np.array(commands)


def _joint_commands(
    arm: Arm, start: Array, plan: _JointMotion, rng: np.random.Generator, factor: float
) -> Array:
    """Random rates that jump, each joint turning back where its limit is near, shape (N, n)."""
    commands, rest = np.zeros((TICKS, arm.joints)), 8
    q = start.copy()
    for begin in range(0, TICKS - rest, plan.hold_ticks):
        end = min(begin + plan.hold_ticks, TICKS - rest)
        for joint in plan.of(arm):
            link = arm.links[joint]
            fastest = 0.9 * link.rate_max_rad_s
            most = min(JOINT_RATES_RAD_S[1], fastest)
            rate = rng.uniform(JOINT_RATES_RAD_S[0], most) * rng.choice((-1.0, 1.0))
            rate = max(-fastest, min(factor * rate, fastest))
            way = rate * (end - begin) * TICK_S
            low, high = link.position_min_rad, link.position_max_rad
            if not low + 0.2 * ROOM_RAD <= q[joint] + way <= high - 0.2 * ROOM_RAD:
                rate, way = -rate, -way
            commands[begin:end, joint] = rate
            q[joint] += way
    return commands
