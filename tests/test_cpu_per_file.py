"""CPU per file: what a test or its child uses is its file's, in this process and in a worker's."""

import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
BURN = "import os\nwhile sum(os.times()[:2]) < 0.2: pass\n"
BUSY = f"import subprocess, sys\ndef test_it(): subprocess.run([sys.executable, '-ISc', {BURN!r}])"


@pytest.mark.parametrize("workers", ["0", "1"])
def test_what_a_child_uses_is_told_of_the_file_that_started_it(pytester, monkeypatch, workers):
    monkeypatch.setenv("PYTHONPATH", str(HERE), prepend=":")
    pytester.makepyfile(test_idle="def test_it(): pass", test_busy=BUSY)
    options = ["-p", "cpu_per_file", "-p", "no:cacheprovider", "-n", workers, "--cpu-per-file", "1"]
    told = str(pytester.runpytest_subprocess(*options).stdout)
    assert "test_idle.py" not in told.partition("CPU seconds per file")[2], "one was asked for"
    used_s = re.search(r"(\S+)  test_busy\.py", told)
    whole_s, files_s = re.search(r"(\S+)  in all: (\S+) in 2 files", told).groups()
    assert 0.2 <= float(used_s[1]) <= float(files_s) < float(whole_s)
