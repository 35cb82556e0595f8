"""A robot's TOML there and back, against its text, and damaged."""

import string
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import at_least
from robot_documents import SHIPPED, furnished, generated, shipped, shipped_text

from sim.toml_reader import SIZE_MAX
from sim.world.robots import toml_tables
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.text import read_text, text_losses, write_text
from sim.world.robots.toml_places import key_places

seeds = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_documents_say_what_their_texts_say(name):
    robot = read_toml(shipped_text(name, "toml"), name)
    assert robot.name == name
    assert write_text(robot) == write_text(shipped(name))
    fields = {loss.field for loss in text_losses(robot)}
    assert fields >= {"name", "drives", "damping"}
    lines = shipped_text(name, "toml").splitlines()
    body = "\n".join(line for line in lines if not line.startswith("#")).strip()
    assert write_toml(robot).strip() == body


@pytest.mark.parametrize("name", ["robot_a", "robot_b"])
def test_experiments_begin_where_they_are_told_to(name):
    starts = {"robot_a": (0, 20, -20, 30, 60, 0), "robot_b": (0, 30, -10, 30, 70, 0)}[name]
    robot = read_toml(shipped_text(name, "toml"), name)
    found = [joint.start for joint in robot.joints if joint.type == "hinge"]
    assert [one[0] for one in found] == pytest.approx(
        [one * 0.017453292519943295 for one in starts]
    )
    armature = {"robot_a": 0.1, "robot_b": 0.2}[name]
    assert {(one.armature, one.damping) for one in robot.joints if one.type == "hinge"} == {
        (armature, 1.0)
    }


@given(seeds)
def test_any_robot_there_and_back(seed):
    robot = furnished(seed)
    text = write_toml(robot)
    again = read_toml(text, "generated")
    assert again == robot
    assert write_toml(again) == text


@given(seeds)
def test_text_to_toml_to_text_is_the_same(seed):
    text = write_text(generated(seed))
    assert write_text(read_toml(write_toml(read_text(text, "t")), "t")) == text


@given(seeds)
def test_places_are_those_of_the_values(seed):
    """Judge: what stands at a value's place, read alone, is the value."""
    text = write_toml(furnished(seed))
    data, lines = tomllib.loads(text), text.splitlines()
    for path, (line, column) in key_places(text).items():
        value = data
        for key in path:
            if isinstance(value, list) and key == len(value):
                break  # after the last comma
            value = value[key]
        else:
            rest = lines[line - 1][column - 1 :]
            if (rest.startswith("[[") and isinstance(value, dict)) or rest == "[machine]":
                continue
            if isinstance(value, bool | int | float):
                rest = rest.replace("]", ",").replace("}", ",").split(",")[0]
            elif isinstance(value, str):
                assert rest.startswith('"')
                continue
            else:
                assert rest[0] == ("{" if isinstance(value, dict) else "[")
                continue
            assert tomllib.loads(f"x = {rest}")["x"] == value


def test_places_in_a_document_of_every_form():
    text = (
        "# c\na.b = [ # one\n  1,\n  [2, {c = 3}],\n]\n'd e' = '''x\n]'''\nf = \"\\\"#\"\n"
        "[[g]]\nh = [\n]\n[g.i]\nj = {}\n[[g]]\nh = 1979-05-27 07:32:00 # date\n"
    )
    tomllib.loads(text)
    found = key_places(text)
    assert found["a", "b"] == (2, 7)
    assert found["a", "b", 0] == (3, 3)
    assert found["a", "b", 1, 1, "c"] == (4, 12)
    assert found["d e",] == (6, 9)
    assert found["f",] == (8, 5)
    assert found["g", 0] == (9, 1)
    assert found["g", 0, "i"] == (12, 1)
    assert found["g", 0, "i", "j"] == (13, 5)
    assert found["g", 1, "h"] == (15, 5)
    assert key_places(text.replace("\n", "\r\n")) == found


