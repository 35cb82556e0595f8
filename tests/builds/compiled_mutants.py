"""Named mutants (`mutants.py`) as compiled modules: each alone, by the hook that makes wheels.

The rest of the program lies beside it as it is, so a mutant costs seconds and not minutes.
"""

import os
import re
import shutil
import subprocess
import sys
import zipfile

from mutants import MUTANTS, ROOT, TESTS, Mutation

from hil.config.build import MANIFEST

NAMES = (
    "a welded contact agrees again",  # a condition
    "the upper soft limit is not checked",  # half of a range
    "silence does not stop homing",  # a row of a table
    "a dropped command keeps its movement",  # a statement
    "both channels come from one drive",  # an index, and not of `safety`
)
FIVE = tuple(next(mutant for mutant in MUTANTS if mutant.name == name) for name in NAMES)
"""Faults of different kinds, each in another module that the compiled build has."""
_MODULES = re.compile(r"(wheel\.hooks\.custom\]\n.*?^modules = )\[.*?^\]", re.DOTALL | re.MULTILINE)
_OF_A_WHEEL = ("hatch_build.py", "README.md", "LICENSE", "NOTICE")


class CompiledMutation(Mutation):
    """A copy of the packages of which one module is compiled.

    Args:
        folder: an empty folder for the copy.
        file: path of the module in the repository.
    """

    def __init__(self, folder, file):
        super().__init__(folder)
        self._file, self._out = file, folder / "dist"
        for name in _OF_A_WHEEL:
            shutil.copy2(ROOT / name, folder / name)
        project, found = _MODULES.subn(
            rf'\g<1>["{file}"]', (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        )
        if found != 1:
            raise LookupError(f"pyproject.toml has {found} lists of compiled modules")
        (folder / "pyproject.toml").write_text(project, encoding="utf-8")

    def sound(self):
        """Exit status of pytest on the module as it is, compiled; and its end."""
        return self._pytest(TESTS[self._file])

    def _pytest(self, tests):
        self._compile()
        return super()._pytest(tests)

    def _compile(self):
        """Make a wheel, and put what was compiled for it beside the sources."""
        shutil.rmtree(self._out, ignore_errors=True)
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", self._out, self.folder],
            env=os.environ | {"HIL_COMPILE": "1"}, check=True,
        )  # fmt: skip
        [wheel] = self._out.glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            made = [name for name in archive.namelist() if name.endswith(".so")]
            archive.extractall(self.folder, [*made, MANIFEST])
        if not any(name.startswith(self._file.removesuffix("py")) for name in made):
            raise LookupError(f"{self._file} is not compiled, only {made}")
