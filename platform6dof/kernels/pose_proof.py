"""Bounds of all limits over boxes of poses, and the search that halves boxes until all are decided.

A box has centre c and half widths h in x, y, z, alpha, beta, gamma. For all poses of it, along the
straight line of coordinates from the centre, with S the sum of the angles' half widths, H the norm
of the places' half widths, and for a leg with arm c = M b, vector q = p + c - a, length l, unit
vector u, r = |b|:

- M = Rz Ry Rx is a product of turns, so its first derivatives by the angles have norm 1 and its
  second ones at most 1: M moves by at most S, ``|M''| <= S^2``. The platform joint moves by at
  most ``d = H + r S``; ``|q'| <= d``, ``|q''| <= r S^2``.
- Length: ``l'' = (|q'|^2 - (u.q')^2) / l + u.q''``, and l stays above l - d, so ``|l - l_c| <= sum
  |dl/dx_k| h_k + e`` with ``e = (d^2 / (l - d) + r S^2) / 2``.
- Direction: the angle of q changes by at most asin(d / l), hence ``|u - u_c| <= t = x sqrt(2 / (1 +
  sqrt(1 - x^2)))``, x = d / l; and ``|c x u - c_c x u_c| <= m = r S + r t``.
- Smallest singular value: it changes by at most the Frobenius norm E of the change of the scaled
  Jacobian, ``E^2 = sum t^2 + m^2 / L^2``. It is above s in the whole box if ``J J^T - (s + E)^2``
  is positive definite at the centre.
- Cone about n fixed in the base, cosine k of its half angle: the leg is inside while ``f = q.n -
  k l >= 0``; ``f`` falls by at most its gradient's sum and ``r S^2 / 2 + |k| e``.
- Cone about M n: ``q.Mn = (p - a).Mn + b.n``, whose second derivative is at most ``2 H S + (|p - a|
  + H) S^2``; the rest as before.
- Clearance of legs from a to a + q and from b to b + v: for any unit vector w they are at least
  as far apart as their ends' projections on w: 0 or q of one, 0 or v of the other. w is that of the
  nearest points at the centre. A projection changes by 0, by d of the leg whose platform joint it
  takes, and where it takes both, by |b_i - b_j| S, since what the platform's place adds to both
  cancels out.
- Speed, for coordinates' rates up to R: ``sum |dl/dx_k| R_k`` grows by at most ``t |R_p| + m sum
  R_angle``.
- Screw lead: the twist's derivatives are at most ``1/sin + 1/sin`` of the angles between u and
  both forks by u, 1/sin of the platform fork's by M. So lengths change by lead / (2 pi) times
  ``(1/sf + 1/sm) d / (l - d) + S / sm`` more, and rows of the Jacobian are at most so far from
  those without a lead; sf and sm are least over the box.
- Force at rest (`platform6dof.kernels.statics`, whose F is split along g and u): with k = m_t s_t
  - m_r s_r of tube and rod, g the free fall, R the Jacobian with its columns scaled, the force is
  ``f = p + (k / l) u.g`` with ``R^T p = w``, w the wrench that bears the weight of m + sum(m_r +
  k / l) with the first moment M h + sum(m_r + k / l) c. Along the line, with a = d / (l - d) and
  b = r S^2 / (l - d): ``|u'| <= a``, ``|u''| <= b + 2 a^2 / sqrt(3)`` (of q' a part x across the
  leg gives x^2 along it and twice the rest's product across), ``|(c x u)''| <= r S^2 + 2 r S a + r
  |u''|``, ``|(1/l)'| <= a / (l - d)``, ``|(1/l)''| <= (2 a^2 + b) / (l - d)``; so row j of R has a
  second derivative up to R_j, and w up to w2. With C R_c^T = 1 at the centre, any pose of it has
  ``(1 + E) (p - p_c) = C (w - R^T p_c)``, E = C (R - R_c)^T. The right side is its gradient's sum
  and up to ``n (w2 + sum R_j |p_c|) / 2``, n the norm of C's row, which is B together; of E each
  element is the sum of its gradient's and up to ``n_i R_j / 2``. Where a vector y > B has ``E y <=
  x y``, x < 1, ``|p - p_c| <= y / (1 - x)``, and f changes by at most its gradient's sum, both
  halves of second derivatives, and ``E y / (1 - x)``. With x < 1 no pose of the box is singular. A
  lead adds z to the rows, and ``|m_r + k / l| g`` of force along them: by the same E it moves p by
  ``N sum z (|p| + |m_r + k / l| g) / (1 - sum z N)``, N = y max(n / y) / (1 - x).

Everything is compared with a margin that is far above the rounding of these numbers.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

# Bits of the limits that are still to be proved for a box.
TRAVEL = 0  # six
BASE_CONE = 6  # six
PLATFORM_CONE = 12  # six
CLEARANCE = 18  # fifteen
SINGULAR_VALUE = 33
SPEED = 34  # six
FORCE = 40  # six
BITS = 46

# Columns of the constants of a leg.
_A, _B, _N, _P, _F, _G = 0, 3, 6, 9, 12, 15
_TWIST, _LEAD, ARM, _LOW, _HIGH, _SPEED, _BASE_COS, _PLATFORM_COS = 18, 19, 20, 21, 22, 23, 24, 25
_ROD, _KAPPA, _FORCE = 26, 27, 28
CONSTANTS = 29

# What is computed of a leg at a box's centre.
_Q, _U, _C, _GRADIENT, _L, _D, _E, _T, _M, _TURN, _WIND, _W = (
    0,
    3,
    6,
    9,
    15,
    16,
    17,
    18,
    19,
    20,
    21,
    22,
)
_FAR = 23
_LEG = 24

# What is computed of a leg's force at rest over a box: n, R, p, (k / l) u.g with its derivatives,
# B, y, the change of the force, what a lead adds, then its rows of E and of a derivative of R.
_NORM, _ROW2, _BORNE, _OWN, _OWN1, _OWN2, _SHIFT, _GROWN, _CHANGE, _WOUND = range(10)
_ERR, _SLOPE = 10, 16
_LOAD = 22

# What a machine has once: scale of the Jacobian's rotation columns, clearance, singular value.
_SCALE, _APART, _HOLD = 0, 1, 2
POWERS = 3
"""Times that E is applied to find y."""
ACROSS = 1.1548
"""Above 2 / sqrt(3), the greatest of sqrt(x^4 + 4 x^2 (1 - x^2))."""

STACK = 256
"""Most boxes that wait: each halving leaves one behind."""

ROUNDING = 1e-12
"""Far more than the share of its size by which a number here is wrong by rounding."""

# State of a search.
DONE, PAUSED, VIOLATED = 0, 1, 2


@njit(cache=True, error_model="numpy", forceinline=True)
def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def _three(a: Array, i: int, k: int) -> Vector:
    return (a[i, k], a[i, k + 1], a[i, k + 2])


@njit(cache=True, error_model="numpy", forceinline=True)
def _turned(m: Array, v: Vector) -> Vector:
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


@njit(cache=True, error_model="numpy")
def _write_frame(centre: Array, m: Array) -> None:
    """Write the rotation, row by row, and the axes of beta and gamma at a centre, (15,)."""
    sa, ca = math.sin(centre[3]), math.cos(centre[3])
    sb, cb = math.sin(centre[4]), math.cos(centre[4])
    sg, cg = math.sin(centre[5]), math.cos(centre[5])
    m[0], m[1], m[2] = ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg
    m[3], m[4], m[5] = sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg
    m[6], m[7], m[8] = -sb, cb * sg, cb * cg
    m[9], m[10], m[11] = -sa, ca, 0.0
    m[12], m[13], m[14] = m[0], m[3], m[6]


@njit(cache=True, error_model="numpy")
def _write_twist(leg: Array, k: Array, m: Array, i: int, turns: float) -> None:
    """Write twist [rad], its greatest change, and how far a lead moves a row of the Jacobian."""
    u, fork = _three(leg, i, _U), _three(k, i, _F)
    other = _turned(m, _three(k, i, _G))
    across = _cross(fork, other)
    along = _dot(fork, other) - _dot(fork, u) * _dot(other, u)
    turn = math.atan2(_dot(u, across), along) - k[i, _TWIST]
    turn -= 2.0 * math.pi * np.rint(turn / (2.0 * math.pi))
    one, two = _cross(fork, u), _cross(other, u)
    base = math.sqrt(_dot(one, one)) - leg[i, _T]
    platform = math.sqrt(_dot(two, two)) - leg[i, _T] - turns
    leg[i, _TURN] = turn
    if base > 0.0 and platform > 0.0:
        swing, arm = 1.0 / base + 1.0 / platform, k[i, ARM]
        nearest = leg[i, _L] - leg[i, _D]
        leg[i, _WIND] = swing * leg[i, _D] / nearest + turns / platform
        leg[i, _W] = swing / nearest
        leg[i, _FAR] = swing * arm / nearest + 1.0 / platform
    else:
        leg[i, _WIND] = leg[i, _W] = leg[i, _FAR] = np.inf


@njit(cache=True, error_model="numpy")
def _write_legs(centre: Array, m: Array, k: Array, places: float, turns: float, leg: Array) -> None:
    """Write what the bounds need of each leg.

    Args:
        places: H of the box.
        turns: S of the box.
    """
    second, third = (m[9], m[10], m[11]), (m[12], m[13], m[14])
    for i in range(6):
        c = _turned(m, _three(k, i, _B))
        q = (
            centre[0] + c[0] - k[i, _A],
            centre[1] + c[1] - k[i, _A + 1],
            centre[2] + c[2] - k[i, _A + 2],
        )
        length = math.sqrt(_dot(q, q))
        u = (q[0] / length, q[1] / length, q[2] / length)
        by_beta, by_gamma = _cross(second, c), _cross(third, c)
        for j in range(3):
            leg[i, _Q + j], leg[i, _U + j], leg[i, _C + j] = q[j], u[j], c[j]
            leg[i, _GRADIENT + j] = u[j]
        leg[i, _GRADIENT + 3] = u[1] * c[0] - u[0] * c[1]
        leg[i, _GRADIENT + 4] = _dot(u, by_beta)
        leg[i, _GRADIENT + 5] = _dot(u, by_gamma)
        arm = k[i, ARM]
        d = places + arm * turns
        x = d / length
        leg[i, _L], leg[i, _D] = length, d
        if x < 1.0:
            leg[i, _E] = 0.5 * (d * d / (length - d) + arm * turns * turns)
            leg[i, _T] = x * math.sqrt(2.0 / (1.0 + math.sqrt(1.0 - x * x)))
        else:
            leg[i, _E], leg[i, _T] = np.inf, 2.0
        leg[i, _M] = arm * turns + arm * leg[i, _T]
        leg[i, _TURN] = leg[i, _WIND] = leg[i, _W] = leg[i, _FAR] = 0.0
        if k[i, _LEAD] != 0.0:
            _write_twist(leg, k, m, i, turns)


@njit(cache=True, error_model="numpy", forceinline=True)
def _cone_fall(n: Vector, lever: Vector, k: float, leg: Array, i: int, m: Array, h: Array) -> float:
    """First-order fall over a box of ``q.n - k l``.

    Args:
        n: axis in the base.
        lever: what turns: the arm for an axis of the base, p - a (turned with n) for the
            platform's, so that the derivative by a turn about w is w.(lever x n).
    """
    s = _cross(lever, n)
    fall = 0.0
    for j in range(3):
        fall += abs(n[j] - k * leg[i, _GRADIENT + j]) * h[j]
    fall += abs(s[2] - k * leg[i, _GRADIENT + 3]) * h[3]
    beta = m[9] * s[0] + m[10] * s[1] + m[11] * s[2]
    gamma = m[12] * s[0] + m[13] * s[1] + m[14] * s[2]
    fall += abs(beta - k * leg[i, _GRADIENT + 4]) * h[4]
    fall += abs(gamma - k * leg[i, _GRADIENT + 5]) * h[5]
    return fall


@njit(cache=True, error_model="numpy")
def _nearest(a: Vector, q: Vector, b: Vector, v: Vector) -> Vector:
    """Vector between nearest points of the segments a .. a + q and b .. b + v, first to second."""
    aa, bb, ab = _dot(q, q), _dot(v, v), _dot(q, v)
    gap = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    ao, bo = _dot(q, gap), _dot(v, gap)
    area = aa * bb - ab * ab
    s = 0.5
    if area > 0.0:
        s = min(1.0, max(0.0, (ao * bb - bo * ab) / area))
    t = (s * ab - bo) / bb
    if t < 0.0 or t > 1.0:
        t = min(1.0, max(0.0, t))
        s = min(1.0, max(0.0, (ao + t * ab) / aa))
    return (
        gap[0] + t * v[0] - s * q[0],
        gap[1] + t * v[1] - s * q[1],
        gap[2] + t * v[2] - s * q[2],
    )


@njit(cache=True, error_model="numpy")
def _surely_above(leg: Array, scale: float, value: float, factor: Array) -> bool:
    """Whether all singular values of the Jacobian at the centre are above a value, for certain."""
    trace = 0.0
    for i in range(6):
        w = _cross(_three(leg, i, _C), _three(leg, i, _U))
        for j in range(3):
            factor[i, 6 + j], factor[i, 9 + j] = leg[i, _U + j], w[j] / scale
            trace += factor[i, 6 + j] ** 2 + factor[i, 9 + j] ** 2
    less = value * value + ROUNDING * trace
    for i in range(6):
        for j in range(i + 1):
            total = -less if i == j else 0.0
            for n in range(6, 12):
                total += factor[i, n] * factor[j, n]
            for n in range(j):
                total -= factor[i, n] * factor[j, n]
            if i > j:
                factor[i, j] = total / factor[j, j]
            elif total > 0.0:
                factor[i, i] = math.sqrt(total)
            else:
                return False
    return True


@njit(cache=True, error_model="numpy")
def _judge_legs(
    mask: int, h: Array, rates: Array, margin: float, k: Array, leg: Array
) -> tuple[int, int]:
    """Take off the bits of travel and speed that hold; return the bit that the centre passes."""
    rate_place = math.sqrt(rates[0] ** 2 + rates[1] ** 2 + rates[2] ** 2)
    rate_turn = rates[3] + rates[4] + rates[5]
    for i in range(6):
        if mask >> (TRAVEL + i) & 1:
            lead = abs(k[i, _LEAD])
            length = leg[i, _L] - k[i, _LEAD] * leg[i, _TURN]
            if length < k[i, _LOW] - margin or length > k[i, _HIGH] + margin:
                return mask, TRAVEL + i
            change = leg[i, _E] + margin
            for j in range(6):
                change += abs(leg[i, _GRADIENT + j]) * h[j]
            whole = True
            if lead > 0.0:
                change += lead * leg[i, _WIND]
                whole = abs(leg[i, _TURN]) + leg[i, _WIND] < 3.14
            if whole and length - change >= k[i, _LOW] and length + change <= k[i, _HIGH]:
                mask &= ~(1 << (TRAVEL + i))
        if mask >> (SPEED + i) & 1:
            lead = abs(k[i, _LEAD])
            speed, wound = 0.0, 0.0
            for j in range(6):
                speed += abs(leg[i, _GRADIENT + j]) * rates[j]
            if lead > 0.0:
                wound = lead * (leg[i, _W] * rate_place + leg[i, _FAR] * rate_turn)
            if speed - wound > k[i, _SPEED] + margin:
                return mask, SPEED + i
            speed += leg[i, _T] * rate_place + leg[i, _M] * rate_turn + wound
            if speed + margin <= k[i, _SPEED]:
                mask &= ~(1 << (SPEED + i))
    return mask, -1


@njit(cache=True, error_model="numpy")
def _judge_cones(
    mask: int,
    centre: Array,
    h: Array,
    places: float,
    turns: float,
    margin: float,
    m: Array,
    k: Array,
    leg: Array,
) -> tuple[int, int]:
    """Take off the bits of cones that hold; return the bit that the centre passes."""
    for i in range(6):
        q = _three(leg, i, _Q)
        curve = 0.5 * k[i, ARM] * turns * turns
        if mask >> (BASE_CONE + i) & 1:
            n, cosine = _three(k, i, _N), k[i, _BASE_COS]
            value = _dot(q, n) - cosine * leg[i, _L]
            if value < -margin:
                return mask, BASE_CONE + i
            fall = _cone_fall(n, _three(leg, i, _C), cosine, leg, i, m, h)
            if value - fall - curve - abs(cosine) * leg[i, _E] >= margin:
                mask &= ~(1 << (BASE_CONE + i))
        if mask >> (PLATFORM_CONE + i) & 1:
            n, cosine = _turned(m, _three(k, i, _P)), k[i, _PLATFORM_COS]
            value = _dot(q, n) - cosine * leg[i, _L]
            if value < -margin:
                return mask, PLATFORM_CONE + i
            far = (
                centre[0] - k[i, _A],
                centre[1] - k[i, _A + 1],
                centre[2] - k[i, _A + 2],
            )
            # (p - a).(w x n) = w.(n x (p - a)): the lever enters with the other sign.
            lever = (-far[0], -far[1], -far[2])
            fall = _cone_fall(n, lever, cosine, leg, i, m, h)
            distance = math.sqrt(_dot(far, far)) + places
            curve = places * turns + 0.5 * distance * turns * turns
            if value - fall - curve - abs(cosine) * leg[i, _E] >= margin:
                mask &= ~(1 << (PLATFORM_CONE + i))
    return mask, -1


@njit(cache=True, error_model="numpy")
def _judge_clearances(
    mask: int, clearance: float, turns: float, margin: float, k: Array, leg: Array, apart: Array
) -> tuple[int, int]:
    """Take off the bits of clearances that hold; return the bit that the centre passes."""
    bit = CLEARANCE - 1
    for i in range(6):
        for j in range(i + 1, 6):
            bit += 1
            if not mask >> bit & 1:
                continue
            a, q, b, v = (
                _three(k, i, _A), _three(leg, i, _Q), _three(k, j, _A), _three(leg, j, _Q),
            )  # fmt: skip
            x = _nearest(a, q, b, v)
            distance = math.sqrt(_dot(x, x))
            if distance < clearance - margin:
                return mask, bit
            w = (x[0] / distance, x[1] / distance, x[2] / distance)
            gap = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
            feet, one, two = _dot(w, gap), _dot(w, q), _dot(w, v)
            least = min(feet, feet - one - leg[i, _D], feet + two - leg[j, _D])
            least = min(least, feet + two - one - apart[bit - CLEARANCE] * turns)
            if least - margin >= clearance:
                mask &= ~(1 << bit)
    return mask, -1


@njit(cache=True, error_model="numpy")
def _judge_singular_value(
    mask: int, limit: float, scale: float, k: Array, leg: Array, factor: Array
) -> tuple[int, int]:
    """Take off the bit of the singular value if it holds; return it if the centre passes it."""
    loss, wound = 0.0, 0.0
    for i in range(6):
        loss += leg[i, _T] ** 2 + (leg[i, _M] / scale) ** 2
        if k[i, _LEAD] != 0.0:
            wound += k[i, _LEAD] ** 2 * (leg[i, _W] ** 2 + (leg[i, _FAR] / scale) ** 2)
    loss, wound = math.sqrt(loss), math.sqrt(wound)
    if _surely_above(leg, scale, (limit + loss + wound) * (1.0 + ROUNDING), factor):
        return mask & ~(1 << SINGULAR_VALUE), -1
    # Below for certain: not above a value that is lower by more than rounding and lead may do.
    below = limit - wound - math.sqrt(ROUNDING) * 10.0
    if below > 0.0 and not _surely_above(leg, scale, below, factor):
        return mask, SINGULAR_VALUE
    return mask, -1


@njit(cache=True, error_model="numpy")
def _write_inverse(leg: Array, scale: float, inverse: Array) -> bool:
    """Write the inverse of the transposed Jacobian into the last six columns, by elimination."""
    for i in range(6):
        w = _cross(_three(leg, i, _C), _three(leg, i, _U))
        for j in range(3):
            inverse[j, i], inverse[3 + j, i] = leg[i, _U + j], w[j] / scale
        for j in range(6):
            inverse[j, 6 + i] = 1.0 if i == j else 0.0
    for i in range(6):
        pivot = i
        for j in range(i + 1, 6):
            if abs(inverse[j, i]) > abs(inverse[pivot, i]):
                pivot = j
        if not abs(inverse[pivot, i]) > ROUNDING:
            return False
        for n in range(12):
            inverse[i, n], inverse[pivot, n] = inverse[pivot, n], inverse[i, n]
        value = 1.0 / inverse[i, i]
        for n in range(i, 12):
            inverse[i, n] *= value
        for j in range(6):
            if j != i:
                value = inverse[j, i]
                for n in range(i, 12):
                    inverse[j, n] -= value * inverse[i, n]
    return True


@njit(cache=True, error_model="numpy")
def _write_bends(
    k: Array, leg: Array, weight: Array, scale: float, turns: float, load: Array
) -> float:
    """Write bounds of the second derivatives of rows and own forces; return that of the wrench."""
    fall = math.sqrt(weight[4] ** 2 + weight[5] ** 2 + weight[6] ** 2)
    moment = math.sqrt(weight[1] ** 2 + weight[2] ** 2 + weight[3] ** 2)
    push, tip = 0.0, moment * turns * turns
    for i in range(6):
        arm, kappa, near = k[i, ARM], abs(k[i, _KAPPA]), leg[i, _L] - leg[i, _D]
        if not near > 0.0:
            return np.inf
        swing, moved = leg[i, _D] / near, arm * turns
        bent = moved * turns / near
        bow = bent + ACROSS * swing * swing
        tilt = moved * turns + 2.0 * moved * swing + arm * bow
        load[i, _ROW2] = math.sqrt(bow**2 + (tilt / scale) ** 2)
        short1, short2 = swing / near, (2.0 * swing * swing + bent) / near
        load[i, _OWN2] = kappa * fall * (bow / near + 2.0 * swing * short1 + short2)
        push += kappa * short2
        tip += kappa * (short2 * arm + 2.0 * short1 * moved + moved * turns / near)
    return fall * math.sqrt(push**2 + (tip / scale) ** 2)


@njit(cache=True, error_model="numpy")
def _write_borne(
    k: Array, leg: Array, m: Array, weight: Array, scale: float, inverse: Array, load: Array
) -> float:
    """Write the forces at the centre and the inverse's norms; return the size of what they bear."""
    g = (weight[4], weight[5], weight[6])
    mass, first = weight[0], _turned(m, (weight[1], weight[2], weight[3]))
    for i in range(6):
        share = k[i, _KAPPA] / leg[i, _L]
        mass += share
        first = (
            first[0] + share * leg[i, _C],
            first[1] + share * leg[i, _C + 1],
            first[2] + share * leg[i, _C + 2],
        )
        load[i, _OWN] = share * _dot(_three(leg, i, _U), g)
    tip = _cross(first, g)
    size = mass * math.sqrt(_dot(g, g)) + math.sqrt(_dot(tip, tip)) / scale
    for i in range(6):
        total, square = 0.0, 0.0
        for j in range(3):
            total -= inverse[i, 6 + j] * mass * g[j] + inverse[i, 9 + j] * tip[j] / scale
            square += inverse[i, 6 + j] ** 2 + inverse[i, 9 + j] ** 2
        load[i, _BORNE], load[i, _NORM] = total, math.sqrt(square)
        size += abs(total) * (1.0 + k[i, ARM] / scale)
    return size


