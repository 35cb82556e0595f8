"""Reads a diagram's file: strictly, each fault with file, line, block and what would be right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, get_args

from hil.config.errors import ConfigError
from hil.config.inputs import name_input
from hil.config.named_files import OutsideError, judged
from hil.config.settings import parse_toml, settings_text
from hil.config.similar_names import nearest
from hil.diagram.file.lines import PROBLEMS_SOUGHT, SourceLines, raise_problems
from hil.diagram.file.model import (
    FILE,
    FMU,
    NAME,
    NAME_WORDS,
    Diagram,
    DiagramFile,
    DiagramParameter,
    DrawnBlock,
    Kept,
    Run,
)  # fmt: skip
from hil.diagram.file.units import UnitError, unit
from hil.diagram.file.write import FORMAT

TEXT_MOST: Final = 2000
"""Characters of a note."""
RATE_MOST: Final = 100_000
PLACE_MOST: Final = 10**6
BASE_LEAST_S, BASE_MOST_S = 1e-5, 10.0
LIBRARIES_MOST: Final = 100
_SECTIONS: Final = ("parameter", "block", "wire", "place")
_TOP: Final = ("format", "base_s", "seed", "library", "note", "sub", *_SECTIONS)
_OWN: Final = ("kind", "of", "rate", "offset", "run", "states", "outputs", "note")
_PARAMETER: Final = ("value", "low", "high", "unit", "note")


class Problems:
    """Faults of a file, each with its line.

    Args:
        source: The file.
        lines: Of its text.
    """

    def __init__(self, source: Path, lines: list[str] | None = None) -> None:
        self._source = source
        self._lines = SourceLines(source, lines)
        self.found: list[str] = []

    def add(self, problem: str, key: str = "", section: str = "") -> None:
        """Add a fault; its line is that of a key within a section, if it can be found.

        Raises:
            ConfigError: if there are so many that the search ends.
        """
        self.found.append((self._lines.before(section, key) if key else "") + problem)
        if len(self.found) >= PROBLEMS_SOUGHT:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise `ConfigError` with all of them."""
        raise_problems(self._source, self.found)


def read(path: Path) -> DiagramFile:
    """Return the diagram of a file, with those of its libraries.

    Raises:
        ConfigError: With a line for each fault.
    """
    return _with_libraries(_read_one(path))


def read_text(text: str, path: Path) -> DiagramFile:
    """Read the diagram of a text that is, or will be, a file's, with those of its libraries.

    Raises:
        ConfigError: With a line for each fault.
    """
    return _with_libraries(_of_text(text, path))


def _with_libraries(file: DiagramFile) -> DiagramFile:
    if not file.libraries:
        return file
    path = file.path
    foreign: dict[str, Diagram] = {}
    seen = {path.resolve()}
    waiting = [(path, name) for name in file.libraries]
    while waiting:
        beside, name = waiting.pop()
        for one in _library_files(beside, name):
            if one.resolve() in seen:
                continue
            seen.add(one.resolve())
            if len(seen) > LIBRARIES_MOST:
                raise ConfigError(str(path), [f"more than {LIBRARIES_MOST} library files"])
            library = _read_one(one)
            for sub, diagram in library.subs.items():
                diagram = _from_there(diagram, one.parent)
                if sub in foreign and foreign[sub] != diagram:
                    problem = f"sub-diagram {sub!r}: another library has one of this name"
                    raise ConfigError(str(one), [problem])
                foreign[sub] = diagram
            waiting += [(one, inner) for inner in library.libraries]
    return replace(file, foreign={n: d for n, d in foreign.items() if n not in file.subs})


def _from_there(diagram: Diagram, folder: Path) -> Diagram:
    """Return a library's diagram whose blocks find the files beside the library."""
    blocks = dict(diagram.blocks)
    for name, block in diagram.blocks.items():
        beside = folder / str(block.parameters.get("file", ""))
        if block.kind in (FILE, FMU) and beside.is_file():
            blocks[name] = replace(block, parameters={**block.parameters, "file": str(beside)})
    return replace(diagram, blocks=blocks)


def _library_files(beside: Path, name: str) -> list[Path]:
    place = beside.parent / name
    try:
        found = judged(place, beside)
        if found.is_dir():
            files: list[Path] = [judged(one, beside) for one in sorted(found.glob("*.toml"))]
            name_input(found, name, "library")
            return files
    except OutsideError as error:
        raise ConfigError(str(beside), [f"library = {name!r:.80}: it {error.strerror}"]) from None
    if not found.is_file():
        raise ConfigError(str(beside), [f"library = {name!r}: no such file or folder ({place})"])
    name_input(found, name, "library")
    return [found]


