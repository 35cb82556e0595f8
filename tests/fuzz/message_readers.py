"""Readers of what other programs send, of what surfaces are made of, and of the bench's own state.

A decoder of a datagram raises nothing: it says what is wrong with it as a value. What a message
starts is judged by other tests; here it is only read.
"""

import json
import os
import struct
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Final
from unittest.mock import patch

import numpy as np

CONFIGS: Final = Path(__file__).parents[2] / "configs"


# -- surfaces --------------------


def stl(count: int = 2) -> bytes:
    corners = np.arange(9.0 * count).reshape(count, 9)
    facets = (struct.pack("<12fH", 0, 0, 1, *one, 0) for one in corners)
    return bytes(80) + struct.pack("<I", count) + b"".join(facets)


STL_TEXT: Final = b"""solid a
facet normal 0 0 1
outer loop
vertex 0 0 0
vertex 1 0 0
vertex 0 1 0
endloop
endfacet
endsolid a
"""


def stl_file(path: Path) -> None:
    from sim.world.meshes.stl import read_stl

    read_stl(path.read_bytes())


# -- datagrams --------------------


def datagrams() -> list[bytes]:
    from hil.hosts.wires import beamng, flightgear, hcu1

    zeros = [0.0] * 40
    turned = {"f": [0, 0, -9.8], "w": [0] * 3, "dw": [0] * 3, "q": [1, 0, 0, 0], "v": [0] * 3}
    rows = b"".join(struct.pack("<i8f", row, *zeros[:8]) for row in (3, 4, 16, 17, 18, 20, 21))
    return [
        beamng._MOTION.pack(b"BNG1", *zeros[:21]),
        flightgear._HEAD.pack(24, 0, *zeros[:25]) + bytes(300),
        hcu1.FRAME.pack(b"HCU1", 1, 1, 0, 1, 10**9, *zeros[:9], 1.0, *zeros[:9], 0),
        json.dumps({"seq": 1, "t_ns": 10**9, "flags": 1, "p": [0] * 3, **turned}).encode(),
        b"DATA*" + rows,
        b"RREF," + b"".join(struct.pack("<if", k, 0.5) for k in range(20)),
        b"0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1.0,1.1,1.2\n",
        struct.pack("<66f", *zeros[:11], 1.0, *zeros[:4], -1.0, *zeros, *zeros[:9]),
        struct.pack("<iI56f", 1, 1000, *zeros, *zeros[:16]) + bytes(79),
        struct.pack("<I12f3i", 1000, *zeros[:12], 1, 2, 3), struct.pack("<6d", *zeros[:6]),
        struct.pack("<H4BB", 2023, 23, 1, 1, 1, 0) + bytes(1342),
    ]  # fmt: skip


LAYOUTS: Final = ("codemasters", "f1_23", "forza", "opentrack", "outsim")


@cache
def layout_codecs():
    """Of the shipped layouts, which keep nothing of a packet."""
    from hil.hosts.maps import load_map
    from hil.hosts.wires.layout import LayoutCodec

    return [LayoutCodec(load_map(CONFIGS / f"hosts/{one}.toml")[1]) for one in LAYOUTS]


def datagram(path: Path) -> None:
    """Of every host that the bench listens to, whoever sent it; what is understood is finite."""
    from hil.hosts.kind import Packet
    from hil.hosts.wires.beamng import BeamNgCodec
    from hil.hosts.wires.flightgear import FlightGearCodec
    from hil.hosts.wires.flightgear_generic import GenericCodec
    from hil.hosts.wires.generic_protocol import read_protocol
    from hil.hosts.wires.hcu1 import Hcu1Codec
    from hil.hosts.wires.jsbsim import JsbsimCodec
    from hil.hosts.wires.jsbsim_directive import read_directive
    from hil.hosts.wires.xplane_data import DataCodec
    from hil.hosts.wires.xplane_rref import RrefCodec

    generic = (read_protocol(CONFIGS / f"hosts/hil_{one}.xml") for one in ("ascii", "binary"))
    codecs = (
        BeamNgCodec(("y", "x", "-z")), FlightGearCodec(), Hcu1Codec(), RrefCodec(60),
        DataCodec("11"), DataCodec("12"), *(GenericCodec(one, "a") for one in generic),
        JsbsimCodec(read_directive(CONFIGS / "hosts/hil_jsbsim.xml"), "a"),
        *layout_codecs(),
    )  # fmt: skip
    for codec in codecs:
        found = codec.decode(path.read_bytes())
        if isinstance(found, Packet):
            told = [found.state.t_s, *found.state.attitude, *found.state.omega_rad_s]
            assert not np.isinf(told).any(), found


