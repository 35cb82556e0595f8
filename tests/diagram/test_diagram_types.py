"""Units, shapes, types, frames and loops: what may be wired to what, and in which order."""

import math

import numpy as np
import pytest
from interpreter.interpreter import Interpreter

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.units import UnitError, conversion, times, unit, words
from hil.diagram.run.engine import Engine


def diagram(blocks, wires, subs=None, base_s=0.002):
    made = {name: DrawnBlock(kind, parameters) if isinstance(kind, str) else kind
            for name, (kind, parameters) in blocks.items()}  # fmt: skip
    return DiagramFile(Diagram(made, wires), base_s, subs=subs or {})


def refused(*arguments, **named):
    with pytest.raises(ConfigError) as caught:
        check(diagram(*arguments, **named))
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("N*m", "N*m"), ("J", "N*m"), ("kg*m/s^2", "N"), ("rad/s", "1/s"), ("Hz", "Hz"),
        ("V*A", "W"), ("m^2/(s*K)", "m^2/(K*s)"), ("1", "1"), ("deg/s", "deg/s"), ("s^-2", "1/s^2"),
        ("N*m/rad", "N*m"), ("mm", "mm"), ("%", "%"),
    ],
)  # fmt: skip
def test_a_unit_is_its_exponents(text, shown):
    assert words(unit(text)) == shown
    assert unit(words(unit(text))) == unit(text)


@pytest.mark.parametrize("text", ["Nm", "N**m", "N*", "(N", "N)", "N^", "N^0", "2*N", "", "m^1.5"])
def test_what_is_no_unit_is_refused(text):
    with pytest.raises(UnitError, match="no unit"):
        unit(text)


def test_a_conversion_is_the_ratio_of_two_units():
    assert conversion("deg", "rad") == math.pi / 180.0
    assert conversion("rpm", "rad/s") == pytest.approx(2.0 * math.pi / 60.0)
    assert conversion("mm/ms", "m/s") == pytest.approx(1.0)
    for source, target, factor in (
        ("rpm", "Hz", 1.0 / 60.0), ("rev/s", "Hz", 1.0), ("Hz", "rpm", 60.0),
        ("kHz", "rev/s", 1e3), ("Hz", "rad/s", 2.0 * math.pi), ("rev/min^2", "Hz/s", 1.0 / 3600.0),
    ):  # fmt: skip
        assert conversion(source, target) == pytest.approx(factor), (source, target)
    assert conversion("kN*mm", "N*m") == pytest.approx(1.0)
    with pytest.raises(UnitError, match=r"N is N, N\*m is N\*m"):
        conversion("N", "N*m")


def test_units_multiply_as_a_group():
    rng = np.random.default_rng(5)
    for _ in range(200):
        one, other, third = (
            {s: int(e) for s in ("m", "kg", "s", "deg") if (e := rng.integers(-3, 4))}
            for _ in range(3)
        )
        assert times(times(one, other), third) == times(one, times(other, third))
        assert times(one, one, -1) == {}


def test_turns_a_second_and_radians_a_second_are_not_one_wire():
    assert unit("Hz") != unit("rad/s")
    assert unit("Hz") != unit("1/s")
    assert unit("kHz") != unit("Hz")


def constant(unit, value=1.0):
    return "Constant", {"value": value, "unit": unit}


def test_degrees_into_radians_are_refused_and_the_block_between_is_named():
    text = refused(
        {"c": constant("deg"), "s": ("Sin", {})},
        {"s.u": "c.y"},
    )
    assert 's.u = c.y: deg into 1; put a Convert block between (from = "deg", to = "1")' in text
    between = {"c": constant("deg", 90.0), "v": ("Convert", {}), "s": ("Sin", {})}
    engine = Engine(check(diagram(between, {"v.u": "c.y", "s.u": "v.y"})))
    engine.step()
    assert engine.port("s")[0] == 1.0


def test_a_force_into_a_moment_is_refused_at_the_first_wire_that_contradicts():
    blocks = {"f": constant("N"), "r": constant("m"), "mu": constant("N*m"),
              "p": ("Multiply", {}), "s": ("Sum", {}), "i": ("Integral", {})}  # fmt: skip
    wires = {"p.u1": "f.y", "p.u2": "r.y", "s.u1": "p.y", "s.u2": "mu.y", "i.u": "s.y"}
    sound = check(diagram(blocks, wires))
    assert sound.types["i", "y"].unit == "N*m*s"
    text = refused(blocks, wires | {"s.u2": "f.y"})
    assert "s.u2 = f.y: N into N*m" in text
    assert len(text.splitlines()) == 1


