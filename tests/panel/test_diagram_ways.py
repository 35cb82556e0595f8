"""Where wires and blocks without a place are drawn: around blocks, in the order of the flow."""

from itertools import combinations, pairwise

import pytest
from diagram_samples import editor_window
from hypothesis import given, settings
from hypothesis import strategies as st

from hil.config.file_search import configs_dir
from hil.diagram.file.read import read, read_text
from hil.diagram.file.write import text_of
from hil.panel.diagram.models.shapes import BlockShape, rest_laid_out, shapes_of
from hil.panel.diagram.models.wire_routes import AIR, STUB, TRIED_MOST, WireRoutes, _tried

SHIPPED = sorted((configs_dir() / "diagrams").glob("*.toml"))


def passed(corners, shapes, own):
    """Blocks that a wire passes, but for those that it leaves and meets, which touch its ends."""
    found = set()
    for number, (a, b) in enumerate(pairwise(corners)):
        assert a[0] == b[0] or a[1] == b[1], "horizontal or vertical"
        ends = [own[0]] * (number == 0) + [own[1]] * (number == len(corners) - 2)
        for name in shapes.keys() - set(ends):
            (x, y), one = shapes[name].at, shapes[name]
            if min(a[0], b[0]) < x + one.width and max(a[0], b[0]) > x and (
                    min(a[1], b[1]) < y + one.height and max(a[1], b[1]) > y):  # fmt: skip
                found.add(name)
    return found


def overlapping(shapes):
    return [
        (a.name, b.name) for a, b in combinations(shapes.values(), 2)
        if a.at[0] < b.at[0] + b.width and b.at[0] < a.at[0] + a.width
        and a.at[1] < b.at[1] + b.height and b.at[1] < a.at[1] + a.height
    ]  # fmt: skip


cells = st.tuples(st.integers(0, 6), st.integers(0, 6))


@given(st.lists(cells, min_size=2, max_size=30, unique=True), st.randoms())
@settings(max_examples=200, deadline=None)
def test_where_there_is_room_a_wire_passes_no_block(places, draw):
    shapes = {
        f"b{n}": BlockShape(f"b{n}", "Sum", (130 * x, 100 * y), ("u1", "u2"), ("y",))
        for n, (x, y) in enumerate(places)
    }
    ways = WireRoutes(shapes)
    for _ in range(8):
        out_of, into = draw.choice(sorted(shapes)), draw.choice(sorted(shapes))
        port = draw.choice(("u1", "u2"))
        corners = ways.route(f"{out_of}.y", f"{into}.{port}")
        assert corners[0] == shapes[out_of].port_at("y", output=True)
        assert corners[-1] == shapes[into].port_at(port, output=False)
        assert passed(corners, shapes, (out_of, into)) == set()
        assert len(corners) <= 6


