"""A run whose compiled kernels cannot be kept is refused in a sentence that says what to do."""

import os
import resource
import subprocess
import sys
from functools import partial

import pytest
from campaign import share_of
from seen_ends import Seen, judged, parsed
from short_runs import STATIONS, arguments

KEPT_NOWHERE = {
    "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator",
    "NUMBA_CACHE_DIR": "/proc/nowhere",
}


def refused(station, folder, environment, *, most_bytes=resource.RLIM_INFINITY):
    """The end of a run in an environment, whose files come to so many bytes."""
    limits = partial(resource.setrlimit, resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
    command = [sys.executable, "-P", "-m", "hil.cli", "run", *arguments(station), "--json"]
    made = subprocess.run(
        [*command, "--out", str(folder / "runs")], capture_output=True, text=True, check=False,
        env=os.environ | environment, preexec_fn=limits,
    )  # fmt: skip
    return Seen(made.returncode, told=parsed(made.stdout), errors=made.stderr)


@pytest.mark.parametrize("station", STATIONS)
def test_without_a_place_for_kernels_a_run_is_refused(station, tmp_path):
    seen = refused(station, tmp_path, KEPT_NOWHERE)
    assert seen.status == 1
    cause = "compiled kernels cannot be kept: no folder .* set NUMBA_CACHE_DIR"
    assert judged(seen, cause) == []


@pytest.mark.campaign
@pytest.mark.parametrize("station", share_of(STATIONS))
def test_without_room_for_kernels_a_run_is_refused(station, tmp_path):
    place = {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    seen = refused(station, tmp_path, place, most_bytes=100)
    assert seen.status == 1
    cause = "compiled kernels cannot be kept: File too large; set NUMBA_CACHE_DIR"
    assert judged(seen, cause) == []
