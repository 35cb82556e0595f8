"""What is made again, and what stands: `machine_watch` in a suite of its own."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.real_time

HERE = Path(__file__).parent

HEAD = """
import os, pathlib, signal, pytest
from hil.timing.realtime import RealClock
COUNT = pathlib.Path(__file__).with_name("count.txt")

def pause(seconds):
    began = RealClock().now_s()
    while RealClock().now_s() < began + seconds:
        pass

def stop_the_machine(request):
    watch = request.config.pluginmanager.get_plugin("machine-watch")
    pause(0.2)  # it has begun to watch, unless the real machine is late
    for _ in range(3):
        os.kill(watch.process.pid, signal.SIGSTOP)
        pause(0.35)
        os.kill(watch.process.pid, signal.SIGCONT)
        for _ in range(5):
            pause(0.1)
            if watch.longest_stall_s():
                return

@pytest.fixture(scope="module")
def attempt():
    COUNT.write_text(str(int(COUNT.read_text()) + 1 if COUNT.exists() else 1))
    return int(COUNT.read_text())
"""
SPOILT_ONCE = """
@pytest.mark.real_time
def test_it(attempt, request):
    if attempt == 1:
        stop_the_machine(request)
    assert attempt == 2
"""
SPOILT_ALWAYS = """
@pytest.mark.real_time
@pytest.mark.timeout(3)
def test_it(attempt, request):
    stop_the_machine(request)
    assert attempt == 99
"""
UNMARKED = SPOILT_ONCE.replace("@pytest.mark.real_time", "")
"""The watch is begun by another test."""


def outcome(pytester, text, *options, spoilt_max=9, unjudged_max=9, unexplained_max=9):
    conftest = f"import sys\nsys.path.insert(0, {str(HERE)!r})\n"
    conftest += f"import machine_watch\nmachine_watch.SPOILT_MAX = {spoilt_max}\n"
    conftest += f"machine_watch.UNJUDGED_MAX = {unjudged_max}\n"
    conftest += f"machine_watch.UNEXPLAINED_MAX = {unexplained_max}\n"
    conftest += "from machine_watch import MachineWatch\n\ndef pytest_configure(config):\n"
    conftest += "    config.pluginmanager.register(MachineWatch(stall_s=0.3), 'machine-watch')\n"
    conftest += "    config.addinivalue_line('markers', 'real_time: x')\n"
    pytester.makeconftest(conftest)
    pytester.makepyfile(HEAD + text)
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)
    count = pytester.path / "count.txt"
    return result, int(count.read_text()) if count.exists() else 0


def test_a_failure_that_the_machine_caused_is_made_again_with_new_fixtures(pytester):
    result, attempts = outcome(pytester, SPOILT_ONCE)
    result.assert_outcomes(passed=1)
    assert attempts == 2
    told = re.search(
        r"made again: .*test_it: the machine was late by (\d+) ms: .*", str(result.stdout)
    )
    assert told is not None
    assert int(told[1]) > 300


def test_too_much_that_was_passed_over_fails_the_session(pytester):
    result, attempts = outcome(pytester, SPOILT_ONCE, spoilt_max=0)
    result.assert_outcomes(passed=1)
    assert attempts == 2
    assert result.ret == 1
    assert "1 made again: 0 may be" in str(result.stdout)


def test_a_stall_before_a_test_is_no_excuse_unless_it_shares_what_was_done_then(pytester):
    before = "\n@pytest.mark.real_time\ndef test_before(request):\n    stop_the_machine(request)\n"
    alone = "\n@pytest.mark.real_time\ndef test_alone(request):\n    assert False\n"
    sharing = "\n@pytest.mark.real_time\ndef test_sharing(attempt):\n    assert attempt == 2\n"
    result, _ = outcome(pytester, before + alone)
    result.assert_outcomes(passed=1, failed=1)
    assert "made again" not in str(result.stdout)
    result, attempts = outcome(pytester, before + sharing)
    result.assert_outcomes(passed=2)
    assert attempts == 2


def test_what_a_spoilt_attempt_left_open_is_no_failure_of_a_later_test(pytester):
    leaks = """
import gc, socket
@pytest.mark.real_time
@pytest.mark.filterwarnings("error")
def test_it(attempt, request):
    if attempt == 1:
        left, right = socket.socketpair()
        stop_the_machine(request)
        assert False
def test_later():
    gc.collect()
"""
    result, _ = outcome(pytester, leaks, "-Werror")
    result.assert_outcomes(passed=2)


def test_what_a_machine_spoils_in_every_attempt_is_not_judged_and_told(pytester):
    result, attempts = outcome(pytester, SPOILT_ALWAYS, "-rs")
    result.assert_outcomes(skipped=1)
    assert attempts == 4
    assert re.search(r"SKIPPED.*not judged, the machine was late by \d+ ms", str(result.stdout))


def test_very_few_may_be_left_unjudged(pytester):
    result, _ = outcome(pytester, SPOILT_ALWAYS, unjudged_max=0)
    result.assert_outcomes(skipped=1)
    assert result.ret == 1
    assert "1 not judged: 0 may be" in str(result.stdout)


def test_the_last_attempt_counts_on_a_machine_in_time(pytester):
    late_at_first = SPOILT_ALWAYS.replace("    stop", "    if attempt < 4:\n        stop")
    result, attempts = outcome(pytester, late_at_first)
    result.assert_outcomes(failed=1)
    assert attempts == 4


def test_a_test_without_the_mark_fails_at_once(pytester):
    started = "\n@pytest.mark.real_time\ndef test_before():\n    pass\n"
    result, attempts = outcome(pytester, started + UNMARKED)
    result.assert_outcomes(passed=1, failed=1)
    assert attempts == 1


def test_a_failure_on_a_machine_in_time_stands_if_it_comes_again(pytester):
    result, attempts = outcome(
        pytester, SPOILT_ALWAYS.replace("    stop_the_machine(request)\n", "")
    )
    result.assert_outcomes(failed=1)
    assert attempts == 2


FAILS_ONCE = """
@pytest.mark.real_time
def test_it(attempt):
    assert attempt == 2
"""


def test_a_failure_on_a_machine_in_time_that_does_not_come_again_is_told(pytester):
    result, attempts = outcome(pytester, FAILS_ONCE)
    result.assert_outcomes(passed=1)
    assert attempts == 2
    assert result.ret == 0
    assert "test_it: the machine was in time: " in str(result.stdout)


def test_very_few_may_be_left_unexplained(pytester):
    result, _ = outcome(pytester, FAILS_ONCE, unexplained_max=0)
    result.assert_outcomes(passed=1)
    assert result.ret == 1
    assert "1 not explained: 0 may be" in str(result.stdout)
