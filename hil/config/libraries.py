"""The distributions that a run is made of: our own, its libraries, and those of others.

A library must be the one of its distribution: a `numpy.py` on PYTHONPATH would be taken for numpy.
Distributions of others, which bring a station, a bank or a motion, are recorded and not judged.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from hil.config.installation import HOME, PACKAGES, InstallationError

OURS: Final = "hil-bench"
LIBRARIES: Final[Mapping[str, str]] = {
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "piqp": "piqp",
    "pydantic": "pydantic",
    "typer": "typer",
    "rich": "rich",
    "ruckig": "ruckig",
    "mcap": "mcap",
    "orjson": "orjson",
    "zstandard": "zstandard",
    "python-can": "can",
    "canopen": "canopen",
    "pymodbus": "pymodbus",
    "pyserial": "serial",
    "matplotlib": "matplotlib",
    "jinja2": "jinja2",
    "pillow": "PIL",
    "fonttools": "fontTools",
    "pygments": "pygments",
}
"""The module of each distribution that ours depends on."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of code."""

    name: str
    """Name of the distribution."""
    version: str
    """Version that it reports; empty if it is not installed as a distribution."""
    path: str
    """Folder of its code."""
    sha256: str
    """Digest, hexadecimal: of its Python files, or of its record of them."""

    def __str__(self) -> str:
        """One line for a recording."""
        return f"{self.name} {self.version or 'not installed'} {self.path} sha256:{self.sha256}"


@cache
def check_libraries() -> None:
    """Refuse a library that is not the one of its distribution; nothing is imported.

    A library that is missing, or that was installed as an editable one, is not judged.

    Raises:
        InstallationError: with the module, where it comes from, and where it should.
    """
    for name, module in LIBRARIES.items():
        found, spec = _distribution(name), find_spec(module)
        if found is None or spec is None or spec.origin is None or _editable(found):
            continue
        home, place = Path(str(found.locate_file(""))).resolve(), Path(spec.origin).resolve()
        if not place.is_relative_to(home):
            text = f"library {module!r} is {place}, and not the one of {name} in {home}"
            raise InstallationError(
                f"{text}: it is shadowed; start from another folder, or take that one off "
                "PYTHONPATH"
            )


def code_origin(name: str, packages: Iterable[str]) -> Origin:
    """Say where the code of some packages came from, with a digest of the files as they are.

    For our own distribution, and for those of others that take part in a run.

    Args:
        packages: its packages or modules, as they are imported; they are not imported here.

    Raises:
        InstallationError: if there is no such package.
    """
    digest, homes = hashlib.sha256(), dict[str, None]()
    for package in packages:
        try:
            spec = find_spec(package)
        except (ImportError, ValueError):
            spec = None
        if spec is None:
            raise InstallationError(f"{name}: package {package!r} is not there; install it anew")
        folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
        files = sorted(file for folder in folders for file in folder.rglob("*.py"))
        files = files or ([Path(spec.origin)] if spec.origin is not None else [])
        home = folders[0].parent if folders else files[0].parent
        homes[str(home)] = None
        for file in files:
            digest.update(f"{file.relative_to(home)}\n".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return Origin(name, _version(_distribution(name)), ", ".join(homes), digest.hexdigest())


def library_origin(name: str) -> Origin:
    """Say where a library came from, with a digest of its record of what was installed."""
    found = _distribution(name)
    if found is None:
        return Origin(name, "", "", "")
    record = (found.read_text("RECORD") or "").encode()
    home = str(Path(str(found.locate_file(""))).resolve())
    return Origin(name, _version(found), home, hashlib.sha256(record).hexdigest())


@cache
def origins() -> tuple[Origin, ...]:
    """Say where our own code and its libraries came from."""
    ours = code_origin(OURS, PACKAGES)
    return (ours, *(library_origin(name) for name in LIBRARIES))


def origin_lines() -> str:
    """The same for the header of a recording: a line each."""
    return "\n".join(map(str, origins()))


def _distribution(name: str) -> Distribution | None:
    try:
        if name == OURS:  # an editable install may be elsewhere: it is not what runs
            found = distribution(name)
            return found if _home(found) in (None, HOME) else None
        return distribution(name)
    except PackageNotFoundError:
        return None


def _home(found: Distribution) -> Path | None:
    """Folder of an installed wheel's code; None for an editable install."""
    return None if _editable(found) else Path(str(found.locate_file(""))).resolve()


def _editable(found: Distribution) -> bool:
    """Whether a distribution is used where it lies (PEP 610)."""
    return '"editable": true' in (found.read_text("direct_url.json") or "")


def _version(found: Distribution | None) -> str:
    return "" if found is None else found.version
