"""Inputs that once took the machine, ended a program with a traceback, or were thought of.

Each is read before the mutated ones, so that none comes back.
"""

import io
import json
import zipfile
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final
from zlib import compressobj, crc32

import mesh_scene_files
from mutators import MOST_BYTES


def _rows(row: str, before: str = "", most: int = MOST_BYTES) -> bytes:
    """A row many times, its ``{}`` counting up, to the size that is promised."""
    parts = [before]
    size = len(before)
    for number in count():
        one = row.replace("{}", str(number))
        size += len(one)
        if size > most:
            return "".join(parts).encode()
        parts.append(one)
    raise AssertionError


TOML: Final[tuple[bytes, ...]] = (
    b"a." * 60_000 + b"a = 1",
    b'"\\"".' * 100_000 + b"a = 1",
    b'x = """\n\\""" # \\\n"""\ny = 2\n' + b"a." * 60_000 + b"a = 1",
    b"a = " + b"[" * 500_000,
    b"a = " + b"{a=" * 250_000,
    b"a = 0x" + b"f" * 5000,
    b"a = " + b"9" * 1_000_000,
    _rows("[a{}.b.c.d.e.f.g.h.i.j.k]\n", most=450_000),
    _rows("a{}.b.c.d.e.f.g.h.i.j.k=1\n", most=450_000),
    _rows("k{}=1\n"),
    _rows("[[a]]\n", most=800_000),
    b"a=[" + b"1," * 140_000 + b"]",
    b"a=[" + b"{}," * 70_000 + b"]",
    b'a = "' + b"\\n" * 500_000 + b'"',
    b'"' * 1_000_000,
    b"'''" * 300_000,
)
"""For every reader of TOML."""


def _toml(*own: bytes) -> Callable[[], Iterator[bytes]]:
    def attacks() -> Iterator[bytes]:
        yield from TOML
        yield from own

    return attacks


def _scenario() -> Iterator[bytes]:
    yield from TOML
    yield b"\xef\xbb\xbfformat = 1"
    yield b"period_s = 1e300\n"
    yield _rows("[[motion.terms]]\namplitude_m = 1e308\n", 'rig = "paper"\n')
    yield _rows("unknown{} = 1\n", 'rig = "paper"\n')


def _robot() -> Iterator[bytes]:
    yield from TOML
    yield _rows("x{} = 1\n", "[[link]]\nnumber = 0\n")
    yield _rows('[[link]]\nnumber = {}\nwrong = "a"\n', most=1_000_000)


def _diagram() -> Iterator[bytes]:
    yield from TOML
    yield _rows('b{} = {{ kind = "Gainn{}" }}\n'.replace("{{", "{").replace("}}", "}"),
                "format = 1\n[block]\n", 700_000)  # fmt: skip
    yield _rows('"b{}.u" = "c{}.y"\n', 'format = 1\n[block]\nb = { kind = "Gain" }\n[wire]\n')
    yield _rows("b{} = [1, 2]\n", 'format = 1\n[block]\nb = { kind = "Gain" }\n[place]\n')
    blocks = _rows('b{} = { kind = "Gain", k = 1.0 }\n', "format = 1\n[block]\n", 400_000)
    yield blocks + _rows('"b{}.x" = "b{}.z"\n', "[wire]\n", 400_000)
    yield blocks + _rows('"b{}.u" = "b{}.y"\n', "[wire]\n", 400_000)
    yield _rows('[sub.s{}.block]\nx = { kind = "sub", of = "s{}" }\n', "format = 1\n", 700_000)
    for text in (
        "(" * 5000 + "1" + ")" * 5000,
        "9**9**9**9",
        "-" * 50_000 + "1",
        "1+" * 100_000 + "1",
        "sin(" * 3000 + "1" + ")" * 3000,
        "2**1e9",
        "1e308*1e308",
        "not " * 9000 + "a",
    ):
        yield f'format = 1\n[block]\ne = {{ kind = "Expression", text = "y = {text}" }}\n'.encode()


def _expression() -> Iterator[bytes]:
    for text in (
        "(" * 500_000,
        "9**9**9",
        "-" * 500_000 + "1",
        "1+" * 300_000 + "1",
        "sin(" * 200_000,
        "2**" * 200_000 + "2",
        "a;" * 300_000,
        "not " * 200_000 + "a",
        "y = " + "9" * 500_000,
        "y = a" + "'" * 500_000,
    ):
        yield text.encode()