def test_units_are_found_against_the_flow():
    """Of a square root's input, from what its output is added to."""
    blocks = {"in": ("In", {}), "q": ("Sqrt", {}), "c": constant("m/s"), "s": ("Sum", {})}
    sound = check(diagram(blocks, {"q.u": "in.y", "s.u1": "q.y", "s.u2": "c.y"}))
    assert sound.types["in", "y"].unit == "m^2/s^2"
    wrong = {**blocks, "d": ("Out", {"unit": "m"})}
    text = refused(wrong, {"q.u": "in.y", "s.u1": "q.y", "s.u2": "c.y", "d.u": "s.y"})
    assert "m/s" in text
    assert len(text.splitlines()) == 1


def test_shapes_types_and_frames_are_refused_at_the_wire():
    vector = ("Constant", {"value": (1.0, 2.0, 3.0), "frame": "wrist"})
    text = refused({"v": vector, "c": ("Cross", {}), "w": constant("1")},
                   {"c.u1": "v.y", "c.u2": "w.y"})  # fmt: skip
    assert "c.u2 = w.y: a scalar into a vector of 3" in text
    text = refused({"v": vector, "a": ("And", {}), "p": ("PulseBoolean", {})},
                   {"a.u1": "p.y", "a.u2": "v.y"})  # fmt: skip
    assert "a.u2 = v.y: real into boolean; put a Greater block between" in text
    text = refused({"v": vector, "w": ("Constant", {"value": (1.0, 2.0, 3.0), "frame": "valve"}),
                    "s": ("Sum", {})}, {"s.u1": "v.y", "s.u2": "w.y"})  # fmt: skip
    assert "s.u2 = w.y: axes 'valve' into axes 'wrist'; put a Rotate block between" in text


POSED = {
    "R": ("Constant", {"value": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}),
    "p": ("Constant", {"value": (1.0, 2.0, 3.0), "unit": "m", "frame": "base"}),
    "pose": ("Pose", {}),
}
POSED_WIRES = {"pose.rotation": "R.y", "pose.position": "p.y"}
PULLED = {
    "f": ("Constant", {"value": (1.0, 0.0, 0.0), "unit": "N", "frame": "wrist"}),
    "m": ("Constant", {"value": (0.0, 0.0, 1.0), "unit": "N*m", "frame": "wrist"}),
    "w": ("Wrench", {}),
}
PULLED_WIRES = {"w.force": "f.y", "w.torque": "m.y"}


@pytest.mark.parametrize(
    ("blocks", "wires", "words"),
    [
        ({"g": ("Gain", {"k": 2.0})}, {"g.u": "pose.pose"},
         "g.u = pose.pose: pose into real; put a PoseParts block between"),
        ({"i": ("PoseInverse", {})}, {"i.pose": "p.y"},
         "i.pose = p.y: real into pose; put a Pose block between"),
        ({"d": ("Demux", {"width": 12})}, {"d.u": "pose.pose"},
         "d.y1: a pose is no list of numbers; put a PoseParts block between"),
        ({"r": ("ShiftRegister", {"ticks": 3})}, {"r.u": "pose.pose"},
         "r.u = pose.pose: a pose is no list of numbers"),
        ({"d": ("Demux", {"width": 12}), "n": ("UnitDelay", {})},
         {"d.u": "pose.pose", "n.u": "d.y1"},
         "n.u = d.y1: a pose is no list of numbers; put a PoseParts block between"),
        ({"d": ("Demux", {"width": 3})}, {"d.u": "pose.pose"},
         "d.u = pose.pose: a pose is no list of numbers; put a PoseParts block between"),
        ({"g": ("Gain", {"k": 2.0})}, {"g.u": "w.wrench"},
         "g.u = w.wrench: wrench into real; put a WrenchParts block between"),
        ({"i": ("WrenchParts", {})}, {"i.wrench": "pose.pose"}, "pose into wrench"),
        ({"z": ("Out", {"type": "wrench", "frame": "valve"})}, {"z.u": "w.wrench"},
         "z.u = w.wrench: axes 'wrist' into axes 'valve'; put a TransformWrench block between "
         '(from = "wrist", to = "valve")'),
        ({"z": ("Out", {"type": "pose", "frame": "world"})}, {"z.u": "pose.pose"},
         "z.u = pose.pose: axes 'base' into axes 'world'; put a PoseProduct block between"),
        ({"t": ("TransformWrench", {"from": "wrist", "to": "base"}),
          "z": ("Out", {"type": "wrench", "frame": "valve"})},
         {"t.pose": "pose.pose", "t.wrench": "w.wrench", "z.u": "t.y"},
         "z.u = t.y: axes 'base' into axes 'valve'"),
        ({"t": ("TransformWrench", {"from": "wrist", "to": "base"}),
          "z": ("Out", {"type": "wrench", "frame": "base"})},
         {"t.pose": "pose.pose", "t.wrench": "w.wrench", "z.u": "t.y"}, ""),
        ({"t": ("TransformPoint", {"from": "tool", "to": "base"})},
         {"t.pose": "pose.pose", "t.point": "p.y"},
         "t.point = p.y: axes 'base' into axes 'tool'; put a Rotate block between"),
        ({"z": ("Out", {"type": "pose", "unit": "m"})}, {"z.u": "pose.pose"},
         "z: unit = 'm': a pose has units of its own; leave it out"),
        ({"z": ("Out", {"type": "pose", "shape": (3,)})}, {"z.u": "pose.pose"},
         "z: shape = [3]: a pose has its own; leave it out"),
    ],
)  # fmt: skip
def test_poses_and_wrenches_are_types_of_their_own(blocks, wires, words):
    blocks = {**POSED, **PULLED, **blocks}
    wires = {**POSED_WIRES, **PULLED_WIRES, **wires}
    if words:
        assert words in refused(blocks, wires)
    else:
        Engine(check(diagram(blocks, wires))).step()


