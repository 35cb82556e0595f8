"""Expressions: drawn ones against Python's own arithmetic; hostile texts refused in one line."""

import math
import random
import re
from contextlib import suppress

import numpy as np
import pytest
from campaign import count
from hypothesis import given
from hypothesis import strategies as st
from interpreter.interpreter import Interpreter

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.library.grammar import GrammarError, parsed
from hil.diagram.run.engine import Engine

NAMES = ("a", "b", "c")


def made(text, inputs=NAMES, **given):
    """A diagram of one expression, its inputs and outputs at the top."""
    blocks = {name: DrawnBlock("In", {"shape": ()}) for name in inputs}
    blocks["f"] = DrawnBlock("Expression", {"text": text, **given})
    wires = {f"f.{name}": f"{name}.y" for name in inputs}
    return check(DiagramFile(Diagram(blocks, wires), 0.01))


def refused(text, **given):
    inputs = given.pop("inputs", ())
    with pytest.raises(ConfigError) as caught:
        made(text, inputs, **given)
    told = str(caught.value)
    assert len(told.splitlines()[0]) < 400
    return told


def drawn(draw, depth):
    """A text of real value, and the same in Python."""
    if depth == 0 or draw.random() < 0.15:
        if draw.random() < 0.4:
            number = repr(round(draw.uniform(0.1, 3.0), 2))
            return number, number
        name = draw.choice(NAMES)
        return name, name
    kind = draw.randrange(9)
    (a, pa), (b, pb) = drawn(draw, depth - 1), drawn(draw, depth - 1)
    if kind < 3:
        sign = draw.choice("+-*")
        return f"({a} {sign} {b})", f"({pa} {sign} {pb})"
    if kind == 3:
        return f"({a})/(2 + abs({b}))", f"({pa}/(2 + abs({pb})))"
    if kind == 4:
        power = draw.choice((2, 3, 5))
        return f"({a})^{power}", "(" + "*".join([f"({pa})"] * power) + ")"
    if kind == 5:
        name = draw.choice(("sin", "cos", "tanh", "atan"))
        return f"{name}({a})", f"math.{name}({pa})"
    if kind == 6:
        name = draw.choice(("min", "max"))
        return f"{name}({a}, {b})", f"{name}({pa}, {pb})"
    if kind == 7:
        sign = draw.choice(("<", "<=", ">", ">="))
        word = draw.choice(("and", "or"))
        (c, pc), (d, pd) = drawn(draw, depth - 1), drawn(draw, depth - 1)
        condition = f"{a} {sign} {b} {word} not {c} > 0.5"
        same = f"({pa} {sign} {pb}) {word} (not ({pc}) > 0.5)"
        return f"if({condition}, {d}, -{c})", f"(({pd}) if {same} else -({pc}))"
    return f"(-{a} - -{b})", f"(-({pa}) - -({pb}))"


@pytest.mark.campaign
@pytest.mark.parametrize("batch", range(count(40, 2)))
def test_drawn_expressions_are_what_python_computes(batch):
    draw = random.Random(batch)
    for _ in range(25):
        text, same = drawn(draw, 4)
        used = tuple(name for name in NAMES if re.search(rf"\b{name}\b", text))
        try:
            engine = Engine(made(f"y = {text}", used))
        except ConfigError as error:
            if "more than" not in str(error):
                raise
            continue
        code = compile(same, "drawn", "eval")
        for _ in range(5):
            values = {name: draw.gauss(0.0, 1.5) for name in used}
            for name, value in values.items():
                engine.set_input(name, value)
            engine.step()
            wanted = eval(code, {"math": math, "abs": abs, "min": min, "max": max}, values)
            assert engine.port("f")[0] == pytest.approx(wanted, rel=1e-13, abs=1e-300), text


def test_precedence_is_that_of_arithmetic():
    for text, wanted in (
        ("2 + 3*4^2", 50.0), ("-2^2", -4.0), ("2^-1", 0.5), ("8/4/2", 1.0), ("8 - 4 - 2", 2.0),
        ("-(1 - 3)*2", 4.0), ("2^0.5", math.sqrt(2.0)), (".5e1", 5.0), ("+3", 3.0),
        ("if(1 < 2 and not 3 < 2 or 1 > 2, 7, 8)", 7.0), ("limit(9, 1, 4)", 4.0),
        ("atan2(1, 1)*4 - pi", 0.0), ("hypot(3, 4)", 5.0), ("round(2.5) + floor(-0.5)", 2.0),
    ):  # fmt: skip
        engine = Engine(made(text, ()))
        engine.step()
        assert engine.port("f")[0] == pytest.approx(wanted, abs=1e-15), text


def test_a_state_is_integrated_forward_and_begins_where_it_is_told():
    engine = Engine(made("x' = -k*x + t*0/t_unit; y = x", (), names="k t_unit", values=(2.0, 1.0),
                         start=(3.0,), units="k 1/s, t_unit s^2"))  # fmt: skip
    found = []
    for _ in range(100):
        engine.step()
        found.append(engine.port("f")[0])
    np.testing.assert_allclose(found, 3.0 * 0.98 ** np.arange(100), rtol=1e-13)


