"""How far apart two colours look, to people of each colour vision."""

import numpy as np

VISIONS = {
    "normal": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868],
               [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968],
               [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779],
               [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip
"""Linear sRGB → what is seen of it. G. M. Machado, M. M. Oliveira, L. A. F. Fernandes, "A
Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE Trans. Vis. Comput.
Graph. 15 (2009) 1291-1298, severity 1."""

_XYZ = np.array([
    [0.4124564, 0.3575761, 0.1804375],
    [0.2126729, 0.7151522, 0.0721750],
    [0.0193339, 0.1191920, 0.9503041],
])  # fmt: skip
"""Linear sRGB → CIE XYZ, white D65 (IEC 61966-2-1)."""


def seen(colour, vision):
    """CIE L*a*b* of "#rrggbb" as a vision has it, shape (3,)."""
    parts = np.array([int(colour[start : start + 2], 16) / 255.0 for start in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    xyz = _XYZ @ np.clip(VISIONS[vision] @ linear, 0.0, 1.0) / _XYZ.sum(axis=1)
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16.0) / 116.0)
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])


def ciede2000(one, other):
    """CIEDE2000 between two L*a*b* triples, all weights 1.

    G. Sharma, W. Wu, E. N. Dalal, "The CIEDE2000 Color-Difference Formula: Implementation Notes,
    Supplementary Test Data, and Mathematical Observations", Color Res. Appl. 30 (2005) 21-30,
    equations 2 to 22.
    """
    light, chroma, hue = np.transpose([_lightness_chroma_hue(lab, one, other)
                                       for lab in (one, other)])  # fmt: skip
    grey = chroma.prod() == 0.0
    turn = 0.0 if grey else (hue[1] - hue[0] + 180.0) % 360.0 - 180.0
    if turn == -180.0 and hue[1] > hue[0]:
        turn = 180.0
    way = 2.0 * np.sqrt(chroma.prod()) * np.sin(np.radians(turn / 2.0))
    mean_light, mean_chroma = light.mean(), chroma.mean()
    mean_hue = hue.sum() if grey else _mean_angle(*hue)
    sway = sum(
        share * np.cos(np.radians(times * mean_hue - start))
        for share, times, start in ((-0.17, 1, 30), (0.24, 2, 0), (0.32, 3, -6), (-0.20, 4, 63))
    )
    off = (mean_light - 50.0) ** 2
    by_light = (light[1] - light[0]) / (1.0 + 0.015 * off / np.sqrt(20.0 + off))
    by_chroma = (chroma[1] - chroma[0]) / (1.0 + 0.045 * mean_chroma)
    by_hue = way / (1.0 + 0.015 * mean_chroma * (1.0 + sway))
    blue = 30.0 * np.exp(-(((mean_hue - 275.0) / 25.0) ** 2))
    mixed = -2.0 * np.sin(np.radians(2.0 * blue)) * _rising(mean_chroma)
    return float(np.sqrt(by_light**2 + by_chroma**2 + by_hue**2 + mixed * by_chroma * by_hue))


def _lightness_chroma_hue(lab, one, other):
    mean = 0.5 * (np.hypot(*one[1:]) + np.hypot(*other[1:]))
    a = lab[1] * (1.5 - 0.5 * _rising(mean))
    return lab[0], np.hypot(a, lab[2]), np.degrees(np.arctan2(lab[2], a)) % 360.0


def _rising(chroma):
    return np.sqrt(chroma**7 / (chroma**7 + 25.0**7))


def _mean_angle(one, other):
    if abs(one - other) <= 180.0:
        return 0.5 * (one + other)
    return 0.5 * (one + other + (360.0 if one + other < 360.0 else -360.0))
