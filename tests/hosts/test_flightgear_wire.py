"""FlightGear's generic output, written here as `src/Network/generic.cxx` writes it."""

import math
import random
import re
import struct
import xml.etree.ElementTree as ET

import campaign
import numpy as np
import pytest
from case_files import case_file, datagrams_of
from scipy.spatial.transform import Rotation

from hil.config.errors import ConfigError
from hil.hosts.kind import Packet, Refused
from hil.hosts.maps import load_map
from hil.hosts.wires.flightgear_generic import GenericCodec
from hil.hosts.wires.generic_protocol import read_protocol
from sim.hosts.flight import scripted_flight
from sim.hosts.telemetry import Telemetry
from sim.hosts.wires.flightgear_generic import Generic

FORCE = [f"/accelerations/pilot/{axis}-accel-fps_sec" for axis in "xyz"]
ANGLES = [f"/orientation/{name}-deg" for name in ("roll", "pitch", "heading")]
BODY = [f"/orientation/{axis}-body" for axis in "pqr"]
PAUSED = "/sim/freeze/master"


def codec_of(path):
    kind, settings = load_map(path)
    return kind.codec(settings)


def read(codec, data):
    """The state of a good datagram."""
    told = codec.decode(data)
    assert isinstance(told, Packet), told
    return told.state


def test_body_rates_are_radians_a_second():
    """The case's sender rolls by 20 degrees at 0.4 Hz."""
    codec = codec_of(case_file("flightgear_body_rates", "body_rates.toml"))
    rows = datagrams_of("flightgear_body_rates")
    states = [read(codec, data) for _, data in rows]
    rolls = np.unwrap([2.0 * math.atan2(one.attitude[1], one.attitude[0]) for one in states])
    slope = np.polyfit(np.gradient(rolls, 1 / 60), [one.omega_rad_s[0] for one in states], 1)[0]
    assert slope == pytest.approx(1.0, abs=0.01)
    assert max(one.omega_rad_s[0] for one in states) == pytest.approx(0.877, abs=1e-3)


def test_bytes_in_the_host_s_order_are_read():
    codec = codec_of(case_file("flightgear_byte_order_host", "host2.toml"))
    for _, data in datagrams_of("flightgear_byte_order_host"):
        state = read(codec, data)
        assert state.f_m_s2 == pytest.approx((0.1524, 0.0, -9.8066), abs=1e-3)
        turn = Rotation.from_quat(np.roll(state.attitude, -1)).as_euler("ZYX", degrees=True)
        assert turn == pytest.approx((90.0, 2.5, 1.5), abs=1e-4)


@pytest.mark.parametrize(("name", "lines"), [("esc", "datagrams.txt"),
                                             ("idx", "datagrams_commas.txt")])  # fmt: skip
def test_separators_and_nodes_are_read_in_each_spelling(name, lines):
    codec = codec_of(case_file("flightgear_separators", f"{name}.toml"))
    for _, data in datagrams_of("flightgear_separators", lines):
        state = read(codec, data)
        assert state.f_m_s2 == pytest.approx((0.1524, 0.0, -9.8066), abs=1e-3)


def test_a_boolean_is_a_bool():
    codec = codec_of(case_file("flightgear_separators", "boolean.toml"))
    for _, data in datagrams_of("flightgear_separators", "datagrams_commas.txt"):
        for sent in (0, 1):
            assert bool(read(codec, data[:-1] + b",%d\n" % sent).flags) == bool(sent)


NAMES = {"newline": "\n", "tab": "\t", "space": " ", "formfeed": "\f", "verticaltab": "\v"}
SPELLED = [*NAMES.items(), (",", ","), (";", ";"), (" ", " "), (", ", ", "), ("\\t", "\t"),
           ("\\x3b", ";"), ("\\054", ","), ("\\\\", "\\"), ("\\;", ";"), ("|", "|")]  # fmt: skip
TYPES = {"float": "f", "double": "d", "fixed": "i", "int": "i", "byte": "b", "word": "h",
         "integer": "i", "long": "i", "bool": "B", "boolean": "B"}  # fmt: skip
OTHERS = ["/sim/time/elapsed-sec", *BODY, PAUSED, "/engines/engine/rpm", "/gear/gear[1]/wow"]


def spelled(chance, node):
    """A node in one of its spellings."""
    node = node[1:] if chance.random() < 0.2 else node
    return node.replace("pilot/", "pilot[0]/") if chance.random() < 0.2 else node


