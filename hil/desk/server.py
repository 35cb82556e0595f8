"""The desk's state, without a socket: who is there, who owns the motion, what they want.

Packets and times come in, packets and orders go out. A client is believed only after the kernel
has named this user as its owner and its proof has matched; one that says anything which is not a
message is dropped. The first to take the motion owns it. A hold-to-run counts from a press that
was made by the owner, and after a silence only from a new one: what froze must be let go first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from hil.desk import messages as m
from hil.desk.order import DEAD_MAN_S, Button, OperatorOrder
from hil.desk.order_writer import NOTHING_BEFORE, OrderWriter
from hil.desk.parts import DeskFacts, Outbox, PendingRequest
from hil.desk.sessions import CLIENTS_MAX, HELLO_TIMEOUT_S, ClientSession, free_name, why_refused

FUTURE_MAX_S: Final = 0.05
"""A stamp further ahead than this [s] is no stamp of this machine's clock."""


class Desk:
    """Clients, ownership and the operator's order.

    Args:
        secret: content of the token file.
        ask: takes what is to be proved; the verdict comes by `proved`.
        before: what a desk of this run that has died wrote last.
    """

    def __init__(
        self,
        secret: str,
        facts: DeskFacts,
        *,
        uid: int,
        now_s: Callable[[], float],
        nonce: Callable[[], str],
        write: Callable[[OperatorOrder], None],
        ask: Callable[[PendingRequest], None],
        before: OperatorOrder = NOTHING_BEFORE,
    ) -> None:
        self._secret, self._facts, self._uid = secret, facts, uid
        self._now_s, self._nonce, self._ask = now_s, nonce, ask
        self._clients: dict[int, ClientSession] = {}
        self._owner: int | None = None
        self._writer = OrderWriter(write, before)
        self._targets = 0
        self.outbox = Outbox()
        """What is to be sent, and who is to be closed."""

    @property
    def order(self) -> OperatorOrder:
        """The order that was last written."""
        return self._writer.order

    @property
    def owner(self) -> str:
        """Name of the owner of the motion; empty if there is none."""
        return "" if self._owner is None else self._clients[self._owner].name

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the clients that were let in, in order of their coming."""
        return tuple(client.name for client in self._clients.values() if client.known)

    # --- coming and going ----------------------------------------------------------------------

    def connected(self, key: int, uid: int) -> None:
        """Somebody has connected.

        Args:
            uid: user that the kernel names for the other end (SO_PEERCRED).
        """
        client = self._clients[key] = ClientSession(self._nonce(), self._now_s())
        if uid != self._uid:
            self._refuse(key, f"this bench is user {self._uid}'s; you are user {uid}")
        elif len(self._clients) > CLIENTS_MAX:
            self._refuse(key, f"{CLIENTS_MAX} clients are there already; close one of them")
        else:
            self.outbox.say(key, m.Nonce(nonce=client.nonce))

    def disconnected(self, key: int) -> None:
        """A client is gone; what it owned is free, and its hold is released."""
        client = self._clients.pop(key, None)
        if self._owner == key:
            self._disown()
        if client is not None and client.known:
            self._send_all()

    def tick(self) -> None:
        """Notice who has been silent for too long; call it at least every 50 ms while one holds."""
        now_s = self._now_s()
        for key, client in list(self._clients.items()):
            if client.late(now_s):
                self._refuse(key, f"no hello within {HELLO_TIMEOUT_S:g} s")
        if self._owner is not None:
            owner = self._clients[self._owner]
            if owner.dead_man.silent(now_s):
                self._writer.sign_of_life(owner.dead_man)
            if owner.lost(now_s):
                self._disown()
                self._send_all()

    def run_over(self) -> None:
        """End the run for all: everyone is informed, and nothing more is taken from anyone."""
        self._end(m.State(owner="", you_own=False, clients=self.names, bench=False))

    def cut_off(self) -> None:
        """Note that the link to the bench is lost: as at the end, but nobody is sent an end."""
        self._end(m.CutOff())

    def _end(self, last: m.State | m.CutOff) -> None:
        if self._owner is not None:
            self._disown()
        for key, client in self._clients.items():
            self.outbox.last_word(key, last if client.known else None)
        self._clients.clear()

    # --- what they say -------------------------------------------------------------------------

    def received(self, key: int, packet: bytes) -> None:
        """Take a packet of a client; nothing is taken from one that was refused."""
        client = self._clients.get(key)
        if client is None:
            return
        try:
            message = m.from_client(packet)
        except m.MessageError as error:
            self._refuse(key, str(error))
            return
        if not client.known:
            self._greet(key, client, message)
            return
        match message:
            case m.Hello():
                self._refuse(key, "hello is said once")
            case m.Alive():
                self._alive(key, client, message)
            case m.Stop():  # from anyone: a stop is never refused
                self._writer.press(Button.HOLD, client.name, self._now_s())
                self.outbox.answer(key, message.id)
            case m.Take():
                self.outbox.answer(key, message.id, self._take(key, client))
            case m.Release():
                self.outbox.answer(key, message.id, self._release(key))
            case _:
                self._handle_request(key, client, message)

    def _greet(self, key: int, client: ClientSession, message: m.ClientMessage) -> None:
        if why := why_refused(message, self._secret, client.nonce):
            self._refuse(key, why)
        elif isinstance(message, m.Hello):
            client.name = free_name(message.name, self.names)
            self.outbox.say(key, self._facts.welcome(), with_descriptors=True)
            self.outbox.say(key, self._writer.newest_motion)
            self._send_all()

    def _alive(self, key: int, client: ClientSession, message: m.Alive) -> None:
        now_s = self._now_s()
        if message.stamp_s > now_s + FUTURE_MAX_S:
            self._refuse(
                key,
                f"alive.stamp_s = {message.stamp_s} s is {message.stamp_s - now_s:.3f} s ahead; "
                f"need the machine's monotonic time, at most {FUTURE_MAX_S} s ahead",
            )
            return
        if client.dead_man.take(message.held, message.stamp_s, now_s, counts=key == self._owner):
            self._writer.sign_of_life(client.dead_man)

    def _take(self, key: int, client: ClientSession) -> str:
        if self._owner == key:
            return ""
        if self._owner is not None:
            return f"{self.owner} owns the motion; it must give it back first"
        self._owner, client.took_s = key, self._now_s()
        self._writer.own(client.name, client.dead_man)
        self._send_all()
        return ""

    def _release(self, key: int) -> str:
        if self._owner != key:
            return self._not_owner()
        self._disown()
        self._send_all()
        return ""

    def _not_owner(self) -> str:
        return f"you do not own the motion ({self.owner or 'nobody'} does); take it first"

    def _handle_request(
        self,
        key: int,
        client: ClientSession,
        message: m.Press | m.Override | m.Target | m.Motion,
    ) -> None:
        """Handle a request that only the owner may make."""
        if key != self._owner:
            self.outbox.answer(key, message.id, self._not_owner())
            return
        match message:
            case m.Press():
                self.outbox.answer(key, message.id, self._press_by(client, Button(message.button)))
            case m.Override():
                self._writer.override(message.value)
                self._send(self._writer.wanted)
                self.outbox.answer(key, message.id)
            case m.Target(pose=None):
                self._targets += 1
                self._writer.target(None)
                self._send(self._writer.wanted)
                self.outbox.answer(key, message.id)
            case m.Target():
                self._prove(PendingRequest(key, message.id, pose=message.pose))
            case m.Motion():
                self._prove(PendingRequest(key, message.id, table=message.table))

    def _press_by(self, client: ClientSession, button: Button) -> str:
        """A press counts while its maker is alive; an old one, delivered late, does not."""
        age_s = self._now_s() - client.dead_man.stamp_s
        if button is not Button.HOLD and age_s > DEAD_MAN_S:
            old = f"your last sign of life is {age_s:.3f} s old"
            return f"{button.value}: {old}; at most {DEAD_MAN_S} s"
        self._writer.press(button, client.name, self._now_s())
        return ""

    def _prove(self, case: PendingRequest) -> None:
        if not self._facts.proves:
            what = "target" if case.table is None else "motion"
            self.outbox.answer(
                case.client, case.id, f"{what}: the {self._facts.station} station has none to set"
            )
            return
        self._ask(replace(case, era=self._era_of(case)))

    def _era_of(self, case: PendingRequest) -> tuple[int, int]:
        """State that must be the same after the proof: the ownership, and a pose's request."""
        return self._writer.order.owning, 0 if case.pose is None else self._targets

    def proved(self, case: PendingRequest, error: str, motion_json: bytes = b"") -> None:
        """The verdict on what was asked; it counts if the one who asked still owns the motion.

        Args:
            error: what is wrong with it; empty if nothing.
            motion_json: the table in full, for a motion.
        """
        if case.client not in self._clients:
            return
        if not error and case.client != self._owner:
            error = self._not_owner()
        if not error and case.era != self._era_of(case):
            what = "motion" if case.pose is None else "target"
            error = f"{what}: withdrawn, or the motion given back, before it was proved"
        if not error and case.table is None:
            self._writer.target(case.pose)
            self._send(self._writer.wanted)
        elif not error:
            self._writer.motion(motion_json)
            self._send(self._writer.newest_motion)
        self.outbox.answer(case.client, case.id, error)

    # --- what goes out -------------------------------------------------------------------------

    def _disown(self) -> None:
        """Nobody owns the motion any more."""
        if self._owner is not None and self._owner in self._clients:
            self._clients[self._owner].dead_man.let_go()
        self._owner = None
        self._writer.disown()

    def _refuse(self, key: int, why: str) -> None:
        self.outbox.last_word(key, m.SessionRefused(why=why))
        self.disconnected(key)

    def _send_all(self) -> None:
        names, owner = self.names, self.owner
        for key, client in self._clients.items():
            if client.known:
                you = key == self._owner
                self.outbox.say(key, m.State(owner=owner, you_own=you, clients=names, bench=True))
        self._send(self._writer.wanted)  # a pose is wanted only as long as its owner is

    def _send(self, message: m.DeskMessage) -> None:
        """Say it to everyone who was let in; before an answer that belongs to it."""
        for key, client in self._clients.items():
            if client.known:
                self.outbox.say(key, message)
