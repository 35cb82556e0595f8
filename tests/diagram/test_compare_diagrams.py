"""`hil diagram diff`: each change of the law is told, and nothing that is none."""

import json
import random
from itertools import pairwise

import pytest
from random_diagrams import drawn_file
from typer.testing import CliRunner

from hil.cli.main import app
from hil.diagram.analysis.compare import compare
from hil.diagram.file.read import read
from hil.diagram.file.write import save

LAW = """format = 1
base_s = 0.01
[parameter]
k = { value = 2.0, low = 0.0, high = 10.0 }
[block]
u = { kind = "In", unit = "m" }
gain = { kind = "Gain", k = "$k" }
delay = { kind = "UnitDelay" }
inner = { kind = "sub", of = "Half" }
sum = { kind = "Sum" }
y = { kind = "Out" }
[wire]
"gain.u" = "u.y"
"delay.u" = "gain.y"
"inner.a" = "delay.y"
"sum.u1" = "inner.b"
"sum.u2" = "gain.y"
"y.u" = "sum.y"
[place]
gain = [10, 20]
[sub.Half.block]
a = { kind = "In" }
b = { kind = "Out" }
half = { kind = "Gain", k = 0.5 }
[sub.Half.wire]
"half.u" = "a.y"
"b.u" = "half.y"
"""


def pair(tmp_path, *changes):
    after = LAW
    for old, new in changes:
        assert old in after, old
        after = after.replace(old, new)
    paths = tmp_path / "a.toml", tmp_path / "b.toml"
    for path, text in zip(paths, (LAW, after), strict=True):
        path.write_text(text)
    return paths


def difference(tmp_path, *changes, status):
    done = CliRunner().invoke(
        app, ["diagram", "diff", *map(str, pair(tmp_path, *changes)), "--json"]
    )
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)["changes"]


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ([("k = 0.5", "k = 0.25")], ("Half", "block", "half", "k", "0.5", "0.25")),
        ([("value = 2.0", "value = 3.0")], ("", "parameter", "k", "value", "2.0", "3.0")),
        ([("high = 10.0", "high = 9.0")], ("", "parameter", "k", "high", "10.0", "9.0")),
        ([('"UnitDelay"', '"Negate"')],
         ("", "block", "delay", "", '{ kind = "UnitDelay" }', '{ kind = "Negate" }')),
        ([('"UnitDelay"', '"UnitDelay", rate = 2')], ("", "block", "delay", "rate", "1", "2")),
        ([('"sum.u2" = "gain.y"', '"sum.u2" = "u.y"')],
         ("", "wire", "sum.u2", "", '"gain.y"', '"u.y"')),
        ([("base_s = 0.01", "base_s = 0.02")], ("", "base_s", "", "", "0.01", "0.02")),
        ([('unit = "m"', 'unit = "mm"')], ("", "block", "u", "unit", '"m"', '"mm"')),
        ([('of = "Half"', 'of = "Half", run = "enabled"')],
         ("", "block", "inner", "run", '"always"', '"enabled"')),
    ],
)  # fmt: skip
def test_a_change_of_the_law_is_the_only_one_told(tmp_path, changes, wanted):
    told = difference(tmp_path, *changes, status=1)
    keys = ("place", "what", "name", "key", "before", "after")
    assert [tuple(one[key] for key in keys) for one in told] == [wanted]
    assert told[0]["law"]


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ([("[10, 20]", "[10, 30]")], ["place"]),
        ([('"UnitDelay"', '"UnitDelay", note = "late"')], ["note"]),
        ([('"Sum"', '"Sum", signs = "++"')], []),
        ([("value = 2.0", "value = 2")], []),
        ([("delay", "late")], ["block"]),
        ([("delay", "late"), ("gain", "factor"), ("sum", "both")], ["block"] * 3),
        ([("Half", "Part"), ("half", "part")], ["sub", "block"]),
        ([('"a.y"', '"c.y"'), ("a = {", "c = {"), ('"inner.a"', '"inner.c"')], ["block"]),
    ],
)
def test_what_is_moved_renamed_noted_or_written_out_leaves_the_law(tmp_path, changes, what):
    told = difference(tmp_path, *changes, status=0)
    assert [one["what"] for one in told if one["what"] != "place" or what == ["place"]] == what
    assert not any(one["law"] for one in told)


