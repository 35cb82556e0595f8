"""What the panel writes as TOML is read back as the same table."""

import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.panel.scenarios.models.toml_text import LINE_MAX, TomlError, toml_of, toml_value

CONFIGS = Path(__file__).parents[2] / "configs"
SHIPPED = sorted(path for folder in ("scenarios", "rigs", "robots", "arms")
                 for path in (CONFIGS / folder).glob("*.toml"))  # fmt: skip

texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
scalars = texts | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False)


def within(inner):
    """What holds such values, or is one."""
    return inner | st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4)


# Three deep, in so many words: st.recursive counts leaves, and draws twice as long for it.
values = within(within(within(scalars)))


@given(st.dictionaries(texts, values, max_size=5))
def test_any_table_comes_back(table):
    assert tomllib.loads(toml_of(table)) == table


@given(st.lists(st.dictionaries(texts, values, min_size=1, max_size=4), min_size=1, max_size=3))
def test_lists_of_tables_within_tables_come_back(items):
    table = {"a": {"b": items, "c": 1}, "d": 2}
    assert tomllib.loads(toml_of(table)) == table


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_come_back_with_their_types(path):
    table = tomllib.loads(path.read_text())
    again = tomllib.loads(toml_of(table))
    assert again == table
    assert repr(again) == repr(_sorted_like(again, table))  # 1 stays 1 and 1.0 stays 1.0


def _sorted_like(model, value):
    """The value with the keys in the model's order: types are compared by their repr."""
    if isinstance(model, dict):
        return {key: _sorted_like(model[key], value[key]) for key in model}
    if isinstance(model, list):
        return [_sorted_like(one, other) for one, other in zip(model, value, strict=True)]
    return value


def test_short_tables_in_a_list_take_a_line_each_and_long_ones_headings():
    assert toml_of({"to": [{"x_m": 1.0}, {"x_m": 2}]}) == (
        "to = [\n    { x_m = 1.0 },\n    { x_m = 2 },\n]\n"
    )
    long = {"text": "a" * LINE_MAX}
    assert toml_of({"motion": {"to": [long]}}).splitlines()[:3] == [
        "[motion]", "", "[[motion.to]]",
    ]  # fmt: skip


def test_infinities_and_nan_have_toml_forms():
    assert toml_value([math.inf, -math.inf]) == "[inf, -inf]"
    assert math.isnan(tomllib.loads(f"x = {toml_value(math.nan)}")["x"])


def test_what_has_no_form_is_named_by_its_place():
    with pytest.raises(TomlError, match=r"motion\.neutral = None"):
        toml_of({"motion": {"neutral": None}})
    with pytest.raises(TomlError, match="the value"):
        toml_value({1, 2})
