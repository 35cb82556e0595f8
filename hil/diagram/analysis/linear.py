"""A diagram about a running point as a discrete linear system.

x[k+1] = A x[k] + B u[k], y[k] = C x[k] + D u[k] in deviations from that point, by differences of
the engine's own ticks on both sides, with steps h and h/2 (Richardson), so that the error is of
order h^4. A diagram of several rates is taken over their common period, inputs held within it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.similar_names import nearest
from hil.diagram.check.diagram import SoundDiagram
from hil.diagram.check.flatten import FlatBlock
from hil.diagram.run.engine import Engine

Array = NDArray[np.float64]
STEP: Final = 2.0**-10
"""Of a difference, by the largest value that a number had on the way to the point, or by 1."""
KINK: Final = 0.01
"""Bend of an output by its slope from which it is told."""
PERIOD_MOST: Final = 10_000
"""Ticks of the common period of all rates."""
STATES_MOST: Final = 1000
_RINGS: Final = ("Delay", "MovingAverage")
"""Kinds whose states are a place and a ring of values."""
_COUNTERS: Final = ("started", "k", "c")
"""States that count or remember a yes, which no difference is taken of."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """A discrete linear system; what lies between its inputs and its outputs."""

    A: Array
    B: Array
    C: Array
    D: Array
    period_s: float
    states: tuple[str, ...]
    """Path of the block and number of the state, or name of an output that is held."""
    notes: tuple[str, ...]
    """What is not smooth there, and what was left out."""

    def poles(self) -> NDArray[np.complex128]:
        """Eigenvalues of A, the largest first."""
        found = np.linalg.eigvals(self.A).astype(np.complex128)
        return found[np.lexsort((found.imag, found.real, -np.abs(found).round(12)))]

    def closed(self) -> LinearModel:
        """The loop closed again: u = y, of one input and one output."""
        gain = self.B @ self.C / (1.0 - self.D[0, 0])
        return replace(self, A=self.A + gain)

    def response(self, radians: Array) -> NDArray[np.complex128]:
        """C (e^jw - A)^-1 B + D of the first input and output at angles per tick [rad]."""
        found = np.full(len(radians), complex(self.D[0, 0]))
        eye = np.eye(len(self.A))
        for number, z in enumerate(np.exp(1j * radians) if len(self.A) else ()):
            try:
                found[number] += (
                    self.C[0] @ np.linalg.solve(z * eye - self.A, self.B[:, 0])
                ).item()
            except np.linalg.LinAlgError:
                found[number] = complex(math.inf)
        return found


def is_stable(poles: NDArray[np.complex128]) -> bool:
    """Whether all decay."""
    return bool((np.abs(poles) < 1.0 - 1e-9).all())


def place_of(engine: Engine, text: str, *, inputs: bool) -> slice:
    """Where in the engine's values an input or an output is, or one number of it: ``omega[2]``.

    Raises:
        ConfigError: If there is none.
    """
    option = "--from" if inputs else "--to"
    parts = re.fullmatch(r"([^\[\]]+)(?:\[(\d{1,6})\])?", text)
    name = parts[1] if parts else text
    known = dict(engine.inputs if inputs else engine.outputs)
    if not inputs:
        known |= {f"{path}.{port}": at for (path, port), at in engine.table.ports.items()}
    if name not in known:
        first = ", ".join(engine.inputs if inputs else engine.outputs) or "none"
        near = nearest(name, known)
        what = "input" if inputs else "output, nor block.port"
        raise ConfigError(option, [f"{text[:60]!r}: no such {what}{near} (there is {first})"])
    at = known[name]
    if parts is None or parts[2] is None:
        return at
    number, size = int(parts[2]), at.stop - at.start
    if not 1 <= number <= size:
        raise ConfigError(option, [f"{text[:60]!r}: it has the numbers 1 to {size}"])
    return slice(at.start + number - 1, at.start + number)


def common_period(sound: SoundDiagram) -> int:
    """Ticks after which all rates begin together again.

    Raises:
        ConfigError: If they are too many.
    """
    ticks = math.lcm(*(block.rate for block in sound.flat.blocks.values()))
    if ticks > PERIOD_MOST:
        problem = f"the rates begin together every {ticks} ticks; at most {PERIOD_MOST}"
        raise ConfigError(str(sound.flat.base_s), [problem])
    return ticks


def linearise(engine: Engine, inputs: Sequence[slice], outputs: Sequence[slice], scale: Array
              ) -> LinearModel:  # fmt: skip
    """The linear system about where an engine is.

    Args:
        inputs: Where its inputs stand in `values`.
        outputs: Likewise.
        scale: Largest values so far, as `values`; a difference is `STEP` of it, or of 1 for 0.

    Raises:
        ConfigError: If it has too many states.
        NonFiniteError: If a block's number is not finite there.
    """
    return _Differences(engine, inputs, outputs, scale).model()


class _Differences:
    def __init__(self, engine: Engine, inputs: Sequence[slice], outputs: Sequence[slice],
                 scale: Array) -> None:  # fmt: skip
        self._engine, self._scale = engine, scale
        self._period = common_period(engine.sound)
        self._begin = engine.snapshot()
        self._inputs = [place for one in inputs for place in range(one.start, one.stop)]
        self._outputs = [place for one in outputs for place in range(one.start, one.stop)]
        self._names, self._rings, plain = [], [], []
        for path, block in engine.sound.flat.blocks.items():
            plain += self._states(path, block)
        self._plain = plain
        if len(self._names) > STATES_MOST:
            problem = f"{len(self._names)} states; at most {STATES_MOST} for a linear system"
            raise ConfigError("linear", [problem])
        self._bent: dict[str, str] = {}

    def _states(self, path: str, block: FlatBlock) -> list[int]:
        """Places of a block's states, without rings, which move."""
        sound, table = self._engine.sound, self._engine.table
        real = [one.name for one in block.ports.outputs
                if sound.types[path, one.name].is_real]  # fmt: skip
        held = []
        if block.rate > 1 or block.enable is not None:
            for name in real:
                at = table.ports[path, name]
                held += range(at.start, at.stop)
                self._names += [f"{path}.{name}"] * (at.stop - at.start)
        if not real:
            return held
        at, names = table.states[path], block.kind.states
        if block.kind.name in _RINGS:
            size = sound.setting(block).size
            length = (at.stop - at.start) // size if size else 1
            if block.parameters["ticks"] * size > STATES_MOST:
                raise ConfigError("linear", [f"{path}: more than {STATES_MOST} states"])
            for head in range(at.start, at.stop, length):
                self._rings.append((len(self._names), head, length - 1))
                self._names += [f"{path} {number}" for number in range(1, length)]
                held += [0] * (length - 1)
            return held
        found = [
            place for number, place in enumerate(range(at.start, at.stop))
            if callable(names) or names[number % len(names)] not in _COUNTERS
        ]  # fmt: skip
        self._names += [f"{path} {place - at.start + 1}" for place in found]
        return held + found

    def _places(self) -> NDArray[np.intp]:
        """Where each state is now: rings begin at their oldest value."""
        found = np.array(self._plain, dtype=np.intp)
        for first, head, length in self._rings:
            turned = (int(self._engine.values[head]) + np.arange(length)) % max(length, 1)
            found[first : first + length] = head + 1 + turned
        return found

    def _tick(self, place: int | None, by: float) -> tuple[Array, Array]:
        """Next states with outputs, and all values after the first tick, one number moved."""
        engine = self._engine
        engine.restore(self._begin)
        if place is not None:
            engine.values[place] += by
        engine.step()
        values = engine.values.copy()
        for _ in range(self._period - 1):
            engine.step()
        return np.concatenate([engine.values[self._places()], values[self._outputs]]), values

    def model(self) -> LinearModel:
        engine, n = self._engine, len(self._names)
        places = [*self._places(), *self._inputs]
        _, base = self._tick(None, 0.0)
        slopes = np.zeros((n + len(self._outputs), len(places)))
        for column, place in enumerate(places):
            step = STEP * (float(self._scale[place]) or 1.0)
            slope, sides = [], []
            for by in (step, step / 2.0):
                (more, up), (less, down) = self._tick(place, by), self._tick(place, -by)
                slope.append((more - less) / (2.0 * by))
                sides.append((up, down))
            slopes[:, column] = slope[1] + (slope[1] - slope[0]) / 3.0
            self._watch(base, sides)
        engine.restore(self._begin)
        return self._joined(slopes, n)

    def _watch(self, base: Array, sides: list[tuple[Array, Array]]) -> None:
        """Note the blocks that bend, or pass nothing on, when one number is moved both ways."""
        (up, down), (near_up, near_down) = sides
        bend, near = np.abs(up + down - 2.0 * base), np.abs(near_up + near_down - 2.0 * base)
        span = np.abs(up - base) + np.abs(down - base)
        bent = (bend > KINK * span) & (near > 0.4 * bend) & (bend > 1e-9 * np.abs(base))
        moved = span > 0.0
        flat, ports = self._engine.sound.flat, self._engine.table.ports
        for path, block in flat.blocks.items():
            if path in self._bent or "@" in path:
                continue
            pairs = block.kind.direct_of(block.parameters)
            drives = [flat.drivers.get((path, name)) for name, _ in pairs]
            drives = [one for one in drives if one is not None and moved[ports[one]].any()]
            if not drives or any(bent[ports[one]].any() for one in drives):
                continue  # what is bent before it is told there
            results = [ports[path, name] for name in {output for _, output in pairs}]
            if any(bent[at].any() for at in results):
                self._bent[path] = "has a kink there: the mean of both slopes is taken"
            elif not any(moved[at].any() for at in results):
                self._bent[path] = "passes nothing on there (a limit, a step or a gain of 0)"

    def _joined(self, slopes: Array, n: int) -> LinearModel:
        """The states between inputs and outputs; modes beside them are noted."""
        a, b, c, d = slopes[:n, :n], slopes[:n, n:], slopes[n:, :n], slopes[n:, n:]
        links = a != 0.0
        kept = _reached(links, (b != 0.0).any(axis=1))
        kept &= _reached(links.T, (c != 0.0).any(axis=0))
        blocks = self._engine.sound.flat.blocks
        notes = [
            f"{path} ({blocks[path].kind.name}) {reason}" for path, reason in self._bent.items()
        ]
        rest = a[np.ix_(~kept, ~kept)]
        lasting = int((np.abs(np.linalg.eigvals(rest)) > 1.0 - 1e-9).sum()) if len(rest) else 0
        if lasting:
            notes.append(f"{lasting} modes beside the way from input to output do not decay")
        names = tuple(name for name, keep in zip(self._names, kept, strict=True) if keep)
        period_s = self._period * self._engine.sound.flat.base_s
        inner = np.ix_(kept, kept)
        return LinearModel(a[inner], b[kept], c[:, kept], d, period_s, names, tuple(sorted(notes)))


def _reached(links: NDArray[np.bool_], first: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """What links lead to (row from column), from the first ones on."""
    found = first.copy()
    while True:
        more = found | (links & found).any(axis=1)
        if (more == found).all():
            return found
        found = more
