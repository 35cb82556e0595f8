"""An operated motion that is given orders and sampled, cycle by cycle."""

import numpy as np
from bench_plans import HEAVE, plan

from hil.stations.platform.lead import kernels
from hil.stations.platform.lead.motion import OperatedMotion
from hil.stations.platform.plan.motion_build import motion_of

PERIOD_S = 0.004
NEAR = (0.02, -0.01, 0.95, 0.0, 0.05, 0.02)
LONG = HEAVE | {"duration_s": 6.0}


class Player:
    """Orders and samples, cycle by cycle, and keeps what came."""

    def __init__(self, *overrides, motion=LONG):
        self.plan = plan(*overrides, motion=motion, rate_hz=1.0 / PERIOD_S)
        self.source = motion_of(self.plan)
        self.motion = OperatedMotion(self.plan, self.source)
        self.wish = {"override": 1.0, "target": None, "serial": 0, "table": b""}
        self.index = 0
        self.rows = []
        self.said = []

    def run(self, time_s, **wish):
        self.wish |= wish
        for _ in range(round(time_s / PERIOD_S)):
            self.motion.order(**self.wish)
            setpoint = self.motion.sample(self.index * PERIOD_S)
            rows = np.empty((3, 6))
            kernels.rows_of_setpoint(setpoint.packed, rows)
            self.rows.append(rows)
            self.index += 1
            if said := self.motion.objection():
                self.said.append(str(said))
        return self

    def check(self):
        """Finite differences of the places are the speeds, those of the speeds the accelerations.

        The midpoint rule is exact to the third derivative, so what is left is jerk · T²/12.
        """
        x, v, a = np.array(self.rows).transpose(1, 0, 2)
        np.testing.assert_allclose(
            np.diff(x, axis=0), PERIOD_S * (v[1:] + v[:-1]) / 2.0, atol=2e-4 * PERIOD_S
        )
        np.testing.assert_allclose(
            np.diff(v, axis=0), PERIOD_S * (a[1:] + a[:-1]) / 2.0, atol=2e-2 * PERIOD_S
        )
        # Nothing jumps: bounded jerk everywhere.
        assert np.abs(np.diff(a, axis=0)).max() < 20.0 * PERIOD_S
