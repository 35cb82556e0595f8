"""Stop signals set a flag, and everything is as before afterwards."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from hil.timing.stop import StopSignals


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_only_sets_the_flag(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    with StopSignals() as stop:
        assert stop.asked is None
        os.kill(os.getpid(), number)
        assert stop.asked == number
    assert signal.getsignal(number) is before


def test_the_first_signal_is_kept_and_more_of_them_tear_nothing() -> None:
    with StopSignals() as stop:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGINT):
            os.kill(os.getpid(), number)
        assert stop.asked == signal.SIGTERM


def test_handlers_come_back_after_an_error_too() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError), StopSignals():
        raise RuntimeError
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_it_is_refused() -> None:
    problems = []

    def enter() -> None:
        try:
            with StopSignals():
                pass
        except ValueError as error:
            problems.append(error)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert len(problems) == 1
