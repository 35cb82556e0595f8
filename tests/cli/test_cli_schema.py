"""``hil schema``: what editors and forms are made from, for every kind of file."""

import json

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.config.schema import tables_of, unit_of
from hil.config.settings import read_toml
from hil.machines.kinds import SPACE_ARM
from hil.run.file_kinds import all_kinds, kind_of, kinds_by_name, schema_of_kind

runner = CliRunner()
KINDS = kinds_by_name()
SHIPPED = sorted(path for path in configs_dir().glob("*/*.toml") if path.parent.name != "diagrams")
"""Diagrams have a reader of their own."""
WITHOUT_UNIT = {
    "k_1", "k_2", "sigma_2",
    "acceleration_overshoot", "axis", "bias", "bitrate", "bus_load_max", "bus_of_leg", "colour",
    "damping", "dead_zone", "efficiency", "end_slope", "expo", "factor", "gain", "gear_ratio",
    "joint", "jump", "jump_speed_factor", "kd", "ki", "kp", "late_cycles_max", "least_wrist",
    "loss", "max", "min", "order", "parts", "period_tolerance", "quaternion", "rate_overshoot",
    "ratio", "scale", "share", "singular_value_min", "spans", "speed", "start_m_quaternion",
    "start_quaternion", "turns", "force_factor", "position_factor", "rate_factor", "value",
    "velocity_factor", "warn_above", "efficiency_back", "least", "most", "container_friction",
    "range_lost", "sides", "obstacles", "finger_friction", "friction", "normal",
}  # fmt: skip
"""Numbers that are ratios, counts, signs, names, directions, or of a unit that stands elsewhere."""
RATIOS = ("_weight", "_gain", "_gain_step")
"""Endings of keys of such numbers."""


def printed(*arguments):
    result = runner.invoke(app, ["schema", *arguments])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def leaves(schema, field):
    """The simple schemas that a field's value is made of."""
    if "$ref" in field:
        yield from leaves(schema, schema["$defs"][field["$ref"].rpartition("/")[2]])
        return
    inner = [*field.get("anyOf", ()), *field.get("oneOf", ()), *field.get("prefixItems", ())]
    inner += [field["items"]] if isinstance(field.get("items"), dict) else []
    if not inner:
        yield field
    for one in inner:
        yield from leaves(schema, one)


@pytest.mark.parametrize("kind", KINDS)
def test_it_refuses_unknown_keys_and_says_what_it_is_of(kind):
    schema = printed(kind)
    for form in [case["then"] for case in schema.get("allOf", ())] or [schema]:
        assert form["additionalProperties"] is False
        assert "description" in form
    assert schema["title"] == KINDS[kind].name
    tables = {name: one for name, one in schema.get("$defs", {}).items() if name != "DrawnKeys"}
    assert all(table["additionalProperties"] is False for table in tables.values())


def test_all_is_each_of_them_by_its_name():
    assert printed("all") == {one.schema: printed(one.schema) for one in all_kinds()}
    assert set(printed("all")) == {
        "scenario", "arm-scenario", "world-scenario", "task-scenario", "together-scenario",
        "robot", "arm", "rig", "drive", "cylinders", "design", "robot-document",
        "simulator-scenario", "cueing", "host", "ride",
    }  # fmt: skip


def test_left_out_it_is_that_of_a_platforms_scenario():
    assert printed() == printed("scenario")


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_has_a_unit_or_is_known_to_have_none(kind):
    schema = schema_of_kind(KINDS[kind])
    for table, fields in tables_of(schema):
        for key, field in fields.items():
            numbers = [leaf for leaf in leaves(schema, field) if leaf.get("type") == "number"]
            if numbers and "$ref" not in field:
                plain = key in WITHOUT_UNIT or key.endswith(RATIOS)
                assert ("unit" in field) != plain, (
                    f"{table}.{key}: a unit in its name, or a line in WITHOUT_UNIT, is needed"
                )


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("stroke_m", "m"),
        ("path_deviation_max_mm", "mm"),
        ("speed_max_m_s", "m/s"),
        ("jerk_m_s3", "m/s³"),
        ("rate_max_deg_s", "°/s"),
        ("inertia_kg_m2", "kg m²"),
        ("friction_nm", "N m"),
        ("drag_nm_s", "N m s/rad"),
        ("damping_nm_s", "N m s/rad"),
        ("damping_n_s_m", "N s/m"),
        ("armature_kg_m2", "kg m²"),
        ("density_kg_m3", "kg/m³"),
        ("duration_s", "s"),
        ("min_free_mb", "MB"),
        ("scale", None),
        ("name", None),
    ],
)
def test_units_follow_from_keys(key, unit):
    assert unit_of(key) == unit


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_shipped_files_have_only_keys_of_their_schema(path):
    """The schema of the kind that the file shows is the one that it was written by."""
    table = read_toml(path)
    kind = kind_of(table, str(path))
    assert kind is not None
    assert kind.folder == path.parent.name
    if table.get("drive", {}).get("protocol") == "modbus":
        return  # the rest of it is a register map
    schema = schema_of_kind(kind)
    assert table.keys() <= schema["properties"].keys()
    assert set(schema["required"]) <= table.keys()


def test_a_stations_name_stands_for_its_scenario_unless_a_kind_of_file_is_called_so():
    assert KINDS["platform"] is KINDS["scenario"]
    assert KINDS["arm"] is SPACE_ARM
