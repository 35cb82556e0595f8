"""Origin of the code: the seven packages come from one installation, and none is replaced.

Python takes the first `safety` or `drives` that it finds: a folder of that name beside the user, or
another distribution in the same environment, would become part of the gate. Every process looks at
its start (`hil/__init__.py`), without importing what it looks at. A gate reports its code as well,
and control compares it with its own.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NoReturn

PACKAGES: Final = (
    "hil", "platform6dof", "arm_driver", "drives", "safety", "sim", "hil_common",
)  # fmt: skip
"""Packages of the program."""
HOME: Final = Path(__file__).resolve().parents[2]
"""Folder of the installation: the one that this very module's package lies in."""
DISTRIBUTION: Final = "hil_bench"
"""Name of our own distribution, as its folder of metadata spells it."""
_REMEDY: Final = (
    "start it from another folder, take that one off PYTHONPATH, or give the bench a virtual "
    "environment of its own"
)


class InstallationError(ImportError):
    """Code that is not this program's is in the place of some that is; the text names it."""


def check_packages(home: Path = HOME) -> None:
    """Refuse packages that are not of this installation, or were overwritten in it.

    Looks where Python would take each package from, and at the first file of each; nothing is
    imported.

    Raises:
        InstallationError: with the package, where it comes from, and where it should.
    """
    for name in PACKAGES:
        place = _place(name)
        if place is None:
            raise InstallationError(f"{home}: package {name!r} is missing; install hil-bench anew")
        if place.resolve() != home / name / "__init__.py":
            text = f"package {name!r} is {place}, and not the one of this program in {home}"
            raise InstallationError(f"{text}: it is shadowed; {_REMEDY}")
    _refuse_altered(home, (f"{name}/__init__.py" for name in PACKAGES))


def check_files(home: Path = HOME) -> None:
    """Refuse an installed program one of whose files is not what was installed.

    A checkout that is used as it lies has no record of its files and is not judged.

    Raises:
        InstallationError: with the file, and the distribution that claims it too, if one does.
    """
    _refuse_altered(home, None)


def code_of_process(home: Path = HOME) -> dict[str, str]:
    """Return the digest of each module of ours that this process has loaded.

    Returns:
        SHA-256, hexadecimal, by path below the folder, or by whole path if it is not below it.
    """
    files: dict[str, str] = {}
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        title = spec.name if name == "__main__" and spec is not None else name
        path = getattr(module, "__file__", None)
        if path is not None and title.partition(".")[0] in PACKAGES:
            files[_below(Path(path), home)] = _sha256(Path(path)).hex()
    return files


def code_digest(files: Mapping[str, str]) -> str:
    """Return one digest, hexadecimal, for what `code_of_process` returned."""
    lines = "".join(f"{path} {digest}\n" for path, digest in sorted(files.items()))
    return hashlib.sha256(lines.encode()).hexdigest()


def foreign_code(given_home: Any, document: Any, home: Path = HOME) -> str:
    """Say what of another process' code is not this installation's.

    Args:
        given_home: the folder of its installation, as it reported it.
        document: what its `code_of_process` returned.

    Returns:
        What is wrong with it, naming the intruder; empty if all of it is ours.
    """
    if not isinstance(document, dict) or not document or not isinstance(given_home, str):
        return f"it does not tell whose code it is; right is the one in {home}"
    if given_home != str(home):
        return f"its code is the one in {given_home}, and not the one in {home}; {_REMEDY}"
    for path, digest in document.items():
        ours = "" if Path(path).is_absolute() else _sha256(home / path).hex()
        if not ours or ours != digest:
            return f"{path} is not the one of this program in {home}; {_REMEDY}"
    return ""


def refuse(error: InstallationError) -> NoReturn:
    """End the program with the reason, as verbs do: on standard error, and as JSON if wanted."""
    if "--json" in sys.argv:
        print(json.dumps({"format": 1, "ok": False, "error": str(error)}))
    sys.exit(f"error: {error}")


def _place(name: str) -> Path | None:
    """File that a package is, or would be, loaded from; a folder if it has no first file."""
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):  # ValueError: a module made by hand is in its place
        return None
    if spec is None:
        return None
    if spec.origin is not None:
        return Path(spec.origin)
    return next((Path(folder) for folder in spec.submodule_search_locations or ()), None)


def _refuse_altered(home: Path, only: Iterable[str] | None) -> None:
    """Compare files with the record of the installation, if there is one."""
    record = _record(home)
    for path in record if only is None else only:
        wanted = record.get(path)
        if wanted is not None and _sha256(home / path) != wanted:
            text = f"{home / path} is not the file that was installed{_claimant(home, path)}"
            raise InstallationError(
                f"{text}; install hil-bench anew, in a virtual environment of its own"
            )


def _record(home: Path) -> dict[str, bytes]:
    """Digests of our Python files, from the RECORD of an installed wheel (PEP 376, PEP 427)."""
    digests: dict[str, bytes] = {}
    for info in home.glob(f"{DISTRIBUTION}-*.dist-info/RECORD"):
        for line in info.read_text(encoding="utf-8").splitlines():
            path, _, rest = line.rpartition(",")[0].rpartition(",")
            kind, _, digest = rest.partition("=")
            if kind == "sha256" and path.endswith(".py") and path.partition("/")[0] in PACKAGES:
                digests[path] = base64.urlsafe_b64decode(digest + "=" * (-len(digest) % 4))
    return digests


def _claimant(home: Path, path: str) -> str:
    """Distribution that claims a file of ours as its own, in words."""
    for info in sorted(home.glob("*.dist-info/RECORD")):
        name = info.parent.name.removesuffix(".dist-info")
        if name.startswith(f"{DISTRIBUTION}-"):
            continue
        if f"\n{path}," in "\n" + info.read_text(encoding="utf-8", errors="replace"):
            return f": {name.replace('-', ' ')} has put its own there"
    return ""


def _below(path: Path, home: Path) -> str:
    found = path.resolve()
    return str(found.relative_to(home) if found.is_relative_to(home) else found)


def _sha256(path: Path) -> bytes:
    """Digest of a file; empty if it cannot be read, which equals none."""
    try:
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return b""