def _read_one(path: Path) -> DiagramFile:
    return _of_text(settings_text(path), path)


@lru_cache(maxsize=16, typed=True)
def _of_text(text: str, path: Path) -> DiagramFile:
    """Read the diagram of a text; the same one for the same text, as a campaign asks for it."""
    table = parse_toml(text, path)
    problems = Problems(path, text.splitlines())
    file = from_table(table, problems, path)
    problems.raise_if_any()
    return file


def from_table(table: Mapping[str, Any], problems: Problems, path: Path) -> DiagramFile:
    """Return the diagram of a parsed file; what is wrong is added to the problems."""
    version = table.get("format")
    if type(version) is not int or version < 1:
        problems.add(f"format = {version!r:.60}: {FORMAT} is needed, the version of the file")
        return DiagramFile(Diagram())
    if version > FORMAT:
        problems.add(f"format = {version}: newer than {FORMAT}, which this program knows", "format")
        return DiagramFile(Diagram())
    _unknown(table, _TOP, problems, "", "")
    base_s = _number(table, "base_s", 0.002, problems, BASE_LEAST_S, BASE_MOST_S, "s")
    seed = _whole(table, "seed", 0, problems, 0, 2**53)
    libraries = table.get("library", [])
    if not isinstance(libraries, list) or not all(_is_path(one) for one in libraries):
        problems.add("library: a list of files or folders is needed", "library")
        libraries = []
    subs = table.get("sub", {})
    if not isinstance(subs, Mapping):
        problems.add("sub: tables are needed, each with the blocks of a sub-diagram", "sub")
        subs = {}
    found: dict[str, Diagram] = {}
    for name, inner in subs.items():
        if _is_name(name, "sub-diagram", problems) and isinstance(inner, Mapping):
            _unknown(inner, (*_SECTIONS, "note"), problems, f"sub.{name}", f"sub.{name}.")
            found[name] = _diagram(inner, problems, f"sub.{name}.")
        elif not isinstance(inner, Mapping):
            problems.add(f"sub.{name!r:.60}: a table is needed")
    top = _diagram(table, problems, "")
    return DiagramFile(top, base_s, seed, found, tuple(libraries), path=path)


def _is_path(one: object) -> bool:
    return isinstance(one, str) and 0 < len(one) < 1000 and "\0" not in one


def _diagram(table: Mapping[str, Any], problems: Problems, place: str) -> Diagram:
    sections = {}
    for name in _SECTIONS:
        section = table.get(name, {})
        if not isinstance(section, Mapping):
            problems.add(f"{place}{name}: a table is needed")
            section = {}
        sections[name] = section
    blocks = {}
    for name, one in sections["block"].items():
        if _is_name(name, f"{place}block", problems):
            blocks[name] = _block(name, one, problems, f"{place}block")
    parameters = {}
    for name, one in sections["parameter"].items():
        if _is_name(name, f"{place}parameter", problems):
            parameters[name] = _parameter(name, one, problems, f"{place}parameter")
    wires = {}
    for target, source in sections["wire"].items():
        if not isinstance(source, str) or len(source) > 200:
            problems.add(f"{target!r:.80} = {source!r:.80}: a source block.port is needed",
                         target, f"{place}wire")  # fmt: skip
        else:
            wires[target] = source
    places = {}
    for name, at in sections["place"].items():
        if name not in blocks:
            problems.add(f"place of {name!r:.80}: no such block{nearest(name, blocks)}",
                         name, f"{place}place")  # fmt: skip
        elif not _is_place(at):
            problems.add(f"place of {name} = {at!r:.60}: [x, y] in whole numbers is needed",
                         name, f"{place}place")  # fmt: skip
        else:
            places[name] = (at[0], at[1])
    note = _text(table, "note", problems, place)
    return Diagram(blocks, wires, places, parameters, note)


def _is_place(at: object) -> bool:
    return (
        isinstance(at, list) and len(at) == 2
        and all(type(one) is int and abs(one) <= PLACE_MOST for one in at)
    )  # fmt: skip


