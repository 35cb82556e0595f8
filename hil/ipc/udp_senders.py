"""Who may send to a UDP port: one sender for a whole run, and none of another user of the machine.

The first sender that is understood is bound, address and port. Nobody takes its place however long
it is silent: another leader is a person's choice. Of a sender on this machine the kernel is asked
whose sockets it is (`socket_owner`): when it comes, after each silence, and then now and again, as
a port can change hands.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection
from enum import Enum
from typing import Final

from hil.ipc.socket_owner import Address, is_of_this_machine, is_own, udp_uids

ASKED_EVERY_S: Final = 0.25
"""So often the kernel is asked whose the bound sender is [s]."""
PAUSED_S: Final = 0.1
"""After so long without a datagram of it, at once [s]."""
REFUSED_S: Final = 1.0
"""A sender that was refused is asked for again after this [s]: its port may have another owner."""
SILENT_S: Final = 0.5
"""A bound sender without a datagram for so long can be replaced, by a person [s]."""
KEPT_MAX: Final = 64
"""Senders whose owners are kept."""


class Unheard(Enum):
    """Why a sender's datagrams are left out."""

    NOT_LISTED = "it is not in the list of senders that may send"
    OTHER_USER = "it is another user's"
    UNKNOWN_USER = "the kernel names no socket of it, so nobody knows whose it is"
    NOT_BOUND = "another sender leads"
    NOT_ASKED = "whose it is will be asked for in a later cycle"


class _Asked:
    """What the kernel said of a sender."""

    def __init__(self, uids: frozenset[int], at_s: float) -> None:
        self.uids, self.at_s = uids, at_s

    @property
    def why(self) -> Unheard | None:
        """Why it must not lead; None if it may."""
        if is_own(self.uids):
            return None
        return Unheard.OTHER_USER if self.uids else Unheard.UNKNOWN_USER


class Senders:
    """The senders of one UDP port.

    Args:
        now_s: monotonic clock [s].
        allow: hosts that may send; empty for any.
        signed: whether datagrams prove by a key whose they are; then no user is asked for.
        act: what a person does for another sender to lead, for texts.
        uids_of: gives the users that own the sockets of a sender.
    """

    def __init__(
        self,
        now_s: Callable[[], float],
        *,
        allow: Collection[str] = (),
        signed: bool = False,
        act: str = "a new run",
        uids_of: Callable[[Address], frozenset[int]] = udp_uids,
    ) -> None:
        self._now_s, self._allow, self._signed = now_s, allow, signed
        self._act, self._uids_of = act, uids_of
        self.bound: Address | None = None
        """The sender that leads; None before one was understood."""
        self._understood_s = self._came_s = -math.inf
        self._asked: dict[Address, _Asked] = {}
        self._local: dict[str, bool] = {}
        self._may_ask = True
        self._other: tuple[Address, Unheard] | None = None
        self._other_s = -math.inf

    def begin_cycle(self) -> None:
        """Allow one more question about a sender that does not lead."""
        self._may_ask = True

    def judge(self, sender: Address) -> Unheard | None:
        """Return why a datagram of a sender is left out; None if it may be taken.

        Args:
            sender: host and port that it came from.
        """
        why = self._judged(sender)
        if why is not None and why is not Unheard.NOT_ASKED:
            self._other, self._other_s = (sender, why), self._now_s()
        return why

    def follow(self, sender: Address) -> bool:
        """Note that a datagram of a sender was understood: from now on it alone leads.

        Returns:
            Whether it was not bound before.
        """
        new = self.bound is None
        self.bound, self._understood_s = sender, self._now_s()
        return new

    def choose(self) -> bool:
        """Let the next sender lead that is understood, as a person wants it.

        Returns:
            Whether that can be another one: a bound sender that is not silent stays.
        """
        if self.bound is None or not self.silent:
            return False
        self.bound, self._other = None, None
        return True

    @property
    def silent(self) -> bool:
        """Whether nothing of the bound sender was understood for `SILENT_S`."""
        return self._now_s() - self._understood_s > SILENT_S

    @property
    def other(self) -> str:
        """Who else sent within `SILENT_S`, why that is left out and what to do; empty if nobody."""
        if self._other is None or self._now_s() - self._other_s > SILENT_S:
            return ""
        return self.words_of(*self._other)

    def words_of(self, sender: Address, why: Unheard) -> str:
        """Who a sender is, why it is left out and what to do, in one sentence."""
        text = f"{sender[0]}:{sender[1]}{self._owner_of(sender)} sends, and is not followed: "
        text += why.value
        if why in (Unheard.OTHER_USER, Unheard.UNKNOWN_USER):
            return f"{text}; let a program of user {os.geteuid()} (you) send from a port of its own"
        if why is Unheard.NOT_BOUND and self.bound is not None:
            return f"{text}, {self.bound[0]}:{self.bound[1]}; a change takes {self._act}"
        return text

    def _owner_of(self, sender: Address) -> str:
        asked = self._asked.get(sender)
        if asked is None or not asked.uids:
            return ""
        users = " and ".join(map(str, sorted(asked.uids)))
        return f" (user{'s' if len(asked.uids) > 1 else ''} {users})"

    def _judged(self, sender: Address) -> Unheard | None:
        if self._allow and sender[0] not in self._allow:
            return Unheard.NOT_LISTED
        if self.bound is not None and sender != self.bound:
            whose = self._whose(sender, self._may_ask, REFUSED_S)
            return whose if whose is Unheard.OTHER_USER else Unheard.NOT_BOUND
        if sender != self.bound:
            return self._whose(sender, self._may_ask, REFUSED_S)
        now_s = self._now_s()
        paused, self._came_s = now_s - self._came_s >= PAUSED_S, now_s
        return self._whose(sender, True, 0.0 if paused else ASKED_EVERY_S)

    def _whose(self, sender: Address, may_ask: bool, good_for_s: float) -> Unheard | None:
        """Why a sender must not lead, by its owner; None if it may."""
        if self._signed or not self._is_local(sender[0]):
            return None
        now_s, asked = self._now_s(), self._asked.get(sender)
        if asked is not None and now_s - asked.at_s < good_for_s:
            return asked.why
        if not may_ask:
            return Unheard.NOT_ASKED
        if sender != self.bound:
            self._may_ask = False
        if len(self._asked) >= KEPT_MAX:
            self._asked.clear()
        asked = self._asked[sender] = _Asked(self._uids_of(sender), now_s)
        return asked.why

    def _is_local(self, host: str) -> bool:
        if len(self._local) >= KEPT_MAX:
            self._local.clear()
        found = self._local.get(host)
        if found is None:
            found = self._local[host] = is_of_this_machine(host)
        return found