def _signals() -> Iterator[bytes]:
    from recording_samples import HEADER

    table = json.loads(HEADER.to_json())
    yield b"[" * 500_000
    yield b'{"signals":' * 50_000
    for key, value in (("signals", []), ("signals", {}), ("metadata", 3), ("scenario", None)):
        yield json.dumps({**table, key: value}).encode()
    signals = table["signals"]
    for key, value in signals.items():
        if isinstance(value, list) and value:
            many = [value[0]] * (900_000 // (len(json.dumps(value[0])) + 2))
            yield json.dumps({**table, "signals": {**signals, key: many}}).encode()


def _fmu() -> Iterator[bytes]:
    head = (
        '<fmiModelDescription fmiVersion="2.0" modelName="v" guid="g"><CoSimulation '
        'modelIdentifier="v"/><ModelVariables>'
    )
    row = '<ScalarVariable name="v{}" valueReference="{}"><Real/></ScalarVariable>'
    yield _rows(row, head) + b"</ModelVariables><ModelStructure/></fmiModelDescription>"
    yield _rows("<ScalarVariable name='' valueReference='{}'/>", head)
    yield _rows("<a/>", head)
    bombs = "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10 if k else "a" * 10}">' for k in range(12))
    yield f"<!DOCTYPE x [{bombs}]><x>&a11;</x>".encode()
    yield b"<a>" * 300_000
    yield b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]><x>&a;</x>'


def _archives() -> Iterator[bytes]:
    head = '<fmiModelDescription fmiVersion="2.0" modelName="v" guid="g"><CoSimulation/>'
    for row in ("<a/>", "<ScalarVariable name='' valueReference='{}'/>"):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
            file.writestr("modelDescription.xml", _rows(row, head, 8 << 20))
        yield data.getvalue()
    for size in (50 << 20, 300 << 20):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as file:
            file.writestr("modelDescription.xml", b"<a>" + b" " * size)
        yield data.getvalue()
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as file:
        for number in range(10_000):
            file.writestr(f"{number}", b"")
        file.writestr("modelDescription.xml", b"<a/>")
    yield many.getvalue()


def _xml() -> Iterator[bytes]:
    yield from list(_fmu())[1:]
    yield ("<!DOCTYPE x [" + '<!ENTITY a "b">' + "]><x>&a;</x>").encode("utf-16")
    yield _rows("<link name='l{}'/>", "<robot name='r'>") + b"</robot>"
    yield _rows("<body>", "<mujoco><worldbody>", 500_000)
    yield b"<robot " + b" ".join(b"a%d='1'" % k for k in range(100_000)) + b"/>"


def _mjcf() -> Iterator[bytes]:
    yield from _xml()
    head = '<mujoco model="m"><worldbody><body name="a"><joint name="j" axis="0 0 1"/>'
    mass = '<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>'
    end = b"</body></worldbody></mujoco>"
    yield _rows('<geom size="1"/>', head + mass) + end
    yield _rows('<geom size="1" pos="1 0 0" quat="1 0 0 0"/>', head) + end
    yield _rows('<body name="b{}"/>', head + mass) + end
    yield _rows('<body name="b{}"><geom size="1"/></body>', head + mass) + end
    yield _rows('<joint name="j{}" axis="0 0 1"/>', head + mass) + end
    yield _rows('<site name="s{}" pos="0 0 1"/>', head + mass) + end
    yield (
        _rows('<mesh name="m{}" file="a.obj"/>', '<mujoco model="m"><asset>') + b"</asset></mujoco>"
    )


def _mesh() -> Iterator[bytes]:
    box = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    face = "f 1 3 2\n"
    yield _rows("g g{}\n" + face, box)
    yield _rows("g g{}\n", box)
    yield _rows("o o{}\n" + face, box)
    yield _rows("usemtl m{}\n" + face, box)
    yield _rows("mtllib m{}.mtl\n", box)
    yield _rows("\\\n", box + "f 1 2 ")
    yield _rows("1 \\\n", box + "f ")
    yield _rows(face, box)
    yield _rows("v 0 0 {}\n")
    yield box.encode() + b"f " + b"1 2 3 4 " * 100_000
    yield box.encode() + b"f 1 2 " + b"9" * 900_000
    yield box.encode() + b"v " + b"9" * 900_000 + b" 0 0\n"
    yield b"a" * 1_000_000
    yield b"mtllib " + b"x" * 900_000


