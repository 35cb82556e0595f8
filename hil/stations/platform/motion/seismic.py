"""Recordings of seismology, SAC and miniSEED: numbers without a unit, which the map must give.

SAC is laid out as in its manual (SAC User Manual, "SAC Data File Format", header versions 6 and
7). Its header may name the quantity: IDEP, whose codes are those of the manual, of SAC's
`utils/sac.h` and of LLNL's jsac, `DepVarType`. miniSEED is read by EarthScope's library, of the
extra ``seismic``.
"""

import logging
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from hil.config.errors import MotionError
from hil.config.files import read_regular
from hil.config.tables import SIZE_MAX_BYTES, NumberTable
from hil.stations.platform.motion.columns import SECONDS, ColumnMap, all_units_of
from hil.stations.platform.motion.source import AXES, Floats

SAC_ENDINGS: Final = (".sac",)
MINISEED_ENDINGS: Final = (".mseed", ".miniseed", ".msd")
ENDINGS: Final = SAC_ENDINGS + MINISEED_ENDINGS

_HEADER: Final = 632
"""Size of SAC's header [bytes]: 70 floats, 40 integers, 192 characters."""
_FOOTER: Final = 22 * 8
"""Size of the footer of version 7 [bytes]: values of the header once more, as doubles."""
_DELTA, _NPTS, _NVHDR, _IFTYPE, _LEVEN, _KCMPNM = 0, 4 * 79, 4 * 76, 4 * 85, 4 * 105, 4 * 150
"""Offsets of the fields that are read [bytes]."""
_IDEP: Final = 4 * 86
_TIME_SERIES: Final = 1
_NANO: Final = 1e-9
_DEPENDENT: Final = {
    6: ("IDISP: displacement in nm", 0, _NANO),
    7: ("IVEL: velocity in nm/s", 1, _NANO),
    8: ("IACC: acceleration in nm/s2", 2, _NANO),
    50: ("IVOLTS: velocity in volts", 1, None),
}
"""IDEP: name in the manual, derivative of the displacement, and unit in SI."""
_SAYS_NOTHING: Final = (5, -12345, 0)
"""Codes without a quantity: IUNKN, undefined, and zero; the manual's codes begin with 1."""
_QUANTITIES: Final = ("displacement", "velocity", "acceleration")
_UNDEFINED: Final = "-12345"
_APART: Final = 0.01
"""Most by which channels of one recording may begin apart, as a part of the time step."""
_VALUE_MAX: Final = 1e15
_LOG: Final = logging.getLogger(__name__)


def header_of(path: Path) -> tuple[str, ...]:
    """Columns of a file for the rest of the bench: ``t_s`` and its channels, such as ``HNZ``.

    Raises:
        MotionError: As `read_seismic`.
    """
    return (SECONDS.column, *_read(path)[1])


def read_seismic(path: Path, wanted: list[str]) -> NumberTable:
    """Read channels of a SAC or miniSEED file.

    Raises:
        MotionError: With what the file holds and what would have been right.
    """
    step_s, channels = _read(path)
    header = (SECONDS.column, *channels)
    for name in wanted:
        if name not in header:
            text = f"{path}: there is no column {name!r}: the file has {', '.join(header)}"
            raise MotionError(f"{text}; map one with its unit: --map x={header[1]}:m_s2")
    count = len(next(iter(channels.values())))
    columns = {SECONDS.column: np.arange(count) * step_s, **channels}
    places = np.arange(1, count + 1)
    for array in (*columns.values(), places):
        array.setflags(write=False)
    return NumberTable(path, columns, places, header)


