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
        first = s
        head = int(v[first])
        v[first + 1 + head] = u
        v[first] = float(head + 1 if head + 1 < count else 0)
    elif code == codes.MOVINGAVERAGE:
        count = int(v[p])
        if count > 1:
            first = s
            head = int(v[first])
            v[first + 1 + head] = u
            v[first] = float(head + 1 if head + 2 < count else 0)
    elif code == codes.TOGGLE or code == codes.COUNTER:
        v[s] = u
        v[s + 1] = y
    elif code == codes.ONDELAY:
        v[s] = 0.0 if u == 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == codes.OFFDELAY:
        v[s] = 0.0 if u != 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == codes.INTEGRAL or code == codes.LIMITEDINTEGRAL:
        z = s
        v[z] = y
        v[z + 1] = u
        v[z + 2] = 1.0
    elif code == codes.INTEGRALFORWARD:
        v[s] = v[s] + v[p] * u
    elif code == codes.RESETTINGINTEGRAL:
        z = s
        v[z] = y
        v[z + 1] = u
        v[z + 2] = v[z + 2] + 1.0 if v[z + 2] + 1.0 < v[p + 1] else 0.0
    elif code == codes.LAG or code == codes.HIGHPASS:
        v[s] = v[s] + v[p] * (u - v[s])
    elif code == codes.LEADLAG:
        v[s] = u
        v[s + 1] = y
    elif code == codes.DERIVATIVE:
        z = s
        v[z] = u
        v[z + 1] = y
        v[z + 2] = 1.0
    elif code == codes.PI:
        z = s
        if v[z + 2] != 0.0:
            v[z] = v[z] + v[p] * (v[z + 1] + u)
        v[z + 1] = u
        v[z + 2] = 1.0
    elif code == codes.PID:
        z, measured = s, v[b]
        w, d, moved, free = pid_values(v, p, z, u, measured, v[c])
        v[z] = (moved + v[p + 1] * (u - measured)) + v[p + 6] * (y - free)
        v[z + 1] = d
        v[z + 2] = measured
        v[z + 3] = w
        v[z + 4] = v[p]
        v[z + 5] = v[p + 2]
        v[z + 6] = 1.0