def _dae() -> Iterator[bytes]:
    whole = mesh_scene_files.dae().decode()
    before, _, after = whole.partition("<node id")
    yield _rows('<node><instance_geometry url="#g"/></node>', before)
    yield (
        _rows('<node><instance_geometry url="#g"/></node>', before, 500_000) + after[-80:].encode()
    )
    yield whole.replace("<p>", "<p>" + "0 " * 400_000).encode()
    yield whole.replace('count="12">', 'count="12">' + "9" * 900_000).encode()
    yield b"<triangles " * 80_000
    yield whole.replace("<translate>10", "<translate>1e999").encode()


def _glb() -> Iterator[bytes]:
    glb = mesh_scene_files.glb
    yield glb([{"children": [number + 1]} for number in range(5000)] + [{"mesh": 0}])
    yield glb([{"mesh": 0}] * 9000, told={"scenes": [{"nodes": list(range(9000))}]})
    part = {"attributes": {"POSITION": 0}, "indices": 1}
    yield glb(told={"meshes": [{"primitives": [part] * 15_000}]})
    yield mesh_scene_files.packed("[" * 400_000, b"")
    yield glb([{"mesh": 0, "matrix": [1e308] * 16}])


def _ply() -> Iterator[bytes]:
    yield _rows("property float a{}\n", "ply\nformat ascii 1.0\nelement vertex 1\n")
    yield _rows("element a{} 999999\n", "ply\nformat ascii 1.0\n", 900_000) + b"end_header\n"
    yield mesh_scene_files.ply() + b"3 0 1 2\n" * 100_000
    yield mesh_scene_files.ply().replace(b"vertex 4", b"vertex 1000000")


def _library() -> Iterator[bytes]:
    yield _rows("newmtl m{}\nKd 1 0 0\n", "newmtl red\nKd 1 0 0\n")
    yield _rows("map_Kd p{}.png\n", "newmtl red\n")
    yield _rows("newmtl m{}\nmap_Kd p{}.png\n", "newmtl red\n")
    yield _rows("\\\n", "newmtl red\nKd 1 ")
    yield b"newmtl red\nKd " + b"9" * 900_000
    yield b"newmtl " + b"r" * 900_000
    yield b"newmtl red\nmap_Kd " + b"-o " * 300_000 + b"a.png"


