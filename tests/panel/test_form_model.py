"""Forms of every shipped file: nothing of a table is lost, edits can be taken back."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.scenarios.models.form import FormError, FormModel
from hil.panel.scenarios.models.form_labels import label_of
from hil.panel.scenarios.models.form_nodes import NodeKind
from hil.panel.scenarios.models.form_values import shown, value_at
from hil.run.file_kinds import kind_of
from hil.stations.platform.station import SCENARIO as PLATFORM_SCENARIO

CONFIGS = Path(__file__).parents[2] / "configs"
SHIPPED = sorted(path for folder in ("scenarios", "rigs", "robots", "arms")
                 for path in (CONFIGS / folder).glob("*.toml"))  # fmt: skip


def table_of(path):
    return tomllib.loads(path.read_text())


def form_of(path):
    table = table_of(path)
    return FormModel(kind_of(table, str(path)), table)


def demo():
    return form_of(CONFIGS / "scenarios" / "demo.toml")


def rebuilt(form, node):
    """The table as its lines show it, of what stands in the file."""
    if node.kind is NodeKind.TABLE:
        return {one.key: rebuilt(form, one) for one in form.children(node) if one.given}
    if node.kind is NodeKind.LIST:
        return [rebuilt(form, one) for one in form.children(node)]
    return node.value


def lines(form, node=None):
    """All lines of a form."""
    for one in form.children(node or form.root):
        yield one
        yield from lines(form, one)


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_file_is_shown_whole(path):
    form, table = form_of(path), table_of(path)
    assert rebuilt(form, form.root) == table
    assert not any(one.kind is NodeKind.FOREIGN for one in lines(form))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_typing_what_is_shown_changes_nothing(path):
    form, table = form_of(path), table_of(path)
    for one in list(lines(form)):
        if one.given and not one.inner:
            form.edit(one.place, shown(one))
    assert repr(form.table) == repr(table)
    assert not form.changed
    assert not form.can_undo


def test_rows_of_numbers_are_typed_as_they_are_shown(tmp_path):
    path = tmp_path / "press.toml"
    text = (SHIPPED[0].parent.parent / "scenarios" / "press.toml").read_text()
    path.write_text(text.replace("value = 0.5", "value = [[0.5, 0, 0], [0, 0.5, 0], [0, 0, 1]]", 1))
    test_typing_what_is_shown_changes_nothing(path)
    form = form_of(path)
    (row,) = [one for one in lines(form) if shown(one) == "[0.5, 0, 0]"]
    form.edit(row.place, "[1, 0, 2.5]")
    assert form.table["diagram"]["set"][0]["value"][0] == [1, 0, 2.5]
    form.edit(row.place, "[1, 0")
    assert form.table["diagram"]["set"][0]["value"][0] == "[1, 0"


OPERATIONS = ("edit", "include", "exclude", "append", "remove", "up", "down", "choose", "reshape")


def operate(form, operation, one, text):
    match operation:
        case "edit":
            form.edit(one.place, text)
        case "include" | "exclude":
            form.include(one.place, operation == "include")
        case "append":
            form.append(one.place)
        case "remove":
            form.remove(one.place)
        case "up" | "down":
            form.move(one.place, -1 if operation == "up" else 1)
        case "choose":
            form.put(one.place, one.options[len(text) % len(one.options)] if one.options else text)
        case "reshape":
            form.reshape(one.place, len(text) % 2)


@given(
    path=st.sampled_from(SHIPPED),
    moves=st.lists(
        st.tuples(st.sampled_from(OPERATIONS), st.integers(0, 10**6), st.text(max_size=3)),
        max_size=8,
    ),
)
def test_any_edits_can_be_taken_back_and_done_again(path, moves):
    form, table = form_of(path), table_of(path)
    for operation, number, text in moves:
        all_lines = list(lines(form))
        before = repr(form.table)
        try:
            operate(form, operation, all_lines[number % len(all_lines)], text)
        except FormError:
            assert repr(form.table) == before
        form.settle()
        assert rebuilt(form, form.root) == form.table
    after = repr(form.table)
    while form.can_undo:
        form.undo()
    assert repr(form.table) == repr(table)
    while form.can_redo:
        form.redo()
    assert repr(form.table) == after


def test_typing_in_one_field_is_one_step():
    form = demo()
    for text in ("2", "25", "250"):
        form.edit(("rate_hz",), text)
    form.edit(("seed",), "7")
    form.undo()
    assert (form.table["rate_hz"], form.table["seed"]) == (250, 1)
    form.undo()
    assert form.table["rate_hz"] == 500
    form.redo()
    assert form.table["rate_hz"] == 250
    form.edit(("rate_hz",), "100")
    assert not form.can_redo
    form.settle()
    form.edit(("rate_hz",), "200")
    form.undo()
    assert form.table["rate_hz"] == 100


def test_another_kind_of_motion_brings_its_fields_and_keeps_what_both_have():
    form = demo()
    form.put(("motion", "kind"), "hold")
    assert form.table["motion"] == {"duration_s": 30.0, "kind": "hold"}
    keys = [one.key for one in form.children(form.node(("motion",)))]
    assert keys == ["kind", "duration_s", "neutral"]
    form.undo()
    assert len(form.table["motion"]["terms"]) == 8


def test_a_term_of_another_axis_has_the_unit_of_that_axis():
    form = demo()
    form.put(("motion", "terms", 0, "axis"), "beta")
    term = form.table["motion"]["terms"][0]
    assert term == {"frequency_hz": 0.23, "amplitude_deg": 0, "axis": "beta"}
    axis = form.node(("motion", "terms", 0, "axis"))
    assert axis.options == ("x", "y", "z", "alpha", "beta", "gamma")
    amplitude = form.node(("motion", "terms", 0, "amplitude_deg"))
    assert (amplitude.unit, amplitude.bounds) == ("°", "0 ≤ … ≤ 180")


def test_items_are_added_moved_and_removed_within_the_lists_bounds():
    form = demo()
    place = form.append(("motion", "terms"))
    assert place == ("motion", "terms", 8)
    assert form.table["motion"]["terms"][8] == form.table["motion"]["terms"][7]
    first = form.table["motion"]["terms"][0]
    assert form.move(("motion", "terms", 0), 1) == ("motion", "terms", 1)
    assert form.table["motion"]["terms"][1] == first
    assert form.move(("motion", "terms", 1), -5) == ("motion", "terms", 0)
    for _ in range(8):
        form.remove(("motion", "terms", 0))
    with pytest.raises(FormError, match="needs 1 items or more"):
        form.remove(("motion", "terms", 0))
    form = form_of(CONFIGS / "arms" / "bkm.toml")
    for place in (6, 7):
        assert form.append(("joint",)) == ("joint", place)
    with pytest.raises(FormError, match="at most 8"):
        form.append(("joint",))


def test_a_key_that_is_left_out_is_shown_with_its_default_and_comes_with_what_holds_it():
    form = demo()
    drives = form.node(("devices", "drives"))
    assert (drives.value, drives.given, drives.required) == ("sim:", False, False)
    form.edit(("devices", "drives"), "rig")
    assert form.table["devices"] == {"drives": "rig"}
    form.include(("devices",), False)
    assert "devices" not in form.table
    with pytest.raises(FormError, match="required"):
        form.include(("motion",), False)


def test_one_number_for_all_legs_becomes_six_and_one_again():
    form = form_of(CONFIGS / "rigs" / "paper.toml")
    place = ("cylinders", "stroke_m")
    assert form.node(place).kind is NodeKind.NUMBER
    form.reshape(place, 1)
    assert form.table["cylinders"]["stroke_m"] == [0.74] * 6
    assert form.node(place).kind is NodeKind.ROW
    assert form.node(place).bounds == "6 × 0 < … ≤ 20"
    form.edit(place, "0.7, 0.71,0.72, 0.73, 0.74, 0.75")
    assert form.table["cylinders"]["stroke_m"] == [0.7, 0.71, 0.72, 0.73, 0.74, 0.75]
    form.reshape(place, 0)
    assert form.table["cylinders"]["stroke_m"] == 0.7


def test_an_unknown_key_is_shown_and_can_be_removed():
    table = table_of(CONFIGS / "scenarios" / "demo.toml") | {"ratehz": 3}
    form = FormModel(PLATFORM_SCENARIO, table)
    assert form.node(("ratehz",)).kind is NodeKind.FOREIGN
    with pytest.raises(FormError, match="cannot be typed"):
        form.edit(("ratehz",), "4")
    form.remove(("ratehz",))
    assert "ratehz" not in form.table


def test_a_value_of_a_wrong_kind_can_begin_anew():
    table = table_of(CONFIGS / "scenarios" / "demo.toml") | {"motion": 3}
    form = FormModel(PLATFORM_SCENARIO, table)
    assert form.node(("motion",)).kind is NodeKind.FOREIGN
    form.remove(("motion",))
    assert form.table["motion"]["kind"] == "multi_sine"


def test_units_and_labels_come_from_keys():
    form = demo()
    assert form.node(("motion", "fade_s")).label == "fade [s]"
    assert form.node(("motion", "terms", 2)).label == "3"
    form = form_of(CONFIGS / "scenarios" / "bkm_on_rm01.toml")
    segment = form.node(("source", "segment", 0, "velocity_m_s"))
    assert (segment.kind, segment.unit) == (NodeKind.ROW, "m/s")


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("closed_length_m", "closed length [m]"),
        ("speed_max_m_s", "maximum speed [m/s]"),
        ("clearance_min_m", "minimum clearance [m]"),
        ("motor_inertia_kg_m2", "motor inertia [kg m²]"),
        ("speed_gain_v_s", "speed gain [V s/rad]"),
        ("counts_per_m", "counts per metre [1/m]"),
        ("com_m", "centre of mass [m]"),
        ("d_m", "d [m]"),
        ("check_first", "check first"),
        ("dh", "Denavit-Hartenberg rows"),
    ],
)
def test_a_key_reads_as_words_with_its_unit(key, label):
    assert label_of(key) == label


def test_only_problems_of_the_newest_table_are_taken():
    form = demo()
    revision = form.revision
    form.edit(("rate_hz",), "5000")
    assert not form.take(revision, ())
    assert form.take(form.revision, ())


def test_saved_is_unchanged_until_the_next_edit():
    form = demo()
    form.edit(("seed",), "9")
    assert form.changed
    form.saved()
    assert not form.changed
    form.undo()
    assert form.changed
    assert value_at(form.table, ("seed",)) == 1


def test_a_kind_that_is_none_is_refused_with_those_that_are():
    with pytest.raises(FormError, match=r"kind = 'waltz': need one of .*multi_sine"):
        demo().put(("motion", "kind"), "waltz")