@njit(cache=True, error_model="numpy")
def _write_slopes(
    axis: int, k: Array, leg: Array, m: Array, weight: Array, scale: float, load: Array
) -> tuple[Vector, Vector]:
    """Write derivatives of rows and own forces by a coordinate; return both of the wrench."""
    g, turn = (weight[4], weight[5], weight[6]), (0.0, 0.0, 1.0)
    first, step = (0.0, 0.0, 0.0), (1.0 * (axis == 0), 1.0 * (axis == 1), 1.0 * (axis == 2))
    if axis > 3:
        turn = (m[3 * axis - 3], m[3 * axis - 2], m[3 * axis - 1])
    if axis > 2:
        first = _cross(turn, _turned(m, (weight[1], weight[2], weight[3])))
    mass = 0.0
    for i in range(6):
        u, arm, length = _three(leg, i, _U), _three(leg, i, _C), leg[i, _L]
        dc = (0.0, 0.0, 0.0)
        if axis > 2:
            step = dc = _cross(turn, arm)
        along = _dot(u, step)
        du = ((step[0] - along * u[0]) / length, (step[1] - along * u[1]) / length,
              (step[2] - along * u[2]) / length)  # fmt: skip
        one, two = _cross(dc, u), _cross(arm, du)
        for j in range(3):
            load[i, _SLOPE + j] = du[j]
            load[i, _SLOPE + 3 + j] = (one[j] + two[j]) / scale
        kappa, short = k[i, _KAPPA], -along / (length * length)
        load[i, _OWN1] = kappa * (_dot(du, g) / length + _dot(u, g) * short)
        mass += kappa * short
        first = (first[0] + kappa * (short * arm[0] + dc[0] / length),
                 first[1] + kappa * (short * arm[1] + dc[1] / length),
                 first[2] + kappa * (short * arm[2] + dc[2] / length))  # fmt: skip
    tip = _cross(first, g)
    return (
        (-mass * g[0], -mass * g[1], -mass * g[2]),
        (-tip[0] / scale, -tip[1] / scale, -tip[2] / scale),
    )


