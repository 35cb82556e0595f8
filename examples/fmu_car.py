"""A car as an FMU: `python -m pythonfmu build -f examples/fmu_car.py` makes FmuCar.fmu of it.

It drives by itself, gently to and fro, and takes in what a person asks besides. A car with one
track: what its tyres give follows the request with a lag; the turn is that of speed and steering.
"""

import math

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

G_M_S2 = 9.80665
WHEELBASE_M = 2.7
LAG_S = 0.25


class FmuCar(Fmi2Slave):
    """Speed and heading; all else follows."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.ax = self.ay = self.yaw_rate = self.roll = 0.0
        self.az = -G_M_S2
        self.speed = 12.0
        self.steering = self.throttle = 0.0
        self.liveliness = 1.0
        outputs = {"ax": "m/s2", "ay": "m/s2", "az": "m/s2", "yaw_rate": "rad/s", "speed": "m/s"}
        for name in outputs:
            self.register_variable(Real(name, causality=Fmi2Causality.output))
        for name in ("steering", "throttle"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(
            Real(
                "liveliness",
                causality=Fmi2Causality.parameter,
                variability=Fmi2Variability.tunable,
            )
        )

    def do_step(self, current_time, step_size):
        """Go on by a step; forces are told at its end, forward, right, down."""
        t = current_time + step_size
        lively = self.liveliness * min(1.0, t / 2.0)
        wanted = 1.5 * lively * math.sin(0.8 * t) + 2.0 * self.throttle
        wheel = 0.03 * lively * math.sin(0.5 * t) + 0.3 * self.steering
        self.ax += (wanted - self.ax) * step_size / LAG_S
        self.speed = max(0.0, self.speed + self.ax * step_size)
        turn = self.speed * math.tan(wheel) / WHEELBASE_M
        self.yaw_rate += (turn - self.yaw_rate) * step_size / LAG_S
        self.ay = self.speed * self.yaw_rate
        return True
