"""Problems land at the field that they are about, for every kind of file and of field."""

import tomllib
from pathlib import Path

import pytest

from hil.machines.kinds import RIG
from hil.panel.scenarios.models.form import FormModel
from hil.panel.scenarios.models.form_check import Problem, located, problems_of
from hil.panel.scenarios.models.form_nodes import NodeKind
from hil.panel.scenarios.models.form_values import ABSENT, replaced
from hil.run.file_kinds import kind_of

CONFIGS = Path(__file__).parents[2] / "configs"
SHIPPED = sorted(path for folder in ("scenarios", "rigs", "robots", "arms")
                 for path in (CONFIGS / folder).glob("*.toml"))  # fmt: skip
ONE_OF_EACH = [
    CONFIGS / name
    for name in (
        "scenarios/demo.toml", "scenarios/ground_motion.toml", "scenarios/cabin_tour.toml",
        "scenarios/leg_test.toml", "scenarios/hold_neutral.toml", "scenarios/bkm_on_rm01.toml",
        "scenarios/platform_and_arm.toml", "rigs/paper.toml", "robots/rm01.toml", "arms/bkm.toml",
    )
]  # fmt: skip


def read(path):
    table = tomllib.loads(path.read_text())
    return kind_of(table, str(path)), table


def lines(form, node=None):
    for one in form.children(node or form.root):
        yield one
        yield from lines(form, one)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_have_no_problems(path):
    kind, table = read(path)
    assert problems_of(kind, table, path) == ()


@pytest.mark.parametrize("path", ONE_OF_EACH, ids=lambda path: path.stem)
def test_a_wrong_value_in_any_field_is_told_at_that_field(path):
    kind, table = read(path)
    form = FormModel(kind, table)
    tried = 0
    for one in lines(form):
        if not one.given or one.inner or one.key == "station":
            continue
        bad = {"not": "possible"}
        found = problems_of(kind, replaced(table, one.place, bad), path)
        assert any(problem.place[: len(one.place)] == one.place for problem in found), one.place
        tried += 1
    assert tried >= 5


@pytest.mark.parametrize("path", ONE_OF_EACH, ids=lambda path: path.stem)
def test_a_missing_or_unknown_key_is_told_where_it_is(path):
    kind, table = read(path)
    form = FormModel(kind, table)
    for one in lines(form):
        if one.kind is NodeKind.TABLE and one.given:
            place = (*one.place, "surplus_key")
            found = problems_of(kind, replaced(table, place, 1), path)
            assert any(problem.place == place for problem in found), place
        if one.required and one.given and isinstance(one.key, str) and one.key != "station":
            found = problems_of(kind, replaced(table, one.place, ABSENT), path)
            places = [problem.place for problem in found]
            # Without its tag a table is of no kind: then it is the table that is wrong.
            assert one.place in places or (one.place[:-1] in places and one.options), one.place


@pytest.mark.parametrize(
    ("file", "place", "value", "message"),
    [
        ("scenarios/demo.toml", ("rate_hz",), 5000, "less than or equal to 1000"),
        ("scenarios/demo.toml", ("rig",), "no_such", "no such file"),
        ("scenarios/demo.toml", ("motion", "terms", 3, "amplitude_m"), 50.0, "millimetres"),
        ("scenarios/demo.toml", ("devices",), {"drives": "smoke:"}, "smoke"),
        ("scenarios/demo.toml", ("motion", "fade_s"), float("nan"), "finite"),
        ("scenarios/bkm_on_rm01.toml", ("space_arm", "payload"), "piano", "has"),
        ("scenarios/bkm_on_rm01.toml", ("source", "segment", 1, "rate_rad_s"), [0.0, 9.0, 0.0],
         "less than or equal to 1"),
        ("scenarios/platform_and_arm.toml", ("part", 1, "scenario"), "nowhere", "no such file"),
        ("scenarios/platform_and_arm.toml", ("part", 1, "name"), "platform", "must differ"),
        ("rigs/paper.toml", ("limits", "soft_margin_m"), 0.4, "no travel"),
    ],
)  # fmt: skip
def test_what_one_field_alone_does_not_show_is_told_there_too(file, place, value, message):
    kind, table = read(CONFIGS / file)
    found = problems_of(kind, replaced(table, place, value), CONFIGS / file)
    at = [one for one in found if one.place[: len(place)] == place or place[: len(one.place)] ==
          one.place]  # fmt: skip
    assert any(message in one.message for one in at), found
    assert all(one.place for one in at)


def test_a_message_beside_its_field_repeats_neither_key_nor_value():
    kind, table = read(CONFIGS / "scenarios" / "demo.toml")
    found = problems_of(kind, table | {"rate_hz": 5000.0}, CONFIGS / "scenarios" / "demo.toml")
    assert found == (Problem(("rate_hz",), "should be less than or equal to 1000"),)


def test_a_problem_of_a_rig_is_told_at_the_rigs_name(tmp_path):
    kind, table = read(CONFIGS / "scenarios" / "demo.toml")
    rig = (CONFIGS / "rigs" / "paper.toml").read_text().replace("soft_margin_m", "soft_margins_m")
    (tmp_path / "mine.toml").write_text(rig)
    found = problems_of(kind, table | {"rig": "mine.toml"}, tmp_path / "demo.toml")
    assert found
    assert {one.place for one in found} == {("rig",)}
    assert any("mine.toml: limits.soft_margin_m is left out" in one.message for one in found)


def test_a_wrong_item_is_told_once_and_not_of_its_list_too():
    kind, table = read(CONFIGS / "arms" / "bkm.toml")
    place = ("joint", 0, "inertia_kg_m2")
    found = problems_of(kind, replaced(table, place, "heavy"), CONFIGS / "arms" / "bkm.toml")
    assert found == (Problem(place, "must be a list in square brackets, such as [1, 2]"),)
    place = ("joint", 2, "mass_kg")
    found = problems_of(kind, replaced(table, place, -1.0), CONFIGS / "arms" / "bkm.toml")
    assert found == (Problem(place, "should be greater than or equal to 0"),)


def test_what_names_no_field_is_told_of_the_whole():
    assert located("something else went wrong") == Problem((), "something else went wrong")


def test_a_table_that_toml_cannot_hold_is_a_problem_not_a_crash():
    kind, table = read(CONFIGS / "rigs" / "paper.toml")
    found = problems_of(
        kind, replaced(table, ("limits", "soft_margin_m"), None), CONFIGS / "x.toml"
    )
    assert [one.place for one in found] == [("limits", "soft_margin_m")]
    assert problems_of(RIG, {}, CONFIGS / "x.toml")
