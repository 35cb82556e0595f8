"""The bench's own frame: golden bytes of the fact sheet, every flipped bit, JSON, signatures."""

import hashlib
import hmac
import json
import math
import struct
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hil.hosts.kind import Packet, Refused
from hil.hosts.wires.hcu1 import KIND, Hcu1Codec, Hcu1Settings
from platform6dof.cueing.vehicle import VehicleFlags

GOLDEN = bytes.fromhex(
    "48435531011070000700000015cd5b0700000000cdcccc3dcdcc4cbecdcc1cc1"
    + "00" * 24 + "0000803f" + "00" * 12 + "0000f041" + "00" * 29 + "408fc0d27c3efa"
)  # fmt: skip


def frame(flags=16, seq=7, t_ns=0, f=(0, 0, -9.8), w=(0, 0, 0), dw=(0, 0, 0), q=(1, 0, 0, 0),
          v=(0, 0, 0), p=(0, 0, 0), version=1, length=112):  # fmt: skip
    """A frame written here from the layout alone."""
    head = struct.pack("<4sBBHIQ", b"HCU1", version, flags, length, seq, t_ns)
    body = struct.pack("<16f", *f, *w, *dw, *q, *v) + struct.pack("<3d", *p)
    return head + body + struct.pack("<I", zlib.crc32(head + body))


def test_the_golden_frame_says_what_its_sheet_says():
    assert len(GOLDEN) == 112
    told = Hcu1Codec().decode(GOLDEN)
    assert isinstance(told, Packet)
    assert told.sequence == 7
    state = told.state
    assert state.t_s == pytest.approx(0.123456789, abs=1e-15)
    assert state.f_m_s2 == pytest.approx((0.1, -0.2, -9.8), rel=1e-7)
    assert state.attitude == (1.0, 0.0, 0.0, 0.0)
    assert state.v_m_s == (30.0, 0.0, 0.0)
    assert state.position_m == (0.0, 0.0, -1000.0)
    assert state.omega_rad_s == state.domega_rad_s2 == (0.0, 0.0, 0.0)
    assert state.flags == 0


