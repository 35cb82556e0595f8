"""Hostile connections at the remote source change nothing for its writer."""

from __future__ import annotations

import hashlib
import hmac
import json
import random
import socket
import threading
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from campaign import count

from hil.desk.velocity.remote import RemoteSource
from hil.desk.velocity.remote_writer import RemoteWriter
from hil.desk.velocity.source import Twist
from hil.timing.realtime import RealClock

TOKEN = "a token of the tests, long enough"
LOOK_S = 0.01


def proof_of(token, nonce):
    return hmac.new(token.encode(), nonce.encode(), hashlib.sha256).hexdigest()


class Now:
    now_s = 100.0

    def __call__(self):
        return self.now_s


@pytest.fixture
def place(tmp_path):
    now = Now()
    source = RemoteSource(str(tmp_path / "arm.sock"), TOKEN, now_s=now)
    writer = RemoteWriter(tmp_path / "arm.sock", TOKEN, now)
    intruders = []

    def intruder():
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.setblocking(False)
        try:
            made.connect(str(tmp_path / "arm.sock"))
        except OSError:
            made.close()
            return None
        intruders.append(made)
        return made

    yield now, source, writer, intruder
    writer.close()
    source.close()
    for each in intruders:
        each.close()


def test_one_who_is_there_first_and_silent_does_not_keep_the_writer_out(place):
    now, source, writer, intruder = place
    heard = 0
    for look in range(900):
        if look % 5 == 0:
            intruder()
        if look % 3 == 0:
            writer.send(Twist((0.01, 0.0, 0.0), np.zeros(3), "base"))
        heard += not source.sample(0.0).at_rest
        now.now_s += LOOK_S
    assert heard > 850


class Hostile:
    """Connections that say wrong things, each its own; they know everything but the token."""

    def __init__(self, intruder, rng):
        self._intruder, self._rng = intruder, rng
        self._open, self.said = [], 0
        self.overheard = b'{"proof": "' + b"0" * 64 + b'"}\n'
        order = {"seq": 2**52, "t_s": 1e9, "linear_m_s": [0.1, 0, 0]}
        order |= {"angular_rad_s": [0, 0, 0], "frame": "base"}
        self._orders = [json.dumps(each).encode() + b"\n" for each in (order, {"seq": 1, "end": 1})]
        self._orders.append(b'{"seq": 9007199254740992, "end": true}\n')

    def _words(self):
        rng = self._rng
        return rng.choice(
            [
                self.overheard + self._orders[2],
                json.dumps({"token": TOKEN[:-1]}).encode() + b"\n" + self._orders[0],
                json.dumps({"proof": TOKEN}).encode() + b"\n" + self._orders[2],
                rng.choice(self._orders),
                b'{"proof": ' + b"[" * 400 + b"\n",
                b'{"proof": "',
                rng.randbytes(rng.choice([1, 512, 513, 4000])),
                b"\n" * 200,
                b"",
            ]
        )

    def speak(self):
        """One message, on a new connection or on one of those that it has."""
        self.said += 1
        if not self._open or self._rng.random() < 0.6:
            made = self._intruder()
            if made is not None:
                self._open.append(made)
            return
        one = self._rng.choice(self._open)
        try:
            one.send(self._words())
            if self._rng.random() < 0.2:
                raise ConnectionError
        except OSError:
            self._open.remove(one)
            one.close()


@pytest.mark.campaign
def test_hostile_messages_change_nothing_for_the_writer(place, tmp_path):
    """The same orders to a source that nobody else knows are heard alike, look by look."""
    now, source, writer, intruder = place
    alone = RemoteSource(str(tmp_path / "alone.sock"), TOKEN, now_s=now)
    twin = RemoteWriter(tmp_path / "alone.sock", TOKEN, now)
    seed = 15
    print("seed", seed)
    rng = random.Random(seed)
    hostile = Hostile(intruder, rng)
    for one in (source, alone):
        one.listen()
    writer.send(Twist(np.zeros(3), np.zeros(3), "base"))
    twin.send(Twist(np.zeros(3), np.zeros(3), "base"))
    for one in (source, alone):
        one.listen()
    wanted = count(20_000, least=4000)
    moving = 0
    while hostile.said < wanted:
        for _ in range(rng.randrange(20)):
            hostile.speak()
        now.now_s += LOOK_S
        if rng.random() < 0.3:
            twist = Twist(np.array([rng.uniform(-0.05, 0.05), 0.0, 0.0]), np.zeros(3), "base")
            assert writer.send(twist) is twin.send(twist) is True
        mine, judge = source.sample(0.0), alone.sample(0.0)
        assert mine is not None, source.end_reason
        assert judge is not None
        np.testing.assert_array_equal(mine.linear_m_s, judge.linear_m_s)
        assert source.held == alone.held
        moving += not mine.at_rest
    assert moving > 10
    assert source.counts["taken"] == alone.counts["taken"]
    assert source.counts["malformed"] == source.counts["repeated"] == 0
    assert source.counts["refused"] > wanted / 20
    twin.close()
    alone.close()


