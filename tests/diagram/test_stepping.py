"""A diagram that is watched: back and on again has the same bits; conditions; what is kept."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hil.config.errors import ConfigError, RefusedError
from hil.diagram.file.read import read_text
from hil.diagram.run.condition import Condition
from hil.diagram.run.engine import Engine
from hil.diagram.run.live import Version
from hil.diagram.run.stepper import SteppedRun
from hil.diagram.run.trace import Trace

LAW = """format = 1
base_s = 0.01

[block]
"u" = { kind = "In" }
"v" = { kind = "In", shape = [2] }
"noise" = { kind = "UniformNoise" }
"gain" = { kind = "Gain", k = 2.0 }
"sum" = { kind = "Sum" }
"inner" = { kind = "sub", of = "Inner" }
"y" = { kind = "Out" }
"w" = { kind = "Out" }

[wire]
"gain.u" = "u.y"
"sum.u1" = "gain.y"
"sum.u2" = "noise.y"
"inner.e" = "sum.y"
"y.u" = "inner.i"
"w.u" = "v.y"

[sub.Inner.block]
"e" = { kind = "In" }
"whole" = { kind = "Integral" }
"i" = { kind = "Out" }

[sub.Inner.wire]
"whole.u" = "e.y"
"i.u" = "whole.y"
"""


def version(path, law=LAW):
    return Version.of(read_text(law, path / "law.toml"), {})


@pytest.fixture
def run(tmp_path):
    return SteppedRun(version(tmp_path))


def straight(law, path, ticks, inputs, gains):
    """All numbers after each tick of an engine that only goes forward.

    Args:
        inputs: tick → number of ``u`` from then on.
        gains: likewise, of the gain.
    """
    engine = Engine(version(path, law).sound)
    rows = []
    for tick in range(ticks):
        if tick in inputs:
            engine.set_input("u", inputs[tick])
        if tick in gains:
            engine.set_parameters({("gain", "k"): gains[tick]})
        engine.step()
        rows.append([engine.port(*end)[0] for end in (("gain", "y"), ("sum", "y"), ("y", "y"))
                     if end[0] != "y"] + [engine.output("y")[0]])  # fmt: skip
    return np.array(rows)


ACTS = st.lists(
    st.one_of(
        st.tuples(st.just("on"), st.integers(1, 60)),
        st.tuples(st.just("back"), st.integers(1, 60)),
        st.tuples(st.just("u"), st.integers(-5, 5)),
        st.tuples(st.just("k"), st.integers(-5, 5)),
        st.tuples(st.just("watch"), st.integers(0, 1)),
    ),
    max_size=14,
)


@given(acts=ACTS)
@example(acts=[("on", 60), ("back", 40), ("u", 3), ("on", 30), ("back", 5)])  # what was kept is old
@example(acts=[("watch", 0), ("on", 30), ("back", 20), ("on", 30)])
@example(acts=[("on", 50), ("u", 1), ("back", 30), ("u", 2), ("on", 60)])
@example(acts=[("on", 50), ("k", 1), ("on", 5), ("back", 30), ("u", 2), ("on", 60)])
@settings(max_examples=60, deadline=None)
def test_back_and_forth_ends_with_the_bits_of_a_run_that_went_straight(tmp_path_factory, acts):
    path = tmp_path_factory.mktemp("laws")
    run, inputs, gains = SteppedRun(version(path)), {}, {}
    for what, number in (*acts, ("on", 5), ("watch", 0)):
        if what == "on":
            assert run.advance(number)
        elif what == "back":
            assert run.back(number) == max(0, run.tick)
        elif what == "watch":
            run.watch([("inner", "i")] if number == 0 else [("sum", "y"), ("gain", "y")])
        else:
            for one in (inputs, gains):
                for tick in [tick for tick in one if tick > run.tick]:
                    del one[tick]
            if what == "u":
                run.set_input("u", number)
                inputs[run.tick] = number
            else:
                run.change({("gain", "k"): float(number)})
                gains[run.tick] = float(number)
    wanted = straight(LAW, path, run.tick, inputs, gains)
    got = [run.values(*end)[0] for end in (("gain", "y"), ("sum", "y"), ("inner", "i"))]
    assert got == wanted[-1].tolist()
    trace = run.trace("inner", "i")
    assert trace.ticks.tolist() == list(range(1, run.tick + 1))
    assert trace.rows[:, 0].tolist() == wanted[:, 2].tolist()


def test_it_goes_back_ten_seconds_and_the_past_of_a_wire_is_known_from_before_it_was_watched(run):
    assert run.advance(2500)
    before = run.values("inner", "i")[0]
    assert run.back(1000) == 1500
    run.watch([("inner", "i")])
    trace = run.trace("inner", "i")
    assert trace.ticks.tolist() == list(range(run.oldest + 1, 1501))
    run.advance(1000)
    assert run.values("inner", "i")[0] == before
    assert len(trace.ticks) == 1000
    assert run.back(10**6) == run.oldest <= 1500
    assert run.oldest > 1000  # no more is kept than is needed


def test_a_condition_stops_each_time_that_it_begins_to_hold(run):
    run.set_input("u", 1.0)
    run.stop_when(Condition.parse("inner.i >= 0.5"))
    assert not run.advance(1000)
    assert run.values("inner", "i")[0] >= 0.5
    first = run.tick
    run.back(1)
    assert run.values("inner", "i")[0] < 0.5
    assert not run.step()
    assert run.tick == first
    assert run.advance(3)  # it goes on holding
    run.stop_when(None)
    assert run.advance(10)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "write it as"), ("y", "write it as"), ("inner.i > nan", "finite"),
        ("inner.i > 1e999", "finite"), ("inner.i => 1", "write it as"), ("a.b > much", "finite"),
        ("nothing.y > 1", "no such output"), ("v.y[3] > 1", "1 to 2"), ("v.y[0] > 1", "1 to 2"),
        ("__import__('os').y > 1", "write it as"),
    ],
)  # fmt: skip
def test_what_is_no_condition_is_refused(run, text, why):
    with pytest.raises(RefusedError, match=why):
        run.stop_when(Condition.parse(text))


@pytest.mark.parametrize(
    ("text", "values", "holds"),
    [
        ("a.y > 1", [1.0, 1.5], True), ("a.y[1] > 1", [1.0, 1.5], False),
        ("a.y[2]>1", [1.0, 1.5], True), ("a.y == true", [1.0], True), ("a.y != 0", [0.0], False),
        ("a.y <= -1e-3", [-0.001], True), ("a/b.y<-1", [-1.0], False),
    ],
)  # fmt: skip
def test_a_condition_judges_one_number_or_any(text, values, holds):
    assert Condition.parse(text).holds(np.array(values)) is holds


def test_a_fault_stops_and_back_goes_on_with_another_input(tmp_path):
    law = 'format = 1\n[block]\n"u" = { kind = "In" }\n"r" = { kind = "Reciprocal" }\n'
    law += '"y" = { kind = "Out" }\n[wire]\n"r.u" = "u.y"\n"y.u" = "r.y"\n'
    run = SteppedRun(version(tmp_path, law))
    run.set_input("u", 2.0)
    assert run.advance(20)
    run.set_input("u", 0.0)
    assert not run.step()
    assert (run.fault.path, run.fault.tick) == ("r", 20)
    assert not run.step()
    assert run.back(1) == 19
    assert run.fault is None
    assert run.step()
    run.set_input("u", 4.0)
    assert run.step()
    assert run.values("r", "y")[0] == 0.25


def test_after_a_fault_another_structure_goes_on(tmp_path):
    law = 'format = 1\n[block]\n"u" = { kind = "In", unit = "1" }\n"r" = { kind = "Reciprocal" }\n'
    law += '"y" = { kind = "Out" }\n[wire]\n"r.u" = "u.y"\n"y.u" = "r.y"\n'
    run = SteppedRun(version(tmp_path, law))
    assert not run.step()
    assert run.fault.path == "r"
    mended = law.replace('"Reciprocal"', '"Gain", k = 3.0')
    run.change({}, read_text(mended, tmp_path / "law.toml"))
    assert run.fault is None
    run.set_input("u", 2.0)
    assert run.step()
    assert run.values("r", "y")[0] == 6.0


def test_another_structure_goes_on_where_the_first_was_and_can_be_gone_back_over(run, tmp_path):
    run.watch([("inner", "i"), ("gain", "y")])
    run.set_input("u", 1.0)
    run.advance(50)
    before = run.values("inner", "i")[0]
    other = LAW.replace('"gain" = { kind = "Gain", k = 2.0 }', '"twice" = { kind = "Gain" }')
    other = other.replace('"gain.u"', '"twice.u"').replace('"gain.y"', '"twice.y"')
    run.change({}, read_text(other, tmp_path / "law.toml"))
    assert run.values("inner", "i")[0] == before
    run.advance(10)
    assert len(run.trace("inner", "i").ticks) == 60
    assert len(run.trace("gain", "y").ticks) == 50  # it is there no more
    now = run.values("inner", "i")[0]
    run.back(20)
    assert run.values("gain", "y")[0] == 2.0
    run.advance(20)
    assert run.values("inner", "i")[0] == now
    with pytest.raises(ConfigError, match="base_s"):
        run.change({}, read_text(other.replace("0.01", "0.02"), tmp_path / "law.toml"))
    assert run.step()


def test_a_condition_on_a_block_that_was_not_there_yet_holds_for_nothing(run, tmp_path):
    run.advance(10)
    run.set_input("u", 1000.0)
    run.advance(10)
    more = LAW.replace('"gain" =', '"later" = { kind = "TickCount" }\n"gain" =')
    run.change({}, read_text(more, tmp_path / "law.toml"))
    run.stop_when(Condition.parse("later.y >= 25"))
    assert not run.advance(20)
    assert run.tick == 26
    run.back(20)
    assert run.tick == 6
    assert run.advance(14)  # the block is not there, and nothing is asked of it
    assert not run.advance(20)
    assert run.tick == 26
    run.stop_when(Condition.parse("later.y == 1000"))
    run.back(20)
    assert run.advance(14)  # nor of other numbers, one of which begins to be 1000 here
    run.advance(6)
    fewer = more.replace("later", "other")
    run.change({}, read_text(fewer, tmp_path / "law.toml"))
    assert run.advance(40)


@pytest.mark.parametrize(
    ("name", "values"), [("u", [1.0, 2.0]), ("w", 1.0), ("u", float("nan")), ("v", [1, 2, 3])]
)
def test_a_wrong_input_is_refused(run, name, values):
    with pytest.raises(RefusedError):
        run.set_input(name, values)
    run.set_input("v", 3)
    assert run.step()
    assert run.values("v", "y").tolist() == [3.0, 3.0]
    assert run.type_of("inner", "i").shape == ()


@given(most=st.integers(1, 6), counts=st.lists(st.integers(0, 9), max_size=8))
def test_a_trace_keeps_the_newest(most, counts):
    trace, kept, tick = Trace(1, most), [], 0
    for count in counts:
        for _ in range(count):
            tick += 1
            trace.append(tick, np.array([float(tick)]))
            kept = [*kept, tick][-most:]
        assert trace.ticks.tolist() == kept
        assert trace.rows[:, 0].tolist() == kept
        if kept:
            tick = kept[len(kept) // 2]
            kept = [one for one in kept if one <= tick]
            trace.cut(tick)
