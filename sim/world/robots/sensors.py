"""Sensors of a robot as frozen values: what each measures, where, and how badly.

Plain values, as those of :mod:`sim.world.robots.model`: nothing is judged here
(:mod:`sim.world.robots.sensor_checks` does). Defects of a sensor's values go by their unit: the
key of a document is the defect's word and the unit of what it is added to, such as ``noise_n`` and
``noise_nm`` of a wrench, ``bias_rad`` of an angle, ``quantisation_m`` of a distance.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from sim.world.robots.body import BodyPlace, BodyShape, Numbers, Triple


class SensorKind(StrEnum):
    """Kind of a sensor by its quantity."""

    JOINT_PLACE = "joint_place"
    """Positions of joints and ends in the world [m]."""
    JOINT_SPEED = "joint_speed"
    """Speeds of joints' coordinates [rad/s], [m/s]."""
    JOINT_TORQUE = "joint_torque"
    """Torque about a joint's axis that the link before it exerts on the one after it: motor,
    friction and stops together, less what its rotor needs [N m]; along the axis of a slide [N]. It
    is τ_c of eq. (2) of Strashnov and Mikhaylyuk (2019)."""
    JOINT_ANGLE = "joint_angle"
    """Coordinates of joints [rad], [m]."""
    WRENCH = "wrench"
    """Force [N] and moment about the sensor's place [N m] in the sensor's axes, of the link before
    the sensor's link on it: what the arm sends to its surroundings once the weight of the tool, the
    link and what it bears, is taken out. What the tool's acceleration needs stays in."""
    TOUCH = "touch"
    """Sum of the normal forces at contacts within a volume of a link [N]."""
    RANGEFINDER = "rangefinder"
    """Distance to the first surface along rays [m], and for each ray whether there is one; without
    one the range, and infinite where there is none."""
    LINK_POSE = "link_pose"
    """Place in the world [m] and axes as a unit quaternion w, x, y, z."""
    LINK_SPEED = "link_speed"
    """Velocity of a place of a link [m/s] and the link's angular velocity [rad/s], both in the
    world's axes."""
    LINK_CENTRE = "link_centre"
    """Centre of mass of a link in the world [m]."""
    IMU = "imu"
    """Angular velocity [rad/s], acceleration less gravity [m/s2] and magnetic flux density [T], in
    the sensor's axes: at rest the acceleration points up."""
    CONTACT = "contact"
    """Whether a link touches others, 1 or 0, and the sum of forces that it exerts on them, in the
    world's axes [N]."""
    CAMERA = "camera"
    """Camera along -z of its axes, y up in its picture; declared only, pictures are no values."""


OF_JOINTS: Final = frozenset(
    {
        SensorKind.JOINT_PLACE,
        SensorKind.JOINT_SPEED,
        SensorKind.JOINT_TORQUE,
        SensorKind.JOINT_ANGLE,
    }
)
"""Kinds that measure joints; the others measure one link."""


@dataclass(frozen=True, slots=True)
class ValueDefects:
    """Defects of a sensor's values of one unit."""

    unit: str
    """Unit as in a key's ending: ``n``, ``rad_s``; `UNITS` has those of each kind."""
    noise: float = 0.0
    """Standard deviation of each value that is sampled: white, normal; of axes about each axis."""
    bias: Numbers = ()
    """Offset of all values, or of each of them; of axes a turn about the sensor's own x, y, z."""
    quantisation: float = 0.0
    """Step of the values, which are whole multiples of it; 0 for all digits."""