def test_where_there_is_none_the_plainest_way_is_drawn_and_nobody_waits():
    wall = {
        f"w{n}": BlockShape(f"w{n}", "Gain", (90 * (n % 30), 40 * (n // 30)), ("u",), ("y",))
        for n in range(900)
    }
    ways = WireRoutes(wall)
    found = [ways.route(f"w{n}.y", f"w{(n * 37) % 900}.u") for n in range(900)]
    assert all(len(one) >= 2 for one in found)
    assert ways._left <= 0 < TRIED_MOST
    assert ways.route("nobody.y", "w1.u") == ways.route("w1.y", "nobody.u") == []


SHARED = {
    ("container", ""): "twenty wires go from its decisions to its phases, and six come back: more "
    "than find lines of their own between the same two blocks",
    ("valve", ""): "nineteen wires go from the ends of its phases to its phases, likewise",
}
"""Diagrams, and what in them, whose wires may share a line, and why."""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda one: one.stem)
def test_shipped_diagrams_are_drawn_without_a_wire_through_a_block(path):
    file = read(path)
    for where in ("", *file.subs):
        for at_once in (False, True):
            diagram = file.subs[where] if where else file.top
            shown = {} if at_once else rest_laid_out(file, where, {})
            shapes = shapes_of(file, where, shown)
            assert overlapping(shapes) == []
            ways = WireRoutes(shapes, diagram.wires)
            found = ways.all(diagram.wires)
            for target, source in diagram.wires.items():
                own = source.split(".")[0], target.split(".")[0]
                assert passed(found[target], shapes, own) == set(), (where, target)
            if (path.stem, where) not in SHARED:
                assert lying_on_each_other(found, diagram.wires) == []


def lying_on_each_other(found, wires):
    """Wires of two outputs with legs on the same line that share more than a point of it."""
    legs = [(target, a, b) for target, corners in found.items() for a, b in pairwise(corners)]
    return [
        (one, other) for (one, a, b), (other, c, d) in combinations(legs, 2)
        for along, across in ((0, 1), (1, 0))
        if wires[one] != wires[other] and a[across] == b[across] == c[across] == d[across]
        and min(max(a[along], b[along]), max(c[along], d[along]))
        > max(min(a[along], b[along]), min(c[along], d[along]))
    ]  # fmt: skip


def test_wires_of_one_output_part_at_a_dot():
    shapes = {
        "a": BlockShape("a", "Gain", (0, 0), ("u",), ("y",)),
        "b": BlockShape("b", "Sum", (300, 100), ("u1", "u2"), ("y",)),
        "c": BlockShape("c", "Gain", (300, 0), ("u",), ("y",)),
    }
    wires = {"b.u1": "a.y", "c.u": "a.y"}
    ways = WireRoutes(shapes, wires)
    (x, y), *bends = ways.all(wires)["b.u1"][1:-1]
    assert bends == [(x, shapes["b"].port_at("u1", output=False)[1])]
    assert ways.joints() == [(x, y)]
    assert y == shapes["a"].port_at("y", output=True)[1]


def test_what_is_written_below_a_block_ends_before_a_wire_and_a_block():
    shapes = {
        "a": BlockShape("a", "Gain", (0, 0), ("u",), ("y",)),
        "b": BlockShape("b", "Gain", (300, 200), ("u",), ("y",)),
        "n": BlockShape("n", "Gain", (250, 30), ("u",), ("y",)),
    }
    ways = WireRoutes(shapes)
    assert ways.free_width((0, 40), 16) == 250 - AIR
    x = ways.route("a.y", "b.u")[1][0]
    assert ways.free_width((0, 40), 16) == x - AIR
    beside = {**shapes, "m": BlockShape("m", "Gain", (110, 0), ("u",), ("y",))}
    assert (
        WireRoutes(beside).free_width((0, 40), 16) == 110 - AIR
    )  # where the neighbour's value begins


FLOW = """format = 1
[block]
c = { kind = "Gain", k = 1.0 }
a = { kind = "Clock" }
d = { kind = "Out" }
b = { kind = "Gain", k = 1.0 }
[wire]
"b.u" = "a.y"
"c.u" = "b.y"
"d.u" = "c.y"
"""


def test_blocks_without_a_place_stand_in_the_order_of_the_flow_and_stay_there(tmp_path):
    file = read_text(FLOW, tmp_path / "d.toml")
    shown = rest_laid_out(file, "", {})
    assert sorted(shown, key=lambda name: shown[name]) == ["a", "b", "c", "d"]
    more = read_text(FLOW.replace("[wire]", 'e = { kind = "Out" }\n[wire]\n"e.u" = "a.y"')
                     + "[place]\nb = [900, 900]\n", tmp_path / "d.toml")  # fmt: skip
    after = rest_laid_out(more, "", shown)
    assert {name: after[name] for name in "acd"} == {name: shown[name] for name in "acd"}
    shapes = shapes_of(more, "", after)
    assert shapes["b"].at == (900, 900)
    assert overlapping(shapes) == []
    gone = read_text(FLOW.replace('d = { kind = "Out" }\n', "").replace('"d.u" = "c.y"\n', ""),
                     tmp_path / "d.toml")  # fmt: skip
    assert sorted(rest_laid_out(gone, "", after)) == ["a", "b", "c"]


def test_a_window_shows_them_so_and_writes_nothing_of_it(app, tmp_path, monkeypatch):
    pytest.importorskip("PySide6")
    with editor_window(app, tmp_path, monkeypatch) as window:
        before = text_of(window.document.file)
        at = {name: item.shape_of.at for name, item in window.scene.blocks.items()}
        window.scene.rebuild()
        assert {name: item.shape_of.at for name, item in window.scene.blocks.items()} == at
        assert text_of(window.document.file) == before


@pytest.mark.parametrize("gap", [2, 9, 2 * STUB - 2, 2 * STUB - 1, 2 * STUB, 3 * STUB])
def test_a_wire_turns_as_far_from_both_blocks_as_there_is_room_for(gap):
    blocks = [
        BlockShape(name, "Gain", (x, 0), ("u",), ("y",)) for name, x in (("a", 0), ("b", 400))
    ]
    start, end = (200, 10), (200 + gap, 70)
    turns = [way[1][0] for way in _tried(start, end, *blocks) if len(way) == 4 and way[1][1] == 10]
    assert turns[0] == 200 + gap // 2, "the plainest is in the middle"
    inside = [min(x - start[0], end[0] - x) for x in turns if start[0] < x < end[0]]
    assert min(inside) == min(STUB, gap // 2)
