"""Equations of rotations, arms and the hexapod: lists of numbers in, a list out."""

from __future__ import annotations

import math
from typing import Final

from interpreter.real import clip, hypotenuse, quotient, total
from interpreter.whole import Numbers, WholeBlock

Matrix = list[Numbers]
root, sin, cos = total(math.sqrt), total(math.sin), total(math.cos)


def rows_of(values: Numbers) -> Matrix:
    """Three rows of three."""
    return [list(values[3 * i : 3 * i + 3]) for i in range(3)]


def flat(matrix: Matrix) -> Numbers:
    """Its numbers, row after row."""
    return [one for row in matrix for one in row]


def dot(a: Numbers, b: Numbers) -> float:
    """Scalar product."""
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2]


def cross(a: Numbers, b: Numbers) -> Numbers:
    """Vector product."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


class Transpose(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        return [*u[0::3], *u[1::3], *u[2::3]]


class RotationFromAngles(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        (ca, cb, cc), (sa, sb, sc) = map(cos, u), map(sin, u)
        return [
            cc * cb, cc * sb * sa - sc * ca, cc * sb * ca + sc * sa,
            sc * cb, sc * sb * sa + cc * ca, sc * sb * ca - cc * sa,
            -sb, cb * sa, cb * ca,
        ]  # fmt: skip


class AnglesFromRotation(WholeBlock):
    def output(self, R: Numbers) -> Numbers:
        pitch = math.atan2(-R[6], hypotenuse(R[0], R[3]))
        return [math.atan2(R[7], R[8]), pitch, math.atan2(R[3], R[0])]


class RotationVector(WholeBlock):
    def output(self, R: Numbers) -> Numbers:
        skew = [0.5 * (R[7] - R[5]), 0.5 * (R[2] - R[6]), 0.5 * (R[3] - R[1])]
        a, b, c = skew
        sine = root(a * a + b * b + c * c)
        cosine = 0.5 * (R[0] + R[4] + R[8] - 1.0)
        angle = math.atan2(sine, cosine)
        if cosine > -0.99:
            part = quotient(angle, sine) if sine > 0.0 else 1.0
            return [part * one for one in skew]
        diagonal = [R[0], R[4], R[8]]
        most = diagonal.index(max(diagonal))
        column = [0.5 * (R[3 * n + most] + R[3 * most + n]) for n in range(3)]
        column[most] = column[most] - cosine
        squares = 0.0
        for one in column:
            squares = squares + one * one
        part = quotient(angle, root(squares))
        if column[0] * a + column[1] * b + column[2] * c < 0.0:
            part = -part
        return [part * one for one in column]


class RotationFromVector(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        a, b, c = u
        angle = root(a * a + b * b + c * c)
        first = sin(angle) / angle if angle > 0.0 else 1.0
        half = sin(0.5 * angle) / angle if angle > 0.0 else 0.5
        second = 2.0 * half * half
        return [
            1.0 - second * (b * b + c * c), second * (a * b) - first * c,
            second * (a * c) + first * b,
            second * (a * b) + first * c, 1.0 - second * (a * a + c * c),
            second * (b * c) - first * a,
            second * (a * c) - first * b, second * (b * c) + first * a,
            1.0 - second * (a * a + b * b),
        ]  # fmt: skip


class QuaternionFromRotation(WholeBlock):
    def output(self, R: Numbers) -> Numbers:
        diagonal = [R[0], R[4], R[8]]
        trace = R[0] + R[4] + R[8]
        if trace >= max(diagonal):
            long = root(1.0 + trace)
            part = quotient(0.5, long)
            return [0.5 * long, *(part * one for one in (R[7] - R[5], R[2] - R[6], R[3] - R[1]))]
        i = diagonal.index(max(diagonal))
        j, k = (i + 1) % 3, (i + 2) % 3
        long = root(1.0 + (diagonal[i] - diagonal[j] - diagonal[k]))
        part = quotient(0.5, long)
        found = [part * (R[3 * k + j] - R[3 * j + k]), 0.0, 0.0, 0.0]
        found[1 + i] = 0.5 * long
        found[1 + j] = part * (R[3 * j + i] + R[3 * i + j])
        found[1 + k] = part * (R[3 * k + i] + R[3 * i + k])
        return found


class RotationFromQuaternion(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        w, a, b, c = u
        second = quotient(2.0, w * w + a * a + b * b + c * c)
        return [
            1.0 - second * (b * b + c * c), second * (a * b - w * c), second * (a * c + w * b),
            second * (a * b + w * c), 1.0 - second * (a * a + c * c), second * (b * c - w * a),
            second * (a * c - w * b), second * (b * c + w * a), 1.0 - second * (a * a + b * b),
        ]  # fmt: skip


class SerialArm(WholeBlock):
    """An arm by its D-H rows."""

    def poses(self, q: Numbers) -> list[tuple[Matrix, Numbers]]:
        """Axes of each row that turns, and of the end, in those of the base."""
        R: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
        at = [0.0, 0.0, 0.0]
        found, angles = [], iter(q)
        for theta, d, a, alpha, *turns in self.p["dh"]:
            angle = theta
            if turns != [0.0]:
                found.append((R, at))
                angle = theta + next(angles)
            c, s = cos(angle), sin(angle)
            ca, sa = cos(alpha), sin(alpha)
            at = [
                one + ((row[0] * (a * c) + row[1] * (a * s)) + row[2] * d)
                for one, row in zip(at, R, strict=True)
            ]
            R = [
                [x * c + y * s, (y * (c * ca) - x * (s * ca)) + z * sa,
                 (x * (s * sa) - y * (c * sa)) + z * ca]
                for x, y, z in R
            ]  # fmt: skip
        return [*found, (R, at)]


class ForwardKinematics(SerialArm):
    def output(self, q: Numbers) -> Numbers:
        R, at = self.poses(q)[-1]
        return [*flat(R), *at]


class Jacobian(SerialArm):
    def output(self, q: Numbers) -> Numbers:
        *joints, (_, end) = self.poses(q)
        axes = [[row[2] for row in R] for R, _ in joints]
        arms = [[e - one for e, one in zip(end, at, strict=True)] for _, at in joints]
        linear = [cross(axis, arm) for axis, arm in zip(axes, arms, strict=True)]
        return [*(one[k] for k in range(3) for one in linear),
                *(one[k] for k in range(3) for one in axes)]  # fmt: skip


class DampedLeastSquares(WholeBlock):
    def output(self, linear: Numbers, angular: Numbers, shift: Numbers, turn: Numbers) -> Numbers:
        n, damping, size = self.p["joints"], self.p["damping"], self.p["length_m"]
        rows = [[one / size for one in linear[n * k : n * k + n]] for k in range(3)]
        rows += [angular[n * k : n * k + n] for k in range(3)]
        L: Matrix = [[0.0] * 6 for _ in range(6)]
        for j in range(6):
            for k in range(j + 1):
                squares = damping * damping if j == k else 0.0
                for a, b in zip(rows[j], rows[k], strict=True):
                    squares = squares + a * b
                for a, b in zip(L[j][:k], L[k][:k], strict=True):
                    squares = squares - a * b
                L[j][k] = root(squares) if j == k else quotient(squares, L[k][k])
        e = [*(one / size for one in shift), *turn]
        for j in range(6):
            for i in range(j):
                e[j] = e[j] - L[j][i] * e[i]
            e[j] = quotient(e[j], L[j][j])
        for j in reversed(range(6)):
            for i in range(j + 1, 6):
                e[j] = e[j] - L[i][j] * e[i]
            e[j] = quotient(e[j], L[j][j])
        found = []
        for i in range(n):
            squares = 0.0
            for row, one in zip(rows, e, strict=True):
                squares = squares + row[i] * one
            found.append(squares)
        return found


class CoordinateDescent(SerialArm):
    """States: angles of the joints."""

    def output(self, pose: Numbers) -> Numbers:
        q, p, rotation, position = list(self.x), self.p, pose[:9], pose[9:]
        low, high = (p[one] * len(q) if len(p[one]) == 1 else p[one] for one in ("low", "high"))
        weight, most = 0.5 * (p["turn_m"] * p["turn_m"]), p["step_max_rad"]
        wanted = [list(rotation[k::3]) for k in range(3)]
        at: Numbers = []
        for _ in range(p["sweeps"]):
            *joints, (R, at) = self.poses(q)
            columns = [[row[k] for row in R] for k in range(3)]
            for i in reversed(range(len(q))):
                axes, origin = joints[i]
                z = [row[2] for row in axes]
                arm = [a - b for a, b in zip(at, origin, strict=True)]
                goal = [a - b for a, b in zip(position, origin, strict=True)]
                cosine, sine = _gains(z, goal, arm)
                for one, other in zip(wanted, columns, strict=True) if weight > 0.0 else ():
                    more, turned = _gains(z, one, other)
                    cosine, sine = cosine + weight * more, sine + weight * turned
                turn = math.atan2(sine, cosine) if cosine != 0.0 or sine != 0.0 else 0.0
                turn = clip(turn, -most, most)
                angle = clip(q[i] + turn, low[i], high[i])
                turn, q[i] = angle - q[i], angle
                c, s = cos(turn), sin(turn)
                at = [a + b for a, b in zip(origin, _turned(z, arm, c, s), strict=True)]
                columns = [[0.0 + b for b in _turned(z, one, c, s)] for one in columns]
        squares = 0.0
        for a, b in zip(at, position, strict=True):
            squares = squares + (a - b) * (a - b)
        self.found = q
        return [*q, root(squares)]

    def update(self, *_: Numbers) -> None:
        self.x[:] = self.found


def _gains(z: Numbers, t: Numbers, r: Numbers) -> tuple[float, float]:
    """What cosine and sine of a turn of r about z bring along t."""
    return dot(r, t) - dot(z, r) * dot(z, t), dot(t, cross(z, r))


def _turned(z: Numbers, r: Numbers, c: float, s: float) -> Numbers:
    """Rodrigues' turn of r about z."""
    along = dot(z, r) * (1.0 - c)
    return [(c * a + s * b) + along * d for a, b, d in zip(r, cross(z, r), z, strict=True)]


class HexapodLengths(WholeBlock):
    def output(self, pose: Numbers) -> Numbers:
        R, position, found = rows_of(pose), pose[9:], []
        for low, high in zip(self.p["lower"], self.p["upper"], strict=True):
            squares = 0.0
            for at, row, below in zip(position, R, low, strict=True):
                apart = (at + dot(row, high)) - below
                squares = squares + apart * apart
            found.append(root(squares))
        return found


SPATIAL: Final[dict[str, type[WholeBlock]]] = {
    one.__name__: one
    for one in (
        Transpose, RotationFromAngles, AnglesFromRotation, RotationVector, RotationFromVector,
        QuaternionFromRotation, RotationFromQuaternion, ForwardKinematics, Jacobian,
        DampedLeastSquares, CoordinateDescent, HexapodLengths,
    )
}  # fmt: skip
"""By the kind's name."""
