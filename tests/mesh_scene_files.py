"""Files of COLLADA, binary glTF and PLY, written by hand from the formats' own words."""

import json
import struct

import numpy as np

CORNERS = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], float)
FACES = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
"""A tetrahedron of volume 1, its corners as seen from outside."""
AWAY = np.array([10.0, 0.0, 0.0])
NODE = '<node id="n"><translate>10 0 0</translate><instance_geometry url="#g"/></node>'


def dae(nodes=NODE, more="", asset='<unit name="cm" meter="0.01"/><up_axis>Y_UP</up_axis>'):
    numbers = " ".join(f"{one:g}" for one in CORNERS.ravel())
    faces = " ".join(map(str, FACES.ravel()))
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>{asset}</asset>{more}
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">{numbers}</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4" material="red"><input semantic="VERTEX" source="#v" offset="0"/>
<p>{faces}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def painted(diffuse="<color>1 0.5 0 1</color>", more=""):
    looks = f"""{more}<library_materials><material id="m"><instance_effect url="#e"/></material>
</library_materials><library_effects><effect id="e"><profile_COMMON><technique sid="c"><lambert>
<diffuse>{diffuse}</diffuse></lambert></technique></profile_COMMON></effect></library_effects>"""
    bound = """<bind_material><technique_common><instance_material symbol="red" target="#m"/>
</technique_common></bind_material>"""
    return dae(f'<node><instance_geometry url="#g">{bound}</instance_geometry></node>', looks)


def glb(nodes=({"mesh": 0},), told=None, mode=4, faces=FACES, **accessor):
    places = CORNERS.astype("<f4").tobytes()
    corners = np.asarray(faces).astype("<u2").tobytes()
    count = np.asarray(faces).size
    head = {
        "asset": {"version": "2.0"}, "scene": 0, "nodes": list(nodes),
        "buffers": [{"byteLength": len(places) + len(corners)}],
        "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "mode": mode,
                                    "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorFactor": [1, 0.5, 0, 1]}}],
        "bufferViews": [
            {"buffer": 0, "byteLength": len(places)},
            {"buffer": 0, "byteOffset": len(places), "byteLength": len(corners)},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", **accessor},
            {"bufferView": 1, "componentType": 5123, "count": count, "type": "SCALAR"},
        ],
        **(told or {}),
    }  # fmt: skip
    return packed(head, places + corners)


def packed(head, binary):
    """A file of some JSON, or of a text instead, and of bytes."""
    text = (head if isinstance(head, str) else json.dumps(head)).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    parts = struct.pack("<I4s", len(text), b"JSON") + text
    parts += struct.pack("<I4s", len(binary), b"BIN\0") + binary
    return struct.pack("<4sII", b"glTF", 2, 12 + len(parts)) + parts


HEAD = """ply\nformat {} 1.0\nelement vertex 4\nproperty float x\nproperty float y
property float z\nelement face 4\nproperty list uchar int vertex_indices\nend_header\n"""


def ply(words=True, head=HEAD):
    if words:
        rows = [" ".join(f"{one:g}" for one in row) for row in CORNERS]
        rows += ["3 " + " ".join(map(str, row)) for row in FACES]
        return (head.format("ascii") + "\n".join(rows) + "\n").encode()
    data = CORNERS.astype("<f4").tobytes()
    return head.format("binary_little_endian").encode() + data + b"".join(
        struct.pack("<B3i", 3, *row) for row in FACES.tolist()
    )  # fmt: skip
