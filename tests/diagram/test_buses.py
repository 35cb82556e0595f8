"""Buses: the same law as with its wires drawn one by one, and what is wrong with one."""

from pathlib import Path

import numpy as np
import pytest

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.file.write import text_of
from hil.diagram.run.engine import Engine

BUSED = """format = 1

[block]
"f" = { kind = "In", frame = "tool", shape = [3], unit = "N" }
"on" = { kind = "In", type = "boolean" }
"v" = { kind = "In", unit = "m/s" }
"inner_bus" = { kind = "BusIn", names = "speed on" }
"all" = { kind = "BusIn", names = "force rest" }
"law" = { kind = "sub", of = "Law" }
"apart" = { kind = "BusOut", names = "speed" }
"size" = { kind = "Out", unit = "N" }
"same" = { kind = "Out", unit = "m/s" }

[wire]
"inner_bus.speed" = "v.y"
"inner_bus.on" = "on.y"
"all.force" = "f.y"
"all.rest" = "inner_bus.bus"
"law.sensors" = "all.bus"
"size.u" = "law.size"
"apart.bus" = "law.passed"
"same.u" = "apart.speed"

[sub.Law.block]
"sensors" = { kind = "In" }
"out_of" = { kind = "BusOut", names = "rest force" }
"rest" = { kind = "BusOut", names = "on speed" }
"norm" = { kind = "Norm" }
"none" = { kind = "Constant", unit = "N", value = 0.0 }
"chosen" = { kind = "Switch" }
"again" = { kind = "BusIn", names = "speed" }
"size" = { kind = "Out", unit = "N" }
"passed" = { kind = "Out" }

[sub.Law.wire]
"out_of.bus" = "sensors.y"
"rest.bus" = "out_of.rest"
"norm.u" = "out_of.force"
"chosen.condition" = "rest.on"
"chosen.u1" = "norm.y"
"chosen.u2" = "none.y"
"size.u" = "chosen.y"
"again.speed" = "rest.speed"
"passed.u" = "again.bus"
"""
PLAIN = """format = 1

[block]
"f" = { kind = "In", frame = "tool", shape = [3], unit = "N" }
"on" = { kind = "In", type = "boolean" }
"v" = { kind = "In", unit = "m/s" }
"norm" = { kind = "Norm" }
"none" = { kind = "Constant", unit = "N", value = 0.0 }
"chosen" = { kind = "Switch" }
"size" = { kind = "Out", unit = "N" }
"same" = { kind = "Out", unit = "m/s" }

[wire]
"norm.u" = "f.y"
"chosen.condition" = "on.y"
"chosen.u1" = "norm.y"
"chosen.u2" = "none.y"
"size.u" = "chosen.y"
"same.u" = "v.y"
"""


def sound(text):
    return check(read_text(text, Path("law.toml")))


def test_a_law_with_buses_computes_as_one_with_its_wires_drawn_one_by_one():
    runs, random = [Engine(sound(text)) for text in (BUSED, PLAIN)], np.random.default_rng(3)
    assert len(runs[0].table.rows) == len(runs[1].table.rows)
    for _ in range(100):
        f, v, on = random.normal(size=3), random.normal(), float(random.random() < 0.5)
        for one in runs:
            one.set_input("f", f)
            one.set_input("v", v)
            one.set_input("on", on)
            one.step()
        first, other = ([one.output(name).tolist() for name in ("size", "same")] for one in runs)
        assert first == other
        assert first[1] == [v]
        assert first[0] == [pytest.approx(np.linalg.norm(f) if on else 0.0)]


def test_a_file_with_buses_is_read_as_it_is_written():
    file = read_text(BUSED, Path("law.toml"))
    assert text_of(read_text(text_of(file), Path("law.toml"))) == text_of(file)


def test_units_are_those_of_the_wires_in_a_bus():
    with pytest.raises(ConfigError, match=r"same.u = apart.speed.*m/s into N|m/s.*N"):
        sound(BUSED.replace('"same" = { kind = "Out", unit = "m/s" }',
                            '"same" = { kind = "Out", unit = "N" }'))  # fmt: skip


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('"rest.on"', '"rest.one"', "rest has no output 'one'; did you mean on"),
        ('"apart.bus" = "law.passed"', '"apart.bus" = "v.y"', "is no bus: a BusIn bundles wires"),
        ('"size.u" = "law.size"', '"size.u" = "law.passed"', "cannot leave the diagram"),
        ('"norm.u" = "out_of.force"', '"norm.u" = "again.bus"', "goes into a BusOut or through"),
        ('"inner_bus.on" = "on.y"\n', "", "inner_bus.on: nothing is wired"),
        ('"apart.bus" = "law.passed"\n', "", "apart.bus: nothing is wired"),
        ('names = "speed on"', 'names = "speed speed"', "each once"),
        ('names = "speed on"', 'names = ""', "1 to 64"),
        ('names = "speed on"', 'names = "speed 1on"', "make a name"),
        ('"again.speed" = "rest.speed"', '"again.speed" = "out_of.rest"', "bus"),
    ],
)
def test_what_is_wrong_with_a_bus_is_told_at_its_wire(old, new, why):
    assert old in BUSED
    with pytest.raises(ConfigError, match=why):
        sound(BUSED.replace(old, new))


def test_a_wire_may_go_through_one_bus_twice():
    text = """format = 1
[block]
"v" = { kind = "In", unit = "m" }
"all" = { kind = "BusIn", names = "raw again" }
"first" = { kind = "BusOut", names = "raw" }
"second" = { kind = "BusOut", names = "again" }
"y" = { kind = "Out", unit = "m" }
[wire]
"all.raw" = "v.y"
"all.again" = "first.raw"
"first.bus" = "all.bus"
"second.bus" = "all.bus"
"y.u" = "second.again"
"""
    assert sound(text).flat.drivers["y", "u"] == ("v", "y")


def test_a_name_that_is_not_in_the_bus_is_told_with_those_that_are():
    text = BUSED.replace('"again" = { kind = "BusIn", names = "speed" }',
                         '"again" = { kind = "BusIn", names = "spead" }')  # fmt: skip
    text = text.replace('"again.speed"', '"again.spead"')
    with pytest.raises(ConfigError, match="the bus has no speed; did you mean spead"):
        sound(text)


def test_buses_in_a_circle_are_told_and_nothing_hangs():
    text = """format = 1
[block]
"a" = { kind = "BusIn", names = "x" }
"b" = { kind = "BusOut", names = "x" }
"y" = { kind = "Out" }
[wire]
"a.x" = "b.x"
"b.bus" = "a.bus"
"y.u" = "b.x"
"""
    with pytest.raises(ConfigError, match="circle through a bus"):
        sound(text)
