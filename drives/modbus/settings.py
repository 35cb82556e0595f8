"""Settings of the Modbus bank and its drives, in SI; they travel to other processes as text."""

import json
import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from drives.axes.first_motion import FIRST_MOTIONS
from drives.bank import DriveModelError
from hil_common.legs import LEG_COUNT, SixFloats

WATCHDOG_MAX_S = 0.5
"""Longest time that drives may run without a word from the bench [s]."""
CYCLES_PER_WATCHDOG = 2.0
"""Bus cycles that the drives' watchdog must last at least."""


@dataclass(frozen=True, slots=True)
class ModbusSettings:
    """Parameters of the six drives, and how long to wait for them.

    Raises:
        DriveModelError: If a value makes no sense; names it, and what would be right.
    """

    length_min_m: SixFloats
    """Software limits, shortest leg lengths, joint to joint [m], 6."""
    length_max_m: SixFloats
    """Software limits, longest leg lengths [m], 6."""
    speed_max_m_s: SixFloats
    """Largest speeds [m/s], 6."""
    acceleration_max_m_s2: SixFloats
    """Largest accelerations [m/s2], 6."""
    rated_force_n: SixFloats
    """Forces that 1000 per mille of 6077h mean [N], 6."""
    following_window_m: float = 0.02
    """Following error at which a drive trips [m] (6065h)."""
    following_time_s: float = 0.02
    """Least duration of that [s] (6066h)."""
    quick_stop_deceleration_m_s2: float = 6.0
    """Ramp of a quick stop [m/s2] (6085h)."""
    homing_method: int = 21
    """6098h."""
    homing_speed_m_s: float = 0.02
    """Speed of the search for the switch [m/s] (6099h:1)."""
    homing_zero_speed_m_s: float = 0.005
    """Speed over the switch's edge [m/s] (6099h:2)."""
    homing_acceleration_m_s2: float = 0.2
    """[m/s2] (609Ah)."""
    mode: int = 8
    """8, cyclic synchronous position, or 7, interpolated position (6060h)."""
    watchdog_s: float = 0.05
    """Time without a request after which the device stops its drives by itself [s]."""
    answer_timeout_s: float | None = None
    """Longest wait for an answer in a cycle [s]; None for the smaller of 0.8 of a bus cycle and 50
    ms."""
    setup_timeout_s: float = 0.5
    """Longest wait for an answer while the drives are set up [s]."""
    absolute: bool = False
    """The encoders are absolute: there is no homing, the places are known otherwise."""
    first_motion: str = "real"
    """Which drives begin with the slow stages of a first motion: "always", or "real" with drives
    that do not say themselves that they are emulated."""
    serial_numbers: tuple[int | None, ...] = (None,) * LEG_COUNT
    """Expected serial numbers (1018h:4), 6; None where any will do."""

    def __post_init__(self) -> None:
        """Refuse what no drive can be set up with."""
        for name in _SIX:
            values = getattr(self, name)
            if len(values) != LEG_COUNT:
                raise DriveModelError(f"{name} holds {len(values)} values, {LEG_COUNT} are needed")
            object.__setattr__(self, name, tuple(values))
        for name in (*_SIX_POSITIVE, *_POSITIVE):
            value = getattr(self, name)
            for one in value if name in _SIX_POSITIVE else (value,):
                if not (math.isfinite(one) and one > 0.0):
                    raise DriveModelError(f"{name} is {one}, a finite number above 0 is needed")
        for leg, (low, high) in enumerate(zip(self.length_min_m, self.length_max_m, strict=True)):
            if not (math.isfinite(low) and math.isfinite(high) and low < high):
                text = f"leg {leg + 1}: length_min_m {low} m must be below length_max_m {high} m"
                raise DriveModelError(text)
        if self.mode not in (7, 8):
            raise DriveModelError(f"mode is {self.mode}, 7 or 8 is needed")
        if self.first_motion not in FIRST_MOTIONS:
            text = f"first_motion is {self.first_motion!r}, one of {FIRST_MOTIONS} is needed"
            raise DriveModelError(text)
        if not self.watchdog_s <= WATCHDOG_MAX_S:
            text = f"watchdog_s is {self.watchdog_s} s, {WATCHDOG_MAX_S} s at most is needed"
            raise DriveModelError(text)
        timeout_s = self.answer_timeout_s
        if timeout_s is not None and not (math.isfinite(timeout_s) and timeout_s > 0.0):
            raise DriveModelError(f"answer_timeout_s is {timeout_s} s, it must be above 0, or None")

    def first_motion_due(self, *, simulated: bool) -> bool:
        """Say whether the drives begin with the stages of a first motion.

        Args:
            simulated: The drives say themselves that they are emulated.
        """
        return self.first_motion == "always" or not simulated

    def check_period(self, period_s: float) -> None:
        """Refuse a bus cycle that the drives' watchdog does not outlast.

        Raises:
            DriveModelError: With the watchdog that would do.
        """
        least_s = CYCLES_PER_WATCHDOG * period_s
        if self.watchdog_s < least_s:
            text = f"watchdog_s is {self.watchdog_s} s, a bus cycle takes {period_s} s"
            raise DriveModelError(f"{text}: {least_s} s or more is needed")

    def answer_within_s(self, period_s: float) -> float:
        """Return the longest wait for an answer in a cycle [s]."""
        return self.answer_timeout_s or min(0.8 * period_s, 0.05)

    def to_json(self) -> str:
        """Return the settings as text."""
        return json.dumps(asdict(self), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> "ModbusSettings":
        """Return the settings that a text holds.

        Raises:
            DriveModelError: If it is not what `to_json` writes.
        """
        try:
            table = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise DriveModelError(f"Modbus settings are no JSON: {error}") from error
        known = {field.name for field in fields(cls)}
        if not isinstance(table, dict) or set(table) != known:
            raise DriveModelError(f"Modbus settings need exactly: {', '.join(sorted(known))}")
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in table.items()
        }
        return cls(**values)


_SIX_POSITIVE = ("speed_max_m_s", "acceleration_max_m_s2", "rated_force_n")
_SIX = ("length_min_m", "length_max_m", *_SIX_POSITIVE, "serial_numbers")
_POSITIVE = (
    "following_window_m",
    "following_time_s",
    "quick_stop_deceleration_m_s2",
    "homing_speed_m_s",
    "homing_zero_speed_m_s",
    "homing_acceleration_m_s2",
    "watchdog_s",
    "setup_timeout_s",
)
