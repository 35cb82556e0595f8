"""A motor's speed: PI with feed-forward on a plant of first order that saturates."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final

from hil.diagram.check.seam import Endpiece
from hil.diagram.exercises.exercise import Exercise, LawFault, Measure, Values, draw_of
from hil.diagram.exercises.law import DrawnLaw

VOLTS: Final = 24.0
"""Supply voltage of the motor, in either direction [V]."""
RPM: Final = 60.0 / (2.0 * math.pi)
"""Number of rpm in one rad/s."""
STEP_S, LOAD_S, HIGH_S, BACK_S, END_S = 0.5, 4.0, 6.5, 10.0, 13.0
"""Times [s] of the wanted speed, a load, a speed beyond reach, the first speed again, the end."""


class MotorPlant:
    """A motor with a load, and a tachometer in rpm that is noisy."""

    def __init__(self, draw: Random) -> None:
        self._gain = draw.uniform(8.5, 11.5)
        self._keep = math.exp(-0.002 / draw.uniform(0.3, 0.6))
        self._load = draw.uniform(3.0, 5.0)
        self._wanted = draw.uniform(60.0, 110.0)
        self._noise, self._speed, self._volts = draw_of(draw.random()), 0.0, 0.0
        self._rows: list[tuple[float, float, float]] = []

    def _asked(self, time_s: float) -> float:
        if time_s < STEP_S:
            return 0.0
        return 400.0 if HIGH_S <= time_s < BACK_S else self._wanted

    def inputs(self, time_s: float) -> Values:
        """Return wanted speed [rad/s], measured speed [rpm]."""
        measured = self._speed + self._noise.gauss(0.0, 0.15)
        return {"wanted": [self._asked(time_s)], "measured": [RPM * measured]}

    def step(self, time_s: float, outputs: Values) -> None:
        """Advance by a tick at a voltage."""
        self._volts = max(-VOLTS, min(VOLTS, outputs["voltage"][0]))
        load = self._load if time_s >= LOAD_S else 0.0
        steady = self._gain * (self._volts - load)
        self._speed = steady + self._keep * (self._speed - steady)
        self._rows.append((time_s, self._speed, self._volts))

    def measures(self) -> Sequence[Measure]:
        """Return the errors where it should be settled, overshoot, and how the voltage shakes."""
        wanted = self._wanted
        first = [v for t, v, _ in self._rows if STEP_S <= t < LOAD_S]
        volts = [u for t, _, u in self._rows if LOAD_S - 1.0 <= t < LOAD_S]
        mean = sum(volts) / len(volts)
        shake = math.sqrt(sum((one - mean) ** 2 for one in volts) / len(volts))
        return (
            Measure("error after 2.5 s", self._error(3.0, LOAD_S), 2.0, "rad/s"),
            Measure("overshoot", max(0.0, max(first) - wanted), 0.3 * wanted, "rad/s"),
            Measure("error 1.5 s after a load", self._error(5.5, HIGH_S), 2.0, "rad/s"),
            Measure("error 1.5 s after a speed beyond reach", self._error(11.5, END_S), 8.0,
                    "rad/s"),
            Measure("shaking of the voltage", shake, 0.5, "V"),
        )  # fmt: skip

    def _error(self, begin_s: float, end_s: float) -> float:
        errors = [abs(v - self._wanted) for t, v, _ in self._rows if begin_s <= t < end_s]
        return sum(errors) / len(errors)


def motor_law(draw: Random) -> DrawnLaw:
    """Return a law that works."""
    law = DrawnLaw()
    law.block("wanted", "In", shape=(), type="real", unit="rad/s", note="speed")
    law.block("measured", "In", shape=(), type="real", unit="rpm", note="speed, by a tachometer")
    law.block("ramp", "RateLimit", rise=400.0, fall=400.0, unit="1/s")
    law.block("speed", "Convert", **{"from": "rpm", "to": "rad/s"})
    law.block("error", "Sum", signs="+-")
    law.block("kp", "Gain", k=round(draw.uniform(0.13, 0.17), 3), unit="V*s")
    law.block("ki", "Gain", k=round(draw.uniform(0.45, 0.55), 3), unit="V")
    law.block("integral", "LimitedIntegral", low=-VOLTS, high=VOLTS, unit="V")
    law.block("forward", "Gain", k=0.1, unit="V*s")
    law.block("sum", "Sum", signs="+++")
    law.block("limit", "Saturation", low=-VOLTS, high=VOLTS, unit="V")
    law.block("voltage", "Out", unit="V")
    law.wire("wanted", "ramp")
    law.wire("ramp", "error.u1", "forward")
    law.wire("measured", "speed")
    law.wire("speed", "error.u2")
    law.wire("error", "kp", "ki")
    law.wire("ki", "integral")
    law.wire("kp", "sum.u1")
    law.wire("integral", "sum.u2")
    law.wire("forward", "sum.u3")
    law.wire("sum", "limit")
    law.wire("limit", "voltage")
    return law


def _unit(law: DrawnLaw, _: Random) -> None:
    law.block("speed", "Gain", k=round(1.0 / 60.0, 6), unit="1/(s*rpm)")


FAULTS: Final = (
    LawFault("error of the wrong sign",
          ("Look at where the wanted and the measured speed meet.",
           "Give it a wanted speed above the measured one: which way does the voltage go?",
           "The signs of the sum that makes the error are exchanged."),
          lambda law, _: law.set("error", signs="-+")),
    LawFault("wrong unit",
          ("Look at what becomes of the measured speed.",
           "Give it 60 rpm: that is 6.283 rad/s. What does the error take?",
           "The tachometer's rpm are taken for turns a second: a factor of 2 pi is missing."),
          _unit),
    LawFault("no integral",
          ("Look at the motor under a load.",
           "Hold a constant error: does the voltage go on rising?",
           "The integral's gain is 0."),
          lambda law, _: law.set("ki", k=0.0)),
    LawFault("integral without a limit",
          ("Look at what happens after a speed that the motor cannot reach.",
           "Hold a large error for ten seconds: what is the integral then, in volts?",
           "The integral's limits are far beyond the supply's: it winds up."),
          lambda law, _: law.set("integral", low=-1e4, high=1e4)),
    LawFault("a delay in the measurement",
          ("Look at the time from a measured speed to the voltage.",
           "Give the measured speed a step: when does the error move?",
           "The measured speed is delayed."),
          lambda law, draw: law.between("error.u2", "hold", "Delay", ticks=draw.randint(400, 500))),
    LawFault("a slow filter in the measurement",
          ("Look at how fast the error follows the measured speed.",
           "Give the measured speed a step: how long until 63 % of it are in the error?",
           "A low-pass of seconds stands in the measured speed."),
          lambda law, draw: law.between("error.u2", "filter", "Lag",
                                        time_s=round(draw.uniform(2.0, 3.0), 2))),
    LawFault("a limit that is too narrow",
          ("Look at the greatest voltage that it gives.",
           "Ask for a high speed from rest: what does it answer at once, and after seconds?",
           "The voltage is limited to a part of the supply."),
          lambda law, draw: law.set("limit", low=-2.4, high=round(draw.uniform(2.0, 3.0), 1))),
    LawFault("a gain that is too high",
          ("Look at the voltage while the speed is steady.",
           "How much does the voltage change for 1 rad/s of error, at once?",
           "The proportional gain is some fifty times what it should be."),
          lambda law, draw: law.set("kp", k=round(draw.uniform(8.0, 10.0), 2))),
    LawFault("a dead zone in the error",
          ("Look at small errors.",
           "Raise the error slowly from 0: from where on does the voltage move?",
           "A dead zone swallows errors of some rad/s."),
          lambda law, draw: law.between("kp.u", "zone", "DeadZone",
                                        width=round(draw.uniform(10.0, 14.0), 1), unit="1/s")
          or law.wire("zone", "ki")),
    LawFault("a ramp that is too slow",
          ("Look at the wanted speed on its way to the error.",
           "Give the wanted speed a step: how fast does what the error sees rise?",
           "The ramp's rates are far too low."),
          lambda law, draw: law.set("ramp", rise=round(draw.uniform(8.0, 12.0), 1))),
)  # fmt: skip

MOTOR: Final = Exercise(
    name="motor", family="loops",
    about="A motor's speed follows what is wanted: within 2 rad/s after 2.5 s, also under a load "
    "and after a speed beyond reach, without shaking.",
    inputs=(Endpiece("wanted", "rad/s"), Endpiece("measured", "rpm")),
    outputs=(Endpiece("voltage", "V"),),
    seconds=END_S, law=motor_law, plant=MotorPlant, faults=FAULTS,
)  # fmt: skip
