"""Equations of blocks whose elements hang together: lists of numbers in, a list out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from hil.diagram.library.kind import BlockKind, BlockSetting, Parameters
from hil.diagram.library.linear import discrete
from hil.diagram.library.state_machine import guards, transitions

Numbers = list[float]


class WholeBlock:
    """A block.

    Args:
        p: Parameters.
        s: Where and how it runs.
        x: States, written by `update`.
    """

    def __init__(self, p: Parameters, s: BlockSetting, x: Numbers) -> None:
        self.p, self.s, self.x = p, s, x

    def output(self, *u: Any, **_: Any) -> Numbers:
        """All outputs of this tick, one after another."""
        raise NotImplementedError

    def update(self, *u: Any, **_: Any) -> None:
        """States of the next tick."""


class ShiftRegister(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        return list(self.x)

    def update(self, u: Numbers) -> None:
        self.x[:] = [u[0], *self.x[:-1]]


def summed(pairs: list[tuple[float, float]]) -> float:
    """Sum of products, from the first."""
    y = 0.0
    for a, b in pairs:
        y = y + a * b
    return y


class StateSpace(WholeBlock):
    """States: x of this tick, and x of the next one as it was last computed."""

    def system(self) -> tuple:
        return self.p["A"], self.p["B"], self.p["C"], self.p["D"]

    def __init__(self, p: Parameters, s: BlockSetting, x: Numbers) -> None:
        super().__init__(p, s, x)
        self.A, self.B, self.C, self.D = self.system()

    def output(self, *u: Numbers) -> Numbers:
        states = self.x[: len(self.A)]
        values = [one[0] for one in u]
        return [
            summed([*zip(c, states, strict=True),
                    *((a, b) for a, b in zip(d, values, strict=True) if a != 0.0)])
            for c, d in zip(self.C, self.D, strict=True)
        ]  # fmt: skip

    def update(self, *u: Numbers) -> None:
        values = [*self.x[: len(self.A)], *(one[0] for one in u)]
        following = [
            summed(list(zip([*a, *b], values, strict=True)))
            for a, b in zip(self.A, self.B, strict=True)
        ]
        self.x[:] = following * 2


class TransferFunction(StateSpace):
    def system(self) -> tuple:
        above_below = (self.p["numerator"], self.p["denominator"])
        return discrete(above_below, self.s.period_s, self.p["method"])


class Mux(WholeBlock):
    def output(self, *u: Numbers) -> Numbers:
        return [one[0] for one in u]


class Demux(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        return list(u)


class Concatenation(WholeBlock):
    """A pose or a wrench of its parts, or the other way round."""

    def output(self, *u: Numbers) -> Numbers:
        return [number for one in u for number in one]


class Select(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        return [u[self.p["index"] - 1]]


class MatrixGain(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        rows = self.p["k"]
        if not isinstance(rows, tuple):
            rows = [[rows if at == row else 0.0 for at in range(len(u))] for row in range(len(u))]
        return [summed(list(zip(row, u, strict=True))) for row in rows]


class Dot(WholeBlock):
    def output(self, a: Numbers, b: Numbers) -> Numbers:
        return [summed(list(zip(a, b, strict=True)))]


class Norm(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        return [math.sqrt(summed([(one, one) for one in u]))]


class SumElements(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        y = 0.0
        for one in u:
            y = y + one
        return [y]


class Cross(WholeBlock):
    def output(self, a: Numbers, b: Numbers) -> Numbers:
        return [a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))]


def _product(a: Numbers, b: Numbers, i: int, k: int) -> float:
    """Entry of a product of 3 by 3 matrices."""
    return (a[3 * i] * b[k] + a[3 * i + 1] * b[3 + k]) + a[3 * i + 2] * b[6 + k]


class MatrixProduct(WholeBlock):
    def output(self, a: Numbers, b: Numbers) -> Numbers:
        return [_product(a, b, i, k) for i in range(3) for k in range(3)]


class Rotate(WholeBlock):
    def output(self, R: Numbers, v: Numbers) -> Numbers:
        rows = [R[:3], R[3:6], R[6:]]
        return [(a * v[0] + b * v[1]) + c * v[2] for a, b, c in rows]


class RotateBack(Rotate):
    def output(self, R: Numbers, v: Numbers) -> Numbers:
        return super().output([*R[0::3], *R[1::3], *R[2::3]], v)


class RotationAbout(WholeBlock):
    def output(self, u: Numbers) -> Numbers:
        c, s = math.cos(u[0]), math.sin(u[0])
        return {
            "x": [1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c],
            "y": [c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c],
            "z": [c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0],
        }[self.p["axis"]]


class ForceTransform(WholeBlock):
    def output(self, f: Numbers, mu: Numbers, rotations: Numbers, positions: Numbers) -> Numbers:
        torques = []
        for i in range(self.p["joints"]):
            R = [rotations[9 * i + 3 * row : 9 * i + 3 * row + 3] for row in range(3)]
            x, y, _ = positions[3 * i : 3 * i + 3]
            turned = [row[1] * x - row[0] * y for row in R]  # R v, v = (-y, x, 0)
            axis = [row[2] for row in R]  # R n, n = (0, 0, 1)
            torques.append(summed([*zip(f, turned, strict=True), *zip(mu, axis, strict=True)]))
        return torques


class StateMachine(WholeBlock):
    """States: number of the state from 0, ticks in it."""

    def __init__(self, p: Parameters, s: BlockSetting, x: Numbers) -> None:
        super().__init__(p, s, x)
        self.names = p["names"].split()
        self.inputs = guards(p)

    def after(self, values: Sequence[Numbers]) -> tuple[int, float]:
        """The state after this tick's transition, and the ticks that it has lasted."""
        true = {name for name, one in zip(self.inputs, values, strict=True) if one[0]}
        state = self.names[int(self.x[0])]
        for one in transitions(self.p["transitions"]):
            if one.source in ("*", state) and one.guard in true:
                return self.names.index(one.target), 0.0
        return int(self.x[0]), self.x[1]

    def output(self, *u: Numbers) -> Numbers:
        state, lasted = self.after(u)
        given = self.p["values"][state] if self.p["gives"].split() else ()
        return [*given, state + 1.0, lasted]

    def update(self, *u: Numbers) -> None:
        state, lasted = self.after(u)
        self.x[:] = [float(state), lasted + 1.0]


