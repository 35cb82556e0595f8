"""The Bode picture of a diagram's linear system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError
from hil.config.files import write_whole
from hil.diagram.analysis.margins import Margin
from hil.report.style import INK, REACHED, WANTED, draw_png, place


def write_bode(path: Path, hz: NDArray[np.float64], values: NDArray[np.complex128], title: str,
               gain: Margin | None = None, phase: Margin | None = None) -> None:  # fmt: skip
    """Gain [dB] and phase [degrees] over frequency, with the margins of a loop.

    Raises:
        ConfigError: If the file cannot be written.
    """
    good = np.isfinite(values) & (values != 0.0)
    hz, values = hz[good], values[good]
    gains = 20.0 * np.log10(np.abs(values))
    phases = np.degrees(np.unwrap(np.angle(values)))

    def draw(figure: Any) -> None:
        above, below = figure.subplots(2, 1, sharex=True)
        place(figure, between_in=(0.0, 0.25), grid=(1, 2))
        for axes, line in ((above, gains), (below, phases)):
            axes.semilogx(hz, line, color=REACHED)
        above.set_ylabel("gain [dB]")
        below.set_ylabel("phase [deg]")
        below.set_xlabel("frequency [Hz]")
        above.set_title(title, loc="left")
        if gain is not None or phase is not None:
            above.axhline(0.0, color=WANTED)
        if gain is not None:
            words = f"gain margin {gain.value:.2f} dB at {gain.hz:.4g} Hz"
            above.plot([gain.hz] * 2, [0.0, -gain.value], color=INK, label=words)
        if phase is not None:
            at = float(np.interp(phase.hz, hz, phases))
            words = f"phase margin {phase.value:.2f} deg at {phase.hz:.4g} Hz"
            below.plot([phase.hz] * 2, [at - phase.value, at], color=INK, label=words)
        for axes, one in ((above, gain), (below, phase)):
            if one is not None:
                axes.legend(loc="lower left")

    try:
        write_whole(path, draw_png(6.0, draw))
    except OSError as error:
        raise ConfigError("--out", [f"{path}: {error.strerror}"]) from None
