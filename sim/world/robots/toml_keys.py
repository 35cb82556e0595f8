"""Keys of a robot's TOML by field, and the forms of their values.

Units are in the keys and go with the joint: m and N of a slide, rad and N m of the others.
"""

import math
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from sim.world.meshes.mesh_reader import FILE_MAX
from sim.world.robots import dh
from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia, LinkMesh, LinkVisual
from sim.world.robots.model import MOTIONS, JointType, Mimic

TEXT_MAX: Final = 200
"""Most characters of a name."""
INTEGER_MAX: Final = 10**9

Fields = Mapping[str, str]
"""Keys of the document by field of the model."""

LINK: Final[Fields] = MappingProxyType(
    {
        one: one
        for one in (
            "number", "name", "dh", "leaving", "shape", "size_m", "colour", "density_kg_m3",
            "mass_kg", "inertia", "place", "visual", "mesh",
        )
    }
)  # fmt: skip
_JOINT: Final = (
    "number", "name", "type", "axis", "parent", "child", "at_parent_m", "at_child_m", "mimic",
)  # fmt: skip
_UNITS: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "start": ("rad", "m"), "limits": ("rad", "m"), "friction": ("nm", "n"),
        "damping": ("nm_s", "n_s_m"), "armature": ("kg_m2", "kg"), "offset": ("rad", "m"),
        "effort_max": ("nm", "n"), "speed_max": ("rad_s", "m_s"),
        "speed_gain": ("nm_s", "n_s_m"), "speed": ("rad_s", "m_s"),
        "acceleration": ("rad_s2", "m_s2"), "effort": ("nm", "n"),
    }
)  # fmt: skip
"""Endings of the keys whose unit follows the joint: of one that turns, of a slide."""
_COORDINATES: Final = {"slide": "m", "hinge": "rad", "ball": "quaternion"}
"""Endings of the keys of a start, by the kind of motion."""


def joint_keys(kind: JointType) -> Fields:
    """List the keys of a joint of some type."""
    own = {one: one for one in _JOINT}
    for field in ("start", "limits", "friction", "damping", "armature"):
        own[field] = with_unit(field, kind)
    if "ball" in _kinds(kind):
        own["start"] = f"start_{'_'.join(_COORDINATES[one] for one in _kinds(kind))}"
    return own


def with_unit(field: str, kind: JointType) -> str:
    """Find the key of a field whose unit follows the joint."""
    turns, slides = _UNITS[field]
    match _kinds(kind):
        case ["slide"]:
            return f"{field}_{slides}"
        case ["slide", "hinge"]:
            return f"{field}_{slides}_{turns}"
        case _:
            return f"{field}_{turns}"


def _kinds(kind: JointType) -> list[str]:
    """Kinds of motion of a type, each once."""
    return list(dict.fromkeys(one.kind for one in MOTIONS[kind]))


def drive_keys(kind: JointType) -> Fields:
    """List the keys of a drive of a joint of some type."""
    own = {one: with_unit(one, kind) for one in ("effort_max", "speed_max", "speed_gain")}
    return {"joint": "joint", "axis_number": "axis", "control": "control", **own}


def bounds_keys(kind: JointType) -> Fields:
    """List the keys of a machine's bounds for a joint of some type."""
    own = {one: with_unit(one, kind) for one in ("speed", "acceleration", "effort")}
    return {"joint": "joint", **own}


class UnreadableError(Exception):
    """Value that is no field's: what is wrong, and what would be right."""


