"""The search for files: beside the file that names them, in the current folder, or shipped.

A wheel carries ``configs/`` inside the package ``hil``; a clone has it at the top.
"""

import difflib
import os
from pathlib import Path

from hil.config.errors import ConfigError, about
from hil.config.files import NEEDED, JudgedPath, kind_of
from hil.config.inputs import name_input
from hil.config.named_files import (
    GIVEN,
    NAME_MAX,
    MissingError,
    NotAllowedError,
    OutsideError,
    folder_of,
    judged,
)
from hil.config.named_files import configs_dir as configs_dir


def shipped_paths(folder: str, *endings: str) -> list[Path]:
    """Return the shipped files of a folder of ``configs/``, by name.

    Args:
        folder: of ``configs/``, such as ``world/scenes``.
        endings: of such files; ``.toml`` if left out.
    """
    wanted = endings or (".toml",)
    return sorted(path for path in (configs_dir() / folder).glob("*") if path.suffix in wanted)


def shipped_folders() -> list[str]:
    """Return all folders of ``configs/``, as `find_file` takes them, in alphabetical order."""
    tops = sorted(path for path in configs_dir().rglob("*") if path.is_dir())
    return [path.relative_to(configs_dir()).as_posix() for path in tops]


def find_file(
    name: str, *, beside: Path | None = None, folder: str, key: str, ending: str = ".toml",
    anywhere: bool = False, folders: bool = False, kind: str = "", suggest: bool = True,
) -> Path:  # fmt: skip
    """The file that a setting or the command line means.

    A document may name what lies in its folder, and what is shipped
    (`hil.config.named_files`); a shipped scenario, what lies in the working folder too. What a
    person gave may be anywhere.

    Args:
        name: a path, with or without its ending, or the bare name of a shipped file (``demo``,
            ``paper``), which goes before a file of one's own without its ending.
        beside: the file that has the name; its folder is searched first.
        folder: the folder of ``configs/`` that holds such files.
        key: what to call it in an error; its last part is that of the document.
        ending: of such files, which a name may be without.
        anywhere: whether a document may name one anywhere: a key, of which nothing is kept, or a
            scenario of several, which names its own files.
        folders: whether a folder will do.
        kind: what it is to a run (`hil.config.inputs`); left out, as ``folder`` is called.
        suggest: whether an error names what is called nearly the same.

    Raises:
        NotAllowedError: if it is where the document may name none.
        MissingError: naming every place that was searched.
    """
    _refuse_no_name(name, beside, key)
    places = [] if beside is None else [beside.parent / name]
    places += [
        Path(name),
        configs_dir() / folder / name,
        configs_dir() / folder / f"{name}{ending}",
    ]
    if Path(name).parts[:1] == ("configs",):
        places.append(configs_dir().joinpath(*Path(name).parts[1:]))
    places += [] if beside is None else [beside.parent / f"{name}{ending}"]
    places.append(Path(f"{name}{ending}"))
    outside = ""
    for place in places:
        if not (os.path.exists(place) if folders else os.path.isfile(place)):
            continue
        try:
            found = _allowed(place, None if anywhere or GIVEN.has(key, name) else beside)
        except OutsideError as error:
            outside = outside or f"{place} {error.strerror}"
            continue
        name_input(found, name, kind or folder.rpartition("/")[2].removesuffix("s"))
        return found
    if outside:
        raise _not_allowed(name, beside, key, outside)
    searched = ", ".join(str(place) for place in dict.fromkeys(places))
    nearest = _nearest(name, folder, ending) if suggest else ""
    line = f"{key} = {name!r}: no such file (looked for {searched}){nearest}"
    for place in places:
        if os.path.exists(place):
            line = f"{key} = {name!r}: {place} is {kind_of(os.stat(place))}; {NEEDED}"
    raise MissingError(str(beside or "command line"), [about(key, line)])


def path_beside(name: str, *, beside: Path, key: str) -> Path:
    """Place of a document's own socket or token, or where it is to be made.

    It is in the document's folder, unless a person gave it; nothing is shipped.

    Args:
        name: a path; a relative one is meant from the document's folder.
        beside: the document.
        key: what to call it in an error; its last part is that of the document.

    Raises:
        NotAllowedError: if it is elsewhere.
        ConfigError: if it is no name of a file.
    """
    _refuse_no_name(name, beside, key)
    place = beside.parent / name
    if GIVEN.has(key, name):
        return place
    try:
        return judged(place, beside, shipped=False)
    except OutsideError as error:
        raise _not_allowed(name, beside, key, f"{place} {error.strerror}") from None


def _nearest(name: str, folder: str, ending: str) -> str:
    """The shipped name that a misspelt one is near to, as the end of an error; empty if none is."""
    names = [path.stem for path in shipped_paths(folder, ending)]
    close = difflib.get_close_matches(Path(name).stem, names, n=1)
    return f"; did you mean {close[0]}?" if close else ""


def _refuse_no_name(name: str, beside: Path | None, key: str) -> None:
    if not name or "\0" in name or len(name) > NAME_MAX:
        line = f"{key} = {name[:60]!r}: no file name"
        raise ConfigError(str(beside or "command line"), [about(key, line)])


def _not_allowed(name: str, beside: Path | None, key: str, outside: str) -> NotAllowedError:
    remedy = f"copy it there, or name it yourself (--set {key}=...)"
    return NotAllowedError(str(beside), [about(key, f"{key} = {name!r}: {outside}; {remedy}")])


def _allowed(place: Path, document: Path | None) -> JudgedPath:
    """A file without links, if a document, or else a person, may name it."""
    if document is None:
        return JudgedPath(os.path.realpath(place))
    scenarios = configs_dir() / "scenarios"
    shipped = folder_of(document) == scenarios.resolve()
    return judged(place, document, (Path.cwd(),) if shipped else ())
