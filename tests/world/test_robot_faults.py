"""What is wrong with a robot's text: each fault with its place, its value and its remedy."""

from dataclasses import replace

import pytest
from robot_documents import generated, shipped, shipped_text

from sim.world.robots import loops
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.model import LINKS_MAX
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.text import read_text, write_text
from sim.world.robots.tree import spanning_tree

CHAIN = 100
"""Links of each arm of a robot that has as many links as there may be."""


def refused(text):
    with pytest.raises(RobotDocumentError) as caught:
        read_text(text, "a.txt")
    for fault in caught.value.faults:
        line = f" {text.splitlines()[fault.line - 1]} "
        assert fault.line == 0 or line[fault.column - 1] in " [" or "bracket" in fault.text
    return str(caught.value).splitlines()


FAULTS = {
    "duplicate No": ("link  [3,", "link  [2,", [
        "a.txt:6:8: link 2 No = 2: entry 3 of the links has the same number; 7 is free"]),
    "unknown LinkP": ("joint [3, hinge, (0, 0, 1), 2,", "joint [3, hinge, (0, 0, 1), 9,", [
        "a.txt:13:29: joint 3 LinkP = 9: no such link; a link that is there "
        "(0, 1, 2, 3, 4, 5, 6)",
        "a.txt:5:66: link 2 JointT = (3): joint 3 leaves another: link 9; "
        "those of link 2: none"]),
    "unknown LinkN": ("(0, 0, 1), 5, 6]", "(0, 0, 1), 5, 8]", [
        "a.txt:16:32: joint 6 LinkN = 8: no such link; a link that is there "
        "(0, 1, 2, 3, 4, 5, 6); the type of an end is end",
        "a.txt:9:8: link 6 No = 6: it is not connected; a joint whose second link is 6"]),
    "two driving joints": ("joint [3, hinge, (0, 0, 1), 2, 3]",
        "joint [3, hinge, (0, 0, 1), 2, 3]\njoint [8, ball, (), 0, 3]", [
        "a.txt:14:24: joint 8 LinkN = 3: joint 3 moves link 3 as well; one that closes a loop "
        "has a point on both links",
        "a.txt:3:28: link 0 JointT = (1): joint 8 leaves this link and is not named; "
        "those of link 0: 1, 8"]),
    "JointT of another link": ("4, (5), capsule", "4, (6), capsule", [
        "a.txt:7:52: link 4 JointT = (6): joint 6 leaves another: link 5; those of link 4: 5",
        "a.txt:7:52: link 4 JointT = (6): joint 5 leaves this link and is not named; "
        "those of link 4: 5"]),
    "JointT unknown": ("4, (5), capsule", "4, (5, 77), capsule", [
        "a.txt:7:52: link 4 JointT = (5, 77): joint 77 is not there; those of link 4: 5"]),
    "JointT twice": ("4, (5), capsule", "4, (5, 5), capsule", [
        "a.txt:7:52: link 4 JointT = (5, 5): a joint stands twice; each joint once"]),
    "JointD of another link": ("0.45), 4, (5)", "0.45), 3, (5)", [
        "a.txt:7:49: link 4 JointD = 3: it moves link 3; 4, whose LinkN is 4"]),
    "JointD unknown": ("0.45), 4, (5)", "0.45), 44, (5)", [
        "a.txt:7:49: link 4 JointD = 44: no such joint; 4, whose LinkN is 4"]),
    "negative size": ("(0.06), (0.9", "(-0.06), (0.9", [
        "a.txt:5:80: link 2 Size = (-0.06): radius is -0.06 m; above 0 m"]),
    "size of too many numbers": ("sphere, (0.04)", "sphere, (0.04, 0.1)", [
        "a.txt:8:58: link 5 Size = (0.04, 0.1): 2 numbers; sphere has radius"]),
    "no length": ("capsule, (0.045, 0.06)", "capsule, (0.045)", [
        "a.txt:7:66: link 4 Size = (0.045): no two joints tell how long it is; "
        "add the length to its size"]),
    "density 0": ("0.1), 1500]\nlink  [3", "0.1), 0]\nlink  [3", [
        "a.txt:5:105: link 2 Density = 0.0: a moving link has no mass; above 0 "
        "(steel: 7850 kg/m3)"]),
    "negative density": ("0.1), 1500]\nlink  [3", "0.1), -1500]\nlink  [3", [
        "a.txt:5:105: link 2 Density = -1500.0: below 0 kg/m3; above 0 kg/m3 (steel: 7850)"]),
    "no body": ("capsule, (0.06)", "none, ()", [
        "a.txt:5:71: link 2 Shape = none: no body has this density or mass; "
        "give it a shape, or centre and inertia as well"]),
    "colour": ("(0.06), (0.9,", "(0.06), (9,", [
        "a.txt:5:88: link 2 Color = (9.0, 0.6, 0.1): outside 0 … 1; "
        "red, green and blue are 0 … 1 each"]),
    "wrong count of D-H": ("[3, (0, 0.5, 0, 0)", "[3, (0, 0.5, 0)", [
        "a.txt:6:11: link 3 D-H = (0.0, 0.5, 0.0): 3 numbers; "
        "4 (α, d, θ, r) or 6 (γ, b, α, d, θ, r)"]),
    "degrees": ("[3, (0, 0.5, 0, 0)", "[3, (90, 0.5, 0, 0)", [
        "a.txt:6:11: link 3 D-H = (90.0, 0.5, 0.0, 0.0): alpha_rad is 90.0; at most 2π rad "
        "either way; angles are in rad, not in degrees"]),
    "NaN": ("[3, (0, 0.5, 0, 0)", "[3, (0, nan, 0, 0)", [
        "a.txt:6:11: link 3 D-H = (0.0, nan, 0.0, 0.0): not finite, or beyond 1e12; "
        "numbers are finite and at most 1e12"]),
    "infinity": ("(0, 0, 0.12)", "(0, 0, 1e999)", [
        "a.txt:17:34: joint 7 AtP = (0.0, 0.0, inf): not finite, or beyond 1e12; "
        "numbers are finite and at most 1e12"]),
    "no axis": ("joint [3, hinge, (0, 0, 1)", "joint [3, hinge, (0, 0, 0)", [
        "a.txt:13:18: joint 3 Axis = (0.0, 0.0, 0.0): it has no direction; "
        "a length of 1e-6 … 1e6, 1 is usual"]),
    "axis of two numbers": ("joint [3, hinge, (0, 0, 1)", "joint [3, hinge, (0, 1)", [
        "a.txt:13:18: joint 3 Axis = (0.0, 1.0): 2 numbers for a hinge joint; "
        "3 numbers: x, y, z"]),
    "one axis of two": ("joint [3, hinge, (0, 0, 1)", "joint [3, universal, (0, 0, 1)", [
        "a.txt:13:22: joint 3 Axis = (0.0, 0.0, 1.0): 3 numbers for a universal joint; "
        "6 numbers: two axes"]),
    "axes aslant": ("joint [3, hinge, (0, 0, 1)", "joint [3, universal, (0, 0, 1, 1, 0, 1)", [
        "a.txt:13:22: joint 3 Axis = (0.0, 0.0, 1.0, 1.0, 0.0, 1.0): "
        "its two axes are not perpendicular; such as x and y"]),
    "free in the middle": ("joint [3, hinge, (0, 0, 1)", "joint [3, free, ()", [
        "a.txt:13:11: joint 3 Type = free: it is no free link; only the base is free, "
        "or links that leave a fixed base"]),
    "base on a hinge": ("joint [0, fixed, ()", "joint [0, hinge, (0, 0, 1)", [
        "a.txt:10:11: joint 0 Type = hinge: it bears the base; fixed or free"]),
    "one point of two": ("(0, 0, 1), 5, 6]", "(0, 0, 1), 5, 6, (0, 0, 1)]", [
        "a.txt:16:35: joint 6 AtP = (0.0, 0.0, 1.0): one point of two; none for a joint of the "
        "tree, one on each link for one that closes a loop"]),
    "an end without a place": (", -1, (0, 0, 0.12)]", ", -1]", [
        "a.txt:17:1: joint 7 AtP: an end has one point; its place on its link"]),
    "an end that leads on": ("6, -1, (0", "6, 3, (0", [
        "a.txt:17:30: joint 7 LinkN = 3: an end leads to a link; -1, as an end moves no link"]),
    "from nowhere": ("(0, 0, 1), 5, 6]", "(0, 0, 1), -1, 6]", [
        "a.txt:16:29: joint 6 LinkP = -1: it comes from nowhere; the link before it; only joint "
        "0, to link 0, comes from -1",
        "a.txt:8:45: link 5 JointT = (6): joint 6 leaves another: link -1; "
        "those of link 5: none"]),
    "not a number": ("(0.06), (0.9", "(0.0.6), (0.9", [
        "a.txt:5:80: Size = (0.0.6): not a number; a number such as 0.25 or 1e-3"]),
    "not a whole number": ("joint [3, hinge", "joint [3.0, hinge", [
        "a.txt:13:8: No = 3.0: not a whole number; a number such as 3, or -1 for nothing"]),
    "no such shape": ("5, (6), sphere", "5, (6), ball", [
        "a.txt:8:50: Shape = ball: no such word; one of none, box, cylinder, capsule, sphere"]),
    "no such type": ("joint [3, hinge", "joint [3, revolute", [
        "a.txt:13:11: Type = revolute: no such word; one of hinge, slide, universal, ball, "
        "fixed, free, end"]),
    "a column too few": (", (0.9, 0.6, 0.1), 1500]\nlink  [3", ", 1500]\nlink  [3", [
        "a.txt:5:1: link: 7 columns; "
        "link [No, D-H, JointD, JointT, Shape, Size, Color, Density, Inertia]"]),
    "an inertia of no body": ("0.1), 1500]\nlink  [3",
        "0.1), 0, (1, 0, 0, 0, 1, 1, 3, 0, 0, 0)]\nlink  [3", [
        "a.txt:5:108: link 2 Inertia = (1.0, 1.0, 3.0, 0.0, 0.0, 0.0): principal moments 1, 1, "
        "3 kg m2 are no body's; each is above 0 and at most the sum of the other two"]),
    "an inertia of nine numbers": ("0.1), 1500]\nlink  [3",
        "0.1), 0, (1, 0, 0, 0, 1, 1, 1, 0, 0)]\nlink  [3", [
        "a.txt:5:108: Inertia = (1, 0, 0, 0, 1, 1, 1, 0, 0): 9 numbers; mass, x, y, z of its "
        "centre, xx, yy, zz, xy, xz, yz about that"]),
    "an inertia and a density": ("0.1), 1500]\nlink  [3",
        "0.1), 1500, (1, 0, 0, 0, 1, 1, 1, 0, 0, 0)]\nlink  [3", [
        "a.txt:5:105: link 2 Density = 1500.0: the link's mass is told more than once; a density, "
        "a mass, or an inertia"]),
    "no bracket": ("joint [3, hinge", "joint 3, hinge", [
        "a.txt:13:6: no square bracket opens; joint [..., ...]"]),
    "no end": ("(0, 0, 1), 2, 3]", "(0, 0, 1), 2, 3", [
        "a.txt:13:33: the row goes on wrongly here; a comma before the next cell, one square "
        "bracket at the end of the row"]),
    "no comma": ("joint [3, hinge, (0, 0, 1), 2,", "joint [3, hinge (0, 0, 1), 2,", [
        "a.txt:13:17: (0, 0, 1), 2, 3]: the row goes on wrongly here; a comma before the next "
        "cell, one square bracket at the end of the row"]),
    "list in a list": ("(0, 0, 0.12)", "(0, (0, 0.12))", [
        "a.txt:17:33: (0, (0, 0.12))]: no word and no list; words, and words in round "
        "brackets, a comma between two"]),
    "no such statement": ("joint [3,", "jiont [3,", [
        "a.txt:13:1: jiont: no such statement; a line begins with units, link, joint or #"]),
    "other units": ("units m rad kg/m3", "units mm deg kg/m3", [
        "a.txt:2:1: mm deg kg/m3: other units are not read; units m rad kg/m3"]),
    "no units": ("units m rad kg/m3\n", "", [
        "a.txt:2:1: link: no units are named before it; the first line is: "
        "units m rad kg/m3"]),
    "no base": ("joint [0, fixed, (), -1, 0]\n", "", [
        "a.txt:0:0: joint 0 No: there is no joint that bears the base; joint 0, fixed or free, "
        "from link -1 to link 0",
        "a.txt:3:8: link 0 No = 0: it is not connected; a joint whose second link is 0"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_told_with_place_value_and_remedy(name):
    old, new, wanted = FAULTS[name]
    text = shipped_text("robot_a")
    assert text.count(old) == 1
    found = refused(text.replace(old, new))
    assert sorted(found) == sorted(wanted)


def test_all_faults_are_told_at_once_in_their_order():
    text = shipped_text("robot_a")
    for old, new, _ in (FAULTS[name] for name in ("degrees", "no axis", "negative size")):
        text = text.replace(old, new)
    places = [line.split(": ")[0] for line in refused(text)]
    assert places == ["a.txt:5:80", "a.txt:6:11", "a.txt:13:18"]


def test_a_cycle_that_no_joint_closes():
    text = shipped_text("four_bar")
    text = text.replace("(0.55, 0, 0), (0.4, 0, 0)]", "]").replace("3, ]", "3]")
    assert any("joint 3 moves link 3 as well" in line for line in refused(text))
    text = text.replace("joint [3, hinge, (0, 0, 1), 0, 3]", "").replace("0, (3, 1)", "0, ()")
    text = text.replace("joint [1, hinge, (0, 0, 1), 0, 1]", "joint [1, hinge, (0, 0, 1), 3, 1]")
    text = text.replace("1.9, 0), 3, ()", "1.9, 0), 4, (1)").replace("(0.015)", "(0.015, 0.4)")
    text = text.replace("0.04), (0.3", "0.04, 1), (0.3")
    assert refused(text) == [
        "a.txt:8:32: joint 1 LinkN = 1: links 1, 3, 2 carry each other and no joint closes the "
        "cycle; a joint that closes a loop has a point on both links"
    ]


def test_a_loop_out_of_reach_names_its_least_gap():
    text = shipped_text("four_bar").replace("3, (0.55, 0, 0)", "3, (0.05, 0, 0)")
    # Ground 0.75 m, crank 0.2 m, coupler 0.05 m, rocker 0.4 m: stretched, 0.1 m are missing.
    text = text.replace("(1.5707963267948966, 0.5, 1.9, 0)", "(1.5707963267948966, 0.75, 1.9, 0)")
    assert refused(text) == [
        "a.txt:11:49: joint 4 AtN = (0.4, 0.0, 0.0): out of reach: the least gap found is 100 mm; "
        "points that meet to 1 µm within the joints' limits"
    ]


def test_limits_can_put_a_loop_out_of_reach():
    robot = shipped("four_bar")
    joints = list(robot.joints)
    joints[2] = replace(joints[2], limits=((-0.01, 0.01),))
    joints[1] = replace(joints[1], limits=((-0.01, 0.01),))
    joints[3] = replace(joints[3], limits=((-0.01, 0.01),))
    (finding,) = findings_of(replace(robot, joints=tuple(joints)))
    assert "least gap found" in finding.problem


def test_more_links_than_there_may_be():
    rows = "".join(
        f"link [{number}, (0, 1, 0, 0), {number}, (), sphere, (1), (1, 1, 1), 1]\n"
        for number in range(LINKS_MAX + 1)
    )
    found = refused(f"units m rad kg/m3\n{rows}")
    assert "a.txt:2002:7: link No = 2001: there are more links than 2000; leave out links" in found


def test_as_many_links_as_there_may_be():
    rows = [
        "link [0, (0, 0, 0, 0), 0, (1), sphere, (1), (1, 1, 1), 1]",
        "joint [0, fixed, (), -1, 0]",
    ]
    before = {number: 0 if number % CHAIN == 1 else number - 1 for number in range(1, LINKS_MAX)}
    after = {number: [] for number in range(LINKS_MAX)}
    for number, parent in before.items():
        after[parent].append(str(number))
    for number, parent in before.items():
        leaving = f"({', '.join(after[number])})"
        rows.append(
            f"link [{number}, (0, 0.1, 0, 0), {number}, {leaving}, sphere, (1), (1, 1, 1), 1]"
        )
        rows.append(f"joint [{number}, hinge, (0, 0, 1), {parent}, {number}]")
    rows[0] = rows[0].replace(", 0, (1),", f", 0, ({', '.join(after[0])}),")
    robot = read_text("units m rad kg/m3\n" + "\n".join(rows), "chain")
    assert len(robot.links) == LINKS_MAX
    assert read_text(write_text(robot), "again") == robot


def test_closing_ends_soon_however_large_the_robot_is(monkeypatch):
    """Work is counted in Jacobians: so many for each robot, and fewer for a large one."""
    counts, asked, jacobian = [], [], loops._jacobian
    monkeypatch.setattr(loops, "_jacobian", lambda *them: asked.append(1) or jacobian(*them))
    monkeypatch.setattr(loops, "WORK_MAX", loops.WORK_MAX // 10)  # the whole takes half a minute
    for links in (10, 100):
        robot = next(
            one
            for one in (generated(seed, links_max=links, loops_max=40) for seed in range(500))
            if len(one.links) > 0.8 * links and sum(joint.closes for joint in one.joints) > 30
        )
        far = tuple(
            replace(joint, at_child_m=(90.0, 0.0, 0.0)) if joint.closes else joint
            for joint in robot.joints
        )
        found = loops.closed_loops(spanning_tree(replace(robot, joints=far)))
        assert found.gap_max_m > 1.0
        counts.append(len(asked) - sum(counts))
        size = len(found.gaps_m) * len(robot.links)
        assert counts[-1] <= max(loops.STEPS_LEAST, loops.WORK_MAX // size)
    assert 0 < counts[1] < counts[0] <= loops.ATTEMPTS * loops.STEPS_MAX