@pytest.mark.parametrize("kind", ["UnitDelay", "Delay", "SampleHold", "Merge"])
def test_what_remembers_a_pose_begins_with_one(kind):
    more = {"SampleHold": {"b.hold": "c.y"}, "Merge": {"b.new1": "n.y", "b.new2": "n.y"}}
    blocks = {**POSED, "b": (kind, {}), "e": ("PoseError", {}), "angle": ("Norm", {}),
              "c": ("ConstantBoolean", {"value": True}), "n": ("ConstantBoolean", {})}  # fmt: skip
    into = ("b.u1", "b.u2") if kind == "Merge" else ("b.u",)
    wires = {**POSED_WIRES, **dict.fromkeys(into, "pose.pose"), **more.get(kind, {}),
             "e.wanted": "b.y", "e.pose": "pose.pose", "angle.u": "e.turn"}  # fmt: skip
    for runs in (Engine(check(diagram(blocks, wires))), Interpreter(check(diagram(blocks, wires)))):
        runs.step()
        assert [*runs.port("b")] == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
        assert [*runs.port("e/less"), *runs.port("angle")] == [-1, -2, -3, 0]


def test_a_pose_of_a_sub_diagram_that_has_not_run_is_not_turned_and_never_put_to_0():
    inner = Diagram(
        {name: DrawnBlock(kind, given) for name, (kind, given) in POSED.items()}
        | {"y": DrawnBlock("Out")},
        {**POSED_WIRES, "y.u": "pose.pose"},
    )

    def around(**kept):
        blocks = {"n": ("ConstantBoolean", {}),
                  "s": (DrawnBlock("sub", of="S", run="enabled", **kept), {}),
                  "o": ("Out", {"type": "pose"})}  # fmt: skip
        return blocks, {"s.enable": "n.y", "o.u": "s.y"}, {"S": inner}

    engine = Engine(check(diagram(*around())))
    engine.step()
    assert [*engine.port("s/pose", "pose")] == [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]
    assert 's.y: a pose cannot be put to 0; outputs = "held"' in refused(*around(outputs="reset"))


