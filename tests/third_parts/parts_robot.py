"""An emulated robot that takes poses as JSON lines over TCP, written from the protocol's text.

It knows nothing of the bench. In even steps it goes from place to place, each in a period; at rest
it stays where it was sent last.
"""

import json
import socket
import threading

PERIOD_S = 0.35


class PoseRobot:
    """The robot without its wire: time and lines in, lines out."""

    def __init__(self, at, state="rest"):
        self.at, self.state, self.number = list(at), state, 1
        self.taken, self.asked = [], []
        self.answer = None
        self.next_s = 0.0

    def advance(self, now_s):
        """What it says until a time."""
        said = []
        while now_s >= self.next_s:
            self._settle()
            said.append({"ask": self.number, "at": self.at, "state": self.state})
            self.asked.append(self.number)
            self.next_s += PERIOD_S
        return said

    def hear(self, line):
        told = json.loads(line)
        if told.get("go") == self.number or told.get("stop") == self.number:
            self.answer = told

    def _settle(self):
        """At an ask: what came since the last one is where it is now."""
        if self.state not in ("rest", "run"):
            return
        answer, self.answer = self.answer, None
        if answer is None or "stop" in answer:
            self.state = "rest"
            return
        self.at, self.state = answer["to"], "run"
        self.taken.append(answer["to"])
        self.number += 1


class Server(threading.Thread):
    """The robot on a port of this machine, for one host after the other.

    Args:
        now_s: the robot's own clock; None for one that goes by the host's.
    """

    def __init__(self, robot, now_s=None):
        super().__init__(daemon=True)
        self.robot, self._now_s = robot, now_s
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = self._listening.getsockname()[1]
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self._listening.accept()
            except OSError:
                return
            with connection:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._serve(connection)

    def _serve(self, connection):
        data = b""
        if self._now_s is not None:
            connection.settimeout(0.005)
            self.robot.next_s = self._now_s()
        while True:
            try:
                got = connection.recv(4096)
                if not got:
                    return
                data += got
            except TimeoutError:
                pass
            except OSError:
                return
            *lines, data = data.split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "time" in told:
                    self._say(connection, [*self.robot.advance(told["time"]), told])
                else:
                    self.robot.hear(line)
            if self._now_s is not None:
                self._say(connection, self.robot.advance(self._now_s()))

    def _say(self, connection, said):
        connection.sendall(b"".join(json.dumps(one).encode() + b"\n" for one in said))

    def close(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.join(2.0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