def check_quantity(path: Path, maps: Sequence[ColumnMap]) -> None:
    """Refuse a unit of another quantity than that in the header of a SAC file.

    The unit itself is the map's: the manual's nm is not what all writers of the field mean.

    Raises:
        MotionError: With both, and what would have been right.
    """
    if path.suffix.lower() not in SAC_ENDINGS:
        return
    data = read_regular(path, SIZE_MAX_BYTES)
    order = _order(data)
    (code,) = struct.unpack_from(f"{order}i", data, _IDEP)
    if code in _SAYS_NOTHING:
        return
    said, derivative, unit_si = _DEPENDENT[code]
    for each in maps:
        linear = each.axis in AXES[:3]
        taken = _QUANTITIES[each.derivative] if linear else "angle"
        text = f"{path}: its header has IDEP = {code} ({said})"
        if not linear or each.derivative != derivative:
            right = [
                one for one in all_units_of("x") if ColumnMap("x", "", one).derivative == derivative
            ]
            text += f", and the map takes {each.column!r} as {each.axis} in {each.unit}: {taken}"
            text += f"; a unit of {_QUANTITIES[derivative]} would be right ({', '.join(right)})"
            raise MotionError(f"{text}, or IDEP = 5 (unknown) in a file whose header is wrong")
        factor = all_units_of(each.axis)[each.unit] * abs(each.scale)
        if unit_si is None or abs(factor - unit_si) > 1e-6 * unit_si:
            taken = f"{each.column!r} are taken in {each.unit} times {each.scale:g}"
            _LOG.warning("%s, and the numbers of %s, as the map says", text, taken)


def _read(path: Path) -> tuple[float, dict[str, Floats]]:
    """Time step [s], and the numbers of each channel."""
    try:
        data = read_regular(path, SIZE_MAX_BYTES)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MotionError(f"{path}: cannot be read: {reason}") from error
    of_sac = path.suffix.lower() in SAC_ENDINGS
    step_s, channels = (_sac if of_sac else _miniseed)(path, data)
    if not 1e-6 <= step_s <= 10.0:
        raise MotionError(f"{path}: the time step is {step_s:g} s, it must be within 1e-6 and 10 s")
    for name, values in channels.items():
        bad = np.flatnonzero(~(np.abs(values) <= _VALUE_MAX))
        if len(bad):
            text = f"{path}, channel {name}, sample {bad[0] + 1}: is {values[bad[0]]:g}"
            raise MotionError(f"{text}: a number within +-{_VALUE_MAX:g} is needed")
    return step_s, channels


def _sac(path: Path, data: bytes) -> tuple[float, dict[str, Floats]]:
    order = _order(data)
    if len(data) < _HEADER or not order:
        text = f"{path}: is no SAC file of version 6 or 7 (bytes {_NVHDR} to {_NVHDR + 3}"
        raise MotionError(f"{text}: {data[_NVHDR : _NVHDR + 4].hex() or 'none'})")
    version, points, kind, even, dependent = (
        struct.unpack_from(f"{order}i", data, at)[0]
        for at in (_NVHDR, _NPTS, _IFTYPE, _LEVEN, _IDEP)
    )
    if kind != _TIME_SERIES or even != 1:
        text = f"{path}: IFTYPE is {kind}, LEVEN {even}"
        raise MotionError(f"{text}: a time series (ITIME = 1) with even steps (1) is needed")
    if dependent not in _DEPENDENT and dependent not in _SAYS_NOTHING:
        names = ", ".join(f"{code} ({said})" for code, (said, *_) in _DEPENDENT.items())
        text = f"{path}: IDEP is {dependent}: {names}, 5 (IUNKN: unknown) or -12345 (undefined)"
        raise MotionError(f"{text} is needed")
    size = _HEADER + 4 * points + (_FOOTER if version == 7 else 0)
    if points < 1 or len(data) != size:
        text = f"{path}: NPTS is {points}, which takes {size} bytes, and the file has {len(data)}"
        raise MotionError(f"{text}: it is cut off, or no SAC file")
    if version == 7:
        step_s = struct.unpack_from(f"{order}d", data, size - _FOOTER)[0]
    else:  # the shortest decimal that is this float: 0.01, and not 0.00999999978
        step_s = float(str(np.frombuffer(data, f"{order}f4", 1, _DELTA)[0].astype(np.float32)))
    name = data[_KCMPNM : _KCMPNM + 8].partition(b"\0")[0].decode("latin-1").strip()
    named = name.isascii() and name.isalnum() and name != _UNDEFINED
    numbers = np.frombuffer(data, f"{order}f4", points, _HEADER).astype(np.float64)
    return step_s, {name if named else "value": numbers}


