"""Who may send, where the kernel takes its time: nothing waits, and an old answer is worth none."""

import os
import random
import socket
import threading
from concurrent.futures import Executor, Future
from contextlib import closing

import pytest

from hil.ipc.udp_senders import Senders, Unheard

OURS, OTHERS = ("127.0.0.1", 50_001), ("127.0.0.1", 50_002)
CYCLE_S = 0.004


class Late(Executor):
    """Answers when it is let."""

    def __init__(self):
        self.open = []

    def submit(self, fn, /, *args, **kwargs):
        self.open.append((Future(), fn, args))
        return self.open[-1][0]

    def answer(self):
        for future, fn, args in self.open:
            try:
                future.set_result(fn(*args))
            except OSError as error:
                future.set_exception(error)
        self.open.clear()


class Port:
    """Senders of a port, and a clock of the test's own."""

    def __init__(self, uids=None):
        self.t_s, self.late = 100.0, Late()
        self.uids = {OURS: {os.geteuid()}, OTHERS: {65534}} if uids is None else uids
        self.asked = []
        self.senders = Senders(lambda: self.t_s, owners=self.owners, asker=self.late)
        self.late.answer()

    def owners(self, sender):
        self.asked.append(sender)
        if isinstance(self.uids[sender], OSError):
            raise self.uids[sender]
        return frozenset(self.uids[sender])

    def cycle(self, *came):
        """One cycle in which datagrams of senders came; who moves, or why not."""
        self.senders.begin_cycle()
        found = [self.senders.judge(one) for one in came]
        for one, why in zip(came, found, strict=True):
            if why is None:
                self.senders.follow(one)
        self.senders.end_queue()
        self.t_s += CYCLE_S
        return found[0] if len(found) == 1 else found

    def led(self):
        """The same, with a leader."""
        assert self.cycle(OURS) is Unheard.NOT_ASKED
        self.late.answer()
        assert self.cycle(OURS) is None
        return self

    def close(self):
        self.senders.close()


@pytest.fixture
def port():
    with closing(Port()) as made:
        yield made


def test_a_sender_leads_when_the_answer_has_come_and_not_before(port):
    for _ in range(100):
        assert port.cycle(OURS) is Unheard.NOT_ASKED
        assert len(port.late.open) == 1
    port.late.answer()
    assert port.cycle(OURS) is None
    assert port.senders.bound == OURS


def test_a_leader_is_asked_for_four_times_a_second(port):
    port.led().asked.clear()
    for _ in range(250):
        assert port.cycle(OURS) is None
        port.late.answer()
    assert 3 <= len(port.asked) <= 5


def test_the_newest_answer_holds_for_a_second_and_then_the_leader_is_silent(port):
    port.led()
    began_s, found = port.t_s, {}
    while port.t_s < began_s + 2.0:
        found[port.t_s - began_s] = port.cycle(OURS)
    assert {why for s, why in found.items() if s < 0.95} == {None}
    assert {why for s, why in found.items() if s > 1.01} == {Unheard.NOT_ANSWERED}
    assert port.senders.silent
    assert "for a second" in port.senders.other
    for _ in range(2):
        port.late.answer()
        last = port.cycle(OURS)
    assert last is None  # and is followed again with the next one


def test_the_last_datagram_of_a_leader_that_ended_is_not_told_as_another_sender(port, monkeypatch):
    port.led()
    monkeypatch.setattr(port.senders._closed, "any", lambda: True)
    assert port.cycle(OURS) is Unheard.PORT_CLOSED
    assert port.senders.other == ""
    assert port.cycle(OURS) is Unheard.PORT_CLOSED
    assert "a socket of its port was closed" in port.senders.other, "it cannot be the leader's"


def test_a_kernel_that_cannot_be_asked_is_one_that_has_not_answered(port):
    port.led().uids[OURS] = OSError("no descriptors")
    for _ in range(240):
        assert port.cycle(OURS) is None
        port.late.answer()
    for _ in range(50):
        last = port.cycle(OURS)
        port.late.answer()
    assert last is Unheard.NOT_ANSWERED


def test_another_user_on_the_leader_s_port_is_found_with_the_next_answer(port):
    port.led().uids[OURS] = {os.geteuid(), 65534}
    began_s = port.t_s
    while port.cycle(OURS) is None:
        port.late.answer()
    assert port.t_s - began_s < 0.26
    port.uids[OURS] = {os.geteuid()}
    for _ in range(240):
        assert port.cycle(OURS) is Unheard.OTHER_USER
        port.late.answer()
    for _ in range(20):
        last = port.cycle(OURS)
        port.late.answer()
    assert last is None


def test_a_question_from_before_a_socket_was_closed_proves_nothing(port, monkeypatch):
    port.led()
    while not port.late.open:
        assert port.cycle(OURS) is None
    monkeypatch.setattr(port.senders._closed, "any", lambda: True)
    assert port.cycle(OURS) is Unheard.PORT_CLOSED
    monkeypatch.undo()
    port.late.answer()
    for _ in range(240):
        assert port.cycle(OURS) is Unheard.PORT_CLOSED
    for _ in range(20):
        port.late.answer()
        last = port.cycle(OURS)
    assert last is None


def test_a_leader_that_pauses_is_asked_for_once_before_it_sends_again(port):
    port.led().asked.clear()
    for _ in range(30):
        port.cycle()
        port.late.answer()
    assert port.asked == [OURS]
    port.uids[OURS] = {65534}  # too late for the pause, so it is found with the next question
    assert port.cycle(OURS) is None


@pytest.mark.parametrize("others", [1, 40, 3000])
def test_those_of_another_user_keep_nobody_out_however_many(others, port):
    strangers = [("127.0.0.1", 1000 + number) for number in range(others)]
    port.uids.update({one: {65534} for one in strangers})
    draw = random.Random(7)
    for _ in range(500):
        crowd = [draw.choice(strangers) for _ in range(30)] + [OURS] * (draw.random() < 0.25)
        draw.shuffle(crowd)
        found = port.cycle(*crowd)
        port.late.answer()
        assert set(found) <= {Unheard.NOT_ASKED, Unheard.OTHER_USER, Unheard.NOT_BOUND, None}
    assert port.senders.bound == OURS
    asked = port.asked[-200:]
    assert asked.count(OURS) >= 5, "the leader comes first"


def test_the_address_that_is_listened_on_is_nobody_s():
    with closing(
        Senders(lambda: 0.0, here=("127.0.0.1", 5)),
    ) as senders:
        assert senders.judge(("127.0.0.1", 5)) is Unheard.OWN_ADDRESS


def test_the_question_is_asked_in_a_thread_of_its_own():
    """The cycle's own goes on while the kernel answers: it is let do so by the cycle."""
    goes_on, threads = threading.Event(), []

    def owners(sender):
        threads.append(threading.get_ident())
        assert goes_on.wait(60.0)
        return frozenset({os.geteuid()})

    with (
        closing(Senders(lambda: 100.0, owners=owners)) as senders,
        closing(socket.socket(socket.AF_INET, socket.SOCK_DGRAM)) as ours,
    ):
        ours.bind(("127.0.0.1", 0))
        senders.begin_cycle()
        assert senders.judge(ours.getsockname()) is Unheard.NOT_ASKED
        senders.end_queue()
        goes_on.set()
        while senders.judge(ours.getsockname()) is Unheard.NOT_ASKED:
            os.sched_yield()
            senders.begin_cycle()
        assert senders.judge(ours.getsockname()) is None
    assert threads[0] != threading.get_ident()