@at_least(200)
@given(
    seeds,
    st.lists(
        st.tuples(
            st.floats(0.0, 1.0),
            st.integers(0, 6),
            st.text(st.sampled_from(string.printable + "é−\0"), max_size=6),
        ),
        min_size=1,
        max_size=3,
    ),
)
def test_a_damaged_document_is_read_or_refused_with_its_place(seed, damages):
    text = write_toml(furnished(seed))
    for where, count, put in damages:
        at = int(where * len(text))
        text = text[:at] + put + text[at + count :]
    try:
        robot, faults = read_toml(text, "damaged.toml"), ()
    except RobotDocumentError as error:
        robot, faults = None, error.faults
    if robot is None:
        assert faults
        assert all(0 <= one.line <= len(text.splitlines()) + 1 for one in faults)
    else:
        assert read_toml(write_toml(robot), "again") == robot


LEAVES = st.one_of(
    st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.lists(st.one_of(st.integers(), st.text(max_size=3)), max_size=3), st.just({}),
)  # fmt: skip


@at_least(100)
@given(seeds, st.integers(0, 10**6), LEAVES)
def test_any_value_at_any_place_is_read_or_refused(seed, which, value):
    """One value of a right document put as something else."""
    lines = write_toml(furnished(seed)).splitlines()
    at = [number for number, line in enumerate(lines) if " = " in line]
    chosen = at[which % len(at)]
    key = lines[chosen].partition(" = ")[0]
    lines[chosen] = f"{key} = {as_toml(value)}"
    text = "\n".join(lines)
    try:
        robot = read_toml(text, "a.toml")
    except RobotDocumentError as error:
        found = error.faults
    else:
        found = ()
        assert read_toml(write_toml(robot), "again") == robot
    assert all(fault.line >= 0 and "; " in fault.text for fault in found)


def as_toml(value):
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return f"[{', '.join(map(as_toml, value))}]"
    if isinstance(value, str):
        return '"' + "".join(f"\\U{ord(one):08x}" for one in value) + '"'
    return repr(value)


def refused(text):
    with pytest.raises(RobotDocumentError) as caught:
        read_toml(text, "a.toml")
    for fault in caught.value.faults:
        line = f"\n{text}".split("\n")[fault.line]
        assert fault.column < 2 or line[: fault.column - 1].endswith(("= ", "joint = 2, ", "{ "))
    return str(caught.value).splitlines()


