"""Compiles a part of the program by mypyc where a wheel is built with ``HIL_COMPILE=1``.

Each compiled module lies beside its source, which stays complete; `pyproject.toml` lists which
(``[tool.hatch.build.targets.wheel.hooks.custom]``). A manifest holds the digests of both halves for
`hil.config.build`. It compiles in a folder of its own. A wheel without the variable, and an
editable installation, are pure Python and need no compiler.
"""

import hashlib
import json
import os
import re
import shutil
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

GROUP = "hil_compiled"
"""Module with all compiled code, beside the packages: from there it finds each module's file."""
REQUIRED = ("mypy==2.4.1", "setuptools>=77,<82", "numpy>=2.1,<3")
"""Distributions that compile; numpy for the types of arrays."""


class CompiledModules(BuildHookInterface[Any]):
    """The hook that hatchling calls before it writes a wheel."""

    PLUGIN_NAME = "custom"
    _work: Path | None = None

    def dependencies(self) -> list[str]:
        """Return the distributions that this build needs."""
        return list(REQUIRED) if _wanted() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and add what was made, and the manifest, to the wheel."""
        if not _wanted() or version == "editable":
            return
        self._work = Path(tempfile.mkdtemp(prefix="hil-compiled-"))
        try:
            self._add_modules(self._work, build_data)
        except BaseException:
            shutil.rmtree(self._work)
            raise

    def _add_modules(self, work: Path, build_data: dict[str, Any]) -> None:
        top, sources = Path(self.root), sorted(self.config["modules"])
        for package in self.config["packages"]:
            shutil.copytree(top / package, work / package)
        _widen_six(work / "hil_common" / "legs.py")
        made = _compile(work, sources)
        manifest = work / "build.json"
        manifest.write_text(json.dumps({
            "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
            "sources": {path: _sha256(top / path) for path in sources},
            "modules": {path: _sha256(work / path) for path in made},
        }, indent=1))  # fmt: skip
        build_data["force_include"] |= {str(work / path): path for path in made}
        build_data["force_include"][str(manifest)] = "hil/build.json"
        build_data |= {"pure_python": False, "infer_tag": True}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder of the compilation, of which the wheel has what it needs."""
        if self._work is not None:
            shutil.rmtree(self._work)


def _wanted() -> bool:
    return os.environ.get("HIL_COMPILE") == "1"


def _widen_six(legs: Path) -> None:
    """Write a stub for the compiler in which the tuples of six are tuples of any length.

    mypyc keeps a tuple of known length as its numbers, and makes a new one for each loop over it.
    """
    text = re.sub(r"tuple\[(\w+)(, \1){5}\]", r"tuple[\1, ...]", legs.read_text(encoding="utf-8"))
    legs.with_suffix(".pyi").write_text(text, encoding="utf-8")


def _compile(work: Path, sources: list[str]) -> list[str]:
    """Compile modules below a folder; return the paths of what was made, below it."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    before = Path.cwd()
    os.chdir(work)
    try:
        options = ["--ignore-missing-imports", "--follow-imports=silent"]
        extensions = mypycify([*options, *sources], group_name=GROUP, opt_level="3")
        command = build_ext(Distribution({"name": "compiled", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(work / "lib"), str(work / "temp")
        command.finalize_options()
        command.run()
    finally:
        os.chdir(before)
    made = [path.relative_to(work / "lib") for path in (work / "lib").rglob("*") if path.is_file()]
    for path in made:
        shutil.copy2(work / "lib" / path, work / path)
    return sorted(path.as_posix() for path in made)


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
