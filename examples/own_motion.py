"""One's own motion, proved and run from Python: a spiral that opens and closes again.

python examples/own_motion.py [FOLDER]
"""

import math
import sys
from pathlib import Path

from hil.config.file_search import find_file
from hil.run.console import ReportingConsole
from hil.stations.platform.bench.bench import run
from hil.stations.platform.bench.run_sequence import RunResult
from hil.stations.platform.plan.scenario import load_plan
from hil.stations.platform.proof.check import check_plan
from hil_common.arrays.pose import Pose
from platform6dof.pose import PlatformSetpoint


class Spiral:
    """A circle in the plane whose radius grows and shrinks again, so that both ends are at rest.

    The radius is ``R sin⁴(πt/T)``: it, its speed and its acceleration are 0 at the ends.
    """

    def __init__(self, centre: Pose, radius_m: float, turns: int, duration_s: float) -> None:
        self._centre = centre.coordinates()
        self._radius_m, self._rate = radius_m, 2.0 * math.pi * turns / duration_s
        self.duration_s = duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Where the platform shall be, and how it moves there; before and after it stands."""
        t = min(max(t_s, 0.0), self.duration_s)
        w, a = math.pi / self.duration_s, self._rate
        s, c = math.sin(w * t), math.cos(w * t)
        r = self._radius_m * s**4
        dr = self._radius_m * 4.0 * w * s**3 * c
        ddr = self._radius_m * 4.0 * w**2 * (3.0 * s**2 * c**2 - s**4)
        cos, sin = math.cos(a * t), math.sin(a * t)
        q, dq, ddq = self._centre.copy(), [0.0] * 6, [0.0] * 6
        q[0] += r * cos
        q[1] += r * sin
        dq[0], dq[1] = dr * cos - r * a * sin, dr * sin + r * a * cos
        ddq[0] = ddr * cos - 2.0 * dr * a * sin - r * a**2 * cos
        ddq[1] = ddr * sin + 2.0 * dr * a * cos - r * a**2 * sin
        return PlatformSetpoint.from_coordinates(q, dq, ddq)


def main(folder: Path) -> RunResult:
    """Prove the motion, then run it on simulated drives as fast as the machine can go."""
    scenario = find_file("hold_neutral", folder="scenarios", key="scenario")
    plan = load_plan(scenario, ['name="spiral"', "rate_hz=250.0"])
    spiral = Spiral(plan.rig.neutral.pose(), radius_m=0.1, turns=3, duration_s=6.0)
    proof = check_plan(plan, spiral)
    print(f"proved: {proof.ok}, legs {proof.length_min_m:.3f} to {proof.length_max_m:.3f} m")
    for finding in proof.violations:
        print(" ", finding.message)
    console = ReportingConsole(lambda t_s, _: print(f"  {t_s:5.1f} s", end="\r"))
    result = run(plan, folder, motion=spiral, console=console)
    print(f"{result.outcome.value}: {result.cycles} cycles, {result.recorder.path}")
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs"))