FAULTS = {
    "unknown key": ("child = 3\ndamping", "child = 3\ndampnig", [
        "a.toml:72:16: dampnig_nm_s: no such key; one of armature_kg_m2, at_child_m, "
        "at_parent_m, axis, child, damping_nm_s, friction_nm, limits_rad, mimic, name, number, "
        "parent, start_rad, type"]),
    "another unit": ("damping_nm_s = 0.01", "damping_n_s_m = 0.01", [
        "a.toml:56:17: damping_n_s_m: no such key; one of armature_kg_m2, at_child_m, "
        "at_parent_m, axis, child, damping_nm_s, friction_nm, limits_rad, mimic, name, number, "
        "parent, start_rad, type"]),
    "degrees in limits": ("damping_nm_s = 0.01", "limits_rad = [-170, 170]", [
        "a.toml:56:14: joint 1 limits = ((-170.0, 170.0)): more than a turn; at most 2π rad "
        "either way; angles are in rad, not in degrees"]),
    "limits turned over": ("damping_nm_s = 0.01", "limits_rad = [1, -1]", [
        "a.toml:56:14: joint 1 limits = ((1.0, -1.0)): 1.0 is not below -1.0; least first"]),
    "start beyond limits": ("damping_nm_s = 0.01", "limits_rad = [1, 2]", [
        "a.toml:50:1: joint 1 start = (0.0): outside [1.0, 2.0]; it starts within its limits"]),
    "friction below 0": ("damping_nm_s = 0.01", "friction_nm = -1", [
        "a.toml:56:15: joint 1 friction = -1.0: below 0; 0 or more"]),
    "mimic of nobody": ("damping_nm_s = 0.01", "mimic = { joint = 9 }", [
        "a.toml:56:9: joint 1 mimic = 9: no such joint; a hinge or slide of the tree that "
        "follows nobody"]),
    "mimic of itself": ("damping_nm_s = 0.01", "mimic = { joint = 1 }", [
        "a.toml:56:9: joint 1 mimic = 1: it follows a joint that follows; a hinge or slide of "
        "the tree that follows nobody"]),
    "mimic in another unit": ("damping_nm_s = 0.01", "mimic = { joint = 2, offset_m = 1 }", [
        "a.toml:56:9: mimic: its offset has another unit; offset_rad of a hinge joint"]),
    "no body's inertia": ("density_kg_m3 = 7850",
        "inertia = { mass_kg = 1, centre_m = [0, 0, 0], inertia_kg_m2 = [1, 1, 3, 0, 0, 0] }", [
        "a.toml:13:11: link 0 inertia = (1.0, 1.0, 3.0, 0.0, 0.0, 0.0): principal moments 1, 1, "
        "3 kg m2 are no body's; each is above 0 and at most the sum of the other two"]),
    "mass told twice": ("density_kg_m3 = 7850", "density_kg_m3 = 7850\nmass_kg = 1", [
        "a.toml:13:17: link 0 density_kg_m3 = 7850.0: the link's mass is told more than once; "
        "a density, a mass, or an inertia"]),
    "no unit quaternion": ("density_kg_m3 = 7850",
        "place = { position_m = [0, 0, 0], quaternion = [1, 1, 0, 0] }\nmass_kg = 1", [
        "a.toml:13:9: link 0 place = (1.0, 1.0, 0.0, 0.0): the quaternion's length is "
        "1.41421356; w, x, y, z of length 1 (to 1e-9)",]),
    "three D-H numbers": ("theta_rad = 1.2, ", "", [
        "a.toml:18:6: dh = {'alpha_rad': 1.5707963267948966, 'd_m': 0, 'r_m': 0}: not the keys "
        "of D-H numbers; alpha_rad, d_m, theta_rad, r_m, and gamma_rad, b_m as well or not"]),
    "NaN": ("theta_rad = 1.2", "theta_rad = nan", [
        "a.toml:18:6: link 1 dh = (1.5707963267948966, 0.0, nan, 0.0): not finite, or beyond "
        "1e12; numbers are finite and at most 1e12"]),
    "a text for a number": ("density_kg_m3 = 7850", 'density_kg_m3 = "steel"', [
        "a.toml:13:17: density_kg_m3 = steel: not a number; a number such as 0.25"]),
    "no such drive": ("effort_max_nm = 20", "effort_max_nm = 20\n\n[[drive]]\njoint = 4\n"
        'control = "torque"\neffort_max_nm = 1', [
        "a.toml:89:9: drive 2 joint = 4: no joint that a drive can move; a hinge, slide or "
        "axis of a universal joint that closes no loop"]),
    "voltage without speed": ('control = "torque"', 'control = "voltage"', [
        "a.toml:83:1: drive 1 speed_max: not told; above 0 for control by voltage"]),
    "box inside out": ("[[drive]]", "[machine]\nbox_m = [[0, 0, 0], [1, 0, 1]]\n\n[[drive]]", [
        "a.toml:84:9: machine box_m = ((0.0, 0.0, 0.0), (1.0, 0.0, 1.0)): its corners span no "
        "box; the least corner first, of finite numbers"]),
    "bounds of nothing": ("[[drive]]",
        "[[machine.joint]]\njoint = 0\nspeed_rad_s = 0\n\n[[drive]]", [
        "a.toml:84:9: machine joint 1 joint = 0: no joint that a drive can move; each hinge or "
        "slide that closes no loop once",
        "a.toml:85:15: machine joint 1 speed = 0.0: no bound; above 0, at most 1e12, or left "
        "out for no bound"]),
    "universal closing a loop": ('type = "hinge"\naxis = [0, 0, 1]\nparent = 2',
        'type = "universal"\naxis = [0, 0, 1, 1, 0, 0]\nparent = 2', [
        "a.toml:76:8: joint 4 type = universal: no such joint can close a loop; hinge, ball or "
        "fixed; let another joint of the loop close it"]),
    "a ball's limits": ('type = "hinge"\naxis = [0, 0, 1]\nparent = 1',
        'type = "ball"\nlimits_rad = [-1, 1]\nparent = 1', [
        "a.toml:61:14: joint 2 limits = ((-1.0, 1.0)): a ball joint's least angle is 0 rad; "
        "0 and its greatest"]),
    "a ball's start": ('type = "hinge"\naxis = [0, 0, 1]\nparent = 1',
        'type = "ball"\nstart_quaternion = [1, 0, 1, 0]\nparent = 1', [
        "a.toml:61:20: joint 2 start = (1.0, 0.0, 1.0, 0.0): the quaternion's length is "
        "1.41421356; w, x, y, z of length 1 (to 1e-9)"]),
    "a start of two numbers": ("damping_nm_s = 0.01", "start_rad = [0, 1]", [
        "a.toml:56:13: joint 1 start = (0.0, 1.0): 2 numbers for a hinge joint; 1 numbers"]),
    "limits of two axes": ("damping_nm_s = 0.01", "limits_rad = [[0, 1], [0, 1]]", [
        "a.toml:56:14: joint 1 limits = ((0.0, 1.0), (0.0, 1.0)): 2 pairs for a hinge joint; "
        "1 pairs of least and greatest"]),
    "friction of what is fixed": ('type = "fixed"', 'type = "fixed"\nfriction_nm = 1', [
        "a.toml:47:15: joint 0 friction = 1.0: a fixed joint does not move; leave it out"]),
    "a link tied to itself": ("parent = 1\nchild = 2", "parent = 2\nchild = 2", [
        "a.toml:63:9: joint 2 child = 2: it ties a link to itself; two different links",
        "a.toml:19:11: link 1 leaving = (2): joint 2 leaves another: link 2; those of link 1: none",
        "a.toml:29:11: link 2 leaving = (4): joint 2 leaves this link and is not named; those of "
        "link 2: 2, 4"]),
    "a number below 0": ("number = 3\nname", "number = -3\nname", [
        "a.toml:36:10: link -3 number = -3: below 0; numbers are 0 and more"]),
    "an axis that is no list": ("axis = [0, 0, 1]\nparent = 1", "axis = {}\nparent = 1", [
        "a.toml:61:8: axis = {}: not a list; values in square brackets, such as [0, 0, 1]"]),
    "a shape that is none": ('shape = "cylinder"', 'shape = "ball"', [
        "a.toml:39:9: shape = ball: no such word; one of none, box, cylinder, capsule, sphere, "
        "mesh"]),
    "no number": ("number = 3\nname", "name", [
        "a.toml:35:1: number: not told; number = ..."]),
    "no TOML": ('name = "four_bar"', "name = four_bar", [
        "a.toml:3:8: is not valid TOML: Invalid value (at line 3, column 8): text "
        "stands in quotes; see https://toml.io"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_place_value_and_remedy(name):
    old, new, wanted = FAULTS[name]
    text = shipped_text("four_bar", "toml")
    assert old in text
    assert sorted(refused(text.replace(old, new, 1))) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "nested deeper than 12"),
        ("a = " + "9" * 6000, "1:1: line 1: a number or key of more than 1000 characters"),
        ("# " + "x" * SIZE_MAX, "at most 1048576 are read"),
        (
            "[[link]]\nnumber = 0\ndh = { alpha_rad = 0, d_m = 1" + "0" * 400 + ", theta_rad = 0, "
            "r_m = 0 }",
            "link.dh.d_m: a whole number of more than 64 bits",
        ),
        ("link = 3", "not a list of tables"),
        ("machine = 3", "not a table"),
        ("", "there is no joint that bears the base"),
    ],
)
def test_a_document_is_bounded(text, wanted):
    assert any(wanted in line for line in refused(text))


def test_places_of_keys_are_looked_for_only_if_something_is_wrong(monkeypatch):
    asked, find = [], toml_tables.key_places
    monkeypatch.setattr(toml_tables, "key_places", lambda text: asked.append(text) or find(text))
    text = shipped_text("four_bar", "toml")
    read_toml(text, "four_bar.toml")
    assert not asked
    with pytest.raises(RobotDocumentError, match=r"^four_bar\.toml:13:17: "):
        read_toml(text.replace("density_kg_m3 = 7850", "density_kg_m3 = -1", 1), "four_bar.toml")
    assert len(asked) == 1


def test_places_do_not_count_a_byte_order_mark():
    text = 'robot = "a"\n[[link]]\nname = "b"\n'
    assert key_places("\ufeff" + text) == key_places(text)
