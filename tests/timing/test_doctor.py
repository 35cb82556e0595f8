"""The latency test and the findings, on machines made up of a few files."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from hil.timing.clock import Tick, VirtualClock
from hil.timing.doctor import Finding, Grade, diagnose
from hil.timing.latency import HISTOGRAM_EDGES_US, latency_test, summarise
from hil.timing.realtime_setup import RealtimePolicy

# Without what takes time where much is in memory, as in a suite: collecting and locking all of it.
QUICK = RealtimePolicy(freeze_garbage=False, lock_memory=False)


class LateClock(VirtualClock):
    """Wakes each tick late by a given part of the period."""

    def __init__(self, part: float) -> None:
        super().__init__()
        self._part = part

    def ticks(self, period_s: float) -> Iterator[Tick]:
        for tick in super().ticks(period_s):
            yield Tick(tick.index, tick.t_s, tick.dt_s, self._part * period_s)


def test_figures_and_histogram_of_known_lateness() -> None:
    late_us = np.concatenate((np.full(98, 7.0), [150.0, 2500.0]))
    result = summarise(late_us, 1000.0, overruns=2)
    assert (result.cycles, result.p50_us, result.max_us, result.overruns) == (100, 7.0, 2500.0, 2)
    assert result.p99_us == pytest.approx(np.percentile(late_us, 99))
    bins = dict(zip(HISTOGRAM_EDGES_US, result.histogram, strict=False))
    assert {edge: count for edge, count in bins.items() if count} == {5: 98, 100: 1, 2000: 1}


def test_lateness_beyond_the_last_bin_is_counted_in_it() -> None:
    result = summarise(np.array([5e6, 1e6]), 1000.0, 0)
    assert result.histogram[-1] == sum(result.histogram) == 2


@pytest.mark.parametrize(
    ("part", "grade"),
    [
        (0.0, "good"),
        (0.1, "good"),
        (0.11, "usable"),
        (0.5, "usable"),
        (0.51, "unfit"),
        (4, "unfit"),
    ],
)
def test_the_verdict_follows_the_part_of_the_period(part: float, grade: str) -> None:
    result = latency_test(LateClock(part), 500.0, 0.2)
    assert result.cycles == 100
    assert result.grade == grade
    assert f"500 Hz: {grade}" in str(result)


def test_one_wake_up_beyond_three_periods_makes_a_machine_unfit() -> None:
    late_us = np.zeros(1000)
    assert summarise(late_us, 500.0, 0).grade == "good"
    late_us[0] = 2001.0
    assert summarise(late_us, 500.0, 0).grade == "usable"
    late_us[0] = 6001.0
    assert summarise(late_us, 500.0, 0).grade == "unfit"


@pytest.mark.parametrize(
    ("rate_hz", "duration_s"), [(0.0, 1.0), (math.nan, 1.0), (100.0, 0.0), (100.0, math.inf)]
)
def test_impossible_tests_are_refused(rate_hz: float, duration_s: float) -> None:
    with pytest.raises(ValueError, match="finite and above 0"):
        latency_test(VirtualClock(), rate_hz, duration_s)


def _machine(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def _diagnose(
    root: Path, part: float = 0.0, policy: RealtimePolicy | None = QUICK
) -> dict[str, Finding]:
    findings = diagnose(0.4, folder=root, root=root, clock=LateClock(part), policy=policy)
    names = [finding.item for finding in findings]
    assert len(set(names)) == len(names)
    assert all(bool(f.remedy) is (f.verdict is not Grade.OK) for f in findings)
    return {finding.item: finding for finding in findings}


def test_a_well_prepared_machine(tmp_path: Path) -> None:
    found = _diagnose(
        _machine(
            tmp_path,
            {
                "proc/version": "Linux version 6.12 (gcc) #1 SMP PREEMPT_RT Debian\n",
                "proc/meminfo": "MemTotal: 9000000 kB\nMemAvailable: 4194304 kB\n",
                "sys/kernel/realtime": "1\n",
                "sys/devices/system/cpu/isolated": "3\n",
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
                "dev/cpu_dma_latency": "",
            },
        ),
        policy=None,
    )
    assert {"garbage collector", "memory lock", "timer slack", "priority"} <= set(found)
    assert found["kernel"] == Finding("kernel", Grade.OK, "PREEMPT_RT")
    assert found["clock frequency"] == Finding("clock frequency", Grade.OK, "governor performance")
    assert found["memory"] == Finding("memory", Grade.OK, "4096 MiB available")
    assert "isolated: 3" in found["processors"].detail
    assert found["processor sleep"].verdict is Grade.OK
    assert [found[f"lateness at {rate} Hz"].verdict for rate in (100, 250, 500, 1000)] == [
        Grade.OK
    ] * 4


def test_an_ordinary_laptop(tmp_path: Path) -> None:
    found = _diagnose(
        _machine(
            tmp_path,
            {
                "proc/version": "Linux version 6.8 (gcc) #1 SMP PREEMPT_DYNAMIC Ubuntu\n",
                "proc/meminfo": "MemAvailable: 512000 kB\n",
                "sys/devices/system/cpu/isolated": "\n",
                "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave\n",
                "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
            },
        ),
        part=0.3,
    )
    assert (found["kernel"].verdict, found["kernel"].detail) == (Grade.WARN, "PREEMPT_DYNAMIC")
    assert "PREEMPT_RT" in found["kernel"].remedy
    assert found["clock frequency"].detail == "governor performance, powersave"
    assert found["clock frequency"].verdict is Grade.WARN
    assert (found["memory"].verdict, found["memory"].detail) == (Grade.WARN, "500 MiB available")
    assert found["processor sleep"].verdict is Grade.WARN
    assert found["lateness at 1000 Hz"].verdict is Grade.WARN


def test_a_machine_that_tells_nothing_is_still_described(tmp_path: Path) -> None:
    found = _diagnose(tmp_path, part=5.0)
    assert found["kernel"].detail == "no preemption"
    assert found["memory"].verdict is Grade.WARN
    assert found["lateness at 100 Hz"].verdict is Grade.BAD


def test_too_little_disk_is_bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hil.timing.doctor.MIN_FREE_BYTES", 2**62)
    assert _diagnose(tmp_path)["disk"].verdict is Grade.BAD
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "not writable" in _diagnose(tmp_path)["disk"].detail


def test_a_folder_that_does_not_exist_yet_is_judged_by_its_parent(tmp_path: Path) -> None:
    findings = diagnose(0.1, tmp_path / "runs" / "a", tmp_path, VirtualClock(), QUICK)
    (disk,) = (finding for finding in findings if finding.item == "disk")
    assert disk.detail.endswith(f"free in {tmp_path}")


def test_kernels_count_as_compiled_when_the_cache_holds_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache" / "deep").mkdir(parents=True)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("hil.timing.doctor.find_spec", lambda name: None)
    assert _diagnose(tmp_path)["compiled kernels"].remedy == "hil warm"
    (tmp_path / "cache" / "deep" / "kernel.nbi").write_bytes(b"")
    assert _diagnose(tmp_path)["compiled kernels"].verdict is Grade.OK


def test_without_a_real_clock_lateness_is_not_made_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise OSError(38, "no clock_nanosleep here")

    monkeypatch.setattr("hil.timing.realtime.RealClock", refuse)
    findings = diagnose(0.1, tmp_path, tmp_path, policy=QUICK)
    (lateness,) = (finding for finding in findings if finding.item.startswith("lateness"))
    assert lateness.verdict is Grade.BAD
    assert "no clock_nanosleep here" in lateness.detail