def test_any_flipped_bit_is_refused():
    codec, seen = Hcu1Codec(), set()
    for bit in range(8 * len(GOLDEN)):
        flipped = bytearray(GOLDEN)
        flipped[bit // 8] ^= 1 << bit % 8
        told = codec.decode(bytes(flipped))
        assert isinstance(told, Refused), bit
        seen.add(told)
    assert seen == {Refused.MAGIC, Refused.CHECKSUM}


@pytest.mark.parametrize(
    ("datagram", "why"),
    [
        (b"", Refused.MAGIC),
        (GOLDEN[:-1], Refused.LENGTH),
        (GOLDEN + b"\0", Refused.LENGTH),
        (frame(version=2), Refused.VERSION),
        (frame(length=111), Refused.LENGTH),
        (frame(flags=32), Refused.RANGE),
        (frame(f=(math.nan, 0, 0)), Refused.NOT_FINITE),
        (frame(p=(math.inf, 0, 0)), Refused.NOT_FINITE),
        (frame(q=(1, 0.1, 0, 0)), Refused.RANGE),
        (frame(q=(0, 0, 0, 0)), Refused.RANGE),
        (frame(v=(2e9, 0, 0)), Refused.RANGE),
    ],
)
def test_frames_that_cannot_be_are_refused_by_kind(datagram, why):
    assert Hcu1Codec().decode(datagram) is why


finite = st.floats(-1e6, 1e6, width=32)
three = st.tuples(finite, finite, finite)


@given(
    f=three, w=three, dw=three, v=three, q=st.tuples(*[st.floats(-1, 1)] * 4),
    p=st.tuples(*[st.floats(-1e8, 1e8)] * 3), seq=st.integers(0, 2**32 - 1),
    t_ns=st.integers(0, 2**53), flags=st.integers(0, 31), text=st.booleans(),
)  # fmt: skip
def test_what_was_written_is_read(f, w, dw, v, q, p, seq, t_ns, flags, text):
    length = math.hypot(*q)
    q = (1.0, 0.0, 0.0, 0.0) if length < 0.1 else tuple(one / length for one in q)
    if text:
        told = {"seq": seq, "t_ns": t_ns, "flags": flags, "f": f, "w": w, "dw": dw, "q": q}
        datagram = json.dumps(told | {"v": v, "p": p}).encode()
    else:
        datagram = frame(flags, seq, t_ns, f, w, dw, q, v, p)
    told = Hcu1Codec().decode(datagram)
    assert isinstance(told, Packet)
    state = told.state
    assert (told.sequence, state.t_s) == (seq, t_ns * 1e-9)
    assert (state.f_m_s2, state.omega_rad_s, state.v_m_s, state.position_m) == (f, w, v, p)
    assert state.attitude == pytest.approx(q, abs=1e-7)
    if flags & 16:
        assert state.domega_rad_s2 == dw
    else:
        assert all(map(math.isnan, state.domega_rad_s2))
    names = {1: VehicleFlags.PAUSED, 2: VehicleFlags.RESET, 4: VehicleFlags.REPLAY}
    names[8] = VehicleFlags.END
    assert all(bool(state.flags & names[bit]) == bool(flags & bit) for bit in names)


def json_frame(**changes):
    told = {"seq": 1, "t_ns": 2, "flags": 0, "f": [0, 0, -9.8], "w": [0, 0, 0], "dw": [0, 0, 0]}
    told |= {"q": [1, 0, 0, 0], "v": [0, 0, 0], "p": [0, 0, 0]} | changes
    return json.dumps({key: value for key, value in told.items() if value is not None}).encode()


@pytest.mark.parametrize(
    ("datagram", "why"),
    [
        (b"{", Refused.TEXT),
        (b"{\xff}", Refused.TEXT),
        (b"{" * 2000, Refused.TEXT),
        (b"{}", Refused.TEXT),
        (json_frame(extra=1), Refused.TEXT),
        (json_frame(seq=True), Refused.TEXT),
        (json_frame(seq=1.0), Refused.TEXT),
        (json_frame(seq=-1), Refused.RANGE),
        (json_frame(t_ns=2**64), Refused.RANGE),
        (json_frame(f=[0, 0]), Refused.TEXT),
        (json_frame(f=[0, 0, "1"]), Refused.TEXT),
        (json_frame(f=[0, 0, True]), Refused.TEXT),
        (json_frame(f=[0, 0, math.nan]), Refused.NOT_FINITE),
        (json_frame(f=[0, 0, math.inf]), Refused.NOT_FINITE),
        (json_frame(f=[0, 0, 10**400]), Refused.RANGE),
        (json_frame(q=[1, 1, 0, 0]), Refused.RANGE),
        (json_frame(v=None), Refused.TEXT),
        (json_frame(f=[0.0] * 600), Refused.LENGTH),
    ],
)
def test_json_that_is_no_frame_is_refused_by_kind(datagram, why):
    assert Hcu1Codec().decode(datagram) is why


def test_with_a_key_only_signed_frames_are_taken():
    key = b"k" * 32
    nonce = hmac.new(bytes(32), b" 0", hashlib.sha256).digest()[:16]  # of no sender, port 0
    one = frame(version=2)
    signed = one + hmac.new(key, nonce + one, hashlib.sha256).digest()[:16]
    codec = Hcu1Codec(key, bytes)
    assert isinstance(codec.decode(signed), Packet)
    assert KIND.codec(Hcu1Settings(key=key)).decode(signed) is Refused.SIGNATURE  # another nonce
    bare = GOLDEN + hmac.new(key, GOLDEN, hashlib.sha256).digest()[:16]
    assert codec.decode(bare) is Refused.VERSION
    assert codec.decode(GOLDEN) is Refused.SIGNATURE
    assert codec.decode(json_frame()) is Refused.SIGNATURE
    assert codec.decode(signed[:-1]) is Refused.LENGTH
    assert Hcu1Codec().decode(signed) is Refused.LENGTH
    for bit in range(8 * len(signed)):
        flipped = bytearray(signed)
        flipped[bit // 8] ^= 1 << bit % 8
        assert isinstance(codec.decode(bytes(flipped)), Refused), bit