def joint_frames() -> list[bytes]:
    from hil.stations.world.sources.joint_frames import HEAD

    return [HEAD.pack(b"HILJ", 1, 6, 1, 0.5) + struct.pack("<6d", *(0.1,) * 6)]


def joint_frame(path: Path) -> None:
    from hil.stations.world.sources.joint_frames import FrameOrder, JointFrame, read_frame

    found = read_frame(path.read_bytes(), 6)
    if isinstance(found, JointFrame):
        FrameOrder(0.1).judge(found, 0.0, fresh=False)


# -- messages --------------------


def messages() -> list[bytes]:
    """Of the panel and of the desk."""
    from hil.desk import messages as m

    said = (
        m.Hello(name="panel", proof="00"), m.Alive(held=True, stamp_s=1.0),
        m.Press(button="engage"), m.Override(value=0.5), m.Target(pose=(0, 0, 0, 0, 0, 0)),
        m.Motion(table={"kind": "multi_sine"}),
        m.Nonce(nonce="0011"),
    )  # fmt: skip
    return [one.to_bytes() for one in said]


def message(path: Path) -> None:
    from hil.desk.messages import MessageError, from_client, from_desk

    for read in (from_client, from_desk):
        try:
            read(path.read_bytes())
        except MessageError:
            continue


def lines(path: Path) -> None:
    """Of whoever steers by a socket, of the robot's terminal, of an adapter of CAN."""
    from arm_driver.contour.messages import decode_answer, decode_request
    from arm_driver.contour.requests import RequestReader
    from arm_driver.link_report import LinkCounts
    from drives.can.slcan_codec import parse_line
    from drives.can.slcan_lines import SlcanLines
    from hil.desk.velocity.remote_wire import parse_order, parse_word

    data = path.read_bytes()
    RequestReader(LinkCounts()).feed(data)
    SlcanLines().feed(data)
    for line in data.splitlines()[:1000]:
        for read in (parse_order, partial(parse_word, key="nonce"), decode_request, decode_answer,
                     parse_line):  # fmt: skip
            read(line)


LINES: Final = (
    b'{"seq": 1, "t_s": 0.1, "linear_m_s": [0, 0, 0.1], "angular_rad_s": [0, 0, 0], '
    b'"frame": "tool"}\n{"seq": 2, "end": true}\n{"nonce": "0011"}\n'
    b"R,000001,A5\rS,SIMULATED\rt1812FFFF\rz\rV1013\rt70117F\r"
)


def motions(path: Path) -> None:
    """Tables that a panel sends while a motion goes on."""
    from hil.config.errors import ConfigError
    from hil.desk.operation import Operation
    from hil.diagram.file.read import read_text
    from hil.diagram.run.live import Version
    from hil.diagram.run.panel_page import PanelInbox
    from hil.stations.simulator.lead.ride_request import Desired

    data = path.read_bytes()
    inbox = PanelInbox(Version.of(read_text(PANEL, path), {}))
    inbox.take(data)
    inbox.next()
    for read in (Operation.from_bytes, Desired.model_validate_json):
        try:
            read(data)
        except (ValueError, ConfigError):
            continue


PANEL: Final = """format = 1
[block]
key = { kind = "PanelButton" }
lever = { kind = "PanelSlider" }
"""
MOTIONS: Final = (
    b'{"kind": "panel", "set": {"lever": 0.5}, "presses": {"key": 2}}',
    b'{"kind": "ride", "gain": 0.5, "muted": ["tilt"], "preset": "", "inputs": {"stick": 0.1}}',
)


# -- the bench's own state --------------------


def _rig():
    from hil.machines.rig.machine import load_rig

    return load_rig(CONFIGS / "rigs/paper.toml")