@njit(cache=True, error_model="numpy")
def _write_first_order(
    h: Array, k: Array, leg: Array, m: Array, weight: Array, scale: float, inverse: Array,
    load: Array,
) -> None:  # fmt: skip
    """Add the gradients' sums over a box to B, to the forces' changes and to E."""
    for axis in range(6):
        if not h[axis] > 0.0:
            continue
        push, tip = _write_slopes(axis, k, leg, m, weight, scale, load)
        for i in range(6):
            slope = 0.0
            for n in range(3):
                slope += inverse[i, 6 + n] * push[n] + inverse[i, 9 + n] * tip[n]
            for j in range(6):
                error = 0.0
                for n in range(6):
                    error += inverse[i, 6 + n] * load[j, _SLOPE + n]
                slope -= error * load[j, _BORNE]
                load[i, _ERR + j] += abs(error) * h[axis]
            load[i, _SHIFT] += abs(slope) * h[axis]
            load[i, _CHANGE] += abs(slope + load[i, _OWN1]) * h[axis]


@njit(cache=True, error_model="numpy")
def _write_second_order(k: Array, scale: float, size: float, bend: float, load: Array) -> None:
    """Begin B, the forces' changes and E with their second order and their rounding."""
    for i in range(6):
        bend += load[i, _ROW2] * abs(load[i, _BORNE])
    for i in range(6):
        rounding = 10.0 * ROUNDING * (load[i, _NORM] * (size + bend) + k[i, _FORCE])
        load[i, _SHIFT] = 0.5 * load[i, _NORM] * bend + rounding
        load[i, _CHANGE] = load[i, _SHIFT] + 0.5 * load[i, _OWN2]
        for j in range(6):
            wrong = ROUNDING * (1.0 + k[j, ARM] / scale)
            load[i, _ERR + j] = load[i, _NORM] * (0.5 * load[j, _ROW2] + wrong)


