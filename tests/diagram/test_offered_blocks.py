"""Blocks of another distribution: called by address, equal to their functions, harmless if not."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import third_party
from interpreter.interpreter import Interpreter

from hil.config.errors import ConfigError
from hil.diagram.check.diagram import check
from hil.diagram.file.read import read_text
from hil.diagram.library import registry
from hil.diagram.run.engine import Engine
from hil.diagram.run.fault import NonFiniteError

HERE = third_party.ROOT / "tests" / "third_blocks"
EXAMPLES = third_party.ROOT / "examples"
LAW = """format = 1
base_s = 0.002
[block]
"a" = { kind = "In", shape = [3], unit = "m" }
"b" = { kind = "In", shape = [3] }
"on" = { kind = "In", type = "boolean" }
"mix" = { kind = "Mixer", k = 3.0, gain = -0.5, rate = 2 }
"into" = { kind = "RateTransition", rate = 2 }
"b_into" = { kind = "RateTransition", rate = 2 }
"on_into" = { kind = "RateTransition", rate = 2 }
"noise" = { kind = "NormalNoise" }
"kalman" = { kind = "Kalman1", q = 0.5, r = 0.2 }
[wire]
"into.u" = "a.y"
"b_into.u" = "b.y"
"on_into.u" = "on.y"
"mix.a" = "into.y"
"mix.b" = "b_into.y"
"mix.on" = "on_into.y"
"kalman.u" = "noise.y"
"""
FAILS = """format = 1
[block]
"u" = { kind = "In" }
"f" = { kind = "Failing" }
[wire]
"f.u" = "u.y"
"""


@pytest.fixture
def theirs(tmp_path, monkeypatch):
    """The distribution is installed for this process."""
    third_party.metadata(HERE / "pyproject.toml", tmp_path / "site")
    for folder in (HERE, EXAMPLES, tmp_path / "site"):
        monkeypatch.syspath_prepend(str(folder))
    caches = (registry.kinds, registry.offered)
    for one in caches:
        one.cache_clear()
    yield
    for one in caches:
        one.cache_clear()
    for module in ("own_block", "blocks_theirs", "blocks_raising"):
        sys.modules.pop(module, None)


def sound(text):
    return check(read_text(text, Path("law.toml")))


@pytest.mark.usefixtures("theirs")
def test_its_blocks_are_computed_as_their_functions_say_and_the_kernel_is_not_compiled_again():
    from hil.diagram import kernel

    compiled = len(kernel.step.signatures)
    engine, interpreter = Engine(sound(LAW)), Interpreter(sound(LAW))
    random = np.random.default_rng(5)
    x, estimate, variance, held = np.array([0.0, 0.1, 0.2, 0.3]), 0.0, 1.0, None
    for tick in range(200):
        a, b, on = random.normal(size=3), random.normal(size=3), bool(random.random() < 0.5)
        for one in (engine, interpreter):
            one.set_input("a", list(a))
            one.set_input("b", list(b))
            one.set_input("on", [float(on)])
            one.step()
        if tick % 2 == 0:
            y = (a + 3.0 * b if on else a / b) + x[:3]
            held = np.append(y, y[0] * 0.004 + x[3])
            x = np.append(0.5 * x[:3] - 0.5 * a, x[3] + 1.0)
        before = variance + 0.5 * 0.002
        gain = before / (before + 0.2)
        estimate += gain * (engine.port("noise")[0] - estimate)
        variance = (1.0 - gain) * before
        found = np.append(engine.port("mix", "y"), engine.port("mix", "z"))
        np.testing.assert_allclose(found, held, rtol=1e-13, atol=1e-15)
        assert engine.port("kalman", "y")[0] == pytest.approx(estimate, rel=1e-12)
        assert engine.port("kalman", "variance")[0] == pytest.approx(variance, rel=1e-12)
        for path, port in (("mix", "y"), ("mix", "z"), ("kalman", "y")):
            assert engine.port(path, port).tolist() == list(interpreter.port(path, port))
        assert engine.states("mix").tolist() == list(interpreter.states("mix"))
    assert len(kernel.step.signatures) == compiled == 1
    engine.set_parameters({("kalman", "r"): 1e9})
    last = engine.port("kalman", "y")[0]
    engine.step()
    assert engine.port("kalman", "y")[0] == pytest.approx(last, abs=1e-8)


@pytest.mark.usefixtures("theirs")
def test_one_that_fails_in_a_tick_stops_there_by_name_and_writes_nothing_beyond_its_own():
    engine, interpreter = Engine(sound(FAILS)), Interpreter(sound(FAILS))
    for one in (engine, interpreter):
        one.set_input("u", [1.0])
        one.step()
    before = engine.values.copy()
    for one in (engine, interpreter):
        one.set_input("u", [-1.0])
        with pytest.raises(NonFiniteError, match="f"):
            one.step()
    changed = np.flatnonzero(engine.values != before)
    own = {*range(*engine.place("f", "y").indices(len(before))),
           *range(*engine.place("f", "z").indices(len(before))),
           *range(*engine.place("u", "y").indices(len(before)))}  # fmt: skip
    room = engine.table.numbers["f"]
    assert {*changed.tolist()} <= own | {*range(room.start, room.stop)}
    assert np.isnan([engine.port("f", one)[0] for one in "yz"]).all()


@pytest.mark.usefixtures("theirs")
def test_each_that_cannot_be_used_disables_itself_alone_and_says_why():
    broken = {one.name: one.broken for one in registry.offered()}
    assert {name for name, why in broken.items() if not why} == {
        "Kalman1", "Mixer", "Failing", "Uncompiled", "Changing",
    }  # fmt: skip
    for name, why in (
        ("Sum", "is a name of the bench itself"), ("Shapeless", "port u has no shape"),
        ("Renamed", "is called 'Kalman1'"), ("Wrong", "few(u, y): u, y, x, p, H are needed"),
        ("Plain", "has no functions"), ("Lost", "does not load"), ("Raising", "no licence found"),
    ):  # fmt: skip
        assert why in broken[name]
    assert registry.kinds()["Sum"].functions is None
    with pytest.raises(ConfigError, match="Uncompiled: opened cannot be compiled"):
        Engine(sound(FAILS.replace("Failing", "Uncompiled")))
    changing = FAILS.replace('kind = "Failing"', 'kind = "Changing", own = false')
    with pytest.raises(ConfigError, match="f: Changing: port u has no shape"):
        Engine(sound(changing))
    with pytest.raises(ConfigError, match="'Raising': no such kind"):
        sound(FAILS.replace("Failing", "Raising"))


@pytest.mark.usefixtures("theirs")
def test_they_are_listed_and_run_by_the_program(tmp_path):
    (tmp_path / "law.toml").write_text(LAW)

    def program(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "hil.cli", *arguments], capture_output=True, text=True,
            env=third_party.environment(HERE, EXAMPLES, tmp_path / "site"), cwd=tmp_path,
        )  # fmt: skip

    assert "Estimates a quantity" in program("diagram", "blocks", "Kalman1").stdout
    done = program("diagram", "run", "law.toml", "--for", "1", "--input", "a=1,2,3", "--input",
                   "b=1,1,1", "--input", "on=1")  # fmt: skip
    assert done.returncode == 0, done.stderr
    parts = json.loads(program("stations", "--json").stdout)["parts"]
    assert any("no licence found" in one["broken"] for one in parts if one["name"] == "Raising")
