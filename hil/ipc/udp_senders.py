"""Permission to send to a UDP port: one sender for a whole run, none of another local user.

The first sender with a valid packet is bound, address and port. No other one replaces it, however
long it is silent: another leader is a person's choice. For a sender on this machine a thread asks
the kernel which users have sockets on its port (`socket_owner`), four times a second while it
leads. The cycle reads the newest answer; without one in the last second the sender is rejected,
and also between two answers once a socket of the port was closed (`closed_sockets`).
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import suppress
from enum import Enum
from typing import Final, NamedTuple

from hil.ipc.closed_sockets import ClosedSockets
from hil.ipc.socket_owner import Address, is_of_this_machine, is_own, udp_uids

Owners = Callable[[Address], frozenset[int]]
"""Function that queries the kernel for the users of a sender's sockets; it may be slow."""

ASKED_EVERY_S: Final = 0.25
"""Time between two queries of the kernel for the owner of the bound sender [s]."""
PAUSED_S: Final = 0.1
"""Silence of that sender after which the kernel is queried once more [s]."""
ANSWERED_S: Final = 1.0
"""Validity of an answer [s]: permission holds if the next answer is late; a refusal expires,
because the port may get another owner."""
SILENT_S: Final = 0.5
"""Silence of the bound sender after which a person can replace it [s]."""
KEPT_MAX: Final = 1024
"""Largest number of senders with stored owners; queries one by one are fewer in `ANSWERED_S`."""


class Unheard(Enum):
    """Reason why a sender's datagrams are rejected."""

    NOT_LISTED = "it is not in the list of senders that may send"
    OWN_ADDRESS = "it bears the address that is listened on, so it hides its own"
    OTHER_USER = "it is another user's"
    UNKNOWN_USER = "the kernel names no socket of it, so nobody knows whose it is"
    PORT_CLOSED = "a socket of its port was closed a moment ago, so nobody knows whose it was"
    NOT_ANSWERED = "the kernel has not said for a second whose it is"
    NOT_BOUND = "another sender leads"
    NOT_ASKED = "whose it is will be known in a later cycle"


class _Answer(NamedTuple):
    """Known facts of a sender."""

    uids: frozenset[int]
    at_s: float
    """Time of the query [s]."""
    why: Unheard | None
    """Reason why it must not lead; None if it may."""

    @classmethod
    def of(cls, uids: frozenset[int], at_s: float) -> _Answer:
        if is_own(uids):
            return cls(uids, at_s, None)
        return cls(uids, at_s, Unheard.OTHER_USER if uids else Unheard.UNKNOWN_USER)

    def is_due(self, now_s: float) -> bool:
        """Whether the next query of the kernel is due."""
        return now_s - self.at_s >= (ASKED_EVERY_S if self.why is None else ANSWERED_S)


class _Question(NamedTuple):
    """Query that the kernel is answering."""

    sender: Address
    at_s: float
    uids: Future[frozenset[int]]