class Drawn:
    """A protocol at random, and what FlightGear would send by it.

    Args:
        chance: draws it.
    """

    def __init__(self, chance):
        self.chance = chance
        self.binary = chance.random() < 0.5
        self.order = chance.choice(["", "network", "host"])
        self.footer = chance.choice(["", "none", "length", "magic,0x48435531", "magic,77"])
        (self.between, self.between_is), (self.behind, self.behind_is) = (
            chance.choice(SPELLED) for _ in range(2)
        )
        nodes = [*FORCE, *ANGLES, *chance.sample(OTHERS, chance.randrange(len(OTHERS)))]
        chance.shuffle(nodes)
        self.chunks = [self.chunk(node) for node in nodes]

    def chunk(self, node):
        """Node, type, format with what is before and behind its number, factor and offset."""
        chance = self.chance
        motion = node in FORCE or node in ANGLES or node in BODY
        kinds = ["float", "double"] if chance.random() < 0.95 else list(TYPES)
        kind = chance.choice(kinds if motion else list(TYPES))
        factor = chance.choice([1.0, 1.0, 1.0, -1.0, 0.3048, 1000.0, -100.0, 57.29577951])
        offset = chance.choice([0.0, 0.0, 0.0, 10.0, -0.5])
        whole = TYPES[kind] in "ibhB" and kind != "fixed"
        shape = "%d" if whole else chance.choice(["%f", "%.9f", "%12.6f", "%-12.6f", "%+.7e",
                                                  "%.10g", "%.5f", "%.3f"])  # fmt: skip
        before, behind = chance.choice([("", "")] * 6 + [("a=", ""), ("", "deg"), ("<", ">")])
        return node, kind, before, shape, behind, factor, offset

    def xml(self):
        """The file."""
        root = ET.Element("PropertyList")
        output = ET.SubElement(ET.SubElement(root, "generic"), "output")

        def add(parent, tag, text):
            ET.SubElement(parent, tag).text = text

        if self.binary:
            add(output, "binary_mode", self.chance.choice(["true", "1"]))
        for tag, text in (("byte_order", self.order), ("binary_footer", self.footer)):
            if text:
                add(output, tag, text)
        add(output, "var_separator", self.between)
        add(output, "line_separator", self.behind)
        for node, kind, before, shape, behind, factor, offset in self.chunks:
            chunk = ET.SubElement(output, "chunk")
            add(chunk, "node", spelled(self.chance, node))
            if kind != "int":
                add(chunk, "type", kind)
            if shape != "%d" or before or behind:
                add(chunk, "format", before + shape + behind)
            if factor != 1.0:
                add(chunk, "factor", repr(factor))
            if offset:
                add(chunk, "offset", repr(offset))
        return ET.tostring(root)

    def packet(self, values):
        """What is sent for the values of all nodes; raises `struct.error` where C would wrap."""
        order = "<" if self.order == "host" else ">"
        parts = []
        for node, kind, before, shape, behind, factor, offset in self.chunks:
            number = offset + values[node] * factor
            if TYPES[kind] == "B":
                number = int(values[node] != 0.0)
            elif kind == "fixed" and self.binary:
                number = int(65536.0 * number)
            elif TYPES[kind] in "ibh" and kind != "fixed":
                number = int(number)
            if self.binary:
                parts.append(struct.pack(order + TYPES[kind], number))
            else:
                parts.append((before + shape + behind) % number)
        if not self.binary:
            return (self.between_is.join(parts) + self.behind_is).encode()
        data = b"".join(parts)
        if self.footer == "length":
            return data + struct.pack(order + "i", len(data))
        if self.footer.startswith("magic"):
            return data + struct.pack(order + "i", int(self.footer[6:], 0))
        return data


def values_at_random(chance):
    """Values of all nodes."""
    values = {node: chance.uniform(-90.0, 90.0) for node in FORCE}
    values |= {ANGLES[0]: chance.uniform(-180.0, 180.0), ANGLES[1]: chance.uniform(-80.0, 80.0)}
    values |= {ANGLES[2]: chance.uniform(0.0, 360.0), PAUSED: float(chance.random() < 0.3)}
    values |= {node: chance.uniform(-3.0, 3.0) for node in BODY}
    return values | {"/sim/time/elapsed-sec": chance.uniform(0.0, 1e4),
                     "/engines/engine/rpm": chance.uniform(0.0, 100.0),
                     "/gear/gear[1]/wow": float(chance.random() < 0.3)}  # fmt: skip


def loaded(folder, xml):
    """The codec of a protocol's text."""
    path = folder / "own.xml"
    path.write_bytes(xml)
    return GenericCodec(read_protocol(path), str(path))