def _order(data: bytes) -> str:
    """Byte order of a SAC file; empty if it is none."""
    return next((o for o in "<>" if data[_NVHDR : _NVHDR + 4] in _versions(o)), "")


def _versions(order: str) -> tuple[bytes, ...]:
    return tuple(struct.pack(f"{order}i", version) for version in (6, 7))


def _miniseed(path: Path, data: bytes) -> tuple[float, dict[str, Floats]]:
    library = _library(path)
    library.clear_error_messages()
    try:
        whole = sum(record.reclen for record in library.MS3Record.from_buffer(data))
        traces = library.MS3TraceList.from_buffer(data, unpack_data=True)
        segments = {one.sourceid: list(one) for one in traces}
    except (library.PymseedError, ValueError) as error:
        message = str(error).replace("\n", " ")[:200]
        raise MotionError(f"{path}: is not miniSEED, or is cut off: {message}") from error
    if whole != len(data):
        text = f"{path}: its records have {whole} bytes, and the file has {len(data)}"
        raise MotionError(f"{text}: it is cut off, or holds something else than miniSEED")
    damaged = [message for message in library.get_error_messages() if "integrity" in message]
    if damaged:
        raise MotionError(f"{path}: is damaged: {damaged[0][:200]}: fetch it once more")
    found = {name: _one_segment(path, name, parts) for name, parts in segments.items()}
    if not found:
        raise MotionError(f"{path}: holds no samples")
    (first, (begin_s, rate_hz, _)), *others = found.items()
    for name, (other_s, other_hz, _) in others:
        if other_hz != rate_hz or abs(other_s - begin_s) * rate_hz > _APART:
            text = f"{path}: {name} has {other_hz:g} Hz and begins {other_s - begin_s:+g} s after "
            text += f"{first}, which has {rate_hz:g} Hz"
            raise MotionError(f"{text}: channels of one file begin together, with one rate")
    count = min(len(values) for _, _, values in found.values())
    if any(len(values) > count for _, _, values in found.values()):
        _LOG.warning("%s: its channels end with the shortest, after %d samples", path, count)
    if not rate_hz > 0.0 or count == 0:
        raise MotionError(f"{path}: {first} has {count} samples at {rate_hz:g} Hz")
    names = _short_names(list(found))
    return 1.0 / rate_hz, {names[one]: found[one][2][:count] for one in found}


def _library(path: Path) -> Any:
    try:
        import pymseed
    except ImportError:
        text = f"{path}: miniSEED is read by the extra 'seismic'"
        raise MotionError(f"{text}: pip install 'hil-bench[seismic]'") from None
    return pymseed


def _one_segment(path: Path, name: str, parts: list[Any]) -> tuple[float, float, Floats]:
    """Beginning [s], rate [Hz] and numbers of a channel without a gap."""
    if len(parts) != 1:
        ends = ", ".join(f"{one.starttime_str()} to {one.endtime_str()}" for one in parts[:3])
        more = ", …" if len(parts) > 3 else ""
        text = f"{path}: {name} has {len(parts)} pieces ({ends}{more})"
        raise MotionError(f"{text}: a record without gaps is needed; cut it there")
    one = parts[0]
    if one.sampletype not in ("i", "f", "d"):
        raise MotionError(f"{path}: {name} holds text, and no numbers")
    numbers = np.array(one.np_datasamples, dtype=np.float64)
    return one.starttime / 1e9, float(one.samprate), numbers


def _short_names(sources: list[str]) -> dict[str, str]:
    """Channels such as ``HNZ`` for source identifiers (FDSN:NET_STA_LOC_B_S_SS), or all of them."""
    short = {each: "".join(each.split("_")[-3:]) for each in sources}
    plain = all(short.values()) and len(set(short.values())) == len(sources)
    return short if plain else {each: each for each in sources}
