"""What `docs/extending.md` says to write works: its packages are installed, its edits applied."""

import json
import re
import tomllib

import pytest
import third_party
from campaign import long_only
from extended_tree import TEXT, files_of, run, section, tree

ENTRY_POINTS = re.compile(r"```toml\n(\[project.*?)```", re.S)


def installed():
    """Entry points of the distributions that the tests install, by group."""
    found = {}
    for folder in ("third_parts", "third_blocks"):
        project = tomllib.loads(
            (third_party.ROOT / "tests" / folder / "pyproject.toml").read_text()
        )
        for group, entries in project["project"]["entry-points"].items():
            found[group] = found.get(group, {}) | entries
    return found


def test_its_entry_points_are_those_of_the_distributions_that_the_tests_install():
    told = [tomllib.loads(block)["project"]["entry-points"] for block in ENTRY_POINTS.findall(TEXT)]
    assert [sorted(one) for one in told] == [
        ["hil.arm_links"], ["hil.emulated_hosts", "hil.hosts"], ["hil.banks", "hil.buses"],
        ["hil.banks"], ["hil.motions"],
        ["hil.blocks"],
    ]  # fmt: skip
    for groups in told:
        for group, entries in groups.items():
            assert entries.items() <= installed()[group].items()
            for value in entries.values():
                module = value.partition(":")[0]
                assert f"examples/{module}.py" in TEXT
                assert (third_party.ROOT / "examples" / f"{module}.py").exists()


def test_each_method_of_a_link_and_each_field_of_its_kind_is_told():
    from dataclasses import fields

    from arm_driver.link import ArmLink, LinkKind

    section = TEXT.partition("## A link to a robot")[2].partition("\n## ")[0]
    methods = [name for name in vars(ArmLink) if not name.startswith("_")]
    assert len(methods) == 5
    for name in methods:
        assert f"`{name}(" in section
    for one in fields(LinkKind):
        assert re.search(rf"`{one.name}[`(]", section), one.name


def edited(text):
    """Files of the bench that a section edits, tests apart."""
    return [path for path in files_of(text) if (third_party.ROOT / path).exists()
            and not path.startswith("tests/")]  # fmt: skip


@pytest.mark.parametrize(
    ("title", "count"), [("A diagram block", 2), ("A joint type", 2), ("A check of the gate", 7)]
)
def test_its_table_counts_the_files_that_are_edited(title, count):
    row = next(line for line in TEXT.splitlines() if line.startswith(f"| [{title.lower()}]"))
    assert f"{count} files edited" in row
    assert len(edited(section(title))) == count


@pytest.fixture(scope="module")
def with_block(tmp_path_factory):
    return tree(tmp_path_factory.mktemp("block"), files_of(section("A diagram block")))


BLOCK = """
import sys
from types import SimpleNamespace

import numpy as np

sys.modules["hil.diagram.kernel.step"] = SimpleNamespace(step=None)  # takes long to compile

from hil.diagram.check.diagram import check
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.kernel import stateful as kernel
from interpreter.interpreter import Interpreter

drawn = Diagram({"u": DrawnBlock("In"), "b": DrawnBlock("Median3")}, {"b.u": "u.y"})
judge = Interpreter(check(DiagramFile(drawn, 0.01)))
compute, advance = kernel.memory_value.py_func, kernel.advance_element.py_func
v, found = np.zeros(4), []  # input, output, two states
for u in (1.0, 9.0, 2.0, 3.0, -7.0, 4.0):
    judge.set_input("u", [u])
    judge.step()
    v[0] = u
    v[1] = compute(kernel.MEDIAN3, v, 0, 0, 2, 4)
    advance(kernel.MEDIAN3, v, 0, 0, 0, 1, 2, 4)
    assert judge.port("b") == [v[1]]
    found.append(float(v[1]))
print(found)
"""


def test_its_block_is_computed_by_both_its_equations(with_block):
    assert run(with_block, "-c", BLOCK).strip() == "[0.0, 1.0, 2.0, 3.0, 2.0, 3.0]"


