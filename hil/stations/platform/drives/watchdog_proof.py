"""Proof that drives stop by themselves: two short runs in which the bench falls silent."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from drives.axes.cut_trial import NOT_SEEN
from hil.machines.rig.machine import soft_range_m
from hil.machines.rig.settings import Rig

CUT_LEG_M_S = 0.005
"""Speed of the legs in the move that is cut [m/s]."""
CUT_WAY_M = 0.02
"""Travel of all legs in that move [m]."""
CUT_REST_S = 2.0
"""Duration of the hold in the run that is cut at rest [s]."""
LOOK_S = 0.03
"""Time beyond the watchdog at which a drive may be seen stopped [s]: two cycles, an answer."""


@dataclass(frozen=True, slots=True)
class WatchdogProof:
    """Times from the last frame of the bench until each drive was seen stopped."""

    limit_us: int
    """Longest time that is allowed [us]."""
    rest_us: tuple[int, ...]
    """Times with the platform held, 6 [us]; -1 where a drive was not seen to stop."""
    moving_us: tuple[int, ...]
    """Times with all legs at 5 mm/s, 6 [us]; -1 where a drive was not seen to stop."""

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> "WatchdogProof":
        """Read the proof from a table."""
        return cls(table["limit_us"], tuple(table["rest_us"]), tuple(table["moving_us"]))

    @property
    def passed(self) -> bool:
        """Whether each drive stopped in time, both times."""
        return not self.failures

    @property
    def failures(self) -> tuple[str, ...]:
        """Faults, leg by leg; empty if there are none."""
        found: list[str] = []
        for when, times in (("at rest", self.rest_us), ("at 5 mm/s", self.moving_us)):
            if len(times) != 6:
                found.append(f"the bench did not come to fall silent {when}")
                continue
            for leg, time_us in enumerate(times, start=1):
                if time_us == NOT_SEEN:
                    found.append(f"leg {leg} did not stop by itself {when}: no watchdog acts")
                elif not 0 <= time_us <= self.limit_us:
                    found.append(
                        f"leg {leg} stopped {time_us * 1e-3:.0f} ms after the last frame {when} "
                        f"(at most {self.limit_us * 1e-3:.0f} ms)"
                    )
        return tuple(found)


def limit_us(watchdog_s: float, period_s: float) -> int:
    """Longest time from the last frame until a drive is seen stopped [us]."""
    return round((watchdog_s + LOOK_S + 2.0 * period_s) * 1e6)


def rest_motion(rig: Rig) -> dict[str, Any]:
    """Table ``[motion]`` of the run that is cut at rest."""
    to = [{"offsets_m": 0.0, "dwell_s": CUT_REST_S}]
    return {"kind": "legs", "speed": _speed(rig), "to": to}


def moving_motion(rig: Rig) -> dict[str, Any]:
    """Table ``[motion]`` of the run that is cut while moving: all legs together, 5 mm/s."""
    margin_m = min(
        soft_range_m(rig, leg)[1] - rig.cylinders.reference_length_m[leg] for leg in range(6)
    )
    travel_m = CUT_WAY_M if margin_m > 2.0 * CUT_WAY_M else -CUT_WAY_M
    to = [{"offsets_m": travel_m, "dwell_s": 0.0}]
    return {"kind": "legs", "speed": _speed(rig), "to": to}


def _speed(rig: Rig) -> float:
    """Share of the rig's slow moves."""
    return min(1.0, CUT_LEG_M_S / rig.slow_moves.speed_m_s)
