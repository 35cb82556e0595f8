"""Random wrong signs, orders, units and bytes of every wire: none of them is believed.

A vehicle in motion is sent by each emulated wire, understood by its codec, and turned by a map that
is wrong somewhere, or its bytes come the other way round. It must not be followed at the end.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from campaign import count
from physical_drive import drive
from test_emulated_by_codecs import DRIVE, WIRES, opened

from hil.hosts.kind import Packet, Received, Refused
from hil.hosts.maps import mapped
from hil.hosts.watch.physics import Physics
from hil.hosts.watch.states import HostState
from hil.hosts.watch.watchdogs import HostWatch
from sim.hosts.telemetry import Telemetry
from sim.hosts.vehicle_motion import VehicleMotion

pytestmark = pytest.mark.campaign
G = 9.80665
SECONDS, RATE_HZ, DRIVES = 15.0, 20.0, 3
MOVING = [wire for wire in WIRES if wire not in ("simtools", "flypt")] + ["forza"]
"""Those that tell a force; the other layouts tell none that could be wrong."""
BINARY = ("flightgear", "flightgear_binary", "xplane_rref", "xplane12_data", "beamng", "hcu1",
          "forza")  # fmt: skip
FORCE_FACTORS = (1.0 / G, 1.0 / 0.3048, 0.3048, G, 100.0, 0.01)
RATE_FACTORS = (57.29578, 1.0 / 57.29578)
SEED = 31


@dataclass
class Stream:
    """A wire's datagrams of a drive, and what each says."""

    sent: list[tuple[float, bytes]]
    understood: list[tuple[float, Packet]]


def stream(wire, seed):
    host, codec, _ = opened(wire, DRIVE, rate_hz=RATE_HZ)
    packed = host.wire
    for request in codec.requests(0.0):
        packed.receive(request, "")
    sent, understood = [], []
    for index, one in enumerate(drive(SECONDS, RATE_HZ, seed)):
        motion = VehicleMotion(
            one.f_m_s2, one.omega_rad_s, one.domega_rad_s2, one.attitude, one.v_m_s, one.position_m
        )
        for datagram in packed.pack(Telemetry(motion, 100.0 + one.t_s, index)):
            sent.append((one.t_s, datagram.data))
            told = codec.decode(datagram.data)
            if isinstance(told, Packet):
                understood.append((one.t_s, told))
    assert len(understood) > 0.9 * SECONDS * RATE_HZ
    return Stream(sent, understood)


@pytest.fixture(scope="module")
def streams():
    return {wire: [stream(wire, seed) for seed in range(DRIVES)] for wire in MOVING}


def followed(map_, packets):
    """State at the end, why not, and for how long it was followed before [s]."""
    watch = HostWatch(map_.means.means(), Physics(map_))
    weighed_s = 0.0
    judged = None
    for t_s, told in packets:
        if told is not Refused.NO_MOTION and told is not Refused.PART:
            one = told
            if isinstance(told, Packet):
                one = Received(Packet(mapped(told.state, map_), told.sequence), t_s, t_s)
            judged = watch.step(t_s, [one])
            weighed_s += judged.weight / RATE_HZ
    if judged is None:
        return HostState.WAITING, "nothing was understood", 0.0
    return judged.state, f"{judged.cause.name} {watch.why}", weighed_s


def signed(rng, before):
    """Three signed axes that are not these."""
    while True:
        order, signs = rng.permutation(3), rng.integers(0, 2, 3)
        axes = tuple(
            ("-" if sign else "") + "xyz"[at] for at, sign in zip(order, signs, strict=True)
        )
        if axes != tuple(before):
            return axes


def other_bytes(data, first, width):
    """A datagram of numbers whose bytes come the other way round, from an offset on."""
    body, rest = data[first:], b""
    if len(body) % width:
        body, rest = body[: -(len(body) % width)], body[-(len(body) % width) :]
    turned = b"".join(body[at : at + width][::-1] for at in range(0, len(body), width))
    return data[:first] + turned + rest


def mistake(rng, wire, map_, one):
    """What it is, the map that makes it, and the packets that come of it."""
    kinds = ["force_axes", "rate_axes", "force_factor", "rate_factor"]
    kinds += ["bytes"] * 2 * (wire in BINARY) + ["acceleration"] * (wire == "beamng")
    kind = str(rng.choice(kinds))
    if kind == "bytes":
        codec = opened(wire, DRIVE)[1]
        codec.requests(0.0)
        first, width = int(rng.integers(4, 40)), int(rng.choice([2, 4, 8]))
        packets = [(t_s, codec.decode(other_bytes(data, first, width))) for t_s, data in one.sent]
        same = [told for _, told in packets if isinstance(told, Packet)]
        if len(same) == len(one.understood) and all(
            close(a, b) for a, (_, b) in zip(same[::40], one.understood[::40], strict=True)
        ):
            return "nothing", map_, packets  # what was turned round is not used
        return f"bytes from {first} by {width}", map_, packets
    if kind == "acceleration":
        value = signed(rng, map_.acceleration)
        map_ = map_.model_copy(update={kind: value})
        codec = opened(wire, DRIVE)[1].__class__(value)
        return f"{kind} {value}", map_, [(t_s, codec.decode(data)) for t_s, data in one.sent]
    if kind.endswith("axes"):
        value = signed(rng, getattr(map_, kind))
    else:
        value = float(rng.choice(FORCE_FACTORS if kind == "force_factor" else RATE_FACTORS))
    return f"{kind} {value}", map_.model_copy(update={kind: value}), one.understood


def close(a, b):
    """Whether a filter is told the same."""
    one, other = a.state, b.state
    return np.allclose(one.f_m_s2, other.f_m_s2, equal_nan=True) and np.allclose(
        one.omega_rad_s, other.omega_rad_s, equal_nan=True
    )


@pytest.mark.parametrize("wire", MOVING)
def test_what_is_right_is_followed(streams, wire):
    map_ = opened(wire, DRIVE)[2]
    for one in streams[wire]:
        state, why, weighed_s = followed(map_, one.understood)
        assert (state, why.endswith(" ")) == (HostState.LIVE, True), why
        assert weighed_s > SECONDS - 3.0


def test_no_wrong_sign_unit_or_byte_order_is_believed(streams):
    """Campaign: 10 000 mistakes; those of bytes that nothing uses are no mistakes."""
    print(f"seed {SEED}")
    rng = np.random.default_rng(SEED)
    maps = {wire: opened(wire, DRIVE)[2] for wire in MOVING}
    believed, mistakes = [], 0
    for index in range(count(10_000, least=100)):
        wire = MOVING[index % len(MOVING)]
        map_ = maps[wire]
        one = streams[wire][int(rng.integers(DRIVES))]
        what, wrong, packets = mistake(rng, wire, map_, one)
        mistakes += what != "nothing"
        state, why, weighed_s = followed(wrong, packets)
        if what != "nothing" and state in (HostState.LIVE, HostState.FADING_IN):
            believed.append((index, wire, what, why, round(weighed_s, 1)))
    assert not believed
    assert mistakes > 80