@njit(cache=True, error_model="numpy")
def _write_growth(load: Array) -> float:
    """Write y; return x, below 1 if it bounds the forces of all poses of a box."""
    for i in range(6):
        load[i, _GROWN] = load[i, _SHIFT]
    worst = np.inf
    for step in range(POWERS):
        worst = 0.0
        for i in range(6):
            total = 0.0
            for j in range(6):
                total += load[i, _ERR + j] * load[j, _GROWN]
            load[i, _WOUND] = total
            worst = max(worst, total / load[i, _GROWN])
        if step < POWERS - 1:
            for i in range(6):
                load[i, _GROWN] = load[i, _SHIFT] + load[i, _WOUND]
    return worst


@njit(cache=True, error_model="numpy")
def _write_wound(
    k: Array, leg: Array, weight: Array, scale: float, left: float, load: Array
) -> None:
    """Write how far leads move the forces from those without.

    Args:
        left: 1 - x.
    """
    fall = math.sqrt(weight[4] ** 2 + weight[5] ** 2 + weight[6] ** 2)
    pull, again, most = 0.0, 0.0, 0.0
    for i in range(6):
        load[i, _WOUND] = 0.0
        most = max(most, load[i, _NORM] / (load[i, _GROWN] * left))
    for i in range(6):
        if k[i, _LEAD] != 0.0:
            moved = abs(k[i, _LEAD]) * math.sqrt(leg[i, _W] ** 2 + (leg[i, _FAR] / scale) ** 2)
            along = fall * (k[i, _ROD] + abs(k[i, _KAPPA]) / (leg[i, _L] - leg[i, _D]))
            pull += moved * (abs(load[i, _BORNE]) + load[i, _GROWN] / left + along)
            again += moved * load[i, _GROWN] * most
    if pull > 0.0:
        for i in range(6):
            more = load[i, _GROWN] * most * pull / (1.0 - again)
            load[i, _WOUND] = more if again < 1.0 else np.inf