@pytest.mark.parametrize("seed", range(20))
def test_the_solver_of_units_agrees_with_a_rank(seed):
    """Random equations over exponents: consistent exactly if the rank of the whole is."""
    from fractions import Fraction

    from hil.diagram.check.unify import LinearUnit, UnitEquations

    rng = np.random.default_rng(seed)
    count, equations = 12, 16
    left = rng.integers(-2, 3, (equations, count)) * (rng.random((equations, count)) < 0.25)
    right = rng.integers(-2, 3, equations)
    right[: equations // 2] = left[: equations // 2] @ rng.integers(-2, 3, count)
    solver, kept = UnitEquations(), []
    for row, value in zip(left, right, strict=True):
        trial = [*kept, (row, value)]
        matrix = np.array([one for one, _ in trial], dtype=float)
        whole = np.column_stack([matrix, [one for _, one in trial]])
        wanted = np.linalg.matrix_rank(matrix) == np.linalg.matrix_rank(whole)
        variables = {("b", f"?{n}"): Fraction(int(c)) for n, c in enumerate(row) if c}
        known = {"m": Fraction(int(value))} if value else {}
        assert solver.equate(LinearUnit({}, variables), LinearUnit(known, {})) == wanted
        if wanted:
            kept = trial


DIRECT_AND_DELAYED = Diagram(
    {"u": DrawnBlock("In"), "g": DrawnBlock("Gain", {"k": 0.5}), "z": DrawnBlock("UnitDelay"),
     "direct": DrawnBlock("Out"), "delayed": DrawnBlock("Out")},
    {"g.u": "u.y", "z.u": "u.y", "direct.u": "g.y", "delayed.u": "z.y"},
)  # fmt: skip
PORTS = {"b": (DrawnBlock("sub", of="Both"), None), "s": ("Sum", {}), "one": constant("1")}
BEGUN = {"b.u": "s.y", "s.u1": "one.y"}


def test_a_loop_over_a_delayed_output_is_none_and_costs_no_tick():
    file = diagram(PORTS, BEGUN | {"s.u2": "b.delayed"}, {"Both": DIRECT_AND_DELAYED})
    engine = Engine(check(file))
    found = []
    for _ in range(5):
        engine.step()
        found.append(engine.port("s")[0])
    assert found == [1.0, 2.0, 3.0, 4.0, 5.0]


def test_a_loop_over_a_direct_output_is_refused_in_the_direction_of_flow():
    text = refused(PORTS, BEGUN | {"s.u2": "b.direct"}, {"Both": DIRECT_AND_DELAYED})
    assert "algebraic loop: b/g -> s -> b/g" in text
    assert "put a UnitDelay" in text


def test_wires_in_a_circle_through_a_sub_diagram_are_refused():
    through = Diagram({"u": DrawnBlock("In"), "y": DrawnBlock("Out")}, {"y.u": "u.y"})
    text = refused({"a": (DrawnBlock("sub", of="T"), None), "g": ("Gain", {})},
                   {"a.u": "a.y", "g.u": "a.y"}, {"T": through})  # fmt: skip
    assert "wires in a circle" in text


def test_a_pair_of_outputs_with_one_direct_input_each_makes_no_loop():
    """D = diag(1, 1): y1 hangs on u1 alone, so that u2 may hang on y1."""
    zeros = ((0.0, 0.0), (0.0, 0.0))
    parameters = {"A": zeros, "B": zeros, "C": zeros, "D": ((1.0, 0.0), (0.0, 1.0))}
    blocks = {"b": ("StateSpace", parameters), "c": constant("1", 3.0), "g": ("Gain", {"k": 2.0})}
    engine = Engine(check(diagram(blocks, {"b.u1": "c.y", "g.u": "b.y1", "b.u2": "g.y"})))
    engine.step()
    assert engine.port("b", "y2")[0] == 6.0
    text = refused(blocks, {"b.u1": "g.y", "g.u": "b.y1", "b.u2": "c.y"})
    assert "algebraic loop: b -> g -> b" in text


def test_three_delays_through_two_sub_diagrams_are_three_ticks():
    one = Diagram({"u": DrawnBlock("In"), "z": DrawnBlock("UnitDelay"), "y": DrawnBlock("Out")},
                  {"z.u": "u.y", "y.u": "z.y"})  # fmt: skip
    two = Diagram({"u": DrawnBlock("In"), "a": DrawnBlock("sub", of="One"),
                   "z": DrawnBlock("UnitDelay"), "y": DrawnBlock("Out")},
                  {"a.u": "u.y", "z.u": "a.y", "y.u": "z.y"})  # fmt: skip
    blocks = {"t": ("TickCount", {}), "r": ("IntegerToReal", {}), "a": (DrawnBlock("sub", of="One"),
              None), "b": (DrawnBlock("sub", of="Two"), None)}  # fmt: skip
    wires = {"r.u": "t.y", "a.u": "r.y", "b.u": "a.y"}
    file = diagram(blocks | {"o": ("Out", {})}, wires | {"o.u": "b.y"}, {"One": one, "Two": two})
    engine = Engine(check(file))
    found = engine.run(20, engine.outputs.values())[:, 0]
    assert found.tolist() == [0.0, 0.0, 0.0, *map(float, range(17))]


COUNTING = Diagram(
    {"i": DrawnBlock("IntegralForward", {"initial": 1.0}), "c": DrawnBlock("Constant",
     {"value": 500.0, "unit": "1/s"}), "y": DrawnBlock("Out")},
    {"i.u": "c.y", "y.u": "i.y"},
)  # fmt: skip


def conditional(run, **kept):
    """Outputs of a sub-diagram that counts, under a pulse of two ticks in five."""
    port = "enable" if run == "enabled" else "trigger"
    file = diagram(
        {"p": ("PulseBoolean", {"period_s": 0.01, "width": 0.4}), "o": ("Out", {}),
         "b": (DrawnBlock("sub", of="C", run=run, **kept), None)},
        {f"b.{port}": "p.y", "o.u": "b.y"}, {"C": COUNTING},
    )  # fmt: skip
    engine = Engine(check(file))
    return engine.run(10, engine.outputs.values())[:, 0].tolist()


def test_an_enabled_sub_diagram_holds_or_resets_its_states_and_outputs():
    held = [1, 2, 2, 2, 2, 3, 4, 4, 4, 4]
    assert conditional("enabled") == held
    assert conditional("enabled", states="reset") == [1, 2, 2, 2, 2] * 2
    assert conditional("enabled", outputs="reset") == [1, 2, 0, 0, 0, 3, 4, 0, 0, 0]
    assert conditional("enabled", states="reset", outputs="reset") == [1, 2, 0, 0, 0] * 2


def test_a_triggered_sub_diagram_runs_once_for_each_edge():
    assert conditional("triggered") == [1, 1, 1, 1, 1, 2, 2, 2, 2, 2]
    assert conditional("triggered", outputs="reset") == [1, 0, 0, 0, 0, 2, 0, 0, 0, 0]


def test_rates_and_offsets_count_base_ticks_within_sub_diagrams_too():
    inner = Diagram({"t": DrawnBlock("TickCount", rate=2, offset=1), "y": DrawnBlock("Out")},
                    {"y.u": "t.y"})  # fmt: skip
    file = diagram({"b": (DrawnBlock("sub", of="S", rate=3, offset=1), None), "o": ("Out", {})},
                   {"o.u": "b.y"}, {"S": inner})  # fmt: skip
    engine = Engine(check(file))
    found = engine.run(12, engine.outputs.values())[:, 0]
    assert found.tolist() == [0, 0, 0, 0, 4, 4, 4, 4, 4, 4, 10, 10]


def test_a_sub_diagram_in_an_enabled_one_runs_while_both_are_enabled():
    inner = Diagram(
        {"i": DrawnBlock("IntegralForward"), "c": DrawnBlock("Constant", {"value": 500.0,
         "unit": "1/s"}), "y": DrawnBlock("Out")},
        {"i.u": "c.y", "y.u": "i.y"},
    )  # fmt: skip
    outer = Diagram(
        {"on": DrawnBlock("In"), "n": DrawnBlock("sub", of="Inner", run="enabled"),
         "y": DrawnBlock("Out")},
        {"n.enable": "on.y", "y.u": "n.y"},
    )  # fmt: skip
    first = ("PulseBoolean", {"period_s": 0.02, "width": 0.5})  # ticks 0 to 4 of ten
    second = ("PulseBoolean", {"period_s": 0.008, "width": 0.5})  # ticks 0 and 1 of four
    k = np.arange(40)
    both = (k % 10 < 5) & (k % 4 < 2)
    for states, wanted in (("held", np.cumsum(both)), ("reset", None)):
        blocks = {
            "z1": first, "z2": second, "o": ("Out", {}),
            "b": (DrawnBlock("sub", of="Outer", run="enabled", states=states), None),
        }  # fmt: skip
        wires = {"b.enable": "z1.y", "b.on": "z2.y", "o.u": "b.y"}
        engine = Engine(check(diagram(blocks, wires, {"Inner": inner, "Outer": outer})))
        found, counted = [], []
        for tick in k:
            engine.step()
            found.append(engine.port("b/n/i")[0])
            counted.append(engine.states("b/n/i")[0])
            if states == "reset" and tick % 10 == 0:
                assert counted[-1] == float(both[tick])
        if wanted is not None:
            assert counted == wanted.tolist()
        else:
            whole = [int(both[tick // 10 * 10 : tick + 1].sum()) for tick in k]
            assert counted == whole


def test_thousands_of_conditions_may_stand_in_a_diagram():
    blocks = {"p": ("PulseBoolean", {})}
    wires = {}
    for number in range(1500):
        kept = DrawnBlock("sub", of="C", run="enabled", states="reset", outputs="reset")
        blocks[f"b{number}"] = (kept, None)
        wires[f"b{number}.enable"] = "p.y"
    engine = Engine(check(diagram(blocks, wires, {"C": COUNTING})))
    engine.step()
    assert engine.port("b1499/i")[0] == 1.0
