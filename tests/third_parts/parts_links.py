"""Links with one planted fault each, named by their URL `planted:FAULT`."""

from arm_driver.link import LinkKind, Offer
from arm_driver.link_report import DisplayedPose, LinkReport
from arm_driver.link_states import LinkState, StreamResult


class Obedient:
    """A robot that is wherever it is sent, and asks again at once; no fault."""

    begins = None
    """Where it stands, set by the test."""

    def __init__(self, now_s):
        self._now_s = now_s
        self.state, self.result, self.at, self.sent = LinkState.READY, None, self.begins, 0

    def start(self, path, measured=None):
        self.at, self.state, self.result = path.start, LinkState.STREAMING, None

    def offer(self, X_RT):
        self.at, self.sent = X_RT, self.sent + 1
        return Offer.TAKEN

    def poll(self):
        streaming = self.state is LinkState.STREAMING
        return LinkReport(
            self.state,
            self.result,
            "",
            True,
            streaming,
            self.sent,
            None if self.at is None else DisplayedPose(self.at),
            0.0,
        )

    def end(self, reason):
        if self.state is LinkState.STREAMING:
            self.state, self.result = LinkState.READY, StreamResult.COMPLETED

    def close(self):
        pass


class Polls(Obedient):
    def poll(self):
        if self.sent > 3:
            raise KeyError("at")
        return super().poll()


class Leaves(Obedient):
    def poll(self):
        if self.sent > 3:
            raise SystemExit(7)
        return super().poll()


class Text(Obedient):
    def poll(self):
        return super().poll() if self.sent < 4 else "all is well"


class Offers(Obedient):
    def offer(self, X_RT):
        if self.sent > 3:
            raise ZeroDivisionError("no way")
        return super().offer(X_RT)


class Nothing(Obedient):
    def offer(self, X_RT):
        super().offer(X_RT)
        return None if self.sent > 3 else Offer.TAKEN


class Starts(Obedient):
    def start(self, path, measured=None):
        raise AttributeError("no start")


class Ends(Obedient):
    def end(self, reason):
        super().end(reason)
        raise RuntimeError("no end")


class Closes(Obedient):
    def close(self):
        raise RuntimeError("no close")


FAULTS = {
    one.__name__.lower(): one
    for one in (Obedient, Polls, Leaves, Text, Offers, Nothing, Starts, Ends, Closes)
}


def check(url):
    if url == "planted:unchecked":
        raise IndexError("no such row")


def make(order, now_s):
    fault = order.url.partition(":")[2]
    if fault == "unopened":
        raise RuntimeError("no licence")
    return FAULTS[fault](now_s)


PLANTED = LinkKind(form="planted:FAULT", check=check, open=make, virtual=True)
