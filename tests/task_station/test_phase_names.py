"""Names of phases, found through sub-diagrams and what only changes a number's type."""

from pathlib import Path

import pytest

from hil.config.file_search import configs_dir
from hil.diagram.file.read import read_text
from hil.stations.task.plan.phase_names import phase_names

HEAD = 'format = 1\nbase_s = 0.002\n[block]\n"phase" = { kind = "Out" }\n'
MACHINE = '"m" = { kind = "StateMachine", names = "rest go", transitions = "rest -> go: press" }\n'


def named(text):
    return phase_names(read_text(text, Path("x.toml")))


def test_those_of_the_machine_that_feeds_it():
    assert named(HEAD + MACHINE + '[wire]\n"phase.u" = "m.state"\n') == ("rest", "go")


def test_none_without_a_machine():
    text = HEAD + '"c" = { kind = "Constant", value = 1.0 }\n[wire]\n"phase.u" = "c.y"\n'
    assert named(text) == ()
    assert named(HEAD) == ()


def test_none_of_another_output_of_the_machine():
    assert named(HEAD + MACHINE + '[wire]\n"phase.u" = "m.ticks"\n') == ()


@pytest.mark.parametrize("name", ["container"])
def test_those_of_the_shipped_diagram(name):
    path = configs_dir() / "diagrams" / f"{name}.toml"
    found = phase_names(read_text(path.read_text(), path))
    assert found[0] == "wait"
    assert {"drive", "grasp", "lift", "release", "done"} <= set(found)
