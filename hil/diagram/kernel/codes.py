"""The table's columns, the kinds of blocks as numbers, and how functions are compiled."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.diagram.library.kind import BlockKind

Rows = NDArray[np.int64]
Places = Sequence[int]
"""Whole numbers: an array, typed as what its entries are."""
Array = NDArray[np.float64]

COLUMNS: Final = 15
(
    CODE, RATE, OFFSET, PART, INPUTS, OUTPUTS, CHECKED, COUNT, STATES, NUMBERS, SIZE, ENABLE,
    FIRST, SECOND, THIRD,
) = range(COLUMNS)  # fmt: skip
"""Kind, base ticks per tick, first tick, part (-1: whole), place of the list of inputs, of the
outputs, of the outputs to be checked, how many those are, places of states and numbers, elements of
the block, place of the condition (-1: none), of the first three inputs."""

KINDS: Final = 131
# Kinds in capitals. Up to ENABLEDOUTPUT each element has a row.
(
    CONSTANT, CONSTANTBOOLEAN, CONSTANTINTEGER, STEP, RAMP, SINE, CHIRP, PULSE, PULSEBOOLEAN,
    TIMETABLE, UNIFORMNOISE, NORMALNOISE, CLOCK, TICKCOUNT,
    SUM, MULTIPLY, DIVIDE, GAIN, BIAS, NEGATE, ABS, SIGN, SQUARE, SQRT, RECIPROCAL, POWER, EXP, LOG,
    LOG10, MINIMUM, MAXIMUM, HYPOT, MODULO, FLOOR, CEIL, ROUND,
    SIN, COS, TAN, ASIN, ACOS, ATAN, TANH, WRAPANGLE, ATAN2, CONVERT,
    LESS, LESSEQUAL, GREATER, GREATEREQUAL, NEAR, WITHIN, AND, OR, XOR, NAND, NOR, NOT,
    BOOLEANTOREAL, INTEGERTOREAL, REALTOINTEGER,
    UNITDELAY, DELAY, MOVINGAVERAGE, SAMPLEHOLD, LATCH, EDGE, TOGGLE, COUNTER, ONDELAY, OFFDELAY,
    SATURATION, DEADZONE, QUANTISER, HYSTERESIS, BACKLASH, RATELIMIT, POLYNOMIAL, LOOKUP1, LOOKUP2,
    INTEGRAL, INTEGRALFORWARD, LIMITEDINTEGRAL, RESETTINGINTEGRAL, LAG, HIGHPASS, LEADLAG,
    DERIVATIVE,
    PI, PID, SWITCH, MULTIPORTSWITCH, MERGE, RATETRANSITION, SCALE, ENABLEDOUTPUT,
    SHIFTREGISTER, TRANSFERFUNCTION, STATESPACE, MUX, DEMUX, SELECT, MATRIXGAIN, DOT, CROSS, NORM,
    SUMELEMENTS, MATRIXPRODUCT, ROTATE, ROTATEBACK, ROTATIONABOUT, FORCETRANSFORM, STATEMACHINE,
    TRANSPOSE, ROTATIONFROMANGLES, ANGLESFROMROTATION, ROTATIONVECTOR, ROTATIONFROMVECTOR,
    QUATERNIONFROMROTATION, ROTATIONFROMQUATERNION, FORWARDKINEMATICS, JACOBIAN, DAMPEDLEASTSQUARES,
    COORDINATEDESCENT, HEXAPODLENGTHS, POSE, POSEPARTS, WRENCH, WRENCHPARTS,
    RESTART, PYTHONBLOCK,
) = range(KINDS)  # fmt: skip
CODES: Final[dict[str, int]] = {
    name: code for name, code in list(globals().items()) if name.isupper() and type(code) is int
}
"""Name of a kind in capitals → its code."""


def code_of(kind: BlockKind) -> int:
    """Return the code of a kind."""
    return PYTHONBLOCK if kind.functions is not None else CODES[kind.name.upper()]


FAST: Final[dict[str, Any]] = {"error_model": "numpy"}
INLINE: Final[dict[str, Any]] = {**FAST, "forceinline": True}
"""Options of functions that are called once, or are short."""
SIGNATURE: Final = "int64(int64[:, ::1], int64[::1], float64[::1], int64)"
