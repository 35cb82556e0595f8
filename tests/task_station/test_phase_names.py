"""Names of phases, found through sub-diagrams and what only changes a number's type."""

from pathlib import Path

import pytest

from hil.config.file_search import configs_dir
from hil.diagram.file.read import read_text
from hil.diagram.run.panel_page import pages
from hil.diagram.run.state_names import state_names

HEAD = 'format = 1\nbase_s = 0.002\n[block]\n"phase" = { kind = "Out" }\n'
MACHINE = '"m" = { kind = "StateMachine", names = "rest go", transitions = "rest -> go: press" }\n'


def named(text):
    return state_names(read_text(text, Path("x.toml")), "phase")


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
    found = state_names(read_text(path.read_text(), path), "phase")
    assert found[0] == "wait"
    assert {"drive", "grasp", "lift", "release", "done"} <= set(found)


def test_those_behind_a_number_that_is_shown_on_a_page():
    path = configs_dir() / "diagrams" / "container.toml"
    (page,) = pages({"diagram": path.read_text(), "diagram_file": str(path), "diagram_set": {}})
    by_label = {one.label: one for one in page.widgets}
    assert by_label["phase"].names[:2] == ("wait", "drive")
    assert by_label["force of the jaws"].names == ()
    kinds = [type(one).__name__ for one in page.widgets]
    assert kinds[:3] == ["PageButton", "PageButton", "PageSwitch"]
