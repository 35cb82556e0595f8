"""Every reader of what others write, each with good files and the errors that are its own."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import message_readers as messages
import orjson

from hil.config.errors import ConfigError, MotionError, RefusedError
from hil.config.file_search import configs_dir
from hil.config.settings import apply_overrides, read_toml

TESTS: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Reader:
    """A reader of one kind of file.

    Args:
        name: of the reader.
        ending: of its files' names.
        corpus: gives good files.
        read: reads a file, or raises.
        errors: what it may raise.
        place: what its errors must name; empty if the reader is given no name.
        beside: files that good ones name, by their names.
    """

    name: str
    ending: str
    corpus: Callable[[], Sequence[bytes]]
    read: Callable[[Path], object]
    errors: tuple[type[BaseException], ...] = (ConfigError,)
    place: str = "document"
    beside: Callable[[], dict[str, bytes]] = field(default=dict)


def _shipped(pattern: str, mark: str = "") -> Callable[[], list[bytes]]:
    """Shipped files; with a mark, those of a kind that share their folder with others."""

    def files() -> list[bytes]:
        found = [path.read_bytes() for path in sorted(configs_dir().glob(pattern))]
        return [one for one in found if mark.encode() in one and len(one) < 60_000]

    return files


def _tests(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [one.read_bytes() for each in patterns for one in sorted(TESTS.glob(each))]


def settings_readers() -> list[Reader]:
    """Of every kind of settings file that the installed stations have."""
    from hil.run.file_kinds import all_kinds

    return [
        Reader(
            kind.schema, kind.endings[0], partial(_of_kind, kind), partial(_checked, kind),
            (ConfigError, MotionError, RefusedError),
        )
        for kind in all_kinds()
    ]  # fmt: skip


def _of_kind(kind: Any) -> list[bytes]:
    from hil.run.file_kinds import kind_of

    paths = sorted((configs_dir() / kind.folder).glob("*.toml"))
    found = [path for path in paths if kind_of(read_toml(path), str(path)) is kind]
    small = [path.read_bytes() for path in found if path.stat().st_size < 60_000]
    return small or [b'station = "together"\n[[part]]\nname = "a"\nscenario = "heave"\n']


def _checked(kind: Any, path: Path) -> None:
    kind.check((kind.read or read_toml)(path), path)


def _robot(path: Path) -> None:
    from hil.machines.world.robot_documents import document_of

    document_of(str(path))


def _cover() -> dict[str, bytes]:
    return {"meshes/cover.obj": (TESTS / "world/mjcf/meshes/cover.obj").read_bytes()}


BOX: Final = b"""mtllib box.mtl
usemtl red
v 0 0 0
v 1 0 0
v 0 1 0
v 0 0 1
vt 0 0
vt 1 0
vt 0 1
f 1/1 3/3 2/2
f 1/1 2/2 4/3
f 1/1 4/3 3/2
f 2/1 3/2 4/3
"""
LIBRARY: Final = b"newmtl red\nKd 1 0 0\nmap_Kd wood.png\nnewmtl blue\nKd 0 0 1\n"


def _robot_with(mesh: Path) -> None:
    """A robot of one link that looks like a mesh."""
    robot = mesh.with_name("robot.urdf")
    geometry = f'<visual><geometry><mesh filename="{mesh.name}"/></geometry></visual>'
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    robot.write_text(f'<robot name="r"><link name="a">{mass}{geometry}</link></robot>')
    _robot(robot)


def _scenes(form: str) -> list[bytes]:
    import mesh_scene_files as files

    found = {
        "dae": [files.dae(), files.painted()],
        "glb": [files.glb(), files.glb(mode=5, faces=[0, 2, 1, 3])],
        "ply": [files.ply(), files.ply(words=False)],
    }
    return found[form]


def _library(path: Path) -> None:
    mesh = path.with_name("box.obj")
    mesh.write_bytes(BOX.replace(b"box.mtl", path.name.encode()))
    _robot_with(mesh)


def _texture(path: Path) -> None:
    library = path.with_name("box.mtl")
    library.write_bytes(LIBRARY.replace(b"wood.png", path.name.encode()))
    _library(library)


def _pictures() -> list[bytes]:
    from PIL import Image

    made = []
    for mode in ("RGB", "P", "RGBA", "L"):
        data = io.BytesIO()
        Image.new(mode, (5, 3)).save(data, "PNG")
        made.append(data.getvalue())
    return made


def _scene(path: Path) -> None:
    from hil.machines.world.scene_documents import is_scene, scene_of

    is_scene(str(path))
    scene_of(str(path))


def _diagram(path: Path) -> None:
    from hil.diagram.check.diagram import load

    load(path)


def _attempt(path: Path) -> None:
    from hil.diagram.exercises.exercise_judge import read_attempt

    read_attempt(path)


def _exercises() -> list[bytes]:
    from hil.diagram.exercises.catalogue import draw_exercise, file_without_fault
    from hil.diagram.file.write import text_of

    names = ("motor", "valve", "wall")
    return [text_of(file_without_fault(draw_exercise(name, 1), 1)).encode() for name in names]


EXPRESSIONS: Final = (
    "y = 2*a + sin(b)/3", "w = a > 1 and not (b < 2 or a >= b); y = w",
    "y = max(a, min(b, 3.5)) + abs(a) - a^2", "d = a - x; x' = d*k; y = x",
)  # fmt: skip


def _expression(path: Path) -> None:
    from hil.diagram.library.grammar import parsed

    parsed(path.read_bytes().decode("utf-8", "surrogateescape"))


def _small_texts(path: Path) -> None:
    """A unit, a condition, the transitions of a state machine: all of them from one text."""
    from hil.diagram.file.units import UnitError, unit
    from hil.diagram.library.state_machine import transitions
    from hil.diagram.run.condition import Condition

    text = path.read_bytes().decode("utf-8", "surrogateescape")
    own = ((unit, UnitError), (Condition.parse, RefusedError), (transitions, ValueError))
    for read, error in own:
        try:
            read(text)
        except error:
            continue


def _overrides(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    apply_overrides({"motion": {"terms": [{"a": 1}]}, "devices": {}}, [one for one in lines if one])


def _options(path: Path) -> None:
    """What the command line says to a diagram that is run: values, keys pressed, sliders moved."""
    from hil.diagram.commands.choices import changes_of
    from hil.diagram.file.read import read_text
    from hil.diagram.run.operator_actions import operated

    lines = path.read_bytes().decode("utf-8", "surrogateescape").split("\n")
    file = read_text(messages.PANEL, path)
    operated(file, lines[:1], lines[1:2])
    changes_of(lines[2:])


def _xml_protocol(path: Path) -> None:
    from hil.hosts.wires.generic_protocol import read_protocol

    read_protocol(path)


def _eds(path: Path) -> None:
    from drives.types.eds_file import read_eds

    read_eds(path)


def _ride(path: Path) -> None:
    from hil.stations.simulator.plan.ride_file import read_ride

    read_ride(path)


def _motion_table(path: Path) -> None:
    from hil.stations.platform.motion.formats import read_recording

    read_recording(path, ["t_s", "x_m"])


def _at2(path: Path) -> None:
    from hil.stations.platform.motion.at2 import read_at2

    read_at2(path)


def _earthquake(path: Path) -> None:
    from hil.stations.platform.motion.formats import header_of, read_recording

    read_recording(path, list(header_of(path))[:2])


V2: Final = (
    b"Corrected accelerogram\nA01   Chan  1:  90 Deg\n    10 points of accel data equally spaced "
    b"at  .005 sec, in cm/sec2. (8f10.5)\n" + b"   1.00000" * 8 + b"\n" + b"  -2.00000" * 2
    + b"\nSta Chan   2: Up\n 35 Real-header values follow on 7 lines, Format= (5F15.6)\n"
    + 35 * b"       1.000000" + b"\n"
    b"       9 acceleration pts, approx 9 secs, units=cm/s^2 (04),Format=(8F10.5)\n"
    + b"   1.00000" * 8 + b"\n  -2.00000\n"
)  # fmt: skip
SAC: Final = (
    struct.pack("<f", 0.01) + bytes(300) + struct.pack("<i", 6) + bytes(8) + struct.pack("<i", 10)
    + bytes(20) + struct.pack("<i", 1) + bytes(76) + struct.pack("<i", 1) + bytes(208) + bytes(40)
)  # fmt: skip
MINISEED: Final = (
    b"000001D STAT 00HNEXX" + struct.pack(">HHBBBBH", 2026, 59, 12, 0, 0, 0, 0)
    + struct.pack(">HhhBBBBlHH", 10, 100, 1, 0, 0, 0, 1, 0, 64, 48)
    + struct.pack(">HHBBBB", 1000, 0, 3, 1, 8, 0) + bytes(200)
)  # fmt: skip


AT2: Final = (
    b"PEER NGA STRONG MOTION DATABASE RECORD\nCoalinga, 5/2/1983, PARKFIELD, 90\n"
    b"ACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   10, DT=   .0050 SEC\n"
    b"  .1E-03  .2E-03  -.3E-03  .4E-03  .5E-03\n  .1E-03  .2E-03  -.3E-03  .4E-03  .5E-03\n"
)


def _played(path: Path) -> None:
    from hil.machines.robot.settings import RobotSettings
    from hil.stations.arm.moves.play import read_recorded

    robot = configs_dir() / "robots/rm01.toml"
    read_recorded(path, RobotSettings.build(read_toml(robot), str(robot)))


RIDE: Final = b"t_s,f_x_m_s2,f_y_m_s2,f_z_m_s2,p_rad_s,q_rad_s,r_rad_s\n" + b"".join(
    b"%.2f,0.1,0,-9.81,0,0.01,%.4f\n" % (0.01 * k, 1e-4 * k) for k in range(250)
)
PLAYED: Final = b"t_s,x_mm,y_mm,z_mm,o_deg,a_deg,t_deg\n0,600,0,300,0,0,0\n0.1,600,1,300,0,0,0\n"


def _vehicle_csv(path: Path) -> None:
    from hil.stations.simulator.sources.ride_feed import ride_feed

    ride_feed(path)


def _fmu(path: Path) -> None:
    """An archive with the document as its description."""
    from hil.fmu.description import read_description

    archive = path.with_suffix(".fmu")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("modelDescription.xml", path.read_bytes())
        file.writestr("binaries/linux64/vehicle.so", b"")
    read_description(archive)


def _fmu_archive(path: Path) -> None:
    from hil.fmu.description import read_description

    read_description(path)


def _description() -> bytes:
    variables = "".join(
        f'<ScalarVariable name="v{k}" valueReference="{k}" causality="output" '
        f'variability="continuous"><Real unit="m/s"/></ScalarVariable>\n'
        for k in range(4)
    )
    outputs = "".join(f'<Unknown index="{k + 1}"/>' for k in range(4))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<fmiModelDescription fmiVersion="2.0" '
        'modelName="vehicle" guid="{8c4e810f}" generationTool="by hand">\n'
        '<CoSimulation modelIdentifier="vehicle" canHandleVariableCommunicationStepSize="true"/>\n'
        '<UnitDefinitions><Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit></UnitDefinitions>\n'
        '<DefaultExperiment startTime="0" stopTime="8" stepSize="0.004"/>\n'
        f"<ModelVariables>\n{variables}</ModelVariables>\n<ModelStructure><Outputs>{outputs}"
        "</Outputs></ModelStructure>\n</fmiModelDescription>\n"
    ).encode()


def _archives() -> list[bytes]:
    made = []
    for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", kind) as file:
            file.writestr("modelDescription.xml", _description())
            file.writestr("binaries/linux64/vehicle.so", b"\x7fELF")
        made.append(data.getvalue())
    return made


def _recording(path: Path) -> None:
    """All that a report, an export or a look reads of it before it computes."""
    from hil.recording.reader import Recording

    found = Recording.open(path)
    str(found.modes), str(found.actions), str(found.damage), str(found.header.simulated)
    for gap in (*found.gaps, *found.losses):
        str(gap)


def _recordings() -> list[bytes]:
    import tempfile

    from recording_samples import record, sample_frame

    with tempfile.TemporaryDirectory() as folder:
        made = []
        for count in (0, 3, 300):
            path = Path(folder, f"{count}", "a.mcap")
            record(path, [sample_frame(index) for index in range(count)])
            made.append(path.read_bytes())
    return made


def _signals(path: Path) -> None:
    """The table of signals in a recording's header, and the header around it."""
    from hil.recording.header import RunHeader

    try:
        RunHeader.from_mapping(orjson.loads(path.read_bytes()))
    except (ValueError, KeyError, TypeError):  # what is taken for a damaged header
        return


