"""Strict settings: TOML in, frozen typed models out, errors that say what would have been right.

Every model of a rig or a scenario derives from :class:`Settings`. Nothing is guessed: an unknown
key, a bool for a number, NaN, infinity or a left-out limit is refused with the file, the key path,
the value and the remedy.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, cast

from pydantic import BaseModel, ConfigDict, ValidationError

from hil.config.drawn import DRAW
from hil.config.errors import ConfigError
from hil.config.files import read_regular
from hil.config.inputs import SCENARIO, name_input
from hil.config.named_files import GIVEN
from hil.config.setting_errors import describe, follows, shown
from sim.toml_reader import DEPTH_MAX, SIZE_MAX, TomlReadError, read_table, read_value

MAX_FILE_BYTES = SIZE_MAX
"""A settings file larger than this is not one (and is not parsed)."""

MAX_TOLD = 40
"""Most wrong values that are listed; of more only the number is given."""


class Settings(BaseModel):
    """A frozen table of settings: unknown keys, NaN and infinity are errors, types are exact."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    @classmethod
    def build(cls, table: Mapping[str, Any], source: str) -> Self:
        """Make the model from a parsed table.

        Args:
            source: the file (or option) that the table came from, for error texts.

        Raises:
            ConfigError: with one line for each wrong value.
        """
        try:
            return cls.model_validate(_with_tuples(table))
        except ValidationError as error:
            errors = [one for one in error.errors(include_url=False) if not follows(one)]
            problems = [describe(cls, table, cast(dict[str, Any], e)) for e in errors[:MAX_TOLD]]
            more = len(errors) - MAX_TOLD
            listed = dict.fromkeys(problems) | ({f"and {more} more": None} if more > 0 else {})
            raise ConfigError(source, listed) from None


def read_toml(path: Path) -> dict[str, Any]:
    """The parsed table of a TOML file.

    Raises:
        ConfigError: if the file is missing, too large, not UTF-8, not TOML, or nested absurdly.
    """
    return parse_toml(settings_text(path), path)


def scenario_toml(path: Path) -> dict[str, Any]:
    """Read the scenario of a run as `read_toml` does, without its draw, which `hil.draw` reads.

    The run lists the file (`hil.config.inputs`).
    """
    name_input(path, str(path), SCENARIO)
    return {key: value for key, value in read_toml(path).items() if key != DRAW}


def settings_text(path: Path) -> str:
    """The text of a settings file.

    Raises:
        ConfigError: if the file is missing, too large, or not UTF-8.
    """
    try:
        return read_regular(path, MAX_FILE_BYTES).decode()
    except OSError as error:
        raise ConfigError(str(path), [f"cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        byte = f"byte {error.start + 1} is 0x{error.object[error.start]:02X}"
        raise ConfigError(str(path), [f"is not UTF-8 ({byte}): save it as UTF-8"]) from None


def parse_toml(text: str, path: Path) -> dict[str, Any]:
    """The table of a text of TOML.

    Args:
        path: for error texts.

    Raises:
        ConfigError: if it is too large, not TOML, or nested absurdly.
    """
    try:
        return read_table(text)
    except TomlReadError as error:
        raise ConfigError(str(path), [str(error)]) from None


Change = str | tuple[str, Any]
"""Change of a table: a text ``key.path=value``, or a key and its value, taken as it is."""


def apply_overrides(
    table: dict[str, Any], overrides: Iterable[Change], *, given: bool = True
) -> dict[str, Any]:  # fmt: skip
    """A copy of a table with changes laid over it.

    The value of a text is read as TOML (``3``, ``0.5``, ``true``, ``[1, 2]``, ``"text"``); what is
    not valid TOML is taken as plain text, so that ``motion.file=run.csv`` needs no quotes. A number
    in the path is an index into a list (``motion.terms.0.amplitude_m=0.02``). A file that is named
    here may be anywhere (`hil.config.named_files`).

    Args:
        given: whether a person gave them, and not a document.

    Raises:
        ConfigError: if an override has no ``=``, or its path leads through a plain value.
    """
    result = _copied(table)
    for change in overrides:
        key, value = _parsed(change) if isinstance(change, str) else change
        if given:
            GIVEN.take(value, key)
        quoted = change if isinstance(change, str) else f"{key}={value}"
        _place(result, key.split("."), value, shown(quoted))
    return result


def _parsed(override: str) -> tuple[str, Any]:
    path, separator, text = override.partition("=")
    if not separator or not path.strip():
        raise ConfigError("--set", [f"{shown(override)}: write it as key=value"])
    if path.count(".") >= DEPTH_MAX:
        problem = f"{shown(override)}: a key of more than {DEPTH_MAX} parts with dots between"
        raise ConfigError("--set", [problem])
    return path.strip(), _toml_value(text.strip())


def _toml_value(text: str) -> Any:
    try:
        return read_value(text)
    except TomlReadError:
        return text


def _place(table: dict[str, Any], keys: list[str], value: Any, override: str) -> None:
    node: Any = table
    for depth, key in enumerate(keys):
        last = depth == len(keys) - 1
        if isinstance(node, list):
            if not key.isdecimal() or len(key) > 9 or int(key) >= len(node):
                there = f"0 to {len(node) - 1}" if node else "no entries"
                raise ConfigError("--set", [f"{override}: {key!r} is no index here ({there})"])
            if last:
                node[int(key)] = value
            else:
                node = node[int(key)]
        elif isinstance(node, dict):
            if last:
                node[key] = value
            else:
                node = node.setdefault(key, {})
        else:
            raise ConfigError(
                "--set", [f"{override}: {'.'.join(keys[:depth])} is a value, not a table"]
            )


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_copied(item) for item in value]
    return value


def _with_tuples(value: Any) -> Any:
    """Lists as tuples: a frozen model holds no list, and strict validation would refuse one."""
    if isinstance(value, Mapping):
        return {key: _with_tuples(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_with_tuples(item) for item in value)
    return value
