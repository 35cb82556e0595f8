"""A dry run asks nothing of the system that only Linux has."""

import subprocess
import sys

WITHOUT_LINUX = """
import numba, matplotlib, scipy  # they know other systems; what is tested is the bench itself
import os, signal, sys
from matplotlib.figure import Figure
Figure.savefig = lambda _, file, **__: file.write(b"not painted")  # nobody looks at the pictures
for name in dir(os):
    if name.startswith(("sched_", "SCHED_", "memfd_", "MFD_", "posix_fallocate", "pidfd_")):
        delattr(os, name)
for name in ("fdatasync", "splice", "eventfd"):
    if hasattr(os, name):
        delattr(os, name)
import hil.cli.main, hil.stations.platform.run.runner, hil.stations.platform.bench.bench
for name in ("hil.timing.realtime", "hil.recording.process", "hil.timing.doctor"):
    assert name not in sys.modules, name + " was imported for a dry run"
sys.argv = ["hil", "run", "hold_neutral", "--out", sys.argv[1], "--json", "--report",
            "--set", "motion.duration_s=0.2"]
hil.cli.main.main()
"""


def test_a_dry_run_works_without_what_only_linux_has(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_LINUX, str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert '"ok":true' in done.stdout