@dataclass(frozen=True, slots=True)
class RobotSensor:
    """Sensor; `KEYS` has the fields of each kind."""

    kind: SensorKind
    """Kind of the sensor."""
    name: str = ""
    """Words of small letters and digits joined by ``_``, unique in its robot; empty for the name of
    its kind. Its random numbers follow from it and the seed of the run."""
    joints: tuple[int, ...] = ()
    """Joints that it measures, hinges first; empty for all that it can."""
    link: int | None = None
    """Link that it is fixed to."""
    end: int | None = None
    """Joint of type ``end`` at whose place it is, instead of a link."""
    place: BodyPlace | None = None
    """Place on its link, or from its end, in the link's axes; None for the origin."""
    tool_mass_kg: float = 0.0
    """Mass of the tool, whose weight is taken out of a wrench."""
    tool_centre_m: Triple = (0.0, 0.0, 0.0)
    """The tool's centre of mass in the sensor's axes."""
    shape: BodyShape = BodyShape.NONE
    """Shape of the volume in which touch is felt."""
    size_m: Numbers = ()
    """All numbers that the shape asks for."""
    directions: tuple[Triple, ...] = ()
    """Directions of a rangefinder's rays in its axes, of any length above 0."""
    range_m: float | None = None
    """Greatest distance that is seen; None for any."""
    other: str = ""
    """Other side of a contact: a body of the scene, ``floor``, or a link of another robot such as
    ``arm/l3``; empty for anything."""
    width_px: int = 640
    """Width of a camera's picture."""
    height_px: int = 480
    """Height of a camera's picture."""
    fov_rad: float = 0.8
    """A camera's vertical angle of view."""
    defects: tuple[ValueDefects, ...] = ()
    """Defects of its values, by their units."""
    delay_s: float = 0.0
    """Delay from the measurement to its reading, taken as whole steps of the world."""
    rate_hz: float | None = None
    """Rate of samples, held between; None, or more than the world's own, for one a step."""
    cutoff_hz: float | None = None
    """Cutoff of a low-pass filter of first order; None for none."""
    dropout: float = 0.0
    """Probability that a sample is lost, and the last one stays."""

    @property
    def called(self) -> str:
        """Name of the sensor, or of its kind."""
        return self.name or self.kind.value


JOINT_KEYS: Final = MappingProxyType({"joints": "joint"})
_ON_LINK: Final = ("link", "end", "place")


def _same(*fields: str) -> Mapping[str, str]:
    return MappingProxyType({one: one for one in fields})


KEYS: Final[Mapping[SensorKind, Mapping[str, str]]] = MappingProxyType(
    {
        **dict.fromkeys(OF_JOINTS, JOINT_KEYS),
        SensorKind.WRENCH: _same(*_ON_LINK, "tool_mass_kg", "tool_centre_m"),
        SensorKind.TOUCH: _same(*_ON_LINK, "shape", "size_m"),
        SensorKind.RANGEFINDER: _same(*_ON_LINK, "directions", "range_m"),
        SensorKind.LINK_POSE: _same(*_ON_LINK),
        SensorKind.LINK_SPEED: _same(*_ON_LINK),
        SensorKind.LINK_CENTRE: _same("link"),
        SensorKind.IMU: _same(*_ON_LINK),
        SensorKind.CONTACT: _same("link", "other"),
        SensorKind.CAMERA: _same(*_ON_LINK, "width_px", "height_px", "fov_rad"),
    }
)
"""Key of the document by field, besides those that all kinds have."""
TIMING: Final = _same("delay_s", "rate_hz", "cutoff_hz", "dropout")
"""Keys of the fields of all kinds that have values."""
UNITS: Final[Mapping[SensorKind, tuple[str, ...]]] = MappingProxyType(
    {
        SensorKind.JOINT_PLACE: ("m",),
        SensorKind.JOINT_SPEED: ("rad_s", "m_s"),
        SensorKind.JOINT_TORQUE: ("nm", "n"),
        SensorKind.JOINT_ANGLE: ("rad", "m"),
        SensorKind.WRENCH: ("n", "nm"),
        SensorKind.TOUCH: ("n",),
        SensorKind.RANGEFINDER: ("m",),
        SensorKind.LINK_POSE: ("m", "rad"),
        SensorKind.LINK_SPEED: ("m_s", "rad_s"),
        SensorKind.LINK_CENTRE: ("m",),
        SensorKind.IMU: ("rad_s", "m_s2", "t"),
        SensorKind.CONTACT: ("n",),
        SensorKind.CAMERA: (),
    }
)
"""Units in which a kind's values can have defects; of joints that of turning ones first."""
DEFECTS: Final = ("noise", "bias", "quantisation")
"""Words of the defects' keys."""


def sensor_keys(kind: SensorKind) -> dict[str, str]:
    """List the document's keys by field; a defect's field has its key's name."""
    own = {"kind": "kind", "name": "name", **KEYS[kind], **defect_keys(kind)}
    return own if kind is SensorKind.CAMERA else {**own, **TIMING}


def defect_keys(kind: SensorKind) -> dict[str, str]:
    """List the keys of the defects; axes are not quantised."""
    keys = [f"{word}_{unit}" for unit in UNITS[kind] for word in DEFECTS]
    return {key: key for key in keys if (kind, key) != (SensorKind.LINK_POSE, "quantisation_rad")}