def _headers() -> list[bytes]:
    from recording_samples import HEADER

    return [HEADER.to_json()]


def _journal(path: Path) -> None:
    """Lines of edits; their checksums are made right, as who means harm would."""
    from hil.panel.diagram.models.journal import EditJournal, journal_path

    lines, check = [], 0
    for line in path.read_bytes().splitlines():
        check = zlib.crc32(line, check)
        lines.append(b"%08x %s\n" % (check, line))
    file = path.with_name("drawn.toml")
    journal_path(file).write_bytes(b"".join(lines))
    if resumed := EditJournal.resume(file):
        resumed[0].close(remove=True)


def _journals() -> list[bytes]:
    """One with edits of each kind, as the editor writes it; without its checksums."""
    import tempfile

    from hil.diagram.file.model import DrawnBlock
    from hil.panel.diagram.models.history import EntryChange, Step
    from hil.panel.diagram.models.journal import EditJournal, journal_path

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "drawn.toml")
        journal = EditJournal.begin(path, None)
        added = EntryChange("", "blocks", "g", None, DrawnBlock("Gain", {"k": 2.0}))
        placed = EntryChange("", "places", "g", None, (3, 4))
        for what in ("do", "undo", "redo"):
            journal.write(what, Step("add g", (added, placed)))
        data = journal_path(path).read_bytes()
        journal.close(remove=True)
    return [b"\n".join(line.partition(b" ")[2] for line in data.splitlines())]


