"""A kind of motion of one's own that scenarios name; here one is proved and run from Python.

python examples/own_motion_kind.py [FOLDER]

Its distribution offers it to the bench, and `kind = "swing"` may stand in any scenario:

    [project.entry-points."hil.motions"]
    swing = "own_motion_kind:SWING"
"""

import math
import sys
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from hil.config.errors import MotionError
from hil.config.file_search import find_file
from hil.config.settings import Settings
from hil.machines.rig.settings import Rig
from hil.stations.platform.bench.bench import run
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.platform.motion.motion_plugins import MotionKind
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.proof.check import check_plan
from hil_common.arrays.pose import Pose
from platform6dof.pose import PlatformSetpoint


class SwingSettings(Settings):
    """Up and down about the rig's neutral pose, growing and dying away again."""

    kind: Literal["swing"]
    height_m: Annotated[float, Field(gt=0.0, le=0.5)]
    """Greatest way up and down [m]."""
    swings: Annotated[int, Field(ge=1, le=1000)] = 3
    """How many."""
    duration_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 6.0
    """Of the whole motion [s]."""


class Swing:
    """``h sin⁴(πt/T) sin(2πnt/T)``: it, its speed and its acceleration are 0 at the ends."""

    def __init__(self, settings: SwingSettings, neutral: Pose) -> None:
        self._neutral = neutral.coordinates()
        self._height_m = settings.height_m
        self._slow = math.pi / settings.duration_s
        self._fast = 2.0 * settings.swings * self._slow
        self.duration_s = settings.duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Where the platform shall be, and how it moves there; before and after it stands."""
        t, w, a = min(max(t_s, 0.0), self.duration_s), self._slow, self._fast
        s, c = math.sin(w * t), math.cos(w * t)
        r, dr = s**4, 4.0 * w * s**3 * c
        ddr = 4.0 * w**2 * (3.0 * s**2 * c**2 - s**4)
        sin, cos = math.sin(a * t), math.cos(a * t)
        q, dq, ddq = self._neutral.copy(), [0.0] * 6, [0.0] * 6
        q[2] += self._height_m * r * sin
        dq[2] = self._height_m * (dr * sin + r * a * cos)
        ddq[2] = self._height_m * (ddr * sin + 2.0 * dr * a * cos - r * a**2 * sin)
        return PlatformSetpoint.from_coordinates(q, dq, ddq)


def build(settings: SwingSettings, rig: Rig) -> Swing:
    """The motion of such a table, for a rig."""
    if settings.swings > 5.0 * settings.duration_s:
        rate_hz = settings.swings / settings.duration_s
        raise MotionError(f"swings: {rate_hz:g} a second are too many, 5 are the most")
    return Swing(settings, rig.neutral.pose())


SWING = MotionKind(SwingSettings, build)
"""What the entry point gives."""


def main(folder: Path) -> RunResult:
    """Prove the motion and run it, without installing it."""
    scenario = find_file("hold_neutral", folder="scenarios", key="scenario")
    plan = load_plan(scenario, ['name="swing"', "rate_hz=250.0"])
    table = {"kind": "swing", "height_m": 0.05}
    swing = SWING.build(SwingSettings.build(table, "example"), plan.rig)
    print(f"proved: {check_plan(plan, swing).ok}")
    result = run(plan, folder, motion=swing)
    print(f"{result.outcome.value}: {result.cycles} cycles, {result.recorder.path}")
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
