"""Response spectrum of an acceleration: peak responses of oscillators of many periods.

x'' + 2 d w x' + w^2 x = -a(t), solved exactly for an acceleration that is straight between its
samples (Nigam & Jennings 1969, Bull. Seismol. Soc. Am. 59:909), as a digital filter.
"""

import numpy as np

from hil.stations.platform.motion.source import Floats

DAMPING = 0.05
"""Share of critical damping in spectra of earthquakes [1]."""


def response_spectrum(
    acceleration_m_s2: Floats, step_s: float, periods_s: Floats, damping: float = DAMPING
) -> Floats:
    """Return the pseudo-acceleration w^2 max|x| of each period [m/s2], shape (K,).

    Args:
        acceleration_m_s2: Uniform samples, shape (N,); zero before them.
        periods_s: Natural periods of the oscillators, shape (K,).
    """
    from scipy.signal import cont2discrete, lfilter, ss2tf  # slow to load, and seldom needed

    result = np.empty(len(periods_s))
    for k, period_s in enumerate(periods_s):
        w = 2.0 * np.pi / period_s
        oscillator = (
            np.array([[0.0, 1.0], [-w * w, -2.0 * damping * w]]),
            np.array([[0.0], [-w * w]]),
            np.array([[1.0, 0.0]]),
            np.array([[0.0]]),
        )
        a, b, c, d, _ = cont2discrete(oscillator, step_s, method="foh")  # type: ignore[misc]
        numerator, denominator = ss2tf(a, b, c, d)
        result[k] = np.abs(lfilter(numerator[0], denominator, acceleration_m_s2)).max()
    return result
