"""Field types of the settings: numbers with plausible bounds, and values given once or per leg.

The bounds catch a wrong unit (740 written for 0.740 m) rather than describe a machine. Those of the
gate's own limits are the gate's (`safety.bounds`), with its reasons.
"""

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from safety.bounds import Bound

Length = Annotated[float, Field(gt=0.0, le=20.0)]
Distance = Annotated[float, Field(ge=0.0, le=20.0)]
Coordinate = Annotated[float, Field(ge=-20.0, le=20.0)]
AngleDeg = Annotated[float, Field(ge=-180.0, le=180.0)]
ConeDeg = Annotated[float, Field(gt=0.0, le=90.0)]
Speed = Annotated[float, Field(gt=0.0, le=5.0)]
Acceleration = Annotated[float, Field(gt=0.0, le=50.0)]
Jerk = Annotated[float, Field(gt=0.0, le=5000.0)]
RateDeg = Annotated[float, Field(gt=0.0, le=720.0)]
AccelerationDeg = Annotated[float, Field(gt=0.0, le=20_000.0)]
JerkDeg = Annotated[float, Field(gt=0.0, le=2_000_000.0)]
Seconds = Annotated[float, Field(gt=0.0, le=86_400.0)]
FadeSeconds = Annotated[float, Field(gt=0.0, le=60.0)]
Frequency = Annotated[float, Field(gt=0.0, le=1000.0)]
"""No cycle is shorter than 1 ms, and nothing above it is a motion [Hz]."""
Positive = Annotated[float, Field(gt=0.0, le=1e12)]
"""What is larger is another unit, and would overflow on the way."""
NotNegative = Annotated[float, Field(ge=0.0)]
EnableSeconds = Annotated[float, Field(ge=0.0, le=300.0)]
"""Drives that need longer than five minutes have a fault; a run waits for so long."""
Force = Annotated[float, Field(gt=0.0, le=1e6)]
"""100 t on one leg is another unit."""
Point = tuple[Coordinate, Coordinate, Coordinate]
SixPoints = tuple[Point, Point, Point, Point, Point, Point]


@dataclass(frozen=True, slots=True)
class AtMost:
    """Upper bound of a field, given with its reason when it is exceeded."""

    bound: Bound
    """Bound of the gate's limit that the field becomes."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return handler(schema) | {"maximum": self.bound.most}

    def _checked(self, value: float) -> float:
        if value > self.bound.most:
            unit = f" {self.bound.unit}" if self.bound.unit else ""
            raise ValueError(f"must be at most {self.bound.most:g}{unit}: {self.bound.reason}")
        return value


def _rising(value: tuple[float, float]) -> tuple[float, float]:
    if not value[0] < value[1]:
        raise ValueError("must be [lower, upper] with lower below upper")
    return value


CoordinateRange = Annotated[tuple[Coordinate, Coordinate], AfterValidator(_rising)]
AngleRange = Annotated[tuple[AngleDeg, AngleDeg], AfterValidator(_rising)]


def per_leg(value: Any) -> Any:
    """One number for all legs, or six."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return (value,) * 6
    if isinstance(value, tuple) and len(value) == 6:
        return value
    raise ValueError("must be one number, or a list of six (legs 1 to 6)")


def _schema(number: dict[str, Any]) -> Any:
    six = {"type": "array", "items": number, "minItems": 6, "maxItems": 6}
    return WithJsonSchema({"anyOf": [number, six]})


_POSITIVE = {"type": "number", "exclusiveMinimum": 0}

LegLengths = Annotated[
    tuple[Length, Length, Length, Length, Length, Length],
    BeforeValidator(per_leg),
    _schema({**_POSITIVE, "maximum": 20.0}),
]
"""Six lengths [m], or one for all legs."""

LegSpeeds = Annotated[
    tuple[Speed, Speed, Speed, Speed, Speed, Speed],
    BeforeValidator(per_leg),
    _schema({**_POSITIVE, "maximum": 5.0}),
]
"""Six speeds [m/s], or one for all legs."""

LegAccelerations = Annotated[
    tuple[Acceleration, Acceleration, Acceleration, Acceleration, Acceleration, Acceleration],
    BeforeValidator(per_leg),
    _schema({**_POSITIVE, "maximum": 50.0}),
]
"""Six accelerations [m/s²], or one for all legs."""

LegForces = Annotated[
    tuple[Force, Force, Force, Force, Force, Force],
    BeforeValidator(per_leg),
    _schema({**_POSITIVE, "maximum": 1e6}),
]
"""Six forces [N], or one for all legs."""

Mass = Annotated[float, Field(gt=0.0, le=1e5)]
LegMasses = Annotated[
    tuple[Mass, Mass, Mass, Mass, Mass, Mass],
    BeforeValidator(per_leg),
    _schema({**_POSITIVE, "maximum": 1e5}),
]
"""Six masses [kg], or one for all legs; 100 t are no leg's share."""

Load = Annotated[float, Field(ge=-1e6, le=1e6)]
LegLoads = Annotated[
    tuple[Load, Load, Load, Load, Load, Load],
    BeforeValidator(per_leg),
    _schema({"type": "number", "minimum": -1e6, "maximum": 1e6}),
]
"""Six forces that may pull as well [N], or one for all legs."""

LegPositives = Annotated[
    tuple[Positive, Positive, Positive, Positive, Positive, Positive],
    BeforeValidator(per_leg),
    _schema(_POSITIVE),
]
"""Six positive numbers, or one for all legs."""

LegNumbers = Annotated[
    tuple[float, float, float, float, float, float],
    BeforeValidator(per_leg),
    _schema({"type": "number"}),
]
"""Six numbers, or one for all legs."""