@pytest.mark.campaign
def test_any_protocol_is_read_as_flightgear_writes_it_or_refused(tmp_path):
    chance, understood, count = random.Random(31_003), 0, campaign.count(10_000, least=300)
    for index in range(count):
        drawn = Drawn(chance)
        try:
            codec = loaded(tmp_path, drawn.xml())
        except ConfigError:
            continue
        for _ in range(2):
            values = values_at_random(chance)
            try:
                sent = drawn.packet(values)
            except struct.error:  # a number that wraps in C
                continue
            told = codec.decode(sent)
            assert isinstance(told, Packet), (index, told, drawn.xml())
            state = told.state
            force = [0.3048 * values[node] for node in FORCE]
            assert state.f_m_s2 == pytest.approx(force, abs=0.16), (index, drawn.xml())
            turn = Rotation.from_euler("xyz", [values[node] for node in ANGLES], degrees=True)
            off = Rotation.from_quat(np.roll(state.attitude, -1)) * turn.inv()
            assert math.degrees(off.magnitude()) < 0.6, (index, drawn.xml())
            nodes = [chunk[0] for chunk in drawn.chunks]
            if all(node in nodes for node in BODY):
                rates = [values[node] for node in BODY]
                assert state.omega_rad_s == pytest.approx(rates, abs=0.011), (index, drawn.xml())
            kinds = {chunk[0]: chunk[1] for chunk in drawn.chunks}
            if kinds.get(PAUSED) in ("bool", "boolean", "double"):
                assert bool(state.flags & 1) == bool(values[PAUSED]), (index, drawn.xml())
        understood += 1
    assert understood > 0.3 * count


@pytest.mark.campaign
def test_the_emulated_flightgear_sends_what_flightgear_does():
    """Byte by byte, by the reference above."""
    chance, known = random.Random(31_004), (*FORCE, *ANGLES, *BODY, PAUSED, OTHERS[0], OTHERS[-1])
    flight, seen = scripted_flight(), 0
    for index in range(campaign.count(2_000, least=100)):
        drawn = Drawn(chance)
        drawn.chunks = [one for one in drawn.chunks if one[0] in known]
        xml, t_s = drawn.xml().decode(), chance.uniform(0.0, 60.0)
        paused = chance.random() < 0.5
        motion = flight.at(t_s)
        w, x, y, z = motion.attitude
        yaw, pitch, roll = Rotation.from_quat((x, y, z, w)).as_euler("ZYX", degrees=True)
        values = dict(zip(FORCE, (one / 0.3048 for one in motion.f_m_s2), strict=True))
        values |= dict(zip(ANGLES, (roll, pitch, yaw % 360.0), strict=True))
        values |= dict(zip(BODY, motion.omega_rad_s, strict=True))
        values |= {PAUSED: float(paused), OTHERS[0]: t_s, OTHERS[-1]: float(motion.ground)}
        try:
            wanted = drawn.packet(values)
            (sent,) = Generic(xml).pack(Telemetry(motion, t_s, 1, paused=paused))
        except struct.error:  # a number that wraps in C
            continue
        assert sent.data == wanted or near(drawn, sent.data, wanted), (index, xml)
        seen += 1
    assert seen > 50


def near(drawn, sent, wanted):
    """Whether two packets differ in the last places of their numbers only."""
    if drawn.binary:
        order = "<" if drawn.order == "host" else ">"
        form = order + "".join(TYPES[one[1]] for one in drawn.chunks)
        size = struct.calcsize(form)
        same = sent[size:] == wanted[size:]
        pairs = zip(struct.unpack_from(form, sent), struct.unpack_from(form, wanted), strict=True)
        return same and all(alike(a, b) for a, b in pairs)
    pattern = rb" *[-+]?\d+\.?\d*(?:e[-+]\d+)? *"  # the sign of a 0 takes a place of its padding
    same = re.sub(pattern, b"#", sent) == re.sub(pattern, b"#", wanted)
    pairs = zip(re.findall(pattern, sent), re.findall(pattern, wanted), strict=True)
    return same and all(
        alike(int(a), int(b)) if re.fullmatch(rb"[- +\d]+", a + b) else alike(float(a), float(b))
        for a, b in pairs
    )


def alike(a, b):
    """Whether two numbers differ by the last digit of trigonometry; whole ones by 1 at most."""
    return a == pytest.approx(b, rel=1e-6, abs=1.0 if isinstance(b, int) else 1e-4)


GOOD = "".join(
    f"<chunk><node>{node}</node><type>float</type><format>%f</format></chunk>"
    for node in (*FORCE, *ANGLES)
)
TEXT = "<var_separator>,</var_separator><line_separator>newline</line_separator>"


def test_a_great_number_that_is_no_motion_hinders_nothing(tmp_path):
    """65536 times 25 116: a fixed number of C that is far above what any motion can be."""
    rpm = "<chunk><node>/engines/engine/rpm</node><type>fixed</type></chunk>"
    codec = loaded(tmp_path, file_of("<binary_mode>true</binary_mode>" + GOOD + rpm))
    values = (1.0, 2.0, -32.0, 10.0, 20.0, 30.0)
    told = codec.decode(struct.pack(">6fi", *values, 65536 * 25_116))
    assert told.state.f_m_s2 == pytest.approx([0.3048 * value for value in values[:3]])
    assert codec.decode(struct.pack(">6fi", 1e10, *values[1:], 0)) is Refused.RANGE


