"""A folder of one's own work goes with its process, at the latest when the next one is made."""

import os
import signal
import subprocess
import sys
import tempfile

import pytest

from hil.ipc.work_folder import WorkFolder

MAKER = """
import sys
from hil.ipc.work_folder import WorkFolder
folder = WorkFolder("hil-trial-")
(folder.path / "inside").write_text("x")
print(folder.path, flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def maker(place):
    child = subprocess.Popen(
        [sys.executable, "-P", "-c", MAKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(place)}, text=True,
    )  # fmt: skip
    return child, child.stdout.readline().strip()


def test_it_is_removed_with_what_is_in_it_and_is_ones_own():
    with WorkFolder("hil-trial-") as work:
        (work.path / "inside").mkdir()
        assert work.path.stat().st_mode & 0o777 == 0o700
    assert not work.path.exists()
    work.remove()


def test_what_a_killed_process_left_goes_with_the_next_one_and_what_is_used_stays(place):
    killed, left = maker(place)
    working, used = maker(place)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert os.path.exists(left), "the control: a killed process takes nothing away"
    (place / "hil-trial-file").write_text("another's")
    (place / "hil-trial-open").mkdir(mode=0o755)
    (place / "hil-other-1").mkdir(mode=0o700)
    with WorkFolder("hil-trial-") as one, WorkFolder("hil-trial-") as two:
        assert not os.path.exists(left)
        assert os.path.exists(used)
        assert one.path.exists()
        assert two.path.exists()
    assert {each.name for each in place.iterdir()} == {
        os.path.basename(used), "hil-trial-file", "hil-trial-open", "hil-other-1",
    }  # fmt: skip
    working.communicate("")


def test_a_link_is_not_followed(place):
    (place / "other").mkdir(mode=0o700)
    (place / "hil-trial-link").symlink_to(place / "other")
    with WorkFolder("hil-trial-"):
        assert (place / "other").exists()