@njit(cache=True, error_model="numpy")
def _judge_forces(
    mask: int, h: Array, turns: float, scale: float, weight: Array, m: Array, k: Array, leg: Array,
    inverse: Array, load: Array,
) -> tuple[int, int]:  # fmt: skip
    """Take off the bits of forces that hold; return the bit that the centre passes."""
    if not _write_inverse(leg, scale, inverse):
        return mask, -1
    size = _write_borne(k, leg, m, weight, scale, inverse, load)
    bend, worst = _write_bends(k, leg, weight, scale, turns, load), np.inf
    if bend < np.inf:
        _write_second_order(k, scale, size, bend, load)
        _write_first_order(h, k, leg, m, weight, scale, inverse, load)
        worst = _write_growth(load)
    bounded = worst < 1.0
    for i in range(6):
        if bounded:
            load[i, _CHANGE] += load[i, _WOUND] / (1.0 - worst)
    if bounded:
        _write_wound(k, leg, weight, scale, 1.0 - worst, load)
    for i in range(6):
        if not mask >> (FORCE + i) & 1:
            continue
        force, limit = abs(load[i, _BORNE] + load[i, _OWN]), k[i, _FORCE]
        margin = 10.0 * ROUNDING * (load[i, _NORM] * size + limit)
        wound = load[i, _WOUND] if bounded else np.inf if k[i, _LEAD] != 0.0 else 0.0
        if force - wound - margin > limit:
            return mask, FORCE + i
        if bounded and force + load[i, _CHANGE] + wound + margin <= limit:
            mask &= ~(1 << (FORCE + i))
    return mask, -1


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_middle(box: Array, centre: Array, h: Array) -> None:
    """Write centre and half widths of a box."""
    for j in range(6):
        centre[j] = 0.5 * (box[j] + box[6 + j])
        h[j] = max(box[6 + j] - centre[j], centre[j] - box[j])