def test_feed_through_is_exact():
    """A loop over the delayed output is none; over the direct one it is, and is told."""
    blocks = {
        "f": DrawnBlock(
            "Expression",
            {
                "text": "x' = k*(a - x); late = x; now = a + x",
                "names": "k",
                "values": (1.0,),
                "units": "k 1/s",
            },
        )
    }
    check(DiagramFile(Diagram(blocks, {"f.a": "f.late"})))
    with pytest.raises(ConfigError, match="algebraic loop"):
        check(DiagramFile(Diagram(blocks, {"f.a": "f.now"})))


def test_units_are_those_of_the_operations():
    told = refused("y = a + b", inputs=(), units="a m, b s", names="a b", values=(1.0, 2.0))
    assert "m into s" in told or "s into m" in told
    sound = made("y = m*a^2/2", (), names="m a", values=(2.0, 3.0), units="m kg, a m/s, y J")
    assert sound.types["f/y", "u"].unit == "N*m"


def test_a_number_that_is_not_finite_names_the_operation():
    sound = made("y = 1/(a - 1)", ("a",))
    for runs in (Engine(sound), Interpreter(sound)):
        runs.set_input("a", [1.0])
        with pytest.raises(ArithmeticError, match=r"f/Divide_\d+ made a number"):
            runs.step()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("y = __import__('os')", "column 5: __import__: no such function"),
        ("__import__", "a letter, then at most 63"),
        ("y = a.b", "column 6: '.'"), ("y = a[0]", "column 6: '['"),
        ("y = 'os'", "column 5: '"), ("y = \"a\"", "column 5: '\"'"),
        ("y = lambda: 1", "column 11: ':'"),
        ("y = (1 + 2", ") is needed"), ("y = ", "the end: a number, a name or ( is needed"),
        ("", "the end: a number, a name or ( is needed"), ("y = sqr(2)", "did you mean sqrt?"),
        ("y = min(1)", "1 arguments; it takes 2"), ("y = sin", "sin needs its arguments in ( )"),
        ("y = 2^a", "a number is needed as exponent"), ("y = 2^3^2", "need parentheses"),
        ("y = 1 < a < 2", "write a < b and b < c"), ("sin = 2", "has a meaning of its own"),
        ("t = 2", "has a meaning of its own"), ("y = 1; y = 2", "y is given twice"),
        ("y = z; z = 1", "z is used before it is given"), ("y = 1e999", "at most 1e300"),
        ("y = 1 2", "an operator or ; is needed"), ("y == 2", "a number, a name or ( is needed"),
        ("y = a and 1", "boolean"), ("(" * 60 + "1" + ")" * 60, "more than 40 deep"),
        ("-" * 60 + "1", "more than 40 deep"), ("+".join(["1"] * 400), "more than 300"),
        ("1+" * 500_000 + "1", "at most 1000 printable characters"),
        ("y = 1\n", "printable characters"), ("y = é", "'é'"),
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_with_the_place(text, told):
    assert told in refused(text, inputs=("a",) if "a" in text else ())


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"names": "k"}, "1 numbers"), ({"names": "k k2", "values": (1.0,)}, "names has 2"),
        ({"names": "kx", "values": (1.0,)}, "nothing uses kx"),
        ({"start": (1.0, 2.0)}, "2 numbers; 1 states"), ({"units": "q N"}, "'q' is no name here"),
        ({"units": "a quux"}, "quux"),
    ],
)  # fmt: skip
def test_parameters_that_do_not_fit_the_text_are_refused(given, told):
    given = {"units": "k 1/s", **given}
    text = "x' = k*(a - x); y = x" if given["units"] == "k 1/s" else "x' = a - x; y = x"
    if "names" not in given and "k*" in text:
        given |= {"names": "k", "values": (1.0,)}
    if told == "1 numbers":
        given |= {"values": (1.0, 2.0)}
        told = "2 numbers; names has 1"
    assert told in refused(text, inputs=("a",), **given)


@given(st.text(alphabet="ab1.e+-*/^(),;=<>' sin&not or if\t\"{}", max_size=60))
def test_no_text_does_anything_but_parse_or_be_refused(text):
    with suppress(GrammarError):
        assert parsed(text)


def test_values_change_while_it_runs_and_the_text_too():
    from hil.diagram.run.live import Successor, Version

    file = DiagramFile(
        Diagram(
            {
                "f": DrawnBlock(
                    "Expression",
                    {"text": "x' = k; y = x", "names": "k", "values": (1.0,), "units": "k 1/s"},
                )
            },
            {},
        ),
        0.01,
    )
    first = Version.of(file, {})
    for _ in range(10):
        first.engine.step()
    second, told = first.changed({("f", "values"): (5.0,)})
    assert told == (("f.values", (1.0,), (5.0,)),)
    Successor(first, second).carry_over()
    second.engine.step()
    second.engine.step()
    assert second.engine.port("f")[0] == pytest.approx(0.1 + 0.05)
