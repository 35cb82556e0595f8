"""The kernel and the interpreter agree bit for bit, at each tick, on diagrams drawn by seeds."""

import random

import numpy as np
import pytest
from campaign import count
from interpreter.interpreter import Interpreter
from interpreter.running import EVERY
from interpreter.stateful import STATEFUL
from interpreter.stateless import CONSTANTS, SOURCES, STATELESS
from random_diagrams import drawn_file

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError

pytestmark = pytest.mark.campaign
TICKS = 200
BATCH = 25
FULL = 10_000


class Pair:
    """A diagram that runs twice."""

    def __init__(self, seed):
        self.draw = random.Random(seed)
        self.seed = seed
        self.sound = check(drawn_file(seed))
        self.engine, self.interpreter = Engine(self.sound), Interpreter(self.sound)
        self.ports = [end for end in self.engine.table.ports if end[0] in self.sound.flat.blocks]
        self.inputs = {
            one.path: self.sound.types[one.path, "y"] for one in self.sound.flat.inputs()
        }

    def step(self):
        """One tick of both; the block at which both stopped, if they did."""
        for name, found in self.inputs.items():
            draw = self.draw
            values = [draw.gauss(0.0, 1.0) if found.type == "real" else float(draw.randint(0, 1))
                      for _ in range(found.size)]  # fmt: skip
            self.engine.set_input(name, values)
            self.interpreter.set_input(name, values)
        stops = [stop_of(self.engine), stop_of(self.interpreter)]
        assert stops[0] == stops[1], f"seed {self.seed}"
        return stops[0]

    def compare(self):
        values = self.engine.values
        for whose, slices, numbers in (
            ("port", {end: self.engine.table.ports[end] for end in self.ports},
             lambda end: self.interpreter.port(*end)),
            ("states", self.engine.table.states, self.interpreter.states),
        ):  # fmt: skip
            mine = np.concatenate([values[one] for one in slices.values()])
            other = np.array([number for one in slices for number in numbers(one)])
            same = (mine.view(np.int64) == other.view(np.int64)) | (
                np.isnan(mine) & np.isnan(other)
            )
            if not same.all():
                at = [one for one in slices for _ in numbers(one)][int(np.argmin(same))]
                kind = self.sound.flat.blocks[at[0] if whose == "port" else at].kind.name
                pytest.fail(f"seed {self.seed}, tick {self.engine.tick}: {whose} {at} of {kind}: "
                            f"{mine[~same][0]!r}, {other[~same][0]!r}")  # fmt: skip


def stop_of(runs):
    try:
        runs.step()
    except NonFiniteError as stop:
        return stop.path, stop.tick
    return None


@pytest.mark.parametrize("batch", range(max(1, count(FULL, 100) // BATCH)))
def test_kernel_and_interpreter_agree_bit_for_bit(batch):
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        pair = Pair(seed)
        middle = None
        for tick in range(TICKS):
            if tick == TICKS // 2:
                middle = pair.engine.snapshot(), pair.interpreter.snapshot(), pair.draw.getstate()
            stop = pair.step()
            pair.compare()
            if stop:
                break
        if middle is None:
            continue
        last = pair.engine.values.copy()
        pair.engine.restore(middle[0])
        pair.interpreter.restore(middle[1])
        pair.draw.setstate(middle[2])
        for _ in range(TICKS // 2):
            stop = pair.step()
            if pair.engine.tick % 20 == 0:
                pair.compare()
            if stop:
                break
        pair.compare()
        assert np.array_equal(last.view(np.int64), pair.engine.values.view(np.int64)), (
            f"seed {seed}"
        )


@pytest.mark.parametrize("exponent", [-3.0, -2.0, 3.0, 4.0, 2.5, -0.5, 101.0, 1e16])
def test_powers_beyond_all_numbers_have_the_kernels_sign(exponent):
    from interpreter.real import power

    for u in (-1e300, 1e300, -0.0, 0.0, -1e-300, 1e-300, -2.0):
        with np.errstate(all="ignore"):
            wanted = np.power(u, exponent)
        assert np.array_equal(power(u, exponent), wanted, equal_nan=True), u
        assert np.isnan(wanted) or np.signbit(power(u, exponent)) == np.signbit(wanted)


@pytest.mark.parametrize("equations", [STATELESS, STATEFUL, EVERY, SOURCES, CONSTANTS])
def test_a_kind_without_an_equation_is_an_error(equations, monkeypatch):
    sound = check(drawn_file(20))
    Interpreter(sound)
    name = next(one.kind.name for one in sound.flat.blocks.values() if one.kind.name in equations)
    monkeypatch.delitem(equations, name)
    with pytest.raises(LookupError, match=f": the interpreter has no equation of {name}$"):
        Interpreter(sound)


def test_a_kind_that_the_kernel_does_not_list_is_an_error(monkeypatch):
    from hil.diagram import kernel

    sound = check(drawn_file(20))
    name = next(one.kind.name for one in sound.flat.blocks.values())
    monkeypatch.delitem(kernel.CODES, name.upper())
    with pytest.raises(LookupError, match=f"^the kernel has no equation of {name}$"):
        Engine(sound)


def test_drawn_diagrams_have_all_kinds_rates_and_ways_to_run():
    from hil.diagram.file.model import FMU
    from hil.diagram.library.registry import kinds

    seen, rates, runs, stops, refused = set(), set(), set(), 0, 0
    for seed in range(250):
        file = drawn_file(seed)
        try:
            sound = check(file)
        except ConfigError:
            refused += 1
            continue
        seen |= {one.kind.name for one in sound.flat.blocks.values()}
        seen |= {one.kind for _, diagram in file.own() for one in diagram.blocks.values()}
        rates |= {(one.rate, one.offset) for one in sound.flat.blocks.values()}
        runs |= {(one.run, one.states, one.outputs) for _, diagram in file.own()
                 for one in diagram.blocks.values()}  # fmt: skip
        stops += 1
    wanted = {*kinds(), "BusIn", "BusOut"} - {FMU}
    assert wanted <= seen, wanted - seen
    assert len(rates) > 10
    assert len(runs) == 9
    assert refused == 0
    assert stops == 250