def number(value: object) -> float:
    """Read a number; whole ones too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UnreadableError("not a number", "a number such as 0.25")
    try:
        return float(value)
    except OverflowError:
        return math.inf


def yes(value: object) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise UnreadableError("not a yes or no", "true or false")
    return value


def integer(value: object) -> int:
    """Read a whole number of some digits."""
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > INTEGER_MAX:
        raise UnreadableError("not a whole number", "a number such as 3")
    return value


def text(value: object) -> str:
    """Read a short visible text."""
    if not isinstance(value, str) or len(value) > TEXT_MAX or not value.isprintable():
        raise UnreadableError("not a text", f"printable, at most {TEXT_MAX} characters")
    return value


def numbers(value: object) -> tuple[float, ...]:
    """Read a list of numbers."""
    return tuple(map(number, _list(value)))


def integers(value: object) -> tuple[int, ...]:
    """Read a list of whole numbers."""
    return tuple(map(integer, _list(value)))


def some(count: int) -> Callable[[object], tuple[float, ...]]:
    """Make a reader of a list of so many numbers."""

    def read(value: object) -> tuple[float, ...]:
        found = numbers(value)
        if len(found) != count:
            raise UnreadableError(f"{len(found)} numbers", f"{count} of them")
        return found

    return read


def pairs(value: object) -> tuple[tuple[float, ...], ...]:
    """Read a pair of least and greatest, or a list of such pairs."""
    items = _list(value)
    if items and all(isinstance(one, list) for one in items):
        return tuple(map(some(2), items))
    return (some(2)(items),)


def one_of(words: Iterable[str]) -> Callable[[object], Any]:
    """Make a reader of one of some words; a member of an enumeration if that is given."""
    kept = list(words)

    def read(value: object) -> Any:
        if not isinstance(value, str) or value not in kept:
            raise UnreadableError("no such word", f"one of {', '.join(kept)}")
        return kept[kept.index(value)]

    return read


def dh_numbers(value: object) -> tuple[float, ...]:
    """Read a table of four D-H numbers, or of six."""
    if not isinstance(value, dict) or {*value} not in ({*dh.NAMES}, {*dh.NAMES[2:]}):
        right = f"{', '.join(dh.NAMES[2:])}, and {', '.join(dh.NAMES[:2])} as well or not"
        raise UnreadableError("not the keys of D-H numbers", right)
    return tuple(number(value[name]) for name in dh.NAMES if name in value)


def inertia(value: object) -> LinkInertia:
    """Read mass, centre and inertia."""
    found = _table(value, ("mass_kg", "centre_m", "inertia_kg_m2"))
    entries = some(6)(found["inertia_kg_m2"])
    return LinkInertia(number(found["mass_kg"]), some(3)(found["centre_m"]), entries)  # type: ignore[arg-type]


def place(value: object) -> BodyPlace:
    """Read a position, and axes if they are turned."""
    found = _table(value, ("position_m",), ("quaternion",))
    turned = some(4)(found.get("quaternion", [1.0, 0.0, 0.0, 0.0]))
    return BodyPlace(some(3)(found["position_m"]), turned)  # type: ignore[arg-type]


def visual(value: object) -> LinkVisual:
    """Read shape, size and place of a visible body, or a mesh and its place."""
    others = ("position_m", "quaternion")
    if isinstance(value, dict) and "mesh" in value:
        found = {"size_m": [], **_table(value, ("shape", "mesh"), others)}
    else:
        found = _table(value, ("shape", "size_m"), others)
    at = some(3)(found.get("position_m", [0.0, 0.0, 0.0]))
    turned = some(4)(found.get("quaternion", [1.0, 0.0, 0.0, 0.0]))
    shape, size_m = one_of(BodyShape)(found["shape"]), numbers(found["size_m"])
    of = mesh(found["mesh"]) if "mesh" in found else None
    return LinkVisual(shape, size_m, at, turned, of)  # type: ignore[arg-type]


def mesh(value: object) -> LinkMesh:
    """Read files, which are loaded from the document's folder later, or are in the document."""
    found = _table(value, ("file",), ("scale", "parts", "contents"))
    parts = found.get("parts", [])
    scale = some(3)(found.get("scale", [1.0, 1.0, 1.0]))
    contents = found.get("contents", {})
    if not isinstance(contents, dict):
        raise UnreadableError("not files", "bytes by paths, as a recording has them")
    files = tuple((name, packed_bytes(data)) for name, data in contents.items())
    return LinkMesh(text(found["file"]), scale, tuple(map(text, _list(parts))), files)  # type: ignore[arg-type]


def packed(data: bytes) -> str:
    """Pack bytes into a word: deflate (RFC 1950) in base64."""
    return b64encode(zlib.compress(data, 9)).decode("ascii")


def packed_bytes(value: object) -> bytes:
    """Unpack the bytes of such a word."""
    reader = zlib.decompressobj()
    try:
        data = reader.decompress(b64decode(str(value), validate=True), FILE_MAX)
    except (ValueError, zlib.error):
        data = b""
    if not data or not reader.eof:
        right = f"deflate in base64, of at most {FILE_MAX} bytes"
        raise UnreadableError("bytes that cannot be had", right)
    return data


def mimic(value: object) -> Mimic:
    """Read the mimic of a hinge, or of a slide."""
    found = _table(value, ("joint",), ("ratio", "offset_rad", "offset_m"))
    if "offset_rad" in found and "offset_m" in found:
        raise UnreadableError("two offsets", "offset_rad of a hinge, offset_m of a slide")
    offset = found.get("offset_rad", found.get("offset_m", 0.0))
    return Mimic(integer(found["joint"]), number(found.get("ratio", 1.0)), number(offset))


def _list(value: object) -> list[Any]:
    if not isinstance(value, list | tuple):
        raise UnreadableError("not a list", "values in square brackets, such as [0, 0, 1]")
    return list(value)


def _table(value: object, wanted: tuple[str, ...], others: tuple[str, ...] = ()) -> dict[str, Any]:
    keys = {*value} if isinstance(value, dict) else set()
    if not isinstance(value, dict) or not {*wanted} <= keys <= {*wanted, *others}:
        right = ", ".join(wanted) + (f"; if wanted {', '.join(others)}" if others else "")
        raise UnreadableError("not the keys that it has", right)
    return value


READERS: Final[Mapping[str, Callable[[object], Any]]] = MappingProxyType(
    {
        "number": integer, "name": text, "dh": dh_numbers, "leaving": integers,
        "shape": one_of(BodyShape), "size_m": numbers, "colour": some(3),
        "density_kg_m3": number, "mass_kg": number, "inertia": inertia, "place": place,
        "visual": visual, "mesh": mesh,
        "type": one_of(JointType), "axis": numbers, "parent": integer, "child": integer,
        "at_parent_m": some(3), "at_child_m": some(3), "mimic": mimic, "start": numbers,
        "limits": pairs, "friction": number, "damping": number, "armature": number,
        "joint": integer, "axis_number": integer, "control": one_of(("speed", "torque", "voltage")),
        "effort_max": number, "speed_max": number, "speed_gain": number, "speed": number,
        "acceleration": number, "effort": number,
    }
)  # fmt: skip
"""Readers of the value of each field."""