def file_of(inside):
    return f"<PropertyList><generic><output>{inside}</output></generic></PropertyList>".encode()


@pytest.mark.parametrize(("inside", "words"), [
    (TEXT + GOOD + "<wrapper>kiss</wrapper>", "<output>: <wrapper> is not understood"),
    (TEXT + GOOD + "<scale>2</scale>", "<output>: <scale> is not understood"),
    (TEXT + GOOD.replace("<type>", "<units>m</units><type>", 1), "accel-fps_sec: <units> is not"),
    (TEXT + GOOD.replace("<type>", "<const>1</const><type>", 1), "<const> is not understood"),
    (TEXT + GOOD.replace("<chunk>", '<chunk n="7">', 1), "<chunk n='7'>"),
    (TEXT + GOOD.replace("<type>", "<type alias='/a'>", 1), "<type alias='/a'>"),
    (TEXT + GOOD.replace("</type>", "</type><factor type='int'>.5</factor>", 1), "<factor type="),
    (TEXT + GOOD.replace("<type>float</type>", "<type>float</type><type>int</type>", 1), "twice"),
    (TEXT + GOOD.replace("<format>%f</format>", "", 1), "format '%d' with type 'float'"),
    (TEXT + GOOD.replace("%f", "%s", 1), "format '%s' with type 'float'"),
    (TEXT + GOOD.replace("%f", "%.999f", 1), "format '%.999f' with type 'float'"),
    (TEXT + GOOD.replace("%f", "%." + "9" * 4000 + "f", 1), "FlightGear writes no number"),
    (TEXT + GOOD.replace("%f", "%.0f", 1), "tells steps of 1"),
    (TEXT + GOOD.replace("<type>float</type><format>%f</format>", "", 1), "tells steps of 1"),
    (TEXT + GOOD.replace("<type>float", "<type> float", 1), "takes the white space along"),
    (TEXT + GOOD.replace("</type>", "</type><factor>0</factor>", 1), "factor 0"),
    (TEXT + GOOD.replace("</type>", "</type><factor></factor>", 1), "is no finite number"),
    (TEXT + GOOD.replace("</type>", "</type><offset>1_0</offset>", 1), "'1_0' is no finite"),
    (TEXT.replace(",", "carriagereturn") + GOOD, "FlightGear sends nothing for it"),
    (TEXT.replace(",", "-") + GOOD, "may be part of a number"),
    (TEXT.replace(",", "\\x3bb") + GOOD, "can be read"),
    (TEXT.replace(",", "\\") + GOOD, "can be read"),
    ("<var_separator></var_separator>" + GOOD, "has no <var_separator>"),
    ("<binary_mode>True</binary_mode>" + GOOD, "binary_mode 'True': true or false"),
    ("<binary_mode>true</binary_mode><byte_order>little</byte_order>" + GOOD,
     "byte_order 'little': network or host"),
    ("<binary_mode>true</binary_mode><binary_footer>0x12</binary_footer>" + GOOD, "binary_footer"),
    ("<binary_mode>true</binary_mode>" + GOOD.replace("float", "word"), "up to 32767" ),
    ("<binary_mode>true</binary_mode>"
     + GOOD.replace("<type>float</type>", "<type>word</type><factor>1000</factor>", 1),
     "up to 32.767; 0.5 or finer up to 400 is needed"),
])  # fmt: skip
def test_what_changes_the_meaning_and_is_not_read_is_refused_by_name(tmp_path, inside, words):
    with pytest.raises(ConfigError) as caught:
        loaded(tmp_path, file_of(inside))
    assert words in str(caught.value)


def test_a_line_that_was_cut_is_refused(tmp_path):
    codec = loaded(tmp_path, file_of(TEXT + GOOD))
    line = b"0.500000,0.000000,-32.174000,1.500000,2.500000,90.123456\n"
    assert isinstance(codec.decode(line), Packet)
    for end in range(len(line)):
        assert codec.decode(line[:end]) is Refused.TEXT


def test_no_line_takes_long_to_be_refused(tmp_path):
    codec = loaded(tmp_path, file_of(TEXT.replace(",", "space") + GOOD))
    assert isinstance(codec.decode(b"  0.5  0.0 -32.1   1.5 2.5   90.1  \n"), Packet)
    for line in (b" " * 4000, b"1 " * 2000, b"1" * 4000, b"1 " * 5 + b" " * 3000 + b"x\n"):
        assert codec.decode(line) is Refused.TEXT
