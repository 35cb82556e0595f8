"""Build of the program: pure Python, or with modules compiled from the sources beside them.

A wheel for one version of Python has, beside the source of some modules, a compiled one, which
Python imports instead (`hatch_build.py`). A manifest has the digest of each source and of what was
made of it, so that an installation of which one half is another's is refused by name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hil.config.installation import HOME, PACKAGES, InstallationError

MANIFEST: Final = "hil/build.json"
"""File of the manifest, below the folder of the installation; a pure build has none."""
GROUP: Final = "hil_compiled__mypyc"
"""Module beside the packages with what was compiled; the others only lead to their parts of it."""
_REMEDY: Final = "install hil-bench anew, with the Python that runs it"


@dataclass(frozen=True, slots=True)
class CompiledBuild:
    """A build with compiled modules."""

    suffix: str
    """End of the names of its compiled modules, which only one version of Python loads."""
    sources: Mapping[str, str]
    """Path of each compiled source below the installation → its SHA-256, hexadecimal."""
    modules: Mapping[str, str]
    """Path of each compiled module → its SHA-256, hexadecimal."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that it consists of, hexadecimal."""
        lines = (
            f"{path} {sha256}\n"
            for path, sha256 in sorted({**self.sources, **self.modules}.items())
        )
        return hashlib.sha256("".join(lines).encode()).hexdigest()


def read_build(home: Path = HOME) -> CompiledBuild | None:
    """Read the manifest of an installation; None for pure Python.

    Raises:
        InstallationError: if it is there and cannot be read.
    """
    path = home / MANIFEST
    try:
        document = json.loads(path.read_bytes())
        sources, modules = dict(document["sources"].items()), dict(document["modules"].items())
        return CompiledBuild(document["suffix"], sources, modules)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InstallationError(f"{path}: cannot be read ({error}); {_REMEDY}") from None


def describe_build(home: Path = HOME) -> str:
    """Return the build in words, for people and for headers of recordings."""
    build = read_build(home)
    if build is None:
        return "pure Python"
    return (
        f"{len(build.sources)} modules compiled ({build.suffix.lstrip('.')}), sha256 {build.digest}"
    )


def check_presence(home: Path = HOME) -> CompiledBuild | None:
    """Refuse a compiled build of another Python, or one of which a part is missing or shadowed.

    A quick check for each start: of compiled files that no manifest names, only those of the gate
    and the module with all code are looked for.

    Returns:
        The build; None for pure Python.

    Raises:
        InstallationError: with the part, and what would be right.
    """
    build = read_build(home)
    _refuse_unknown(build, home, (*home.glob(f"{GROUP}*"), *(home / "safety").glob("*")))
    if build is None:
        return None
    if build.suffix not in EXTENSION_SUFFIXES:
        raise InstallationError(
            f"{home / MANIFEST}: the program was compiled for {build.suffix}, and this Python "
            f"loads {EXTENSION_SUFFIXES[0]}; {_REMEDY}"
        )
    for path in (*build.modules, *build.sources):
        if not (home / path).is_file():
            raise InstallationError(
                f"{home / path}: a part of the compiled program is missing; {_REMEDY}"
            )
    if GROUP + build.suffix in build.modules:
        place = getattr(find_spec(GROUP), "origin", None)
        if place is None or Path(place).resolve() != home / (GROUP + build.suffix):
            raise InstallationError(
                f"{place} is in the place of {home / GROUP}{build.suffix}; take it away, or take "
                "its folder off PYTHONPATH"
            )
    return build


def check_build(home: Path = HOME) -> None:
    """Refuse compiled modules that are not made of the sources beside them.

    Raises:
        InstallationError: with the file, and what would be right.
    """
    build = check_presence(home)
    known = {} if build is None else {**build.sources, **build.modules}
    for path, sha256 in known.items():
        if hashlib.sha256((home / path).read_bytes()).hexdigest() != sha256:
            raise InstallationError(
                f"{home / path} is not the file that the program was compiled with; {_REMEDY}"
            )
    for name in PACKAGES:
        _refuse_unknown(build, home, sorted((home / name).rglob("*")))


def _refuse_unknown(build: CompiledBuild | None, home: Path, files: Iterable[Path]) -> None:
    """Refuse files that Python would take in place of a source, and that no manifest names."""
    for path in files:
        if not path.name.endswith(tuple(EXTENSION_SUFFIXES)):
            continue
        if build is None or path.relative_to(home).as_posix() not in build.modules:
            raise InstallationError(
                f"{path} is compiled, and {MANIFEST} does not say from which source; take it away, "
                "or install hil-bench in an environment of its own"
            )
