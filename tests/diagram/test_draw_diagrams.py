"""`hil diagram draw`: where blocks stand, how wires go, what the picture says."""

import json
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest
from random_diagrams import drawn_file
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import find_file
from hil.diagram.file.model import Diagram, DiagramFile, DrawnBlock
from hil.diagram.file.read import read
from hil.diagram.show.layout import boxes
from hil.diagram.show.routing import routes

SVG = "{http://www.w3.org/2000/svg}"
LOOP = """format = 1
base_s = 0.01
note = "a <plain> & \\"small\\" loop"
[block]
r = { kind = "In", unit = "m" }
error = { kind = "Sum", signs = "+-" }
pi = { kind = "PI", kp = 2.0, ki = 3.0, unit = "V/m", note = "<&> slow" }
plant = { kind = "TransferFunction", numerator = [5.0], denominator = [0.3, 1.0], unit = "m/V" }
y = { kind = "Out" }
[wire]
"error.u1" = "r.y"
"error.u2" = "plant.y"
"pi.e" = "error.y"
"plant.u" = "pi.y"
"y.u" = "plant.y"
"""


def drawn(*arguments, status=0):
    done = CliRunner().invoke(app, ["diagram", "draw", *map(str, arguments), "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


@pytest.fixture
def loop(tmp_path):
    path = tmp_path / "loop.toml"
    path.write_text(LOOP)
    return path


def shipped(name):
    return read(find_file(name, folder="diagrams", key="FILE"))


def unplaced(file):
    return Diagram(file.top.blocks, file.top.wires, {}, file.top.parameters, file.top.note)


def inside(box, point):
    return box.x < point[0] < box.x + box.width and box.y < point[1] < box.y + box.height


def steps(points):
    """Every tenth pixel of a wire."""
    for (x, y), (x2, y2) in pairwise(points):
        count = max(abs(x2 - x), abs(y2 - y)) // 5
        yield from ((x + (x2 - x) * n / count, y + (y2 - y) * n / count) for n in range(count + 1))


@pytest.mark.parametrize("name", ["force_joint", "force_wrist", "heave"])
@pytest.mark.parametrize("as_placed", [True, False])
def test_wires_are_orthogonal_and_go_around_every_block(name, as_placed):
    file = shipped(name)
    diagram = file.top if as_placed else unplaced(file)
    placed = boxes(diagram, file)
    found = routes(placed, diagram.wires)
    assert {(one.target, one.source) for one in found} == set(diagram.wires.items())
    for wire in found:
        (into, _, port), (out_of, _, start) = (
            end.partition(".") for end in (wire.target, wire.source)
        )
        assert wire.points[0] == placed[out_of].output_at(start)
        assert wire.points[-1] == placed[into].input_at(port)
        assert all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(wire.points))
        assert wire.points[-2][0] < wire.points[-1][0]  # it arrives from the left
        for point in steps(wire.points):
            assert not any(inside(box, point) for box in placed.values()), wire


@pytest.mark.parametrize("name", ["force_joint", "force_wrist"])
@pytest.mark.parametrize("as_placed", [True, False])
def test_wires_of_two_outputs_never_lie_on_each_other(name, as_placed):
    file = shipped(name)
    diagram = file.top if as_placed else unplaced(file)
    lying = {}
    for wire in routes(boxes(diagram, file), diagram.wires):
        for a, b in pairwise(wire.points):
            for point in list(steps((a, b)))[1:-1]:
                lying.setdefault((point, a[1] == b[1]), set()).add(wire.source)
    assert not [one for one in lying.values() if len(one) > 1]


def test_what_one_placed_stays_and_the_rest_finds_room():
    file = shipped("force_joint")
    half = {name: at for n, (name, at) in enumerate(sorted(file.top.places.items())) if n % 2}
    diagram = Diagram(file.top.blocks, file.top.wires, half, file.top.parameters)
    placed = boxes(diagram, file)
    assert {name: (placed[name].x, placed[name].y) for name in half} == half
    for one, other in combinations(sorted(placed), 2):
        if {one, other} - half.keys():
            assert not placed[one].meets(placed[other]), (one, other)


def test_without_places_blocks_stand_right_of_what_feeds_them():
    file = shipped("force_joint")
    placed = boxes(unplaced(file), file)
    for target, source in file.top.wires.items():
        into, out_of = placed[target.split(".")[0]], placed[source.split(".")[0]]
        assert out_of.x + out_of.width < into.x
    for one, other in combinations(placed.values(), 2):
        assert not one.meets(other)


def test_a_loop_goes_from_its_setpoint_to_its_output_and_back(loop):
    loop.write_text(LOOP.replace("plant", "drive"))  # a name before the others'
    file = read(loop)
    placed = boxes(file.top, file)
    assert sorted(placed, key=lambda one: placed[one].x) == ["r", "error", "pi", "drive", "y"]
    (back,) = [one for one in routes(placed, file.top.wires) if one.target == "error.u2"]
    assert len(back.points) == 6


def test_drawn_diagrams_of_all_kinds_are_pictures_that_do_not_change(tmp_path):
    from hil.diagram.show.draw import svg

    for seed in range(6):
        file = drawn_file(seed)
        text = svg(file, file.top, "drawn")
        assert svg(file, file.top, "drawn") == text
        titles = [one.text for one in ElementTree.fromstring(text).iter(f"{SVG}title")]
        for name in file.top.blocks:
            assert any(one.startswith(f"{name}: ") for one in titles), (seed, name)


def test_the_order_in_a_file_does_not_change_the_picture():
    from hil.diagram.show.draw import svg

    file = shipped("force_joint")
    turned = Diagram(
        dict(reversed(file.top.blocks.items())), dict(reversed(file.top.wires.items())), {},
        file.top.parameters, file.top.note,
    )  # fmt: skip
    assert svg(file, turned, "t") == svg(file, unplaced(file), "t")


def test_the_picture_has_names_symbols_units_where_they_change_and_notes(loop, tmp_path):
    out = tmp_path / "loop.svg"
    told = drawn(loop, "--out", out)
    assert (told["blocks"], told["wires"], told["fault"]) == (5, 5, "")
    root = ElementTree.fromstring(out.read_text(encoding="utf-8"))
    texts = [(one.get("class"), one.text) for one in root.iter(f"{SVG}text")]
    assert [text for kind, text in texts if kind == "name"] == ["error", "pi", "plant", "r", "y"]
    assert [text for kind, text in texts if kind == "unit"] == ["V", "m", "m"]  # pi, plant, r
    assert ("symbol", "Σ") in texts
    assert [text for kind, text in texts if kind == "port"][:2] == ["+", "−"]
    titles = [one.text for one in root.iter(f"{SVG}title")]
    assert 'a <plain> & "small" loop' in titles
    assert any(one.endswith("kp = 2 | unit = V/m | <&> slow") for one in titles)
    assert "plant.y to error.u2 [m]" in titles


def test_a_sub_diagram_is_one_block_and_is_drawn_by_its_path(tmp_path):
    out = tmp_path / "f.svg"
    assert drawn("force_joint", "--out", out)["blocks"] == 20
    text = out.read_text(encoding="utf-8")
    assert "ft (ForceTransform)" in text
    assert "<title>ft.tau [N*m]</title>" in text
    told = drawn("force_joint", "--out", out, "--inside", "ft")
    assert (told["inside"], told["blocks"], told["wires"]) == ("ft", 6, 5)
    units = ElementTree.fromstring(out.read_text(encoding="utf-8")).iter(f"{SVG}text")
    assert {one.text for one in units if one.get("class") == "unit"} == {"N", "N*m", "m"}
    error = drawn("force_joint", "--out", out, "--inside", "fta", status=2)["error"]
    assert "fta: no sub-diagram; did you mean ft?" in error


def test_a_diagram_that_cannot_run_is_drawn_with_its_fault(loop, tmp_path):
    loop.write_text(LOOP.replace('"Out"', '"Out", unit = "s"'))
    told = drawn(loop, "--out", tmp_path / "loop.svg")
    assert "m into s" in told["fault"]
    error = drawn(loop, "--out", tmp_path / "none" / "x.svg", status=2)["error"]
    assert "No such file or directory" in error


def test_blocks_on_top_of_each_other_and_unknown_ends_are_drawn_too():
    blocks = {name: DrawnBlock("Gain", {"k": 1.0}) for name in "abc"}
    wires = {"b.u": "a.y", "c.u": "b.y", "a.u": "d.y", "c.v": "a.w"}
    places = dict.fromkeys(blocks, (5, -13))
    diagram = Diagram(blocks, wires, places)
    placed = boxes(diagram, DiagramFile(diagram))
    assert [one.target for one in routes(placed, wires)] == ["b.u", "c.u", "c.v"]
