"""Tables ``[adaptive]``, ``[optimal]`` and ``[direct]`` of a cueing preset."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Annotated, Final

from pydantic import AfterValidator, BeforeValidator, Field

from hil.config.settings import Settings
from hil.machines.cueing.per_axis import per_axis, three_numbers
from platform6dof.cueing.adaptive import Adaptation, AdaptiveParameters
from platform6dof.cueing.direct import DirectParameters
from platform6dof.cueing.optimal_washout import OptimalParameters, OptimalWeights
from platform6dof.cueing.parameters import Curve, Scale, Scales, Translation

_DEG: Final = math.pi / 180.0
Step = Annotated[float, Field(ge=0.0, le=1e4)]
Weight = Annotated[float, Field(ge=0.0, le=1e4)]
Cost = Annotated[float, Field(ge=1e-6, le=1e6)]
Share = Annotated[float, Field(ge=0.0, le=2.0)]
Corner = Annotated[float, Field(ge=0.02, le=60.0)]
Travel = Annotated[float, Field(ge=0.0, le=5.0)]
Travels = Annotated[
    tuple[Travel, Travel, Travel], BeforeValidator(per_axis), three_numbers(0.0, 5.0)
]
TiltShare = Annotated[float, Field(ge=0.0, le=1.0)]


def _rising(gain: tuple[float, float, float]) -> tuple[float, float, float]:
    least, start, most = gain
    if not least <= start <= most:
        raise ValueError("must be [least, start, most], none below the one before")
    return gain


Gains = Annotated[tuple[Share, Share, Share], AfterValidator(_rising)]
TiltGains = Annotated[tuple[TiltShare, TiltShare, TiltShare], AfterValidator(_rising)]


class AdaptiveKeys(Settings):
    """Of the adaptive filter (Parrish and others 1975), to which [translation] belongs as well.

    A gain is [least, start, most]; it never leaves these bounds, whatever comes.
    """

    force_gain: Gains = (0.1, 1.0, 1.0)
    """Displacement by force."""
    force_gain_step: Step = 0.3
    """How fast it goes down the slope of the cost."""
    tilt_gain_rad_s_per_m_s2: TiltGains = (0.01, 0.06, 0.07)
    """Tilting by force."""
    tilt_gain_step: Step = 2e-3
    """How fast it goes down the slope of the cost."""
    rate_gain: Gains = (0.2, 0.8, 1.0)
    """Turning by rate."""
    rate_gain_step: Step = 0.2
    """How fast it goes down the slope of the cost."""
    back_per_s: Annotated[float, Field(ge=0.0, le=100.0)] = 0.2
    """How fast all gains go back to their start [1/s]."""
    turn_corner_rad_s: Corner = 0.6
    """Washout of roll, pitch and yaw [rad/s]."""
    tilt_rate_deg_s: Annotated[float, Field(ge=0.1, le=60.0)] = 3.0
    """Tilting asks for no more [deg/s]."""
    rate_weight: Weight = 10.0
    """Of false rates in the cost."""
    speed_weight: Weight = 0.5
    """Of speed in the cost."""
    travel_weight: Weight = 20.0
    """Of displacement in the cost."""

    def parameters(
        self,
        force: Scales,
        rates: Scales,
        translation: tuple[Translation, Translation, Translation],
    ) -> AdaptiveParameters:
        """The same for the filter.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        return AdaptiveParameters(
            force=force,
            rates=rates,
            translation=translation,
            turn_corner_rad_s=self.turn_corner_rad_s,
            tilt_rate_rad_s=_DEG * self.tilt_rate_deg_s,
            force_gain=self._adaptation(self.force_gain, self.force_gain_step),
            tilt_gain=self._adaptation(self.tilt_gain_rad_s_per_m_s2, self.tilt_gain_step),
            rate_gain=self._adaptation(self.rate_gain, self.rate_gain_step),
            rate_weight=self.rate_weight,
            speed_weight=self.speed_weight,
            travel_weight=self.travel_weight,
        )

    def _adaptation(self, gain: tuple[float, float, float], step: float) -> Adaptation:
        least, start, most = gain
        return Adaptation(start, least, most, step, self.back_per_s)


class OptimalKeys(Settings):
    """Of the optimal filter (Sivan and others 1982; Telban and Cardullo 2005)."""

    noise_rad_s: Corner = 1.0
    """Corner of the noise that stands for what the vehicle does [rad/s]."""
    force_most_m_s2: Annotated[float, Field(ge=0.01, le=20.0)] = 3.0
    """No more than this is wanted, nor more than force.most_m_s2 [m/s²]."""
    rate_most_deg_s: Annotated[float, Field(ge=0.1, le=200.0)] = 20.0
    """No more than this is wanted, nor more than rates.most_deg_s [deg/s]."""
    force_weight: Cost = 2.0
    """Of the otoliths' error."""
    rate_weight: Cost = 100.0
    """Of the canals' error."""
    drift_weight: Cost = 1.0
    """Of the integral of the displacement."""
    travel_weight: Cost = 10.0
    """Of the displacement."""
    speed_weight: Cost = 1.0
    """Of its rate."""
    angle_weight: Cost = 6.0
    """Of the turn."""
    turning_weight: Cost = 5.0
    """Of its rate."""
    acceleration_weight: Cost = 0.1
    """Of the displacement's acceleration."""

    def parameters(self, force: Scales, rates: Scales) -> OptimalParameters:
        """The same for the filter.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        weights = OptimalWeights(
            self.force_weight, self.rate_weight, self.drift_weight, self.travel_weight,
            self.speed_weight, self.angle_weight, self.turning_weight, self.acceleration_weight,
        )  # fmt: skip
        x, y, z = (_within(one, self.force_most_m_s2) for one in force)
        p, q, r = (_within(one, _DEG * self.rate_most_deg_s) for one in rates)
        return OptimalParameters((x, y, z), (p, q, r), self.noise_rad_s, weights)


def _within(scale: Scale, most: float) -> Scale:
    """The scale with a smaller limit, where it would be cut off before its own."""
    return scale if scale.most <= most else replace(scale, most=most, curve=Curve.CLIP)


class DirectKeys(Settings):
    """Of following a pose that a host tells."""

    gain: Share = 1.0
    """Share of the pose that is wanted."""
    travel_m: Travels = (0.1, 0.1, 0.1)
    """Largest displacement forward, right, down [m]."""
    turn_deg: Annotated[float, Field(ge=0.0, le=60.0)] = 15.0
    """Largest turn, about whatever axis [deg]."""
    bandwidth_rad_s: Annotated[float, Field(ge=1.0, le=300.0)] = 60.0
    """How quickly the pose is followed [rad/s]."""

    def parameters(self) -> DirectParameters:
        """The same for the filter.

        Raises:
            CueingError: with the name, the value and its bounds.
        """
        turn = _DEG * self.turn_deg
        return DirectParameters(self.gain, self.travel_m, turn, self.bandwidth_rad_s)
