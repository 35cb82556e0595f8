"""Parameters with a number for each element: as so many scalar blocks, and as closed forms say."""

import numpy as np
import pytest
from interpreter.interpreter import Interpreter
from scipy.signal import lfilter

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import read_text
from hil.diagram.file.write import text_of
from hil.diagram.library.registry import kinds
from hil.diagram.run.engine import Engine
from hil.diagram.show.draw import symbol_of

BASE_S, TICKS = 0.01, 60
U = np.random.default_rng(31).normal(size=(TICKS, 3))
VECTORS = {
    "Gain": {"k": (0.5, -2.0, 3.0)},
    "Bias": {"bias": (0.5, -2.0, 3.0)},
    "PI": {"kp": (0.2, 1.0, 3.0), "ki": (0.1, 5.0, 0.0)},
    "PID": {"kp": (0.2, 1.0, 3.0), "kd": (0.0, 0.1, 0.01), "high": (0.1, 0.5, 2.0)},
    "Integral": {"initial": (1.0, 0.0, -1.0)},
    "IntegralForward": {"initial": (1.0, 0.0, -1.0)},
    "LimitedIntegral": {"low": (-0.1, -0.02, -1.0), "initial": (0.0, 0.1, 0.2)},
    "Lag": {"time_s": (0.02, 0.1, 1.0), "initial": (1.0, 0.0, -1.0)},
    "HighPass": {"time_s": (0.02, 0.1, 1.0)},
    "LeadLag": {"k": (1.0, 2.0, 3.0), "lead_s": (0.1, 0.0, 0.5)},
    "Derivative": {"filter_per_s": (10.0, 100.0, 1000.0)},
    "Saturation": {"low": (-0.1, -1.0, -2.0), "high": (0.1, 0.2, 0.3)},
    "DeadZone": {"width": (0.0, 0.5, 1.0)},
    "Quantiser": {"q": (0.1, 0.5, 2.0)},
    "Hysteresis": {"on_at": (0.1, 0.5, 1.0), "off_at": (-0.1, 0.0, -1.0)},
    "Backlash": {"half_width": (0.1, 0.5, 1.0), "initial": (0.3, 0.0, -2.0)},
    "UnitDelay": {"initial": (1.0, 0.0, -1.0)},
    "Delay": {"ticks": 3, "initial": (1.0, 0.0, -1.0)},
    "MovingAverage": {"ticks": 4, "initial": (1.0, 0.0, -1.0)},
    "SampleHold": {"initial": (1.0, 0.0, -1.0)},
    "Near": {"tolerance": (0.0, 1.0, 5.0)},
    "Within": {"low": (-0.1, -1.0, 0.0), "high": (0.1, 0.2, 3.0)},
    "Modulo": {"period": (0.1, 1.0, 3.0)},
    "RateLimit": {"rise": (1.0, 20.0, 300.0), "fall": 5.0, "initial": (0.0, 1.0, -1.0)},
}


def diagram_of(kind, parameters, shape):
    """A block whose inputs are all the same input of the diagram."""
    blocks = {"b": DrawnBlock(kind, parameters), "u": DrawnBlock("In", {"shape": shape})}
    found = kinds()[kind]
    whole = {one.name: parameters.get(one.name, one.default) for one in found.parameters}
    ports = found.ports_of(whole)
    wires = {f"b.{one.name}": "on.y" if one.type == "boolean" else "u.y"
             for one in ports.inputs if not one.optional}  # fmt: skip
    blocks["on"] = DrawnBlock("PulseBoolean", {"period_s": 0.05})
    return DiagramFile(Diagram(blocks, wires), BASE_S), ports.outputs[0].name


def outputs_of(kind, parameters, u, *, runner=Engine):
    file, port = diagram_of(kind, parameters, u.shape[1:])
    engine = runner(check(file))
    rows = []
    for row in u:
        engine.set_input("u", list(np.ravel(row)))
        engine.step()
        rows.append(np.array(engine.port("b", port)))
    return np.array(rows)


def alone(parameters, i):
    return {k: v[i] if isinstance(v, tuple) else v for k, v in parameters.items()}


def test_every_kind_with_such_parameters_has_its_case():
    assert {one.name for one in kinds().values() if any(p.each for p in one.parameters)} == set(
        VECTORS
    )


@pytest.mark.parametrize("kind", VECTORS)
def test_each_element_is_the_scalar_block_of_its_number(kind):
    found = outputs_of(kind, VECTORS[kind], U)
    for i in range(3):
        wanted = outputs_of(kind, alone(VECTORS[kind], i), U[:, i])
        assert np.array_equal(found[:, i], wanted[:, 0])
    slow = outputs_of(kind, VECTORS[kind], U, runner=Interpreter)
    np.testing.assert_allclose(found, slow, rtol=1e-13, atol=1e-13)


