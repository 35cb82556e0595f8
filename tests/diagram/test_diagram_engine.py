"""A diagram that runs: snapshots, parameters, faults; nothing is compiled for a change."""

from pathlib import Path

import numpy as np
import pytest
from interpreter.interpreter import Interpreter
from random_diagrams import drawn_file

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import read_text
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError
from hil.diagram.run.table import build


def made(blocks, wires, base_s=0.002):
    return check(DiagramFile(Diagram(blocks, wires), base_s))


def chain(count, k=0.999):
    """Blocks in a row, each hanging on the one before."""
    blocks = {"b0000": DrawnBlock("Constant", {"value": 1.0})}
    wires = {}
    for number in range(1, count):
        blocks[f"b{number:04}"] = DrawnBlock("Gain", {"k": k})
        wires[f"b{number:04}.u"] = f"b{number - 1:04}.y"
    return blocks, wires


def test_a_division_by_zero_names_block_and_tick():
    sound = made(
        {"t": DrawnBlock("Step", {"time_s": 3.0, "before": 1.0, "after": 0.0}),
         "inverse": DrawnBlock("Reciprocal")}, {"inverse.u": "t.y"},
    )  # fmt: skip
    engine = Engine(sound)
    for _ in range(1500):
        engine.step()
    with pytest.raises(NonFiniteError, match=r"inverse made .* tick 1500 \(3 s\)") as caught:
        engine.step()
    assert (caught.value.path, caught.value.tick) == ("inverse", 1500)
    assert engine.tick == 1500


@pytest.mark.parametrize(("kind", "value"), [("Sqrt", -1.0), ("Log", 0.0), ("Exp", 1000.0)])
def test_a_function_without_a_value_stops_kernel_and_interpreter_alike(kind, value):
    sound = made({"c": DrawnBlock("Constant", {"value": value}), "f": DrawnBlock(kind)},
                 {"f.u": "c.y"})  # fmt: skip
    for runs in (Engine(sound), Interpreter(sound)):
        with pytest.raises(NonFiniteError, match="f made a number that is not finite, tick 0"):
            runs.step()


def test_a_snapshot_goes_on_bit_by_bit_and_is_not_touched_by_it():
    wires = {"sum.u": "noise.y"}
    sound = made({"noise": DrawnBlock("NormalNoise"), "sum": DrawnBlock("Integral")}, wires)
    engine = Engine(sound)
    for _ in range(50):
        engine.step()
    state = engine.snapshot()
    kept = state.values.copy()
    ends = []
    for _ in range(2):
        for _ in range(50):
            engine.step()
        ends.append(engine.values.view(np.int64).copy())
        engine.restore(state)
    assert np.array_equal(*ends)
    assert np.array_equal(kept, state.values)
    assert engine.tick == 50


def test_parameters_change_all_or_none_and_within_their_limits():
    sound = made({"c": DrawnBlock("Constant", {"value": 1.0}), "lag": DrawnBlock("Lag"),
                  "g": DrawnBlock("Gain")}, {"g.u": "c.y", "lag.u": "g.y"})  # fmt: skip
    engine, other = Engine(sound), Engine(sound)
    engine.step()
    with pytest.raises(ConfigError) as caught:
        engine.set_parameters({("g", "k"): 5.0, ("lag", "time_s"): -1.0, ("h", "k"): 1.0})
    assert "lag.time_s = -1.0: a number [s] above 0 to 1e+06 is needed" in str(caught.value)
    assert "h.k: no such block" in str(caught.value)
    other.step()
    assert np.array_equal(engine.values, other.values)
    engine.set_parameters({("g", "k"): 5.0})
    engine.step()
    assert engine.port("g")[0] == 5.0
    with pytest.raises(ConfigError, match=r"g\.unit: changes ports"):
        engine.set_parameters({("g", "unit"): "N"})
    state = engine.snapshot()
    engine.set_parameters({("g", "k"): 7.0})
    engine.restore(state)
    engine.step()
    assert engine.port("g")[0] == 5.0


def test_changed_parameters_leave_kernel_and_interpreter_alike():
    sound = made({"u": DrawnBlock("Sine"), "m": DrawnBlock("Sine", {"frequency_hz": 3.0}),
                  "pid": DrawnBlock("PID", {"ki": 2.0, "kd": 0.1})},
                 {"pid.setpoint": "u.y", "pid.measured": "m.y"})  # fmt: skip
    engine, interpreter = Engine(sound), Interpreter(sound)
    draw = np.random.default_rng(2)
    for tick in range(300):
        if tick % 20 == 10:
            wanted = dict(zip(("kp", "ki", "kd"), draw.random(3), strict=True))
            engine.set_parameters({("pid", name): float(one) for name, one in wanted.items()})
            whole = {**sound.flat.blocks["pid"].parameters, **wanted}
            interpreter.set_parameters("pid", whole)
        engine.step()
        interpreter.step()
        assert engine.port("pid", "u").tolist() == interpreter.port("pid", "u")
        assert engine.states("pid").tolist() == interpreter.states("pid")