def _snapshot(path: Path) -> None:
    from hil.stations.world.editing.snapshot_file import read_snapshot

    read_snapshot(path)


def _snapshots() -> list[bytes]:
    import tempfile

    import numpy as np

    from hil.stations.world.editing.snapshot_file import RunSnapshot, write_snapshot

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a.npz")
        write_snapshot(path, RunSnapshot({"robot": "a"}, {"q": np.zeros(6), "t": np.ones((2, 3))}))
        return [path.read_bytes()]


def _faults(path: Path) -> None:
    from sim.devices.fault_text import FaultError, read_script
    from sim.devices.modbus.injection import ModbusFaultError, parse_script

    text = path.read_bytes().decode("utf-8", "replace")
    for read, error in ((partial(read_script, build=dict), FaultError),
                        (parse_script, ModbusFaultError)):  # fmt: skip
        try:
            read(text)
        except error:
            continue


def _drive_settings(path: Path) -> None:
    from drives.bank import DriveModelError
    from drives.canopen.settings import from_json
    from drives.modbus.settings import ModbusSettings

    text = path.read_bytes().decode("utf-8", "replace")
    for read in (from_json, ModbusSettings.from_json):
        try:
            read(text)
        except DriveModelError:
            continue


def _change(path: Path) -> None:
    from hil.diagram.run.change import DiagramChange

    DiagramChange.from_json(path.read_bytes().decode("utf-8", "replace"))