def test_names_of_faces_at_the_top_belong_to_the_law(tmp_path):
    told = difference(tmp_path, ("\ny = {", "\nz = {"), ('"y.u"', '"z.u"'), status=1)
    assert [(one["before"], one["after"], one["renamed"]) for one in told] == [("y", "z", True)]


def test_two_names_that_are_exchanged_are_two_renamed_blocks(tmp_path):
    told = difference(tmp_path, ("gain", "t"), ("delay", "gain"), ("t.", "delay."),
                      ("\nt =", "\ndelay ="), status=0)  # fmt: skip
    assert {(one["before"], one["after"]) for one in told if one["renamed"]} == {
        ("gain", "delay"), ("delay", "gain")}  # fmt: skip


def test_a_block_that_is_added_is_told_with_its_wires(tmp_path):
    paths = pair(tmp_path, ('"y.u" = "sum.y"', '"y.u" = "less.y"\n"less.u" = "sum.y"'),
                 ("sum = {", 'less = { kind = "Gain", k = 0.1 }\nsum = {'))  # fmt: skip
    done = CliRunner().invoke(app, ["diagram", "diff", *map(str, paths)])
    assert done.exit_code == 1
    assert done.stdout.splitlines()[:3] == [
        '+ block less = { kind = "Gain", k = 0.1 }', '+ wire less.u = "sum.y"',
        '~ wire y.u: "sum.y" -> "less.y"']  # fmt: skip


def test_a_wrong_file_has_another_status_than_a_difference(tmp_path):
    first, second = pair(tmp_path)
    second.write_text("format = 2\n")
    assert CliRunner().invoke(app, ["diagram", "diff", str(first), str(second)]).exit_code == 2


def test_drawn_diagrams_equal_themselves_and_differ_by_one_wire_alone(tmp_path):
    for seed in range(30):
        path = tmp_path / "d.toml"
        save(drawn_file(seed), path)
        before = read(path)
        assert compare(before, read(path)) == []
        if not before.top.wires:
            continue
        gone = random.Random(seed).choice(sorted(before.top.wires))
        line = next(one for one in path.read_text().splitlines() if one.startswith(f'"{gone}" ='))
        path.write_text(path.read_text().replace(f"{line}\n", "", 1))
        (change,) = compare(before, read(path))
        assert (change.what, change.name, change.after, change.law) == ("wire", gone, None, True)


def test_chains_that_are_alike_are_told_apart_by_where_they_end(tmp_path):
    def law(names):
        first, second = names
        blocks = "".join(f'{one} = {{ kind = "Gain", k = 2.0 }}\n' for one in first + second)
        wires = "".join(f'"{b}.u" = "{a}.y"\n' for one in names for a, b in pairwise(["u", *one]))
        return (
            f'format = 1\n[block]\nu = {{ kind = "In" }}\ny = {{ kind = "Out" }}\n'
            f'less = {{ kind = "Sum", signs = "+-" }}\n{blocks}[wire]\n{wires}'
            f'"less.u1" = "{first[-1]}.y"\n"less.u2" = "{second[-1]}.y"\n"y.u" = "less.y"\n'
        )

    paths = tmp_path / "a.toml", tmp_path / "b.toml"
    chains = [["a1", "a2", "a3"], ["b1", "b2", "b3"]], [["z1", "y2", "x3"], ["c1", "d2", "e3"]]
    for path, names in zip(paths, chains, strict=True):
        path.write_text(law(names))
    changes = compare(*map(read, paths))
    assert [(one.before, one.after) for one in changes] == [
        ("a1", "z1"), ("a2", "y2"), ("a3", "x3"), ("b1", "c1"), ("b2", "d2"), ("b3", "e3")
    ]  # fmt: skip
    assert not any(one.law for one in changes)
