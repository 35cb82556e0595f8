"""Servos of the market behind the gate: homed, led, and stopped by a program of their own."""

from contextlib import contextmanager

import pytest
from bench_on_modbus import BenchOnModbus
from fault_judges import run_on

from hil.config.file_search import configs_dir
from safety.verdict import Check

NAME = "nanotec_modbus_rtu"
WATCHDOG_S, CLOCK_S = 0.05, 0.001
FOLLOWING_M = 0.02


@contextmanager
def made(*overrides):
    bench = BenchOnModbus(NAME, "rig_settings.drives.counts_per_m=360000", *overrides)
    try:
        yield bench
    finally:
        bench.close()


@pytest.fixture
def bench():
    with made() as found:
        yield found


def test_a_bench_that_is_gone_leaves_servos_that_stop_by_themselves(bench):
    bench.moving()
    for cycle in bench.history[-20:]:
        far_m = [abs(a - b) for a, b in zip(cycle.true_m, cycle.sent.length_m, strict=True)]
        assert max(far_m) < 0.01, "the rods follow what is sent"
    spoke_s = bench.last.at_s
    bench.disappear().watch_rods(0.5)
    for sample in bench.watched:
        if sample.at_s < spoke_s + WATCHDOG_S - CLOCK_S:
            assert set(sample.states) == {"OPERATION_ENABLED"}
        elif sample.at_s > spoke_s + WATCHDOG_S + CLOCK_S:
            assert set(sample.states) == {"QUICK_STOP_ACTIVE"}
    assert max(map(abs, bench.watched[-1].true_m_s)) < 1e-3


def test_an_exception_stops_all_legs_and_is_told_by_number_and_name(bench):
    run_on(bench.moving().strike("exception", 0, 4))
    faults = [fault for fault in bench.last.verdict.faults if fault.check is Check.DRIVE]
    assert faults, bench.last.verdict
    assert "exception 4, server device failure" in str(bench.bank.link_tally())
    assert max(abs(v) for v in bench.last.true_m_s) < 1e-3


def test_a_target_in_the_place_of_the_speed_comes_to_a_following_error_and_no_further(tmp_path):
    text = (configs_dir() / "drives" / f"{NAME}.toml").read_text(encoding="utf-8")
    assert "target_position = 2 " in text
    assert "target_speed = 4 " in text
    text = text.replace("target_position = 2 ", "target_position = 4 ")
    path = tmp_path / "false.toml"
    path.write_text(text.replace("target_speed = 4 ", "target_speed = 2 "), encoding="utf-8")
    with made(f"rig_settings.drives.type={path}") as bench:
        bench.ready()
        start_m = bench.last.true_m
        run_on(bench.follow(60).mark())
        assert {fault.check for fault in bench.last.verdict.faults} == {Check.FOLLOWING}
        ways_m = [abs(a - b) for a, b in zip(bench.last.true_m, start_m, strict=True)]
        assert max(ways_m) < FOLLOWING_M
