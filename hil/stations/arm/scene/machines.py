"""The arms of a run as its recording describes them: what can be drawn and what they may do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.fit.blended_path import BlendModel
from arm_driver.kinematics.geometry import PumaGeometry
from hil.config.settings import ConfigError
from hil.machines.robot.settings import BlendSettings
from hil.machines.space_arm.settings import ArmSettings
from hil.stations.arm.signals import SIX_REVOLUTE
from hil_common.arrays.pose import Pose

Array = NDArray[np.float64]

MACHINES_KEY: Final = "machines"
"""Key of `ArmMachines.to_json` in the scenario of a recording's header."""

_GEOMETRY: Final = (
    *("a2_m", "a3_m", "d3_m", "d4_m", "base_height_m", "tool_m"),
    *("position_min_rad", "position_max_rad", "rate_max_rad_s", "acceleration_max_rad_s2"),
)


@dataclass(frozen=True, slots=True, eq=False)
class ArmJoints:
    """The joints of one arm: where a row has them, and what they may do, shape (n,) each."""

    arm: str
    """Simulated or industrial."""
    meaning: str
    """Meaning of its angles."""
    angles: str
    """The signal of its angles."""
    rates: str
    """The signal of its rates."""
    low_rad: Array
    high_rad: Array
    rate_max_rad_s: Array
    acceleration_max_rad_s2: Array | None = None
    """None if nothing bounds it."""
    prismatic: tuple[bool, ...] = SIX_REVOLUTE
    """Whether each joint slides: its numbers are then in metres."""


@dataclass(frozen=True, slots=True, eq=False)
class ArmMachines:
    """Both arms, and the mapping of the path between them.

    Raises:
        ValueError: a period, speed or scale that is not above 0.
    """

    space: ArmSettings | None
    """The simulated arm; None for a robot that moved alone."""
    robot: PumaGeometry
    """The industrial arm."""
    period_s: float = 0.35
    gripper_speed_max_m_s: float = 0.1
    alignment: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    """Axes of the industrial gripper in those of the simulated one, shape (3, 3)."""
    scale: float = 1.0
    """Factor on translations between the two."""
    X_WG0: Pose | None = None
    """Pose of the simulated gripper in the world where the motion starts; None if the recording
    does not contain it."""
    X_RT0: Pose | None = None
    """The industrial gripper in its base at that place; None likewise."""
    least_margins: tuple[float, float, float] | None = None
    """Least distances of the industrial arm from its singularities: wrist [1], elbow and shoulder
    [m]; None if the recording does not contain them."""
    blend: BlendModel | None = None
    """Blending by the industrial arm's controller; None if the recording does not contain it."""

    def __post_init__(self) -> None:
        for name, unit in (("period_s", "s"), ("gripper_speed_max_m_s", "m/s"), ("scale", "1")):
            value = getattr(self, name)
            if not 0.0 < value < np.inf:
                raise ValueError(f"{name}: {value} {unit}, must be finite and above 0")
        turn = np.array(self.alignment, np.float64)
        turn.setflags(write=False)
        object.__setattr__(self, "alignment", turn)

    def to_json(self) -> dict[str, Any]:
        """JSON values for the key `MACHINES_KEY` of the scenario in a recording's header."""
        robot = {name: getattr(self.robot, name) for name in _GEOMETRY}
        return {
            "space": None if self.space is None else self.space.model_dump(mode="json"),
            "robot": {
                name: value.tolist() if isinstance(value, np.ndarray) else value
                for name, value in robot.items()
            },
            "period_s": self.period_s,
            "gripper_speed_max_m_s": self.gripper_speed_max_m_s,
            "alignment": np.asarray(self.alignment).tolist(),
            "scale": self.scale,
            **{
                name: None if pose is None else pose.packed.tolist()
                for name, pose in (("X_WG0", self.X_WG0), ("X_RT0", self.X_RT0))
            },
        }

    @classmethod
    def from_scenario(cls, scenario: Mapping[str, Any] | None) -> Self:
        """Read back what `to_json` gave, from the scenario of a recording.

        Raises:
            ValueError: if it is not there or does not describe two arms; the message says what.
        """
        try:
            raw = dict((scenario or {})[MACHINES_KEY])
            space_table = raw.pop("space")
            space = None
            if space_table is not None:
                space = ArmSettings.build(space_table, "the simulated arm in the recording")
            robot = PumaGeometry(**raw.pop("robot"))
            X_WG0, X_RT0 = (_pose(raw.pop(name, None)) for name in ("X_WG0", "X_RT0"))
            known = cls(space, robot, **raw, X_WG0=X_WG0, X_RT0=X_RT0)
            blend, least = _blend(scenario or {}, known.period_s), _least_margins(scenario or {})
            return replace(known, blend=blend, least_margins=least)
        except KeyError as error:
            raise ValueError(f"the header has no {error} of the arms") from error
        except ConfigError as error:
            problem = error.problems[0] if error.problems else str(error)
            raise ValueError(f"the simulated arm: {problem}") from error
        except TypeError as error:
            raise ValueError(f"the arms in the header: {error}") from error

    def joints(self) -> tuple[ArmJoints, ...]:
        """Return the joints of the arms, of the simulated one first if there is one."""
        robot = self.robot
        industrial = ArmJoints(
            "industrial", "as asked", "robot_q", "robot_q_rate", robot.position_min_rad,
            robot.position_max_rad, robot.rate_max_rad_s, robot.acceleration_max_rad_s2,
        )  # fmt: skip
        if self.space is None:
            return (industrial,)
        links = self.space.arm().links
        low, high, rates = (
            np.array([getattr(link, name) for link in links])
            for name in ("position_min_rad", "position_max_rad", "rate_max_rad_s")
        )
        simulated = ArmJoints(
            "simulated", "as it moved", "space_q", "space_v", low, high, rates,
            prismatic=self.space.prismatic,
        )  # fmt: skip
        return simulated, industrial


def _pose(packed: Any) -> Pose | None:
    if packed is None:
        return None
    values = np.array(packed, np.float64)
    return Pose(values[:3], values[3:].reshape(3, 3))


def _blend(scenario: Mapping[str, Any], period_s: float) -> BlendModel | None:
    """Read the blending from the robot's settings; other versions knew other keys."""
    settings = scenario.get("robot")
    raw = settings.get("blend") if isinstance(settings, Mapping) else None
    if raw is None:
        return None
    known = {key: value for key, value in raw.items() if key in BlendSettings.model_fields}
    return BlendSettings.build(known, "the blend in the recording").model(period_s)


def _least_margins(scenario: Mapping[str, Any]) -> tuple[float, float, float] | None:
    settings = scenario.get("robot")
    names = ("least_wrist", "least_elbow_m", "least_shoulder_m")
    if not isinstance(settings, Mapping) or any(name not in settings for name in names):
        return None
    wrist, elbow, shoulder = (float(settings[name]) for name in names)
    return wrist, elbow, shoulder


def limit_share(q_rad: Array, low_rad: Array, high_rad: Array) -> Array:
    """Return the distance to the nearer end of travel, as a share of half of it.

    1 in the middle of the travel, 0 at an end.

    Returns:
        Shares, shape (N, n); below 0 beyond an end, NaN where an angle is not there.
    """
    return np.minimum(q_rad - low_rad, high_rad - q_rad) / (0.5 * (high_rad - low_rad))
