"""Facts in the header of every recording: where, when and by which programs a run was made."""

import json
import platform
import socket
import sys
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import hil
from hil.config.build import describe_build
from hil.config.libraries import origin_lines
from hil.run.computer import libm_version, processor
from hil.timing.clock import Moment

DISTRIBUTION = "hil-bench"


def run_facts(clock: str, started: Moment, libraries: Iterable[str]) -> dict[str, str]:
    """Facts of a run that do not depend on its station: name → text.

    Args:
        libraries: distributions on which its figures depend.
    """
    return {
        "started_utc": started.text,
        "started_monotonic_s": repr(started.monotonic_s),
        "time_base": _time_base(clock),
        "host": socket.gethostname(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": processor(),
        "libm": libm_version(),
        "python": platform.python_version(),
        "revision": revision(),
        "build": describe_build(),
        "versions": ", ".join(f"{name} {version_of(name)}" for name in (DISTRIBUTION, *libraries)),
        "distributions": origin_lines(),
    }


def _time_base(clock: str) -> str:
    if clock == "virtual":
        return "virtual: cycles times period, without a relation to the calendar"
    from hil.timing.realtime import time_base  # Linux only

    return f"{time_base()}; t_s is cycles times period"


@cache
def version_of(name: str) -> str:
    """Version of a distribution, or that it is not installed."""
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return "not installed"


def revision(source: Path | None = None) -> str:
    """``git`` and the commit of the program, or its version where there is no repository.

    An editable install lies in its repository; a wheel from a repository has its commit in
    ``direct_url.json`` (PEP 610).
    """
    root = Path(hil.__file__).parent.parent if source is None else source
    with suppress(OSError, ValueError):
        return f"git {_commit(root)}"
    with suppress(PackageNotFoundError, ValueError, KeyError, TypeError):
        return f"git {_commit_of_wheel(distribution(DISTRIBUTION))}"
    return f"version {version_of(DISTRIBUTION)} of Python {sys.version_info.major}"


def _commit(root: Path) -> str:
    """Commit that HEAD points at (gitrepository-layout(5)); `.git` may be a file in a work tree."""
    folder = root / ".git"
    if folder.is_file():
        folder = root / folder.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
    head = (folder / "HEAD").read_text(encoding="utf-8").strip()
    if not head.startswith("ref:"):
        return _checked(head)
    name = head.removeprefix("ref:").strip()
    common = folder
    with suppress(OSError):
        common = folder / (folder / "commondir").read_text(encoding="utf-8").strip()
    with suppress(OSError):
        return _checked((common / name).read_text(encoding="utf-8").strip())
    for line in (common / "packed-refs").read_text(encoding="utf-8").splitlines():
        if line.endswith(f" {name}"):
            return _checked(line.split()[0])
    raise ValueError(f"{name} is not in {common}")


def _checked(commit: str) -> str:
    if len(commit) not in (40, 64) or set(commit) - set("0123456789abcdef"):
        raise ValueError(f"{commit!r} is no commit")
    return commit


def _commit_of_wheel(found: Distribution) -> str:
    return _checked(json.loads(found.read_text("direct_url.json") or "{}")["vcs_info"]["commit_id"])