@long_only
@pytest.mark.timeout(1200)  # a kernel is compiled
def test_its_block_is_compiled_and_agrees_with_its_judges(with_block):
    drawn = "test_kernel_and_interpreter.py::test_kernel_and_interpreter_agree_bit_for_bit[0]"
    run(
        with_block, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider",
        "tests/diagram/test_blocks.py", f"tests/diagram/{drawn}", "-k", "Median3 or bit_for_bit",
        timeout_s=1200,
    )  # fmt: skip


JOINT = """
import tomllib

import numpy as np

from hil.stations.world.robots.robot_settings import RobotDocumentSettings
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.loops import closed_loops
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.tree import spanning_tree
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import urdf_losses, write_urdf

text = '''
[[link]]
number = 0
dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }
leaving = [1]
[[link]]
number = 1
dh = { alpha_rad = 0, d_m = 0.2, theta_rad = 0, r_m = 0.1 }
shape = "sphere"
size_m = [0.05]
mass_kg = 2
[[joint]]
number = 0
type = "fixed"
parent = -1
child = 0
[[joint]]
number = 1
type = "cross_slide"
axis = [2, 0, 0, 0, 0, -1]
start_m = [0.3, -0.1]
limits_m = [[-0.4, 0.4], [-0.5, 0.5]]
parent = 0
child = 1
'''
RobotDocumentSettings.build(tomllib.loads(text), "text")
robot = read_toml(text, "text")
assert read_toml(write_toml(robot), "again") == robot
tree = spanning_tree(robot)
by_hand = [0.2 + 0.3, 0.0, 0.1 + 0.1]
np.testing.assert_allclose(tree.poses(tree.coordinates({}))[1][:3, 3], by_hand)
world = World(model_text([PlacedRobot(robot)]))
(one,) = world.robots
np.testing.assert_allclose(one.pose(1)[:3, 3], by_hand)
world.step(round(0.2 / world.step_s))
fallen_m = 0.5 * 9.81 * 0.2**2  # its second axis points down
np.testing.assert_allclose(one.coordinates()[1], (0.3, -0.1 + fallen_m), atol=2e-3)
tied = read_toml(text.replace("leaving = [1]", "leaving = [1, 2]") + '''
[[joint]]
number = 2
type = "ball"
parent = 0
child = 1
at_parent_m = [0.45, 0, 0.3]
at_child_m = [0, 0, 0]
''', "tied")
found = closed_loops(spanning_tree(tied))
assert found.gap_max_m < 1e-6
np.testing.assert_allclose(found.coordinates[1], (0.25, -0.2), atol=1e-6)
losses = [str(loss) for loss in urdf_losses(robot)]
assert any("joint 1 type = cross_slide" in loss for loss in losses), losses
again, _ = read_urdf(write_urdf(robot), "urdf")
assert [str(joint.type) for joint in again.joints].count("slide") == 2
"""


def test_its_joint_is_read_moves_in_the_engine_and_is_written(tmp_path):
    run(
        tree(tmp_path / "tree", files_of(section("A joint type"))), "-c", "import tomllib\n" + JOINT
    )