def test_one_of_a_thousand_blocks_changed_compiles_nothing():
    from hil.diagram import kernel

    blocks, wires = chain(1000)
    Engine(made(blocks, wires)).step()
    before = kernel.step.stats, len(kernel.step.overloads)
    blocks["b0500"] = DrawnBlock("Tanh")
    engine = Engine(made(blocks, wires))
    engine.step()
    assert (kernel.step.stats, len(kernel.step.overloads)) == before
    assert kernel.step.signatures == [kernel.step.signatures[0]]
    assert engine.port("b0999")[0] == pytest.approx(0.999**499 * np.tanh(0.999**499), rel=1e-2)


def test_a_step_allocates_nothing():
    import tracemalloc

    blocks, wires = chain(200)
    engine = Engine(made(blocks, wires))
    engine.tick = 10_000  # beyond the small whole numbers that Python keeps
    for _ in range(100):
        engine.step()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(1000):
        engine.step()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 2000


def test_the_order_is_that_of_paths_and_every_input_is_there_before_it_is_read():
    for seed in range(60):
        sound = check(drawn_file(seed))
        done = set()
        restarts = {f"{sub}/": path for path, sub in sound.flat.restarts.items()}
        ran = set()
        for path, part in sound.order:
            block = sound.flat.blocks[path]
            assert block.enable is None or block.enable in done
            assert all(one in ran for sub, one in restarts.items() if path.startswith(sub))
            ran.add(path)
            outputs = [one.name for one in block.ports.outputs]
            for source, output in block.kind.direct_of(block.parameters):
                if part >= 0 and output != outputs[part]:
                    continue
                driver = sound.flat.drivers.get((path, source))
                if driver and driver[0] in sound.flat.blocks:
                    assert driver in done
            done |= {(path, one) for one in (outputs if part < 0 else outputs[part : part + 1])}


def test_what_is_compiled_is_found_by_all_files_of_the_kernel(tmp_path):
    from hil.diagram import kernel
    from hil.diagram.kernel.step import sources_number

    folder = Path(kernel.__file__).parent
    files = sorted(folder.glob("*.py"))
    assert len(files) > 5
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes())
    number = sources_number(folder)
    assert sources_number(tmp_path) == number
    for file in files:
        (tmp_path / file.name).write_bytes(file.read_bytes() + b"#")
        assert sources_number(tmp_path) != number
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (cell,) = kernel.step.py_func.__closure__
    assert cell.cell_contents == number  # numba keeps its code under what a closure holds, too
    assert kernel.step.stats.cache_path == str(folder / "__pycache__")


RESET = """format = 1
[block]
"go" = { kind = "In", type = "boolean" }
"u" = { kind = "In", unit = "1" }
"law" = { kind = "sub", of = "Law", run = "enabled", states = "reset" }
[wire]
"law.enable" = "go.y"
"law.u" = "u.y"
[sub.Law.block]
"u" = { kind = "In" }
"one" = { kind = "ResettingIntegral" }
"three" = { kind = "Delay", ticks = 3, initial = 7.0 }
"two" = { kind = "UnitDelay", initial = 5.0 }
[sub.Law.wire]
"one.u" = "u.y"
"three.u" = "u.y"
"two.u" = "u.y"
"""


def test_all_states_of_a_sub_diagram_begin_anew_and_no_others(tmp_path):
    engine = Engine(check(read_text(RESET, tmp_path / "law.toml")))
    ends = [("law/one", "y"), ("law/three", "y"), ("law/two", "y")]

    def rows(go, ticks):
        engine.values[engine.inputs["go"]] = go
        engine.values[engine.inputs["u"]] = 3.0
        found = []
        for _ in range(ticks):
            engine.step()
            found.append([float(engine.values[engine.place(*end)][0]) for end in ends])
        return found

    first = rows(1.0, 6)
    assert first[0][1:] == [7.0, 5.0]
    assert first[-1][1:] == [3.0, 3.0]
    assert rows(0.0, 4) == [first[-1]] * 4
    assert rows(1.0, 6) == first


def test_two_tables_are_two_whatever_their_numbers_are():
    """They are found by what they are, and their rows are not compared by the way."""
    sound = made(*chain(3))
    one, other = build(sound), build(made(*chain(3)))
    assert build(sound) is one
    assert one.has_rows_of(other)
    assert len({one, other}) == 2
    assert one != other
