"""Work in the background: its result, its refusal, its failure, and giving it up."""

from threading import Event

import pytest

from hil.panel.widgets.background import Background, CancelledError, Watch


def test_a_result_comes_when_it_is_there():
    go = Event()

    def work(watch):
        watch.at(0.5)
        go.wait(10.0)
        return 7

    made = Background(work)
    assert made.poll() is None
    go.set()
    made.wait()
    assert (made.poll(), made.refusal, made.watch.share) == (7, None, 0.5)


def test_a_refusal_is_an_answer_and_a_failure_is_raised():
    def refuse(watch):
        raise FileNotFoundError("gone")

    made = Background(refuse, refusals=(OSError,))
    made.wait()
    assert made.poll() is None
    assert str(made.refusal) == "gone"
    broken = Background(refuse, refusals=(KeyError,))
    broken.wait()
    with pytest.raises(FileNotFoundError):
        broken.poll()


def test_what_is_given_up_ends_without_a_result():
    begun, go = Event(), Event()
    after = []

    def work(watch):
        begun.set()
        go.wait(10.0)
        watch.at(0.9)
        after.append(True)
        return 1

    made = Background(work)
    begun.wait(10.0)
    made.cancel()
    go.set()
    made.wait()
    assert (made.poll(), made.refusal, after) == (None, None, [])
    watch = Watch()
    watch.cancel()
    with pytest.raises(CancelledError):
        watch.at(0.1)
