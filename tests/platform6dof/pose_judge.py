"""Lengths, joint angles, clearances, speeds and hold of many poses in numpy, by nobody else's code.

What it computes is compared with what the product proves; it imports nothing of the product.
"""

import numpy as np

PAIRS = [(i, j) for i in range(6) for j in range(i + 1, 6)]


def rotations(q):
    """Rz(alpha) Ry(beta) Rx(gamma), (N, 3, 3)."""
    zero, one = np.zeros(len(q)), np.ones(len(q))
    (ca, cb, cg), (sa, sb, sg) = np.cos(q[:, 3:]).T, np.sin(q[:, 3:]).T

    def matrix(*rows):
        return np.array(rows).transpose(2, 0, 1)

    z = matrix([ca, -sa, zero], [sa, ca, zero], [zero, zero, one])
    y = matrix([cb, zero, sb], [zero, one, zero], [-sb, zero, cb])
    x = matrix([one, zero, zero], [zero, cg, -sg], [zero, sg, cg])
    return z @ y @ x


def legs_of(base, top, q):
    """Rotations, arms (N, 6, 3) and legs (N, 6, 3)."""
    m = rotations(q)
    arms = np.einsum("nij,kj->nki", m, top)
    return m, arms, q[:, None, :3] + arms - base


def angles(legs, axes):
    """Angles of the legs from axes (N, 6, 3) or (6, 3), (N, 6)."""
    cosine = (legs * axes).sum(axis=2)
    sine = np.linalg.norm(np.cross(legs, np.broadcast_to(axes, legs.shape)), axis=2)
    return np.arctan2(sine, cosine)


def jacobians(arms, legs, scale):
    """Jacobians, rotation columns divided by the scale, (N, 6, 6)."""
    u = legs / np.linalg.norm(legs, axis=2, keepdims=True)
    return np.concatenate([u, np.cross(arms, u) / scale], axis=2)


def clearances(base, legs):
    """Distances of the pairs' segments, (N, 15): the lines' nearest points, or an end."""
    found = []
    for i, j in PAIRS:
        a, b, u, v = base[i], base[j], legs[:, i], legs[:, j]
        options = [to_segment(a + 0 * u, b, v), to_segment(a + u, b, v)]
        options += [to_segment(b + 0 * v, a, u), to_segment(b + v, a, u)]
        best = np.min(options, axis=0)
        normal = np.cross(u, v)
        size = (normal**2).sum(axis=1)
        gap = (b - a)[None, :]
        with np.errstate(all="ignore"):
            s = (np.cross(gap, v) * normal).sum(axis=1) / size
            t = (np.cross(gap, u) * normal).sum(axis=1) / size
            apart = np.abs((gap * normal).sum(axis=1)) / np.sqrt(size)
            crossing = (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1) & (size > 1e-12)
        found.append(np.where(crossing, np.fmin(apart, best), best))
    return np.array(found).T


def to_segment(points, start, along):
    """Distances of points from segments, (N,)."""
    t = ((points - start) * along).sum(axis=1) / (along**2).sum(axis=1)
    nearest = start + np.clip(t, 0, 1)[:, None] * along
    return np.linalg.norm(points - nearest, axis=1)


def speeds(base, top, q, rates):
    """Greatest leg speeds over all combinations of rates, by central differences, (N, 6)."""
    total, step = np.zeros((len(q), 6)), 1e-5
    for k, rate in enumerate(rates):
        side = np.zeros(6)
        side[k] = step
        up, down = (np.linalg.norm(legs_of(base, top, q + s)[2], axis=2) for s in (side, -side))
        total += np.abs(up - down) / (2 * step) * rate
    return total
