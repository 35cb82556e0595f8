"""A run in a process of its own with a desk, and clients at it."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from hil.desk import messages as m
from hil.desk.client import DeskClient
from hil.desk.endpoints import benches
from hil.recording.reader import Recording
from hil.timing.realtime import RealClock


class DeskRun:
    """What a test does at the desk of a run."""

    def __init__(self, process, place):
        self.process, self.place, self.now_s = process, place, RealClock().now_s
        self.clients, self.heard, self.told = [], [], {}

    def turn(self, until, most_s=60.0):
        """Keep the clients alive until something is so."""
        end_s = self.now_s() + most_s
        while self.now_s() < end_s:
            for client in self.clients:
                client.send(m.Alive(held=False, stamp_s=self.now_s()))
                client.wait(0.02)
                heard = client.poll()
                self.heard += [(client, one) for one in heard]
                self.told.update({(client, one.id): one for one in heard
                                  if isinstance(one, m.Answer)})  # fmt: skip
            if until():
                return
        raise AssertionError((self.process.poll(), self.told))

    def wait(self, seconds):
        """Keep them alive for some time."""
        end_s = self.now_s() + seconds
        self.turn(lambda: self.now_s() > end_s)

    def connected(self, *names):
        """Clients of these names; the first owns the run."""
        folder = self.place / "hil-bench"
        self.turn(lambda: self.process.poll() is not None or benches(folder))
        (found,) = benches(folder)
        self.clients += [DeskClient.connect(found.path, name) for name in names]
        assert self.answer(self.clients[0], m.Take, id=1).ok
        return self.clients

    def answer(self, client, kind, **fields):
        """Ask, and wait for the answer."""
        client.send(kind(**fields))
        self.turn(lambda: (client, fields["id"]) in self.told)
        return self.told[client, fields["id"]]

    def ended(self, by):
        """Let a client stop the run; its recording and what it said."""
        by.send(m.Stop(id=99))  # that anybody may
        self.turn(lambda: self.process.poll() is not None)
        out, errors = self.process.communicate(timeout=30)
        return Recording.open(Path(json.loads(out)["recording"])), errors


@contextmanager
def desk_run(tmp_path, scenario, *arguments):
    """A run of a scenario with a desk."""
    place = tmp_path / "runtime"
    place.mkdir(mode=0o700)
    process = subprocess.Popen(
        [sys.executable, "-m", "hil.cli", "run", str(scenario), "--operator", "--json", "--clock",
         "real", "--out", str(tmp_path / "runs"), *arguments],
        env=os.environ | {"XDG_RUNTIME_DIR": str(place)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    run = DeskRun(process, place)
    try:
        yield run
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=30)
        for client in run.clients:
            client.close()
