"""Next states of blocks that compute each element alone."""

from numba import njit

from hil.diagram.kernel import codes
from hil.diagram.kernel.codes import INLINE, Array
from hil.diagram.kernel.elements import pid_values
from hil.diagram.kernel.numbers import clipped


@njit(**INLINE)
def advance_element(code: int, v: Array, a: int, b: int, c: int, o: int, s: int, p: int) -> None:
    """Next states of one element."""
    u, y = v[a], v[o]
    if code == codes.UNITDELAY or code == codes.EDGE:
        v[s] = u
    elif (
        code == codes.SAMPLEHOLD
        or code == codes.MERGE
        or code == codes.LATCH
        or code == codes.HYSTERESIS
        or code == codes.BACKLASH
        or code == codes.RATELIMIT
    ):
        v[s] = y
    elif code == codes.DELAY:
        count = int(v[p])
        head = int(v[s])
        v[s + 1 + head] = u
        v[s] = float(head + 1 if head + 1 < count else 0)
    elif code == codes.MOVINGAVERAGE:
        count = int(v[p])
        if count > 1:
            head = int(v[s])
            v[s + 1 + head] = u
            v[s] = float(head + 1 if head + 2 < count else 0)
    elif code == codes.TOGGLE or code == codes.COUNTER:
        v[s] = u
        v[s + 1] = y
    elif code == codes.ONDELAY:
        v[s] = 0.0 if u == 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == codes.OFFDELAY:
        v[s] = 0.0 if u != 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    else:
        advance_law(code, v, a, b, c, o, s, p)


@njit(**INLINE)
def advance_law(code: int, v: Array, a: int, b: int, c: int, o: int, s: int, p: int) -> None:
    """Next states of an integral, a filter or a controller."""
    u, y = v[a], v[o]
    if code == codes.INTEGRAL or code == codes.LIMITEDINTEGRAL:
        v[s] = y
        v[s + 1] = u
        v[s + 2] = 1.0
    elif code == codes.INTEGRALFORWARD:
        v[s] = v[s] + v[p] * u
    elif code == codes.RESETTINGINTEGRAL:
        v[s] = y
        v[s + 1] = u
        v[s + 2] = v[s + 2] + 1.0 if v[s + 2] + 1.0 < v[p + 1] else 0.0
    elif code == codes.LAG or code == codes.HIGHPASS:
        v[s] = v[s] + v[p] * (u - v[s])
    elif code == codes.LEADLAG:
        v[s] = u
        v[s + 1] = y
    elif code == codes.DERIVATIVE:
        v[s] = u
        v[s + 1] = y
        v[s + 2] = 1.0
    elif code == codes.PI:
        if v[s + 2] != 0.0:
            v[s] = v[s] + v[p] * (v[s + 1] + u)
        v[s + 1] = u
        v[s + 2] = 1.0
    elif code == codes.PID:
        measured = v[b]
        w, d, moved, free = pid_values(v, p, s, u, measured, v[c])
        v[s] = (moved + v[p + 1] * (u - measured)) + v[p + 6] * (y - free)
        v[s + 1] = d
        v[s + 2] = measured
        v[s + 3] = w
        v[s + 4] = v[p]
        v[s + 5] = v[p + 2]
        v[s + 6] = 1.0
