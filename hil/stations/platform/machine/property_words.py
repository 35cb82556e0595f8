"""Words and units of the properties in which a cylinder is compared."""

from typing import Final

LABELS: Final = {
    "stroke_m": "stroke", "closed_length_m": "closed length", "speed_m_s": "speed",
    "force_peak_n": "peak force", "force_stop_n": "stop", "force_rms_n": "rms force",
    "buckling_n": "buckling", "screw_speed_rpm": "screw's critical speed", "life_m": "life",
    "torque_peak_nm": "peak torque", "torque_rms_nm": "rms torque",
}  # fmt: skip
"""Words for the properties of a cylinder."""
UNITS: Final = {
    "speed_m_s": "m/s", "force_peak_n": "N", "force_stop_n": "N", "force_rms_n": "N",
    "buckling_n": "N", "screw_speed_rpm": "1/min", "torque_peak_nm": "N m", "torque_rms_nm": "N m",
}  # fmt: skip
"""Units of those that are no lengths."""
