"""Names that the parts of a law may bear, so that two students' laws do not read alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "across": ("across", "side_turned", "in_valve_axes", "f_valve"),
    "angle": ("angle", "alpha", "tilt_angle", "phi"),
    "axes": ("axes", "map_side", "arrange", "m_side"),
    "bound": ("bound", "moment_limit", "cap", "clip_m"),
    "contact": ("contact", "net_force", "f_contact", "on_wall"),
    "cosine": ("cosine", "cos_tilt", "along", "c_tilt"),
    "counter": ("counter", "back_emf", "omega_term", "speed_part"),
    "drive": ("drive", "to_voltage", "scale_m", "by_stall"),
    "error": ("error", "e", "difference", "deviation"),
    "filter": ("filter", "stage", "input_stage", "conditioned"),
    "forward": ("forward", "ff", "feed_forward", "direct"),
    "held": ("held", "slip_sum", "accumulated", "i_part"),
    "hold": ("hold", "stage", "input_stage", "conditioned"),
    "integral": ("integral", "i_part", "sum_of_error", "accumulated"),
    "ki": ("ki", "k_i", "gain_i", "integral_gain"),
    "kp": ("kp", "k_p", "gain_p", "proportional"),
    "limit": ("limit", "supply", "clip_u", "bounds"),
    "outer": ("outer", "approach", "k_way", "to_speed"),
    "pace": ("pace", "speed_limit", "wanted_speed", "slow_down"),
    "push": ("push", "p_part", "k_slip", "slip_gain"),
    "ramp": ("ramp", "set_point", "smooth", "profile"),
    "relief": ("relief", "yielding", "give_way", "compliance"),
    "rest": ("rest", "d1", "delta", "difference"),
    "rise": ("rise", "k_sum", "i_gain", "slip_rate"),
    "rotation": ("rotation", "r_hand", "turn", "hand_axes"),
    "slip": ("slip", "speed_error", "e_speed", "lag_of_speed"),
    "speed": ("speed_rad", "omega", "v_measured", "actual"),
    "still": ("still", "a0", "base_angle", "origin"),
    "sum": ("sum", "total", "u_all", "together"),
    "tool": ("tool", "tool_weight", "g_tool", "offset_f"),
    "torque": ("torque", "tau", "moment_all", "m_law"),
    "turning": ("turning", "m_wanted", "moment_set", "asked_moment"),
    "unused": ("unused", "d2", "watch", "magnitude"),
    "weight": ("weight", "arm_weight", "g_arm", "weight_comp"),
    "way": ("way", "to_go", "angle_error", "e_angle"),
    "zone": ("zone", "stage", "input_stage", "conditioned"),
}
"""Part → names; a part that is not here keeps its own."""