def states() -> list[bytes]:
    from hil.machines.rig import drive_reference as r

    point = r.MeasuredPoint(1000, 0.64, "lower stop", "a person", "2026-01-01")
    leg = r.LegReference("a drive", (point,), r.ScaleProof("ruler", 1.0, "a person", "2026-01-01"))
    whole = r.Reference(r.rig_digest(_rig()), (leg,) * 6)
    return [json.dumps(asdict(whole)).encode()]


def state(path: Path) -> None:
    """What was measured of a rig, and a note of a part, which a disk may have damaged."""
    from hil.machines.rig import drive_reference as r
    from hil.run.part_process import NOTE_NAME, PartNote

    path.with_name(NOTE_NAME).write_bytes(path.read_bytes())
    PartNote.beside(path)
    with patch.dict(os.environ, XDG_STATE_HOME=str(path.parent)):
        place = r.reference_path(_rig())
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
        found = r.load_reference(_rig())
    for leg in found.legs if found else ():
        numbers = [] if leg is None else [point.length_m for point in leg.points]
        numbers += [leg.scale.ratio] if leg is not None and leg.scale is not None else []
        assert np.isfinite(numbers).all(), found


# -- what a recording tells of its run --------------------

EVENTS: Final = (
    {"name": "gate", "kind": 3, "data": {"check": "warning", "leg": 3, "value": 17168.0,
     "limit": 1.0, "unit": "", "low": None}, "message": "leg 3: drive warning"},
    {"name": "gate", "kind": 2, "data": {"check": "late", "leg": 0, "value": 3.0, "limit": 2.0,
     "unit": "cycles"}, "message": "late"},
    {"name": "clock", "kind": 3, "data": {"utc": "2026-01-01T00:00:00Z"}, "message": "utc"},
    {"name": "touch", "kind": 3, "data": {"between": "a and b", "start_s": 0.1, "step_s": 0.002,
     "forces_n": "1 2 3"}, "message": "touched"},
    {"name": "edit", "kind": 3, "data": {"edit": 1, "sha256": "00", "source": "a.toml"},
     "message": ""},
    {"end": {"outcome": "completed", "ok": "true", "reason": "", "dropped": "0", "lost": "3"}},
)  # fmt: skip


def told_lines() -> list[bytes]:
    return [b"\n".join(json.dumps(one).encode() for one in EVENTS)]


def told(path: Path) -> None:
    """Events and the end of a recording that anybody may have made: what reports say of them."""
    from recording_samples import HEADER, packed, sample_frame

    from hil.config.errors import ConfigError
    from hil.recording import events as recorded
    from hil.recording import export
    from hil.recording.end import SPARE_END, RecordedEnd
    from hil.recording.events import EventKind, EventRecord, Level
    from hil.recording.reader import Recording
    from hil.recording.recorder import Recorder, RecorderRing
    from hil.run.edit_texts import texts_of
    from hil.run.evidence import evidence_of, verdicts_of
    from hil.run.stall import stall_of
    from hil.stations.platform.cycle.run_warnings import warnings_of
    from hil.stations.platform.cycle.touches import touches_of

    path.with_suffix(".mcap").unlink(missing_ok=True)
    recorder = Recorder(RecorderRing.local(slots=64), path.with_suffix(".mcap"), HEADER)
    for index in range(3):
        recorder.ring.push(recorded.ROWS, packed(sample_frame(index)))
    for line in path.read_bytes().splitlines()[:40]:
        try:
            told = json.loads(line)
            if "end" in told:
                spare = json.dumps(told["end"])
                str(RecordedEnd.of({SPARE_END: {"end": spare}}).loss)
                continue
            kind = list(EventKind)[told["kind"] % len(EventKind)]
            event = EventRecord(0.002, 1, kind, Level.INFO, told["name"], told["message"],
                                told["data"])  # fmt: skip
            payload = event.to_bytes()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            continue  # no event; `signals` and `recording` read those of any bytes
        recorder.ring.push(recorded.EVENTS, payload)
    recorder.finish()
    found = Recording.open(path.with_suffix(".mcap"))
    export.dates(found)
    evidence_of(found, np.zeros(6))
    for read in (verdicts_of, stall_of):
        read(found)
    for read in (touches_of, warnings_of):
        read(found.events)
    for who in ("edit", "gate"):
        try:
            list(texts_of(found, who))
        except ConfigError:
            continue