class PythonBlock(WholeBlock):
    """A block of another distribution: its functions as they are, on arrays.

    Args:
        kind: that has them.
        count: numbers of its outputs.
    """

    def __init__(
        self, p: Parameters, s: BlockSetting, x: Numbers, kind: BlockKind, count: int
    ) -> None:
        super().__init__(p, s, x)
        self.kind = kind
        self.y = np.zeros(count)
        self.numbers = np.array(kind.numbers_of(p, s))

    def call(self, which: int, u: Sequence[Numbers]) -> None:
        functions, states = self.kind.functions or (), np.array(self.x)
        if which < len(functions):
            inputs = np.array([one for port in u for one in port], dtype=float)
            try:
                with np.errstate(all="ignore"):  # as compiled code does
                    functions[which](inputs, self.y, states, self.numbers, self.s.period_s)
            except Exception:  # whatever a foreign function raises
                self.y[:] = math.nan
            self.x[:] = states.tolist()

    def output(self, *u: Numbers) -> Numbers:
        self.y[:] = math.nan
        self.call(0, u)
        return self.y.tolist()

    def update(self, *u: Numbers) -> None:
        self.call(1, u)


WHOLE: Final[dict[str, type[WholeBlock]]] = {
    **{
        one.__name__: one
        for one in (
            ShiftRegister, StateSpace, TransferFunction, Mux, Demux, Select, MatrixGain, Dot, Norm,
            SumElements, Cross, MatrixProduct, Rotate, RotateBack, RotationAbout, ForceTransform,
            StateMachine,
        )
    },
    **dict.fromkeys(("Pose", "PoseParts", "Wrench", "WrenchParts"), Concatenation),
}  # fmt: skip
"""By the kind's name."""