CHECK = """
from dataclasses import replace
from pathlib import Path

from safety_samples import START, Bench, changed, feedback, make_limits

from hil.config.errors import ConfigError
from hil.config.settings import read_toml
from hil.config.file_search import configs_dir
from hil.machines.rig.machine import gate_limits
from hil.machines.rig.settings import Rig
from safety.limits import LimitsError
from safety.modes import Mode
from safety.spread import SpreadWatch
from safety.verdict import Check

spread_m = max(START) - min(START)
for most_m, count in ((spread_m, 0), (spread_m - 1e-9, 1)):
    assert len(SpreadWatch(make_limits(spread_max_m=most_m)).step(feedback())) == count
wide = SpreadWatch(make_limits(spread_max_m=5.0))
for leg in range(1, 7):
    assert wide.step(feedback(length_m=changed(START, leg, float("nan"))))

bench = Bench(make_limits(spread_max_m=spread_m + 0.001)).engaged()
verdict = bench.cycle(bench.setpoint(START))
assert verdict.mode is Mode.ENGAGED and not verdict.violations
longer = bench.read(length_m=changed(START, 6, START[5] + 0.002))
verdict = bench.cycle(bench.setpoint(START), fb=longer)
assert [one.check for one in verdict.violations] == [Check.SPREAD]
told = "leg 6: longer than the shortest leg by 0.222 m, more than 0.221 m"
assert str(verdict.violations[0]) == told
assert verdict.mode is Mode.CSTOP

for wrong in ({}, {"spread_max_m": 0.0}, {"spread_max_m": 5.1}):
    try:
        make_limits(**wrong)
    except (TypeError, LimitsError) as error:
        assert "spread_max_m" in str(error)
    else:
        raise AssertionError(wrong)
text = (configs_dir() / "rigs" / "paper.toml").read_text()
rig = Path("rig.toml")
rig.write_text(text.replace("start_tolerance_m", "spread_max_m = 0.4\\nstart_tolerance_m"))
assert gate_limits(Rig.build(read_toml(rig), "rig.toml"), 0.002).spread_max_m == 0.4
rig.write_text(text)
try:
    Rig.build(read_toml(rig), "rig.toml")
except ConfigError as error:
    assert "supervision.spread_max_m" in str(error), error
else:
    raise AssertionError
"""


def test_its_check_stops_the_platform(tmp_path):
    run(tree(tmp_path / "tree", files_of(section("A check of the gate"))), "-c", CHECK)


PAGE = """
import sys
from itertools import count
from pathlib import Path

from hil.panel.live.models.page import PageModel, pages_of
from hil.panel.study.models.replay import FileFeed

feed = FileFeed.open(Path(sys.argv[1]), lambda: 0.0)
(page,) = pages_of(feed.facts)
model = PageModel(feed.facts, page, count().__next__)
feed.seek(6.0)
batch = feed.poll()
model.take(batch)
lamp, angle, torque = page.widgets
assert model.lamp(lamp)[:3] == ("swinging", *lamp.states["swinging"])
row = dict(zip(feed.facts.signals.columns(), batch.rows[-1], strict=True))
assert model.value(angle.column) == row["angle_rad"] != 0.0
assert [model.value(one) for _, one in torque.bars] == [
    row["asked_torque_nm"], row["allowed_torque_nm"],
]
assert max(abs(torque.low), torque.high) > max(abs(batch.rows[:, 3]))
print(page.title)
"""


def test_its_page_shows_what_a_run_recorded(tmp_path):
    made = tree(tmp_path / "tree", files_of(section("A page of the panel")))
    third_party.metadata(made / "tests" / "third_station" / "pyproject.toml", made / "site")
    ride = ("tests/third_station/swing.toml", "--out", tmp_path / "runs", "--json")
    told = json.loads(run(made, "-m", "hil.cli", "run", *ride))
    assert run(made, "-c", PAGE, told["recording"]).strip() == "Pendulum"


def test_each_field_of_a_bus_is_told():
    from dataclasses import fields

    from hil.machines.rig.bus_kind import RACK_OPTIONS, BusKind

    bus = section("A bus of drives")
    for one in fields(BusKind):
        assert re.search(rf"`{one.name}[`(]", bus), one.name
    for option in RACK_OPTIONS:
        assert f"`{option}`" in bus


@pytest.mark.usefixtures("third_parts")
def test_the_rig_of_its_bus_is_accepted(tmp_path):
    from hil.machines.rig.machine import load_rig

    block = next(one for one in re.findall(r"```toml\n(.*?)```", TEXT, re.S) if "[drives]" in one)
    text = (third_party.ROOT / "configs" / "rigs" / "paper.toml").read_text()
    rig = tmp_path / "rig.toml"
    rig.write_text(f"{text}\n{block}")
    assert load_rig(rig).drives.rodline.channels == (2, 1, 4, 3, 6, 5)
