"""Where files are found: beside the file that names them, from where one stands, or shipped.

A wheel carries ``configs/`` inside the package ``hil``; a clone has it at the top.
"""

import os
from pathlib import Path

from hil.config.errors import ConfigError, about
from hil.config.files import NEEDED, kind_of


def configs_dir() -> Path:
    """The configurations that come with this program."""
    package = Path(__file__).parents[1]
    inside = package / "configs"
    return inside if inside.is_dir() else package.parent / "configs"


def find_file(
    name: str, *, beside: Path | None = None, folder: str, key: str, ending: str = ".toml"
) -> Path:
    """The file that a setting or the command line means.

    Args:
        name: a path, with or without its ending, or the bare name of a shipped file (``demo``,
            ``paper``), which goes before a file of one's own without its ending.
        beside: the file in which the name stands; its folder is searched first.
        folder: the folder of ``configs/`` that holds such files.
        key: what to call it in an error.
        ending: of such files, which a name may be without.

    Raises:
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
    for place in places:
        if os.path.isfile(place):  # one that may not be looked at is none
            return place.resolve()
    searched = ", ".join(str(place) for place in dict.fromkeys(places))
    line = f"{key} = {name!r}: no such file (looked for {searched})"
    for place in places:
        if os.path.exists(place):
            line = f"{key} = {name!r}: {place} is {kind_of(os.stat(place))}; {NEEDED}"
    raise ConfigError(str(beside or "command line"), [about(key, line)])
