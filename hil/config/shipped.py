"""Where files are found: beside the file that names them, from where one stands, or shipped.

A wheel carries ``configs/`` inside the package ``hil``; a clone has it at the top.
"""

import os
from pathlib import Path

from hil.config.errors import ConfigError, about
from hil.config.files import NEEDED, JudgedPath, kind_of
from hil.config.named import GIVEN, NotAllowedError, OutsideError, folder_of, judged
from hil.config.named import configs_dir as configs_dir


def find_file(
    name: str, *, beside: Path | None = None, folder: str, key: str, ending: str = ".toml",
    anywhere: bool = False,
) -> Path:  # fmt: skip
    """The file that a setting or the command line means.

    A document may name what lies in its folder, and what is shipped (`hil.config.named`); a shipped
    scenario, what lies where one stands, too. What a person gave may be anywhere.

    Args:
        name: a path, with or without its ending, or the bare name of a shipped file (``demo``,
            ``paper``), which goes before a file of one's own without its ending.
        beside: the file in which the name stands; its folder is searched first.
        folder: the folder of ``configs/`` that holds such files.
        key: what to call it in an error.
        ending: of such files, which a name may be without.
        anywhere: whether a document may name one anywhere: a key, of which nothing is kept.

    Raises:
        NotAllowedError: if it is where the document may name none.
        ConfigError: naming every place that was searched.
    """
    if not name or "\0" in name or len(name) > 4096:
        line = f"{key} = {name[:60]!r}: no file name"
        raise ConfigError(str(beside or "command line"), [about(key, line)])
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
        if not os.path.isfile(place):  # one that may not be looked at is none
            continue
        try:
            return _allowed(place, None if anywhere or name in GIVEN else beside)
        except OutsideError as error:
            outside = outside or f"{place} {error.strerror}"
    if outside:
        remedy = f"copy it there, or name it yourself (--set {key}=...)"
        raise NotAllowedError(str(beside), [about(key, f"{key} = {name!r}: {outside}; {remedy}")])
    searched = ", ".join(str(place) for place in dict.fromkeys(places))
    line = f"{key} = {name!r}: no such file (looked for {searched})"
    for place in places:
        if os.path.exists(place):
            line = f"{key} = {name!r}: {place} is {kind_of(os.stat(place))}; {NEEDED}"
    raise ConfigError(str(beside or "command line"), [about(key, line)])


def _allowed(place: Path, document: Path | None) -> JudgedPath:
    """A file without links, if a document, or else a person, may name it."""
    if document is None:
        return JudgedPath(os.path.realpath(place))
    scenarios = configs_dir() / "scenarios"
    shipped = folder_of(document) == scenarios.resolve()
    return judged(place, document, (Path.cwd(),) if shipped else ())
