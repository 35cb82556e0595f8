"""Strict settings: what is refused, and that the refusal says what would have been right."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.config.fields import LegLengths
from hil.config.file_search import find_file
from hil.config.named_files import MissingError
from hil.config.settings import MAX_FILE_BYTES, ConfigError, Settings, apply_overrides, read_toml
from hil.stations.platform.plan.scenario import load_plan

SINES = 'kind = "multi_sine"\nduration_s = 1.0\nfade_s = 0.1\n'


class Inner(Settings):
    depth_m: float


class Table(Settings):
    stroke_m: LegLengths
    count: int = 1
    inner: Inner = Inner(depth_m=0.5)


def refused(table: dict) -> str:
    with pytest.raises(ConfigError) as caught:
        Table.build(table, "rig.toml")
    return str(caught.value)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({}, ["rig.toml: stroke_m is left out"]),
        ({"stroke_m": 0.7, "strok_m": 1}, ["strok_m = 1: unknown key", "did you mean stroke_m"]),
        ({"stroke_m": 0.7, "inner": {"depth_mm": 5}}, ["inner.depth_mm", "inner.depth_m is left"]),
        ({"stroke_m": True}, ["stroke_m = True", "one number, or a list of six"]),
        ({"stroke_m": 0.7, "count": True}, ["count = True", "must be a whole number"]),
        ({"stroke_m": 0.7, "count": 1.0}, ["count = 1.0"]),
        ({"stroke_m": math.nan}, ["stroke_m = nan", "finite"]),
        ({"stroke_m": math.inf}, ["stroke_m = inf", "finite"]),
        ({"stroke_m": "0.7"}, ["stroke_m = '0.7'"]),
        ({"stroke_m": 740}, ["stroke_m = 740", "less than or equal to 20", "millimetres?"]),
        ({"stroke_m": [0.7] * 5}, ["a list of six"]),
        ({"stroke_m": [0.7] * 5 + [-1]}, ["stroke_m.5 = -1", "greater than 0"]),
        ({"stroke_m": 0.7, "inner": {"depth_m": "deep"}}, ["inner.depth_m = 'deep'"]),
    ],
)
def test_wrong_value_is_refused_with_path_value_and_remedy(table, words):
    text = refused(table)
    for word in words:
        assert word in text, text


def test_one_number_is_broadcast_and_reported_once():
    assert Table.build({"stroke_m": 0.7}, "x").stroke_m == (0.7,) * 6
    assert len(refused({"stroke_m": 740}).splitlines()) == 1


def test_every_problem_is_told_at_once():
    assert len(refused({"stroke_m": -1, "count": "a", "more": 1}).splitlines()) == 3


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5) | st.integers(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
        max_leaves=8,
    )
)
def test_any_value_is_a_model_or_a_config_error(value):
    try:
        lengths = Table.build({"stroke_m": value}, "x").stroke_m
    except ConfigError:
        lengths = (1.0,)
    assert all(0 < length <= 20 for length in lengths)


def test_overrides_are_typed_and_leave_the_original_alone():
    table = {"motion": {"terms": [{"a": 1}], "file": "x"}}
    overrides = ["motion.terms.0.a=2.5", "motion.file=run 1.csv", "new.k=true"]
    changed = apply_overrides(table, overrides)
    assert changed == {
        "motion": {"terms": [{"a": 2.5}], "file": "run 1.csv"},
        "new": {"k": True},
    }
    assert table == {"motion": {"terms": [{"a": 1}], "file": "x"}}


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("rate_hz", "key=value"),
        ("=3", "key=value"),
        ("terms.7.a=1", "no index"),
        ("terms.x.a=1", "no index"),
        ("name.first=1", "is a value, not a table"),
    ],
)
def test_wrong_override_is_refused(override, words):
    with pytest.raises(ConfigError, match=words):
        apply_overrides({"terms": [{"a": 1}], "name": "n"}, [override])


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"a = ", "not valid TOML"),
        (b"\xff\xfe", "not UTF-8"),
        (b"a = 1\na = 2", "not valid TOML"),
        (b"[" + b"a." * 40 + b"b]\nx = 1", "more than 12 parts"),
        (b"#" * (MAX_FILE_BYTES + 1), "at most"),
    ],
)
def test_bad_file_is_refused_with_its_name(tmp_path, content, words):
    path = tmp_path / "bad.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=words) as caught:
        read_toml(path)
    assert "bad.toml" in str(caught.value)


def test_missing_file_is_refused_with_its_name(tmp_path):
    with pytest.raises(ConfigError, match=r"none\.toml: cannot be read"):
        read_toml(tmp_path / "none.toml")


def test_settings_are_frozen():
    table = Table.build({"stroke_m": 0.7}, "x")
    with pytest.raises(ValueError, match="frozen"):
        table.count = 2


@pytest.mark.parametrize(
    ("motion", "told"),
    [
        ("duration_s = 1.0", "motion.kind is left out; it is required"),
        ('kind = "multisine"', "motion.kind = 'multisine': must be one of 'multi_sine', "),
        (f"{SINES}terms = []", "motion.terms = (): must have at least 1 item, not 0"),
        (f'{SINES}terms = [{{ axis = "up" }}]', "motion.terms.0.axis = 'up': must be one of 'x', "),
    ],
)
def test_each_wrong_value_is_told_by_its_own_key_in_one_line(motion, told, tmp_path):
    """Nothing is told twice, as a list would be that is too short without its wrong items."""
    path = tmp_path / "wrong.toml"
    path.write_text(f'name = "wrong"\nrig = "paper"\n[motion]\n{motion}\n')
    with pytest.raises(ConfigError) as refused:
        load_plan(path)
    (line,) = refused.value.problems
    assert line.startswith(told)


def test_a_misspelt_name_of_a_shipped_file_is_told_with_the_nearest_one():
    with pytest.raises(MissingError, match=r"rig = 'papr': no such file .*; did you mean paper\?$"):
        find_file("papr", folder="rigs", key="rig")
