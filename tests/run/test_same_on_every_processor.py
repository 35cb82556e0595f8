"""A run gives the same recording whichever variants of the libraries a processor would choose."""

import json
import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from hil.ipc.arithmetic import same_everywhere
from hil.ipc.child import isolated, restart_isolated
from hil.run.computer import CPU_FILE, libm_version, processor

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="variants of x86-64")
OLD = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
    "OPENBLAS_CORETYPE": "Prescott",
}
"""Switches by which the libraries take the variants for a processor without fused products."""
NARROW = {"SSSE3", "SSE41", "POPCNT", "SSE42", "X86_V3", "AVX", "F16C", "FMA3", "AVX2"}
"""Features by which numpy's functions of a row round alike."""
NEW = dict.fromkeys(OLD, "")
"""The same for the variants of this machine's processor."""
VALUES = """
import hashlib, numpy as np
from hil.run.computer import libm_version
from platform6dof.cueing.quadratic_solver import piqp
a = np.sin(np.arange(1.0, 601.0)).reshape(20, 30)
sums = [a @ a.T, np.linalg.inv(a @ a.T), np.exp(a), np.linalg.norm(a, axis=1)]
digest = hashlib.sha256(b"".join(one.tobytes() for one in sums)).hexdigest()
print(libm_version(), digest, piqp.DenseSolver.__module__)
"""
CHILD = 'import sys; from hil.ipc.child import *; start_child(["-c", sys.argv[1]]).wait()'


def environment(switches):
    bare = {name: value for name, value in os.environ.items() if name not in OLD}
    return bare | {name: value for name, value in switches.items() if value}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("scenario", ["heave", "joint_move"])
def test_a_recording_is_the_same_with_any_variants(scenario, tmp_path):
    digests = []
    for switches in (NEW, OLD):
        done = subprocess.run(
            [sys.executable, "-m", "hil.cli.entry", "run", scenario, "--json", "--out", tmp_path],
            env=environment(switches), cwd=tmp_path, capture_output=True, text=True, check=True,
        )  # fmt: skip
        digests.append(json.loads(done.stdout.splitlines()[-1])["recording_sha256"])
    assert digests[0] == digests[1]


def test_all_libraries_compute_alike_with_any_variants():
    found = set()
    for switches in (NEW, OLD):
        done = subprocess.run(
            [sys.executable, "-c", CHILD, VALUES],
            env=environment(switches), capture_output=True, text=True, check=True,
        )  # fmt: skip
        found.add(done.stdout)
    assert len(found) == 1
    assert "piqp_python\n" in found.pop()


@pytest.mark.parametrize(
    ("given", "made"),
    [
        ("", "glibc.cpu.hwcaps=-FMA,-FMA4"),
        ("glibc.malloc.perturb=1", "glibc.malloc.perturb=1:glibc.cpu.hwcaps=-FMA,-FMA4"),
        ("glibc.cpu.hwcaps=-AVX2,-FMA", "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"),
        ("glibc.cpu.hwcaps=FMA:glibc.cpu.hwcaps=-ERMS", "glibc.cpu.hwcaps=-ERMS,-FMA,-FMA4"),
    ],
)
def test_other_settings_of_glibc_remain(given, made):
    found = same_everywhere({"GLIBC_TUNABLES": given, "OTHER": "1"}, "x86_64")
    assert (found["GLIBC_TUNABLES"], found["OTHER"]) == (made, "1")
    assert same_everywhere(found, "x86_64") == found


def test_another_kind_of_processor_keeps_its_environment():
    assert same_everywhere({"OTHER": "1"}, "aarch64") == {"OTHER": "1"}


def test_every_variant_of_numpy_is_named():
    dispatched = {
        name for name in np._core._multiarray_umath.__cpu_dispatch__ if name not in NARROW
    }
    assert dispatched <= {*same_everywhere({}, "x86_64")["NPY_DISABLE_CPU_FEATURES"].split()}


def test_a_recording_names_processor_and_c_library(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nmodel name\t: other\n")
    assert processor(file) == "Some CPU @ 2 GHz"
    assert processor(tmp_path / "none")
    name, _, digest = libm_version().partition(", values sha256 ")
    assert name
    assert len(digest) == 16


def test_the_c_librarys_digest_tells_its_variants_apart():
    words = ["-c", "from hil.run.computer import libm_version; print(libm_version())"]
    found = {
        subprocess.run(
            [sys.executable, *words], env=environment(switches), capture_output=True, check=True
        ).stdout
        for switches in (NEW, OLD)
    }
    has_fused = "fma" in CPU_FILE.read_text().split()
    assert len(found) == (2 if has_fused and platform.libc_ver()[0] == "glibc" else 1)


@pytest.mark.parametrize(
    ("lacking", "arguments", "starts"),
    [
        ("OPENBLAS_CORETYPE", ["-P", "hil"], 1),
        ("GLIBC_TUNABLES", ["hil"], 1),
        ("GLIBC_TUNABLES", ["-P", "hil"], 0),
    ],
)
def test_a_program_whose_settings_glibc_takes_away_starts_once(
    lacking, arguments, starts, monkeypatch, tmp_path
):
    environment, started = isolated({"PATH": "/usr/bin"}), []
    del environment[lacking]
    monkeypatch.setattr(os, "environ", environment)
    monkeypatch.setattr(sys, "orig_argv", [sys.executable, *arguments])
    monkeypatch.setattr(os, "execve", lambda program, words, given: started.append(given))
    restart_isolated(tmp_path)
    assert len(started) == starts
    assert all(lacking in given for given in started)
