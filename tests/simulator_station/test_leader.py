"""Who leads a ride is a person's choice: real datagrams in virtual time, and a finger on ENGAGE."""

import math
import socket
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hcu1_bytes import frame
from led_bench import LedBench
from operated_bench import PERIOD_S
from udp_user import know_at_once

from hil.config.file_search import configs_dir
from hil.desk.order import Button
from hil.hosts.link import HostLink, Listening
from hil.hosts.maps import load_map
from hil.hosts.watch.states import Cause, HostState
from hil.stations.simulator.plan.source import Surroundings
from hil.stations.simulator.sources.host_source import HostSource, SocketWire
from hil.stations.simulator.words import CAUSES, state_text
from safety.modes import Mode


@pytest.fixture(autouse=True)
def _stamps_of_the_test_s_clock(monkeypatch):
    """The kernel's stamps are of real time: without them a packet came when it was taken."""
    monkeypatch.setattr("hil.hosts.link.kernel_lead_s", lambda now_s: 3600.0)
    know_at_once(monkeypatch)


class Sender:
    """A car that is pushed to the sides; it sends about 60 frames a second while it is on."""

    def __init__(self, link):
        self._link, self.on, self._number = link, False, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.text = "{}:{}".format(*self.socket.getsockname())

    def cycle(self, index):
        if self.on and index % max(1, round(1 / 60 / PERIOD_S)) == 0:
            self._number += 1
            t_s = index * PERIOD_S
            push = 0.4 * math.sin(2.0 * t_s)
            values = {"f": (0.0, push, -9.80665), "v": (20.0, 0.0, 0.0), "p": (20.0 * t_s, 0, 0)}
            self.socket.sendto(frame(self._number, t_s, **values), self._link.address)


class SocketBench(LedBench):
    """The same ride, of whoever sends to a port."""

    def __init__(self, folder):
        super().__init__(folder)
        kind, map_ = load_map(configs_dir() / "hosts" / "hcu1.toml")
        self.link = self.opened.enter_context(closing(HostLink(Listening(), self.clock.now_s)))
        around = Surroundings(Path("ride.toml"), PERIOD_S, False, 0, self.clock.now_s)
        self.companion._source = HostSource(kind, map_, SocketWire(self.link, None), around)
        self.senders = [Sender(self.link) for _ in range(2)]
        self.on_cycle = SocketBench.keep
        self.notes = []
        self.companion.note = lambda tick, text, level: self.notes.append(text)

    def keep(self, exchange):
        super().keep(exchange)
        for one in self.senders:
            one.cycle(self.index)

    def said(self, text):
        return [one for one in self.notes if text in one]


@pytest.fixture
def bench(tmp_path):
    made = SocketBench(tmp_path)
    with made.opened:
        yield made
        for one in made.senders:
            one.socket.close()
    assert made.violations == []


def moved(bench, since):
    return np.ptp(bench.steps(since)[0], axis=0).max()


def engage_and_play(bench):
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    bench.press(Button.PLAY)
    since = len(bench.rows)
    bench.run(6.0)
    assert moved(bench, since) > 0.005


def test_another_sender_leads_after_engage_was_pressed_for_it_and_not_before(bench):
    first, second = bench.senders
    first.on = True
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.heard.host is HostState.LIVE)
    bench.run(1.1)
    engage_and_play(bench)
    assert bench.said(f"the source is led by {first.text}")
    second.on = True
    bench.run(1.0)
    assert bench.heard.host is HostState.LIVE
    first.on = False
    bench.until(lambda: bench.heard.host is HostState.LOST, 4.0)
    assert bench.heard.cause is Cause.OTHER_SENDER
    bench.until(Mode.STANDBY)
    packets = bench.heard.packets
    bench.run(10.0)
    assert (bench.heard.packets, bench.link.owner) == (packets, first.socket.getsockname())
    assert bench.heard.cause is Cause.OTHER_SENDER
    assert bench.said(second.text)
    assert not bench.said(f"led by {second.text}")
    bench.press(Button.PLAY)
    bench.run(3.0)
    assert bench.heard.packets == packets
    since = len(bench.rows)
    bench.press(Button.ENGAGE)  # the act: it chooses, and moves nothing
    assert "another sender" in bench.refused
    assert second.text in bench.refused
    bench.until(lambda: bench.heard.host is HostState.LIVE, 4.0)
    bench.run(1.1)
    assert bench.mode is Mode.STANDBY
    assert moved(bench, since) == 0.0
    assert bench.said(f"the source is led by {second.text}")
    engage_and_play(bench)


def test_engage_chooses_nobody_while_the_one_that_leads_sends_and_the_same_one_comes_back(bench):
    first, second = bench.senders
    first.on = second.on = True
    bench.run(0.1)
    leads = bench.link.owner
    first, second = (first, second) if first.socket.getsockname() == leads else (second, first)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.press(Button.ENGAGE)
    bench.run(0.5)
    assert bench.link.owner == leads
    first.on = False
    bench.run(3.0)
    assert bench.heard.cause is Cause.OTHER_SENDER
    first.on = True
    bench.until(lambda: bench.heard.host is HostState.LIVE, 4.0)
    assert bench.link.owner == leads


@pytest.mark.parametrize("state", [HostState.LIVE, HostState.FADING_IN])
def test_of_a_source_that_is_followed_no_cause_is_said(state):
    for cause in Cause:
        assert state_text(state, cause) == state.name.lower().replace("_", " ")


def test_why_a_source_is_not_followed_is_said_and_of_a_fresh_start_nothing():
    assert state_text(HostState.LOST, Cause.NO_PACKET) == "lost: no fresh packet"
    more = state_text(HostState.AWAY, Cause.OTHER_SENDER, "127.0.0.1:9 sends")
    assert more == f"away: {CAUSES[Cause.OTHER_SENDER]} (127.0.0.1:9 sends)"
    assert state_text(HostState.WAITING, Cause.NONE) == "waiting"


def test_an_event_of_a_source_that_is_live_again_names_no_fault(bench):
    first, _ = bench.senders
    first.on = True
    bench.until(lambda: bench.heard.host is HostState.LIVE, 5.0)
    first.on = False
    bench.run(0.9)
    first.on = True
    bench.until(lambda: bench.heard.host is HostState.LIVE, 5.0)
    assert bench.heard.cause is Cause.NO_PACKET
    assert bench.notes[-1] == "source live"
    assert bench.said("source fading out: no fresh packet")
