"""Colours that mean different things side by side differ for every colour vision."""

from itertools import combinations

import pytest
from colour_vision import VISIONS, ciede2000, seen

from hil.panel.widgets.theme import DARK, LIGHT
from hil.scene.colours import SceneColours

LEAST = 15.0
"""CIEDE2000 between any two of a group."""
GROUPS = {
    "traces": range(8),
    "states": ("ok", "warn", "fault", "accent", "simulated", "dim"),
    "scene": ("ok", "warn", "fault", "unknown", "front", "ghost", "plate", "background"),
}
"""What stands side by side: lines of a plot; lamps, bars of margins and the strip's words; the
picture in space with its legend."""
SHARMA = """
50.0000 2.6772 -79.7751 50.0000 0.0000 -82.7485 2.0425
50.0000 3.1571 -77.2803 50.0000 0.0000 -82.7485 2.8615
50.0000 2.8361 -74.0200 50.0000 0.0000 -82.7485 3.4412
50.0000 -1.3802 -84.2814 50.0000 0.0000 -82.7485 1.0000
50.0000 -1.1848 -84.8006 50.0000 0.0000 -82.7485 1.0000
50.0000 -0.9009 -85.5211 50.0000 0.0000 -82.7485 1.0000
50.0000 0.0000 0.0000 50.0000 -1.0000 2.0000 2.3669
50.0000 -1.0000 2.0000 50.0000 0.0000 0.0000 2.3669
50.0000 2.4900 -0.0010 50.0000 -2.4900 0.0009 7.1792
50.0000 2.4900 -0.0010 50.0000 -2.4900 0.0010 7.1792
50.0000 2.4900 -0.0010 50.0000 -2.4900 0.0011 7.2195
50.0000 2.4900 -0.0010 50.0000 -2.4900 0.0012 7.2195
50.0000 -0.0010 2.4900 50.0000 0.0009 -2.4900 4.8045
50.0000 -0.0010 2.4900 50.0000 0.0010 -2.4900 4.8045
50.0000 -0.0010 2.4900 50.0000 0.0011 -2.4900 4.7461
50.0000 2.5000 0.0000 50.0000 0.0000 -2.5000 4.3065
50.0000 2.5000 0.0000 73.0000 25.0000 -18.0000 27.1492
50.0000 2.5000 0.0000 61.0000 -5.0000 29.0000 22.8977
50.0000 2.5000 0.0000 56.0000 -27.0000 -3.0000 31.9030
50.0000 2.5000 0.0000 58.0000 24.0000 15.0000 19.4535
50.0000 2.5000 0.0000 50.0000 3.1736 0.5854 1.0000
50.0000 2.5000 0.0000 50.0000 3.2972 0.0000 1.0000
50.0000 2.5000 0.0000 50.0000 1.8634 0.5757 1.0000
50.0000 2.5000 0.0000 50.0000 3.2592 0.3350 1.0000
60.2574 -34.0099 36.2677 60.4626 -34.1751 39.4387 1.2644
63.0109 -31.0961 -5.8663 62.8187 -29.7946 -4.0864 1.2630
61.2901 3.7196 -5.3901 61.4292 2.2480 -4.9620 1.8731
35.0831 -44.1164 3.7933 35.0232 -40.0716 1.5901 1.8645
22.7233 20.0904 -46.6940 23.0331 14.9730 -42.5619 2.0373
36.4612 47.8580 18.3852 36.2715 50.5065 21.2231 1.4146
90.8027 -2.0831 1.4410 91.1528 -1.6435 0.0447 1.4441
90.9257 -0.5406 -0.9208 88.6381 -0.8985 -0.7239 1.5381
6.7747 -0.2908 -2.4247 5.8714 -0.0985 -2.2286 0.6377
2.0776 0.0795 -1.1350 0.9033 -0.0636 -0.5514 0.9082
"""
"""Table 1 of Sharma, Wu and Dalal (2005): two L*a*b*, and CIEDE2000 between them."""


@pytest.mark.parametrize("line", SHARMA.strip().splitlines())
def test_the_difference_is_that_of_the_published_table(line):
    *labs, wanted = map(float, line.split())
    assert ciede2000(labs[:3], labs[3:]) == pytest.approx(wanted, abs=6e-5)
    assert ciede2000(labs[3:], labs[:3]) == pytest.approx(wanted, abs=6e-5)


@pytest.mark.parametrize("vision", VISIONS)
def test_each_vision_sees_grey_as_it_is(vision):
    for grey in ("#000000", "#808080", "#FFFFFF"):
        assert ciede2000(seen(grey, vision), seen(grey, "normal")) < 0.1


@pytest.mark.parametrize(("confused", "clear", "one", "other"), [
    ("deutan", "tritan", "#CC3311", "#66800C"),
    ("protan", "tritan", "#D55E00", "#8A8A00"),
    ("tritan", "deutan", "#0072B2", "#008878"),
])  # fmt: skip
def test_a_deficiency_confuses_what_it_is_known_for(confused, clear, one, other):
    """Red and green, orange and olive, blue and green."""
    apart = {vision: ciede2000(seen(one, vision), seen(other, vision)) for vision in VISIONS}
    assert apart[confused] < LEAST < 0.8 * apart["normal"]
    assert apart[confused] < 0.6 * apart[clear]


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_no_two_colours_side_by_side_look_alike(theme, group, vision):
    source = {
        "traces": lambda name: theme.traces[name],
        "states": lambda name: getattr(theme, name),
        "scene": lambda name: SceneColours.of(theme).hex_of[name],
    }[group]
    for one, other in combinations(GROUPS[group], 2):
        apart = ciede2000(seen(source(one), vision), seen(source(other), vision))
        assert apart >= LEAST, (one, other)