def _block(name: str, table: Any, problems: Problems, section: str) -> DrawnBlock:
    if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
        problems.add(f'{name}: {{ kind = "…" }} is needed', name, section)
        return DrawnBlock("")
    before = len(problems.found)
    parameters = {key: _plain(value) for key, value in table.items() if key not in _OWN}
    for key, value in parameters.items():
        if value is None:
            problems.add(f"{name}.{key!r:.80}: a number, text, true or false, or lists of numbers",
                         name, section)  # fmt: skip
    rate = _whole(table, "rate", 1, problems, 1, RATE_MOST, name, section)
    words = {key: table.get(key, default) for key, default in
             (("run", "always"), ("states", "held"), ("outputs", "held"))}  # fmt: skip
    for key, choices in (("run", Run), ("states", Kept), ("outputs", Kept)):
        if words[key] not in get_args(choices):
            text = " or ".join(get_args(choices))
            problems.add(f"{name}.{key} = {words[key]!r:.60}: {text}", name, section)
            words[key] = get_args(choices)[0]
    offset = _whole(table, "offset", 0, problems, 0, max(rate - 1, 0), name, section)
    of = table.get("of", "")
    if not isinstance(of, str) or (of and not NAME.fullmatch(of)):
        problems.add(f"{name}.of = {of!r:.60}: the name of a sub-diagram is needed", name, section)
        of = ""
    note = _text(table, "note", problems, f"{name}.")
    if len(problems.found) > before:
        return DrawnBlock(table["kind"])
    return DrawnBlock(table["kind"], parameters, of, rate, offset, note=note, **words)


def _parameter(name: str, table: Any, problems: Problems, section: str) -> DiagramParameter:
    if not isinstance(table, Mapping) or _plain(table.get("value")) is None:
        problems.add(f"{name}: {{ value = … }} is needed", name, section)
        return DiagramParameter(0.0)
    for key in table.keys() - set(_PARAMETER):
        problems.add(f"{name}.{key!r:.80}: unknown{nearest(key, _PARAMETER)}", name, section)
    bounds = [table.get(key) for key in ("low", "high")]
    if any(one is not None and not _is_finite(one) for one in bounds):
        problems.add(f"{name}: low and high must be finite numbers", name, section)
        bounds = [None, None]
    unit_text = table.get("unit", "1")
    try:
        unit(unit_text if isinstance(unit_text, str) else "")
    except UnitError as error:
        problems.add(f"{name}.unit: {error}", name, section)
    note = _text(table, "note", problems, f"{name}.")
    return DiagramParameter(_plain(table["value"]), bounds[0], bounds[1], str(unit_text), note)


def _plain(value: Any) -> Any:
    """Return a value with tuples for lists; None if it is none that a parameter may have."""
    if isinstance(value, list):
        inner = [_plain(one) for one in value]
        return None if None in inner else tuple(inner)
    return value if isinstance(value, bool | int | float | str) else None


def _is_finite(value: object) -> bool:
    return type(value) in (int, float) and abs(value) < float("inf")  # pyright: ignore


def _is_name(name: str, what: str, problems: Problems) -> bool:
    if NAME.fullmatch(name):
        return True
    problems.add(f"{what} {name[:60]!r}: {NAME_WORDS} make a name")
    return False


def _unknown(table: Mapping, known: tuple[str, ...], problems: Problems, section: str, at: str
             ) -> None:  # fmt: skip
    for key in table.keys() - set(known):
        problems.add(f"{at}{key[:60]}: unknown key{nearest(key, known)}", key, section)


def _number(table: Mapping, key: str, default: float, problems: Problems, low: float, high: float,
            unit: str) -> float:  # fmt: skip
    value = table.get(key, default)
    if _is_finite(value) and low <= value <= high:
        return float(value)
    problems.add(f"{key} = {value!r:.60}: a number from {low:g} to {high:g} {unit} is needed", key)
    return default


def _whole(table: Mapping, key: str, default: int, problems: Problems, low: int, high: int,
           block: str = "", section: str = "") -> int:  # fmt: skip
    value = table.get(key, default)
    if type(value) is int and low <= value <= high:
        return value
    at = f"{block}.{key}" if block else key
    wanted = f"a whole number from {low} to {high} is needed"
    problems.add(f"{at} = {value!r:.60}: {wanted}", block or key, section)
    return default


def _text(table: Mapping, key: str, problems: Problems, at: str) -> str:
    value = table.get(key, "")
    if isinstance(value, str) and len(value) <= TEXT_MOST:
        return value
    problems.add(f"{at}{key}: a text of at most {TEXT_MOST} characters is needed", key)
    return ""
