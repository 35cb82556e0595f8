"""What an editor says of a wrong file: one message, at the key; judged by another validator."""

import json
import re
import tomllib

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from drives.modbus.register_map import register_map_from
from drives.modbus.register_table import RegisterMapError
from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.machines.rig.modbus_drive_file import ModbusDriveFile
from hil.run.file_kinds import kind_of

SHIPPED = sorted(path for path in configs_dir().glob("*/*.toml") if path.parent.name != "diagrams")
"""Diagrams have a reader of their own."""
PLATFORM = """
name = "a"
rig = "paper"
[motion]
kind = "multi_sine"
duration_s = 10.0
[[motion.terms]]
axis = "x"
amplitude_m = 0.1
frequency_hz = 0.5
"""


@pytest.fixture(scope="module")
def validators():
    told = json.loads(CliRunner().invoke(app, ["schema", "all"]).stdout)
    for schema in told.values():
        Draft202012Validator.check_schema(schema)
    return {name: Draft202012Validator(schema) for name, schema in told.items()}


def wrong(validators, kind, text):
    """Each error as its place and the rule that it breaks."""
    errors = validators[kind].iter_errors(tomllib.loads(text))
    return [(".".join(map(str, one.absolute_path)), one.validator, one.message) for one in errors]


@pytest.mark.parametrize("path", SHIPPED, ids=lambda p: p.stem)
def test_shipped_files_are_well(validators, path):
    table = tomllib.loads(path.read_text())
    kind = kind_of(table, str(path))
    assert wrong(validators, kind.schema, path.read_text()) == []


@pytest.mark.parametrize(
    ("change", "place", "rule", "words"),
    [
        (('"multi_sine"', '"multisine"'), "motion.kind", "enum", "multi_sine"),
        (('kind = "multi_sine"\n', ""), "motion", "required", "kind"),
        (("amplitude_m", "amplitude_mm"), "motion.terms.0", None, "amplitude_m"),
        (('axis = "x"', 'axis = "w"'), "motion.terms.0.axis", "enum", "alpha"),
        (("= 0.5", '= "fast"'), "motion.terms.0.frequency_hz", "type", "number"),
        (("duration_s", "durations_s"), "motion", None, "duration"),
        (('rig = "paper"', "rig = 5"), "rig", "type", "string"),
        (('name = "a"', 'name = "a"\ncheck_first = "no"'), "check_first", "type", "boolean"),
    ],
)  # fmt: skip
def test_a_wrong_key_is_named_once(validators, change, place, rule, words):
    assert wrong(validators, "scenario", PLATFORM) == []
    errors = wrong(validators, "scenario", PLATFORM.replace(*change, 1))
    rules = {"required", "additionalProperties"} if rule is None else {rule}
    assert {one[1] for one in errors} == rules, errors
    assert all(one[0] == place for one in errors), errors
    assert len(errors) == len(rules), errors
    assert any(words in one[2] for one in errors), errors


def test_with_the_unions_of_the_model_an_editor_would_say_much_more(validators):
    """The positive control: how it was before."""
    from hil.run.file_kinds import kinds_by_name, schema_of_kind

    before = Draft202012Validator(schema_of_kind(kinds_by_name()["scenario"]))
    text = PLATFORM.replace("amplitude_m", "amplitude_mm")
    [error] = before.iter_errors(tomllib.loads(text))
    assert error.validator == "oneOf"  # at the whole motion; each form's own errors are inside
    assert list(error.absolute_path) == ["motion"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (('protocol = "modbus"', 'protocol = "canbus"'), "drive.protocol"),
        (('word_order = "big"', 'word_order = "middle"'), "word_order"),
        (("controlword = 0", "controlwords = 0"), "write.axis"),
        (("counts_per_m = 0", "counts_per_mm = 0"), "parameters.offsets"),
    ],
)
def test_a_wrong_key_of_a_register_map_is_named(validators, change, place):
    text = (configs_dir() / "drives/hil_rack.toml").read_text()
    assert wrong(validators, "drive", text) == []
    changed = text.replace(*change, 1)
    assert changed != text
    assert {one[0] for one in wrong(validators, "drive", changed)} == {place}


def test_the_schema_of_register_maps_has_the_keys_that_their_reader_knows():
    """A key more or less in one of them is refused by the other."""
    text = (configs_dir() / "drives/hil_rack.toml").read_text()
    with pytest.raises(RegisterMapError, match="is unknown") as told:
        register_map_from(tomllib.loads(f"moon = 1\n{text}"), "rack")
    known = set(re.findall(r"\w+", str(told.value).split("known: ")[1]))
    assert known == set(ModbusDriveFile.model_fields)


@pytest.mark.parametrize("kind", ["arm-scenario", "world-scenario", "task-scenario"])
def test_the_table_draw_is_known_with_its_laws_and_nothing_else(validators, kind):
    laws = """[draw]
"rate_hz" = { uniform = [1.0, 2.0] }
[draw.task]
gap = { grid = [0.8, 1.0], count = 3 }
"""
    found = [one for one in wrong(validators, kind, laws) if one[0].startswith("draw")]
    assert found == []
    for bad in ('"x" = 3', '"x" = { uniform = [1.0] }', '"x" = { uniform = [1, 2], often = 3 }',
                '"x" = { latin = [1, 2] }'):  # fmt: skip
        text = f"[draw]\n{bad}\n"
        assert [one for one in wrong(validators, kind, text) if one[0].startswith("draw")], bad
