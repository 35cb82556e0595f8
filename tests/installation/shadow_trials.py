"""Tries to shadow an installed bench, and says what came of it: refused, or without effect.

    python tests/installation/shadow_trials.py VENV/bin/python [TRIAL ...]

Each intruder is a folder or module of a name that the bench uses, beside the user. As soon as it is
loaded by any process it leaves a file behind; so an effect shows whatever the program itself says.
Used by `make wheel-check` on the real wheel, and by `test_shadowed_wheel.py`.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("safety", "drives", "sim", "platform6dof", "arm_driver", "hil_common", "hil")
MODULES = ("drives.py", "numpy.py", "can.py", "orjson.py", "json.py", "struct.py")
LOADED = """\
import os, sys
open(os.path.join({seen!r}, {name!r}), "a").write(repr(sys.orig_argv) + "\\n")
"""
SHORT = """\
name = "short"
rig = "paper"
clock = "real"
rate_hz = 100.0
check_first = false
[motion]
kind = "multi_sine"
duration_s = 0.5
fade_s = 0.1
terms = [{ axis = "z", amplitude_m = 0.001, frequency_hz = 1.0 }]
"""
GATE = """\
import sys
from hil.stations.platform.gate.remote import RemoteGate
from hil.stations.platform.gate.spec import BankSpec, sim_settings
from hil.machines.rig.machine import cylinder_model, gate_limits, load_rig
from hil.timing.realtime import RealClock
from hil.timing.realtime_setup import RealtimePolicy
from hil.config.file_search import configs_dir
rig = load_rig(configs_dir() / "rigs" / "paper.toml")
spec = BankSpec("sim", "sim:", "paper", 0.01, settings=sim_settings(cylinder_model(rig, 0.01)))
policy = RealtimePolicy(priority=None, lock_memory=False, keep_awake=False)
gate = RemoteGate(spec, gate_limits(rig, 0.01), RealClock().now_s, policy=policy)
print(gate.open().name)
gate.close()
"""


class Trials:
    """One environment with the bench installed in it.

    Args:
        python: its interpreter.
        work: an empty folder.
    """

    def __init__(self, python, work):
        # Not resolved: the link to the interpreter is what makes it the environment's.
        self.python, self.work = Path(python).absolute(), Path(work)
        self.hil = self.python.with_name("hil")
        where = "import sys; import hil; print(hil.__path__[0])"
        self.packages = Path(self._run([self.python, "-P", "-c", where]).stdout.strip()).parent

    def folder(self, name):
        """A new folder of the user with all intruders in it, and the one for what they leave."""
        user, seen = self.work / name, self.work / f"{name}.seen"
        user.mkdir()
        seen.mkdir()
        for intruder in NAMES:
            (user / intruder).mkdir()
            self._intruder(user / intruder / "__init__.py", seen)
        for intruder in MODULES:
            self._intruder(user / intruder, seen)
        return user, seen

    @staticmethod
    def _intruder(file, seen):
        name = file.parent.name if file.name == "__init__.py" else file.name
        file.write_text(LOADED.format(seen=str(seen), name=name))

    @staticmethod
    def _run(command, folder=None, **changes):
        bare = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
        return subprocess.run(
            [str(word) for word in command], cwd=folder, env=bare | changes, text=True,
            capture_output=True, timeout=240, check=False,
        )  # fmt: skip

    # Beside the user: without effect ---------------------------------------------------------

    def beside_a_run(self):
        """`hil run` in real time, with gate and recorder, from a folder full of intruders."""
        user, seen = self.folder("run")
        (user / "short.toml").write_text(SHORT)
        return self._without_effect([self.hil, "run", "short.toml", "--json"], user, seen)

    def beside_a_module(self):
        """`python -m hil.cli`, which puts the user's folder first."""
        user, seen = self.folder("module")
        shutil.rmtree(user / "hil")  # found before anything of ours runs: see the manual
        (user / "struct.py").unlink()  # likewise: Python itself loads it before any program
        command = [self.python, "-m", "hil.cli", "schema", "rig"]
        return self._without_effect(command, user, seen)

    def beside_a_gate(self):
        """A gate that is started by a program of the user's, which is not in that folder."""
        user, seen = self.folder("gate")
        return self._without_effect([self.python, "-P", "-c", GATE], user, seen)

    def _without_effect(self, command, user, seen):
        ended = self._run(command, user)
        loaded = sorted(file.name for file in seen.iterdir())
        if loaded:
            return f"{', '.join(loaded)} was loaded (status {ended.returncode})"
        if ended.returncode != 0:
            return f"status {ended.returncode}: {ended.stdout[-500:]}{ended.stderr[-1500:]}"
        return ""

    # On PYTHONPATH, or installed over ours: refused by name ----------------------------------

    def package_on_the_path(self):
        """A `safety` that the user has put on PYTHONPATH."""
        user, seen = self.work / "path", self.work / "path.seen"
        seen.mkdir()
        (user / "safety").mkdir(parents=True)
        self._intruder(user / "safety" / "__init__.py", seen)
        return self._refused(user, seen, "safety", str(user / "safety"), PYTHONPATH=str(user))

    def module_on_the_path(self):
        """A `drives.py` in the current folder, which PYTHONPATH names without saying so."""
        user, seen = self.work / "dot", self.work / "dot.seen"
        seen.mkdir()
        user.mkdir()
        self._intruder(user / "drives.py", seen)
        return self._refused(user, seen, "drives", str(user / "drives.py"), PYTHONPATH=":")

    def library_on_the_path(self):
        """A `numpy.py` on PYTHONPATH."""
        user, seen = self.work / "library", self.work / "library.seen"
        seen.mkdir()
        user.mkdir()
        self._intruder(user / "numpy.py", seen)
        return self._refused(user, seen, "numpy", str(user / "numpy.py"), PYTHONPATH=".")

    def installed_over_ours(self):
        """A public distribution that has a package `safety`, too, installed after ours."""
        ours = self.packages / "safety" / "__init__.py"
        kept, info = ours.read_bytes(), self.packages / "safety-3.7.0.dist-info"
        user = self.work / "over"
        user.mkdir()
        try:
            ours.write_text('"""Checks requirements for known vulnerabilities."""\n')
            info.mkdir()
            (info / "RECORD").write_text("safety/__init__.py,,\nsafety/cli.py,,\n")
            return self._refused(user, user, str(ours), "safety 3.7.0")
        finally:
            ours.write_bytes(kept)
            shutil.rmtree(info)

    def changed_in_ours(self):
        """A module of the gate that was edited where it is installed."""
        ours = self.packages / "safety" / "checks.py"
        kept = ours.read_bytes()
        try:
            ours.write_bytes(kept + b"# edited\n")
            ended = self._run([self.python, "-P", "-c", GATE])
        finally:
            ours.write_bytes(kept)
        return "" if ended.returncode and str(ours) in ended.stderr else f"not named: {ended}"

    def _refused(self, user, seen, *words, **changes):
        ended = self._run([self.hil, "schema", "rig", "--json"], user, **changes)
        if loaded := sorted(file.name for file in seen.iterdir()):
            return f"{', '.join(loaded)} was loaded"
        if ended.returncode == 0:
            return "it was not refused"
        missing = [word for word in words if word not in ended.stderr]
        if missing or "Traceback" in ended.stderr:
            return f"refused, but not in words with {missing}: {ended.stderr[-1500:]}"
        if json.loads(ended.stdout)["ok"] is not False:
            return f"it says {ended.stdout}"
        return ""

    # The user's own act that is well ---------------------------------------------------------

    def another_whole_installation(self):
        """All packages on PYTHONPATH, as of a checkout: that one runs, and is told."""
        copy = self.work / "copy"
        for name in NAMES:
            shutil.copytree(self.packages / name, copy / name)
        where = "import hil, safety; print(hil.__path__[0], safety.__path__[0])"
        ended = self._run([self.python, "-P", "-c", where], PYTHONPATH=str(copy))
        right = f"{copy / 'hil'} {copy / 'safety'}"
        return "" if ended.stdout.strip() == right else f"{ended.stdout}{ended.stderr}"


TRIALS = (
    "package_on_the_path",
    "module_on_the_path",
    "library_on_the_path",
    "installed_over_ours",
    "beside_a_module",
    "changed_in_ours",
    "another_whole_installation",
    "beside_a_gate",
    "beside_a_run",
)
"""The quick ones first; those with a gate compile kernels for a minute."""


def main():
    python, *chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        trials = Trials(python, work)
        said = {name: getattr(trials, name)() for name in chosen or TRIALS}
    for name, wrong in said.items():
        print(f"{name:28} {wrong or 'well'}")
    return 1 if any(said.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