@njit(cache=True, error_model="numpy")
def _judge_box(
    mask: int, centre: Array, h: Array, k: Array, apart: Array, common: Array, rates: Array,
    weight: Array, m: Array, leg: Array, factor: Array, load: Array,
) -> tuple[int, int]:  # fmt: skip
    """Take off the bits of all limits that hold in a box; return one that the centre passes."""
    places = math.sqrt(h[0] ** 2 + h[1] ** 2 + h[2] ** 2)
    turns = h[3] + h[4] + h[5]
    margin = _rounding_of(centre, k)
    _write_frame(centre, m)
    _write_legs(centre, m, k, places, turns, leg)
    mask, passed = _judge_legs(mask, h, rates, margin, k, leg)
    if passed < 0:
        mask, passed = _judge_cones(mask, centre, h, places, turns, margin, m, k, leg)
    if passed < 0:
        mask, passed = _judge_clearances(mask, common[_APART], turns, margin, k, leg, apart)
    if passed < 0 and mask >> SINGULAR_VALUE & 1:
        mask, passed = _judge_singular_value(mask, common[_HOLD], common[_SCALE], k, leg, factor)
    if passed < 0 and mask >> FORCE:
        mask, passed = _judge_forces(
            mask, h, turns, common[_SCALE], weight, m, k, leg, factor, load
        )
    return mask, passed