CHANGE: Final = b'{"set": {"a.k": 1.0}, "text": "", "source": "", "forced": false}'


def readers() -> dict[str, Reader]:
    """All of them, by their names."""
    from drives.bank import DriveModelError
    from hil.diagram.library.grammar import GrammarError
    from hil.machines.rig.drive_reference import NotReferencedError
    from hil.panel.diagram.models.journal import DamagedError
    from hil.recording.header import RecordingError
    from sim.world.meshes.surface import MeshError

    toml = _shipped("world/robots/*.toml")
    own = [
        Reader("robot toml", ".toml", toml, _robot),
        Reader("robot text", ".txt", _shipped("world/robots/*.txt"), _robot),
        Reader("robot urdf", ".urdf", _tests("world/urdf/*.urdf"), _robot),
        Reader("robot mjcf", ".xml", _tests("world/mjcf/arm.xml", "world/mjcf/linkage.mjcf"),
               _robot, beside=_cover),
        Reader("mesh obj", ".obj", lambda: [BOX], _robot_with, place="robot.urdf"),
        *(Reader(f"mesh {one}", f".{one}", partial(_scenes, one), _robot_with, place="robot.urdf")
          for one in ("dae", "glb", "ply")),
        Reader("mesh library", ".mtl", lambda: [LIBRARY], _library, place="robot.urdf"),
        Reader("mesh texture", ".png", _pictures, _texture, place="robot.urdf"),
        Reader("scene", ".toml", _shipped("world/scenes/*.toml"), _scene),
        Reader("diagram", ".toml", _shipped("diagrams/*.toml"), _diagram),
        Reader("exercise", ".toml", _exercises, _attempt),
        Reader("expression", ".txt", lambda: [one.encode() for one in EXPRESSIONS], _expression,
               (GrammarError,), ""),
        Reader("small texts", ".txt", lambda: [b"kg m^2/s", b"a > 1 and b < 2", b"a -> b: x > 0.5"],
               _small_texts, (), ""),
        Reader("overrides", ".txt", lambda: [b"motion.terms.0.a=3\ndevices.arm=\"tcp://a\"\nx.y=[1,2]"],
               _overrides, (ConfigError,), ""),
        Reader("diagram options", ".txt", lambda: [b"key@1.5\nlever=0.5@2\ngain.k=[1, 2.5]\na.b=x"],
               _options, (ConfigError, ValueError), ""),
        Reader("host protocol", ".xml", _shipped("hosts/*.xml", "<generic>"), _xml_protocol),
        Reader("data sheet", ".eds", _shipped("eds/*.eds"), _eds, (DriveModelError,)),
        Reader("ride", ".csv", lambda: [RIDE],
               _ride, (ConfigError, MotionError)),
        Reader("motion", ".csv", lambda: [b"t_s,x_m\n0,0\n0.01,1e-3\n0.02,2e-3\n"], _motion_table,
               (MotionError,)),
        Reader("at2", ".at2", lambda: [AT2], _at2, (MotionError,)),
        Reader("v2", ".v2", lambda: [V2], _earthquake, (MotionError,)),
        Reader("sac", ".sac", lambda: [SAC], _earthquake, (MotionError,)),
        Reader("miniseed", ".mseed", lambda: [MINISEED], _earthquake, (MotionError,)),
        Reader("played", ".csv", lambda: [PLAYED], _played),
        Reader("vehicle", ".csv", lambda: [RIDE],
               _vehicle_csv, (ValueError, OSError)),
        Reader("fmu", ".xml", lambda: [_description()], _fmu),
        Reader("fmu archive", ".fmu", _archives, _fmu_archive),
        Reader("recording", ".mcap", _recordings, _recording, (RecordingError,)),
        Reader("signals", ".json", _headers, _signals, (), ""),
        Reader("journal", ".txt", _journals, _journal, (RefusedError, DamagedError), ""),
        Reader("snapshot", ".npz", _snapshots, _snapshot),
        Reader("faults", ".toml", lambda: [b'[[fault]]\nat_s = 1.0\nline = "silent 3"\n'], _faults,
               (), ""),
        Reader("drive settings", ".json", _drive_json, _drive_settings, (), ""),
        Reader("change", ".json", lambda: [CHANGE], _change, (ConfigError,), ""),
        Reader("stl", ".stl", lambda: [messages.stl(), messages.STL_TEXT], messages.stl_file,
               (MeshError,), ""),
        Reader("datagram", ".bin", messages.datagrams, messages.datagram, (), ""),
        Reader("joint frame", ".bin", messages.joint_frames, messages.joint_frame, (), ""),
        Reader("message", ".json", messages.messages, messages.message, (), ""),
        Reader("lines", ".txt", lambda: [messages.LINES], messages.lines, (), ""),
        Reader("motions", ".json", lambda: messages.MOTIONS, messages.motions, (), ""),
        Reader("told", ".txt", messages.told_lines, messages.told, (), ""),
        Reader("state", ".json", messages.states, messages.state, (NotReferencedError,), ""),
    ]  # fmt: skip
    return {one.name: one for one in (*settings_readers(), *own)}


def _drive_json() -> list[bytes]:
    return [b'{"node_ids": [1, 2, 3, 4, 5, 6], "buses": [0, 0, 0, 0, 0, 0], "boot_timeout_s": 5.0}']