def _texture() -> Iterator[bytes]:
    """A few hundred kilobytes that stand for gigabytes, in pixels and beside them."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return len(body).to_bytes(4, "big") + kind + body + crc32(kind + body).to_bytes(4, "big")

    def picture(width: int, height: int, body: bytes, *more: bytes, depth: int = 8) -> bytes:
        head = width.to_bytes(4, "big") + height.to_bytes(4, "big") + bytes((depth, 6, 0, 0, 0))
        parts = (chunk(b"IHDR", head), *more, chunk(b"IDAT", body), chunk(b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(parts)

    packer = compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(900)) + packer.flush()
    yield picture(8192, 8192, bomb, depth=16)
    yield picture(4096, 4096, bomb)
    yield picture(5, 3, bomb)
    yield picture(1 << 31, 1 << 31, bomb)
    yield picture(5, 3, b"", chunk(b"zTXt", b"a\0\0" + bomb))
    yield picture(5, 3, b"", chunk(b"iCCP", b"a\0\0" + bomb))
    yield picture(5, 3, b"", *[chunk(b"tEXt", b"")] * 70_000)
    yield picture(5, 3, b"") + b"\0" * 900_000


def _journal() -> Iterator[bytes]:
    yield b"[" * 900_000
    yield b'{"version": 1, "file": "a", "text": null}\n' + b'{"do":' * 150_000
    yield b'{"version": 1, "file": "a", "text": null}\n{"do": ' + b"[" * 900 + b"]" * 900 + b"}"
    head = b'{"version": 1, "file": "a", "text": null}\n'
    yield head + b'{"do": {"words": "a", "drag": 0, "changes": 3}}'


def _snapshot() -> Iterator[bytes]:
    import numpy as np

    for name in ("q", "head"):
        data = io.BytesIO()
        np.savez_compressed(data, **{name: np.zeros(100 << 20, np.uint8)})
        yield data.getvalue()
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        head = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }" % (1 << 40)
        file.writestr("q.npy", b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head)
    yield data.getvalue()


def _table() -> Iterator[bytes]:
    head = (
        b"t_s,x_mm,y_mm,z_mm,o_deg,a_deg,t_deg,f_x_m_s2,f_y_m_s2,f_z_m_s2,p_rad_s,q_rad_s,r_rad_s\n"
    )
    yield head + b"0,1e308,1,1,1,1,1,1,1,1,1,1,1\n" * 3
    yield head + b"0" + b"9" * 900_000
    yield b"a," * 500_000
    yield b'"' + b"a\n" * 400_000
    yield head + b"," * 900_000
    yield head + b"\n" * 900_000


def _settings_json() -> Iterator[bytes]:
    yield b"[" * 900_000
    yield b'{"type":' * 100_000
    yield b'{"node_ids": [' + b"1," * 400_000 + b"1]}"
    yield b'{"set": ' + b"[" * 990 + b"]" * 990 + b', "text": "", "source": "", "forced": false}'


def _lines() -> Iterator[bytes]:
    yield b"a." * 400_000 + b"b=1"
    yield b"a=" + b"[" * 900_000
    yield b"motion.terms." + "²".encode() + b"=1"
    yield b"motion.terms." + b"9" * 5000 + b"=1"
    yield b"key@1\n" + b"lever=" + b"[" * 900_000 + b"@2\nb.c=" + b"{a=" * 200_000
    yield b"key@1\nlever=0x" + b"f" * 5000 + b"@2\nb.c=0x" + b"f" * 5000


def _sheet() -> Iterator[bytes]:
    head = "[FileInfo]\nFileName=a\n[DeviceInfo]\nVendorName=b\nProductName=c\nBaudRate_10=1\n"
    yield _rows("[{}]\nParameterName=a\nDataType=7\nAccessType=rw\n", head)
    yield (head + "[1000]\nParameterName=a\nDataType=0x7\nDefaultValue=" + "9" * 900_000).encode()
    yield (head + "[1018]\nParameterName=a\nObjectType=8\nDataType=7\nCompactSubObj=255\n").encode()
    yield (
        head + "[1018]\nParameterName=a\nObjectType=8\nDataType=7\nCompactSubObj=99999999\n"
    ).encode()
    yield (head + "[Comments]\nLines=999999999\n").encode()
    yield (head + "[MandatoryObjects]\nSupportedObjects=99999999\n").encode()


def _small() -> Iterator[bytes]:
    for text in (
        "m^" * 300_000,
        "kg " * 300_000,
        "m^99999999999999999999",
        "(" * 500_000,
        "m/" * 300_000,
        "a -> b: x " + "9" * 5000,
        "a -> b: x;" * 90_000,
        "a.b[" + "9" * 6000 + "] > 1",
    ):
        yield text.encode()


_OWN: Final[dict[str, Callable[[], Iterator[bytes]]]] = {
    "robot toml": _robot, "robot-document": _robot, "scene": _robot, "diagram": _diagram,
    "exercise": _diagram, "expression": _expression, "signals": _signals, "fmu": _fmu,
    "fmu archive": _archives, "host protocol": _xml, "robot urdf": _xml, "robot mjcf": _mjcf,
    "mesh obj": _mesh, "mesh library": _library, "mesh texture": _texture,
    "journal": _journal, "snapshot": _snapshot, "played": _table, "vehicle": _table, "ride": _table,
    "mesh dae": _dae, "mesh glb": _glb, "mesh ply": _ply,
    "motion": _table, "at2": _table, "v2": _table,
    "drive settings": _settings_json, "change": _settings_json,
    "overrides": _lines, "diagram options": _lines, "data sheet": _sheet, "small texts": _small,
    "faults": _toml(_rows("[[fault]]\nat_s = {}\n")), "scenario": _scenario,
    "arm-scenario": _scenario, "world-scenario": _scenario, "simulator-scenario": _scenario,
    "recording": lambda: iter((b"\x89MCAP0\r\n" + b"\x01" + b"\xff" * 8, b"\x89MCAP0\r\n" * 1000)),
    "robot text": lambda: iter((b"link [" * 9000, b"units mm\n" * 100_000)),
}  # fmt: skip


def attacks_on(reader: str, ending: str) -> list[bytes]:
    """Attacks on a reader, each of the size that is promised at most."""
    made = _OWN.get(reader, _toml() if ending == ".toml" else lambda: iter(()))()
    return [one[:MOST_BYTES] for one in made]