class Senders:
    """The senders of one UDP port.

    Args:
        now_s: monotonic clock [s].
        allow: hosts that may send; empty for any.
        signed: whether datagrams are signed with a key; then no owner is queried.
        act: action by which a person lets another sender lead, for texts.
        here: address that receives the datagrams.
        owners: gives the users that own the sockets of a sender.
        asker: executor of the queries; a thread if it is not given.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        *,
        allow: Collection[str] = (),
        signed: bool = False,
        act: str = "a new run",
        here: Address = ("127.0.0.1", 0),
        owners: Owners = udp_uids,
        asker: Executor | None = None,
    ) -> None:
        self._now_s, self._allow, self._signed = now_s, allow, signed
        self._act, self._here, self._owners = act, here, owners
        self.bound: Address | None = None
        """The sender that leads; None before the first valid packet."""
        self._understood_s = self._came_s = -math.inf
        self._answers: dict[Address, _Answer] = {}
        self._question: _Question | None = None
        self._watched: Address | None = None
        self._closed = ClosedSockets()
        self._local: dict[str, bool] = {}
        self._may_ask, self._asked_s = True, -math.inf
        self._emptied = False
        self._cycle = 0
        self._ended_in: int | None = None
        self._other: tuple[Address, Unheard] | None = None
        self._other_s = -math.inf
        if asker is None:
            asker = ThreadPoolExecutor(1, "socket owners")
            asker.submit(_leave_processor)  # and the thread begins here, not in a cycle
        self._asker = asker

    def begin_cycle(self) -> None:
        """Take the kernel's answer; query for the leader if it is due, for another sender once."""
        self._may_ask = True
        self._cycle += 1
        self._take_answer()
        if self._closed.any() and self._watched is not None:
            self._note(self._watched, _Answer(frozenset(), self._now_s(), Unheard.PORT_CLOSED))
        if self.bound is not None and self._is_asked_for(self.bound) and self._is_due(self.bound):
            self._ask(self.bound)

    def end_queue(self) -> None:
        """Note that the queue is empty: later datagrams were sent after the last query."""
        self._emptied = True

    def judge(self, sender: Address) -> Unheard | None:
        """Return why a datagram of a sender is rejected; None if it is accepted.

        Args:
            sender: host and port that it came from.
        """
        why = self._judged(sender)
        last = why is Unheard.PORT_CLOSED and sender == self.bound and self._just_ended()
        if why is not None and why is not Unheard.NOT_ASKED and not last:
            self._other, self._other_s = (sender, why), self._now_s()
        return why

    def _just_ended(self) -> bool:
        """Whether this is the first cycle in which a socket of the leader's port was closed.

        Datagrams in this cycle were sent by the leader before it ended, and by no other sender.
        """
        if self._ended_in is None:
            self._ended_in = self._cycle
        return self._ended_in == self._cycle

    def follow(self, sender: Address) -> bool:
        """Note that a sender's datagram was valid: from now on only this sender leads.

        Returns:
            Whether it was not bound before.
        """
        new = self.bound is None
        self.bound, self._ended_in = sender, None
        self._understood_s = self._came_s = self._now_s()
        return new

    def choose(self) -> bool:
        """Let the next sender with a valid packet lead, at a person's request.

        Returns:
            Whether that can be another sender: a bound sender that is not silent stays.
        """
        if self.bound is None or not self.silent:
            return False
        self.bound, self._other, self._watched = None, None, None
        return True

    def close(self) -> None:
        """End all queries."""
        self._asker.shutdown(wait=False)
        self._closed.close()

    @property
    def silent(self) -> bool:
        """Whether the bound sender has sent no valid packet for `SILENT_S`."""
        return self._now_s() - self._understood_s > SILENT_S

    @property
    def other(self) -> str:
        """Name of another sender within `SILENT_S`, why it is rejected and the remedy; or empty."""
        if self._other is None or self._now_s() - self._other_s > SILENT_S:
            return ""
        return self.words_of(*self._other)

    def words_of(self, sender: Address, why: Unheard) -> str:
        """Return a sender's name, why it is rejected and the remedy, in one sentence."""
        text = f"{sender[0]}:{sender[1]}{self._owner_of(sender)} sends, and is not followed: "
        text += why.value
        if why in (Unheard.OTHER_USER, Unheard.UNKNOWN_USER):
            return f"{text}; let a program of user {os.geteuid()} (you) send from a port of its own"
        if why is Unheard.NOT_BOUND and self.bound is not None:
            return f"{text}, {self.bound[0]}:{self.bound[1]}; a change takes {self._act}"
        return text

    def _owner_of(self, sender: Address) -> str:
        answer = self._answers.get(sender)
        if answer is None or not answer.uids:
            return ""
        users = " and ".join(map(str, sorted(answer.uids)))
        return f" (user{'s' if len(answer.uids) > 1 else ''} {users})"

    def _judged(self, sender: Address) -> Unheard | None:
        if self._allow and sender[0] not in self._allow:
            return Unheard.NOT_LISTED
        if sender == self._here:
            return Unheard.OWN_ADDRESS
        if sender == self.bound:
            self._came_s = self._now_s()
            return self._led() if self._is_asked_for(sender) else None
        whose = self._whose(sender) if self._is_asked_for(sender) else None
        if self.bound is None or whose is Unheard.OTHER_USER:
            return whose
        return Unheard.NOT_BOUND

    def _is_due(self, leader: Address) -> bool:
        """Whether a query for the leading sender is due."""
        now_s, answer = self._now_s(), self._answers.get(leader)
        if answer is None or answer.is_due(now_s):
            return True
        return answer.why is None and answer.at_s < self._came_s + PAUSED_S <= now_s

    def _led(self) -> Unheard | None:
        """Reason why the bound sender must not lead for now, by its owner; None if it may."""
        answer = None if self.bound is None else self._answers.get(self.bound)
        if answer is not None and answer.why is not None:
            return answer.why
        if answer is None or self._now_s() - answer.at_s > ANSWERED_S:
            return Unheard.NOT_ANSWERED
        return None

    def _whose(self, sender: Address) -> Unheard | None:
        """Return why another sender must not lead, by its owner; None if it may."""
        if self._known(sender) is None:
            self._ask(sender)
        answer = self._known(sender)
        return Unheard.NOT_ASKED if answer is None else answer.why

    def _known(self, sender: Address) -> _Answer | None:
        """Known facts of a sender that does not lead; its sockets are watched before it leads."""
        answer = self._answers.get(sender)
        if answer is None or self._now_s() - answer.at_s >= ANSWERED_S:
            return None
        unproved = self.bound is None and not (sender == self._watched and self._emptied)
        return None if answer.why is None and unproved else answer

    def _ask(self, sender: Address) -> None:
        """Query the kernel for a sender, if the previous query has been answered."""
        now_s = self._now_s()
        if self._question is not None or not self._may_ask:
            return
        if self.bound not in (None, sender):
            if now_s - self._asked_s < ASKED_EVERY_S / 2:
                return  # the leader comes first
        elif not self._watch(sender, now_s):
            return
        self._may_ask, self._asked_s = False, now_s
        self._question = _Question(sender, now_s, self._asker.submit(self._owners, sender))
        self._take_answer()

    def _watch(self, sender: Address, now_s: float) -> bool:
        """Watch a sender's port for closed sockets; return whether this is possible."""
        if sender == self._watched:
            return True
        watched = None if self._watched is None else self._answers.get(self._watched)
        if watched is not None and watched.why is None and not watched.is_due(now_s):
            return False  # that one may be the first that is understood
        self._watched, self._emptied = sender, False
        self._closed.watch(sender[1])
        return True

    def _take_answer(self) -> None:
        if self._question is None or not self._question.uids.done():
            return
        sender, at_s, uids = self._question
        self._question = None
        known = self._answers.get(sender)
        if known is None or known.at_s <= at_s:  # else a socket was closed since it was asked
            with suppress(OSError):  # such as no descriptors: it is asked again
                self._note(sender, _Answer.of(uids.result(), at_s))

    def _note(self, sender: Address, answer: _Answer) -> None:
        if len(self._answers) >= KEPT_MAX:
            kept = None if self.bound is None else self._answers.get(self.bound)
            self._answers.clear()
            if kept is not None and self.bound is not None:
                self._answers[self.bound] = kept
        self._answers[sender] = answer

    def _is_asked_for(self, sender: Address) -> bool:
        """Whether a sender's owner is known to the kernel and required."""
        return not self._signed and self._is_local(sender[0])

    def _is_local(self, host: str) -> bool:
        if len(self._local) >= KEPT_MAX:
            self._local.clear()
        found = self._local.get(host)
        if found is None:
            found = self._local[host] = is_of_this_machine(host)
        return found


def _leave_processor() -> None:
    """Undo the pinning to the processor of a cycle, which child threads inherit."""
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