def test_a_vector_pi_is_its_difference_equation():
    """Judge: scipy's filter; the trapezoid rule begins with its second tick."""
    kp, ki = (np.array(VECTORS["PI"][one]) for one in ("kp", "ki"))
    found = outputs_of("PI", VECTORS["PI"], U)
    part = lfilter([BASE_S / 2, BASE_S / 2], [1.0, -1.0], U, axis=0) - BASE_S / 2 * U[0]
    np.testing.assert_allclose(found, kp * U + ki * part, atol=1e-12)


def test_vector_delays_are_shifted_and_backlash_is_its_equation():
    """Judges: the input itself, shifted; the play's equation, by numpy for all axes at once."""
    initial = np.array([1.0, 0.0, -1.0])
    for kind, ticks in (("UnitDelay", 1), ("Delay", 3)):
        before = np.tile(initial, (ticks, 1))
        wanted = np.vstack([before, U])[:TICKS]
        np.testing.assert_array_equal(outputs_of(kind, VECTORS[kind], U), wanted)
    past = np.vstack([np.tile(initial, (3, 1)), U])
    mean = sum(past[n : n + TICKS] for n in range(4)) / 4.0
    np.testing.assert_allclose(outputs_of("MovingAverage", VECTORS["MovingAverage"], U), mean)
    half, y, wanted = np.array([0.1, 0.5, 1.0]), np.array([0.3, 0.0, -2.0]), []
    for row in U:
        y = np.clip(y, row - half, row + half)
        wanted.append(y)
    np.testing.assert_allclose(outputs_of("Backlash", VECTORS["Backlash"], U), wanted, atol=1e-14)


def test_rows_of_numbers_fit_rows_of_elements():
    k = ((1.0, 2.0), (3.0, 4.0), (5.0, 6.0))
    u = np.random.default_rng(7).normal(size=(5, 3, 2))
    found = outputs_of("Gain", {"k": k}, u)
    np.testing.assert_array_equal(found, (u * np.array(k)).reshape(5, 6))


def test_they_change_while_it_runs_and_keep_their_number():
    file, _ = diagram_of("PI", VECTORS["PI"], (3,))
    engine = Engine(check(file))
    engine.set_input("u", [1.0, 1.0, 1.0])
    engine.step()
    engine.set_parameters({("b", "kp"): (5.0, 6.0, 7.0), ("b", "ki"): (0.0, 0.0, 0.0)})
    engine.step()
    assert engine.port("b").tolist() == [5.0, 6.0, 7.0]
    with pytest.raises(ConfigError, match="load the diagram anew"):
        engine.set_parameters({("b", "kp"): (5.0, 6.0), ("b", "ki"): 1.0})


@pytest.mark.parametrize(
    ("kind", "parameters", "shape", "says"),
    [
        ("PI", {"kp": (1.0, 2.0), "ki": (1.0, 2.0, 3.0)}, (3,), "ki has 3 numbers: .*or 2 as"),
        ("Gain", {"k": (1.0, 2.0)}, (3,), "3"),
        ("Gain", {"k": ()}, (3,), "a number is needed, or one for each element"),
        ("Gain", {"k": (1.0, "x")}, (2,), "a number"),
        ("Lag", {"time_s": (1.0, 0.0)}, (2,), "above 0"),
        ("Saturation", {"low": (0.0, 2.0), "high": 1.0}, (2,), "low = 2"),
        ("Backlash", {"half_width": (0.1, -0.1)}, (2,), "half_width"),
        ("UnitDelay", {"initial": (1.0, 2.0)}, (3,), "3"),
        ("Hysteresis", {"on_at": (1.0, 0.0), "off_at": 0.0}, (2,), "off_at = 0"),
        ("Sine", {"amplitude": (1.0, 2.0)}, (), "a number is needed"),
    ],
)
def test_what_does_not_fit_is_refused(kind, parameters, shape, says):
    with pytest.raises(ConfigError, match=says):
        check(diagram_of(kind, parameters, shape)[0])


def test_a_file_keeps_them_and_the_picture_shows_them(tmp_path):
    text = 'format = 1\n[block]\n"g" = { kind = "Gain", k = [1, 2.5, -3] }\n'
    text += '"u" = { kind = "In", shape = [3] }\n[wire]\n"g.u" = "u.y"\n'
    file = read_text(text, tmp_path / "law.toml")
    again = read_text(text_of(file), tmp_path / "law.toml")
    block = again.top.blocks["g"]
    assert block.parameters["k"] == (1, 2.5, -3)
    assert symbol_of(block) == "× [1, 2.5, -3]"
    assert check(again).types["g", "y"].shape == (3,)


def test_the_editor_takes_what_is_typed():
    from hil.panel.diagram.models.line_edits import SetParameter, typed

    file, _ = diagram_of("PI", {"kp": 1.0}, (3,))
    kp = kinds()["PI"].parameter("kp")
    assert kp is not None
    after = SetParameter("", "b", "kp", typed(kp, "[1, 2, 3]")).on(file)
    assert after.top.blocks["b"].parameters["kp"] == (1, 2, 3)