@pytest.mark.campaign
def test_a_writer_gets_in_among_hostile_messages_whenever_it_comes(place):
    """At a rate that a look can take in; a proof that was overheard is worth nothing."""
    now, source, writer, intruder = place
    seed = 16
    print("seed", seed)
    hostile = Hostile(intruder, random.Random(seed))
    times = count(500, least=10)
    for _ in range(times):
        writer.close()
        source.listen()
        now.now_s += 1.0
        for look in range(100):
            for _ in range(8):
                hostile.speak()
            if look % 3 == 0 and writer.send(Twist((0.01, 0.0, 0.0), np.zeros(3), "base")):
                break
            source.listen()
            now.now_s += LOOK_S
        assert writer.connected
        assert look < 30
        source.listen()
        assert source.held


def test_a_proof_is_worth_nothing_on_another_connection_and_the_token_is_never_sent(place):
    now, source, _writer, intruder = place
    listener, stranger = intruder(), intruder()
    source.listen()
    first, second = (json.loads(each.recv(200))["nonce"] for each in (listener, stranger))
    assert first != second
    assert min(len(first), len(second)) == 64
    stranger.send(json.dumps({"proof": proof_of(TOKEN, first)}).encode() + b"\n")
    source.listen()
    assert stranger.recv(10) == b""
    listener.send(json.dumps({"proof": proof_of(TOKEN, first)}).encode() + b"\n")
    order = {"seq": 1, "t_s": now(), "linear_m_s": [0.01, 0, 0], "angular_rad_s": [0, 0, 0]}
    listener.send(json.dumps(order | {"frame": "base"}).encode() + b"\n")
    assert not source.sample(0.0).at_rest


def test_one_that_only_pretends_to_listen_learns_no_token(tmp_path):
    now = Now()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as pretender:
        pretender.bind(str(tmp_path / "arm.sock"))
        pretender.listen(1)
        writer = RemoteWriter(tmp_path / "arm.sock", TOKEN, now)
        assert not writer.send(Twist(np.zeros(3), np.zeros(3), "base"))
        connection, _ = pretender.accept()
        connection.send(b'{"nonce": "a nonce"}\n')
        assert writer.send(Twist(np.zeros(3), np.zeros(3), "base"))
        said = connection.recv(1000)
        assert said.startswith(b'{"proof":"' + proof_of(TOKEN, "a nonce").encode() + b'"}\n')
        assert TOKEN.encode() not in said
        connection.close()
        writer.close()


@pytest.mark.parametrize("said", [b"\n", b'{"token": "x"}\n', b"x" * 600, b'{"nonce": 1}\n'])
def test_a_writer_leaves_one_that_asks_for_no_proof(tmp_path, said):
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as other:
        other.bind(str(tmp_path / "arm.sock"))
        other.listen(1)
        writer = RemoteWriter(tmp_path / "arm.sock", TOKEN, Now())
        zero = Twist(np.zeros(3), np.zeros(3), "base")
        assert not writer.send(zero)
        connection, _ = other.accept()
        with connection:
            connection.send(said)
            assert not writer.send(zero)
            assert not writer.connected
            with pytest.raises(BrokenPipeError):
                connection.send(b"x")


def test_the_writer_of_the_docs_is_heard(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
    program = page[page.index("import hashlib, hmac, json") :].partition("```")[0]
    (tmp_path / "token").write_text(TOKEN + "\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.sleep", lambda _s: None)
    now_s = RealClock().now_s
    with closing(RemoteSource("arm.sock", TOKEN, now_s=now_s, age_max_s=10.0)) as source:
        writing = threading.Thread(target=exec, args=(program, {}), daemon=True)
        writing.start()
        while source.sample(0.0) is not None and writing.is_alive():
            pass
        writing.join()
        assert source.sample(0.0) is None
        assert (source.counts["taken"], source.end_reason) == (101, "ended by the writer")
