"""The words between a panel and the desk: JSON, one message per packet, strict.

The desk speaks first (`Nonce`), the panel answers with `Hello`, whose proof shows that it may read
the token; then comes `Welcome`, and with it two descriptors: the telemetry (read-only) and a
memory file with the run's header. Everything else a panel says is judged and answered by `Answer`,
but for `Alive`, which is only ever believed or not.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

PROTOCOL: Final = 1
MAX_PACKET_BYTES: Final = 64 * 1024
"""Largest size of a message [bytes]; a longer one ends the connection."""

Number = Annotated[int, Field(ge=0, le=2**53)]
ClientName = Annotated[str, Field(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f\x7f]+$")]
Coordinate = Annotated[float, Field(ge=-1e3, le=1e3)]
PoseSix = tuple[Coordinate, Coordinate, Coordinate, Coordinate, Coordinate, Coordinate]
ButtonName = Literal["home", "engage", "hold", "park", "reset", "shut_down", "play", "pose"]


_M = TypeVar("_M")


class MessageError(ValueError):
    """A packet that is no message; the text says what is wrong with it."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def to_bytes(self) -> bytes:
        """The message as one packet."""
        return self.model_dump_json().encode("utf-8")


# --- a panel says ------------------------------------------------------------------------------


class Hello(_Message):
    """Name of a client, and the proof that it may read the token."""

    type: Literal["hello"] = "hello"
    name: ClientName
    proof: Annotated[str, Field(max_length=128)]
    protocol: int = PROTOCOL


class Alive(_Message):
    """A sign of life.

    Args:
        held: whether hold-to-run is pressed.
        stamp_s: monotonic time of this moment [s], one clock for all processes of the machine.
    """

    type: Literal["alive"] = "alive"
    held: bool
    stamp_s: Annotated[float, Field(ge=0.0, le=1e12)]


class Take(_Message):
    """Asks for the motion; granted to the first."""

    type: Literal["take"] = "take"
    id: Number = 0


class Release(_Message):
    """Gives the motion back."""

    type: Literal["release"] = "release"
    id: Number = 0


class Press(_Message):
    """A button was pressed once."""

    type: Literal["press"] = "press"
    button: ButtonName
    id: Number = 0


class Override(_Message):
    """The tempo wanted, 0 to 1."""

    type: Literal["override"] = "override"
    value: Annotated[float, Field(ge=0.0, le=1.0)]
    id: Number = 0


class Target(_Message):
    """The pose wanted, (x, y, z [m], alpha, beta, gamma [rad]); null for none."""

    type: Literal["target"] = "target"
    pose: PoseSix | None
    id: Number = 0


class Motion(_Message):
    """A new ``[motion]`` table, to be proved before it is played."""

    type: Literal["motion"] = "motion"
    table: dict[str, Any]
    id: Number = 0


class Stop(_Message):
    """Request to hold, now; anyone may make it, whoever owns the motion."""

    type: Literal["stop"] = "stop"
    id: Number = 0


# --- the desk says -----------------------------------------------------------------------------


class Nonce(_Message):
    """The first word: what the proof is made with."""

    type: Literal["nonce"] = "nonce"
    nonce: str
    protocol: int = PROTOCOL


class Welcome(_Message):
    """The client is let in; facts of the run.

    Args:
        header_bytes: size of the run's header in the memory file that comes along.
        period_s: cycle time [s].
        station: name of the station.
        bench: name of the run.
        dead_man: what keeps the motion alive, ``"hold"`` or ``"presence"``.
    """

    type: Literal["welcome"] = "welcome"
    header_bytes: Number
    period_s: float
    station: str
    bench: str
    dead_man: Literal["hold", "presence"]


class SessionRefused(_Message):
    """The last word before the desk ends the connection."""

    type: Literal["refused"] = "refused"
    why: str


class State(_Message):
    """Clients and owner, sent on every change.

    Args:
        owner: name of the one who owns the motion, empty if nobody does.
        you_own: whether that is the receiver.
        clients: names of all who are there.
        bench: false when the run has ended; nothing comes after that.
    """

    type: Literal["state"] = "state"
    owner: str
    you_own: bool
    clients: tuple[str, ...]
    bench: bool


class CutOff(_Message):
    """The last word of a desk that has lost the way to its bench.

    It can pass nothing on, no other desk comes after it, and of the run it knows nothing: that one
    may continue.
    """

    type: Literal["cut_off"] = "cut_off"


class Wanted(_Message):
    """Tempo and pose as control is given them, whoever asked for them; sent on every change.

    Args:
        override: tempo wanted, 0 to 1.
        pose: pose wanted, (x, y, z [m], alpha, beta, gamma [rad]); None if there is none.
    """

    type: Literal["wanted"] = "wanted"
    override: Annotated[float, Field(ge=0.0, le=1.0)]
    pose: PoseSix | None


class NewMotion(_Message):
    """The newest motion that control was given; control reports when it is in force.

    Args:
        serial: its number; 0 for the scenario's own.
        table: its ``[motion]`` table in full; None for number 0.
    """

    type: Literal["new_motion"] = "new_motion"
    serial: Number
    table: dict[str, Any] | None


class Answer(_Message):
    """Answer to a request: done, or what is wrong, with place, value, limit and unit."""

    type: Literal["answer"] = "answer"
    id: Number
    ok: bool
    error: str = ""


ClientMessage = Hello | Alive | Take | Release | Press | Override | Target | Motion | Stop
DeskMessage = Nonce | Welcome | SessionRefused | State | CutOff | Wanted | NewMotion | Answer

_FROM_CLIENT: Final[TypeAdapter[ClientMessage]] = TypeAdapter(
    Annotated[ClientMessage, Field(discriminator="type")]
)
_FROM_DESK: Final[TypeAdapter[DeskMessage]] = TypeAdapter(
    Annotated[DeskMessage, Field(discriminator="type")]
)


def from_client(packet: bytes) -> ClientMessage:
    """Read a message of a panel.

    Raises:
        MessageError: if it is too long or no message.
    """
    return _read(_FROM_CLIENT, packet)


def from_desk(packet: bytes) -> DeskMessage:
    """Read a message of the desk.

    Raises:
        MessageError: if it is too long or no message.
    """
    return _read(_FROM_DESK, packet)


def _read(adapter: TypeAdapter[_M], packet: bytes) -> _M:
    if len(packet) > MAX_PACKET_BYTES:
        raise MessageError(f"a packet of {len(packet)} bytes; at most {MAX_PACKET_BYTES} bytes")
    try:
        return adapter.validate_json(packet)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        place = ".".join(map(str, first["loc"])) or "the packet"
        raise MessageError(f"{place} = {first.get('input')!r:.80}: {first['msg']}") from None


def proof_of(secret: str, nonce: str) -> str:
    """Return the right `Hello.proof`: hexadecimal HMAC-SHA256 (RFC 2104) of the nonce by the token.

    Args:
        secret: content of the token file.
        nonce: what the desk sent on this connection.
    """
    return hmac.new(secret.encode("utf-8"), nonce.encode("utf-8"), hashlib.sha256).hexdigest()


def proves(secret: str, nonce: str, proof: str) -> bool:
    """Whether a proof is `proof_of` this secret and nonce; the time it takes reveals nothing."""
    said = proof.encode("utf-8", "replace")
    return hmac.compare_digest(proof_of(secret, nonce).encode(), said)