@njit(cache=True, error_model="numpy", forceinline=True)
def _widest(h: Array, widths: Array) -> int:
    """Coordinate in which a box of half widths h is halved."""
    which = 0
    for j in range(1, 6):
        if h[j] * widths[j] > h[which] * widths[which]:
            which = j
    return which


@njit(cache=True, error_model="numpy", forceinline=True)
def _halve(box: Array, other: Array, middle: float, which: int) -> None:
    """Make two boxes of one, split in a coordinate at its middle."""
    for j in range(12):
        other[j] = box[j]
    box[12] += 1.0
    other[12] = box[12]
    box[6 + which] = middle
    other[which] = middle


@njit(cache=True, error_model="numpy", forceinline=True)
def _rounding_of(centre: Array, k: Array) -> float:
    """Margin for the rounding of what is compared at a centre."""
    size = 1.0
    for j in range(6):
        size += abs(centre[j]) + abs(k[0, ARM]) + abs(k[j, _A]) + abs(k[j, _A + 1])
    return ROUNDING * size


@njit(cache=True, error_model="numpy")
def search(
    k: Array,
    apart: Array,
    common: Array,
    rates: Array,
    weight: Array,
    widths: Array,
    smallest: float,
    boxes: Array,
    masks: NDArray[np.int64],
    state: NDArray[np.int64],
    shares: Array,
    budget: int,
) -> int:
    """Halve boxes, deepest first, until all limits hold in all of them or a centre passes one.

    Args:
        k: constants of the legs, shape (6, 29).
        apart: distance of each pair's platform joints [m], shape (15,).
        common: scale [m], least clearance [m] and least singular value, shape (3,).
        rates: greatest rates of the coordinates, shape (6,).
        weight: mass and first moment of bodies and rods, free fall in base axes, shape (7,).
        widths: metres that a unit of each coordinate counts when the widest is halved, shape (6,).
        smallest: half width at which a box is given up [m].
        boxes: lower and upper corner and depth of the boxes that wait, shape (STACK, 13).
        masks: limits to be proved in each, shape (STACK,).
        state: boxes that wait, boxes examined, limit that is passed, shape (3,).
        shares: share proved, share given up, then the pose that passes a limit, shape (8,).
        budget: boxes to examine in this call.
    """
    centre, h, m = shares[2:], np.empty(6), np.empty(15)
    leg, factor, load = np.empty((6, _LEG)), np.empty((6, 12)), np.empty((6, _LOAD))
    waiting, end = state[0], state[1] + budget
    while waiting > 0 and state[1] < end:
        waiting -= 1
        state[1] += 1
        box = boxes[waiting]
        _write_middle(box, centre, h)
        mask, passed = _judge_box(
            int(masks[waiting]), centre, h, k, apart, common, rates, weight, m, leg, factor, load
        )
        if passed >= 0:
            state[0], state[2] = waiting + 1, passed
            return VIOLATED
        share = 0.5 ** box[12]
        if mask == 0:
            shares[0] += share
            continue
        which = _widest(h, widths)
        if h[which] * widths[which] <= smallest or waiting + 2 > boxes.shape[0]:
            shares[1] += share
            continue
        _halve(box, boxes[waiting + 1], centre[which], which)
        masks[waiting] = masks[waiting + 1] = mask
        waiting += 2
    state[0] = waiting
    return DONE if waiting == 0 else PAUSED


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    six, masks, state = np.ones(6), np.zeros(STACK, np.int64), np.array([1, 0, -1])
    search(
        np.ones((6, CONSTANTS)), np.ones(15), np.ones(3), six, np.zeros(7), six, 1.0,
        np.zeros((STACK, 13)), masks, state, np.zeros(8), 1,
    )  # fmt: skip
