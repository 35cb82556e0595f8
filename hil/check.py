"""Proof before motion: the whole motion against the envelope, then a dry run through the gate.

Nothing of this moves a machine. The envelope looks at every setpoint of the motion and finds all
that is wrong with it; the dry run shows that gate and drives agree, rise and parking included.
"""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from platform6dof.envelope import Envelope, EnvelopeViolation

from hil.bench import machine_of, run
from hil.motion.build import motion_of
from hil.motion.moves import move
from hil.motion.source import MotionSource
from hil.rig import envelope_of, geometry_of, park_pose
from hil.scenario import Plan


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong with a motion.

    Args:
        phase: rise, motion, park (envelope), or gate (dry run).
        t_s: when it is first so, from the start of the phase [s].
        quantity: which limit.
        leg: 1 to 6, or None.
        value: the worst value.
        limit: the limit.
        unit: of both.
        message: the same as a sentence.
    """

    phase: str
    t_s: float
    quantity: str
    leg: int | None
    value: float
    limit: float
    unit: str
    message: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What the check found.

    Args:
        duration_s: of the motion [s].
        length_min_m: shortest leg in the motion.
        length_max_m: longest leg in the motion.
        leg_speed_max_m_s: fastest leg in the motion.
        violations: all that is wrong, worst value of each limit and leg.
    """

    duration_s: float
    length_min_m: float
    length_max_m: float
    leg_speed_max_m_s: float
    violations: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Nothing is wrong."""
        return not self.violations
