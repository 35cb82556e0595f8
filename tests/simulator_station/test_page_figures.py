"""The page of a ride and `hil cue` tell the same figures, which are those of its recording."""

import json
import re
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from test_cue_verbs import AXES, hil_cue, record, ride_of

from hil.cli.recordings import write_page
from hil.recording.reader import Recording

pytestmark = [pytest.mark.usefixtures("unpainted_file"), pytest.mark.campaign]
SCALE = dict.fromkeys(AXES[:3], 1.0) | dict.fromkeys(AXES[3:], 180.0 / np.pi)
RIDES = {
    "fits": (2.0, ()),
    "governed": (40.0, ("--gain", "1.0")),
    "another preset, without a governor": (1.0, ("--no-governor", "--preset", "ground")),
}


@pytest.fixture(scope="module", params=RIDES)
def ride(request, tmp_path_factory, unpainted_file):
    """A ride as JSON, as text, and its page's cells by section."""
    strength, words = RIDES[request.param]
    folder = tmp_path_factory.mktemp("ride")
    file = ride_of(record(folder / "drive.csv", seconds=3.0, strength=strength))
    told = json.loads(hil_cue(file, *words, "--json", "--out", folder / "a").stdout)
    text = hil_cue(file, *words, "--out", folder / "b").output
    return told, text, write_page(Path(told["recording"])).read_text()


def rows_of(page, title):
    """Rows of cells of a section's tables."""
    part = page.partition(f"<h2>{title}</h2>")[2].partition("<h2>")[0]
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", part, re.DOTALL)
    return [[unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", row)] for row in rows]


def shown(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def test_scores_are_those_of_the_command_line(ride):
    told, text, page = ride
    rows = {
        row[0]: row[1:] for row in rows_of(page, "Wanted and felt, in figures") if len(row) == 5
    }
    assert list(rows) == AXES
    for axis, cells in rows.items():
        assert cells[0] == shown(told["nrmse"][axis], 3)
        assert cells[1] == shown(told["correlation"][axis], 3)
        assert cells[2] == shown(100.0 * told["false_cue_share"][axis], 1)
        assert cells[3] == shown(told["over_threshold"][axis], 2)
        assert re.search(rf"{axis} +{' +'.join(map(re.escape, cells))}", text)


def test_worst_cues_are_those_of_the_command_line(ride):
    told, text, page = ride
    rows = [row for row in rows_of(page, "Wanted and felt, in figures") if len(row) == 6]
    assert list(dict.fromkeys(row[0] for row in rows)) == AXES
    for axis, felt, wanted, unit, at_s, governor in rows:
        worst = told["worst_cue"][axis]
        if governor == "acted" and not worst["governed"]:
            worst = told["worst_governed"][axis]
        assert worst["governed"] == (governor == "acted")
        assert float(at_s) == pytest.approx(worst["t_s"], abs=0.0051)
        for cell, value in ((felt, worst["felt"]), (wanted, worst["wanted"])):
            assert float(cell) == pytest.approx(SCALE[axis] * value, abs=0.0051)
        line = rf"{axis} +{re.escape(felt)} +{re.escape(wanted)} +{unit} +{at_s} +{governor}"
        assert re.search(line, text)


def test_other_figures_are_those_of_the_command_line(ride):
    told, text, page = ride
    rows = {row[0]: row[1:] for row in rows_of(page, "Key figures") if row}
    assert rows["stops by the gate"][0] == str(told["gate_stops"])
    least = float(rows["smallest share left of a limit"][0])
    assert least == pytest.approx(told["margin_min"], abs=1e-4)
    if "no governor: of the legs" in rows["smallest share left of a limit"]:
        assert (told["governed_share"], told["worst_governed"]) == (0.0, {})
    else:
        share = f"{100.0 * told['governed_share']:.1f} % of the ride"
        assert rows["governor active"][0] == share
    way = ", ".join(f"{name} {value:.4g}" for name, value in told["peak"].items())
    (away,) = [row for row in rows_of(page, "Wanted and felt, in figures") if row[:1] == ["asked"]]
    assert away[1:] == [f"{value:.4g}" for value in told["peak"].values()]
    assert f"largest way from neutral: {way}" in text


def test_the_share_of_the_vehicle_that_was_wanted_is_said_on_page_and_line(ride):
    told, text, page = ride
    table = Recording.open(Path(told["recording"])).scenario
    factor = table["scenario"]["cueing"]["gain"]
    (preset,) = table["presets"]
    own = preset["force"]["gain"]
    share = factor * (own if isinstance(own, float) else own[0])
    assert told["gain"] == pytest.approx(share)
    words = rf"wanted is {share:.3g}\S* of the vehicle's force .*cueing.gain {factor:.3g}\b.*preset"
    assert re.search(words, unescape(page))
    assert re.search(words, text)


def test_worst_cues_are_those_of_the_rows(ride):
    told, _, _ = ride
    recording = Recording.open(Path(told["recording"]))
    (preset,) = recording.scenario["presets"]
    shares = np.concatenate([np.broadcast_to(preset[one]["gain"], 3) for one in ("force", "rates")])
    rest = np.array([0.0, 0.0, -9.80665, 0.0, 0.0, 0.0])
    wanted, felt = (
        np.hstack([recording.column(f"{one}_force_m_s2"), recording.column(f"{one}_rate_rad_s")])
        - rest
        for one in ("wanted", "felt")
    )
    engaged = recording.column("mode") == recording.header.modes.index("ENGAGED")
    rows = np.flatnonzero(engaged & (recording.column("weight") > 0))
    apart = np.abs(felt - shares * wanted)[rows[0] : rows[-1] + 1]
    active = recording.column("governor_active")[rows[0] : rows[-1] + 1] != 0
    for name, chosen in (("worst_cue", slice(None)), ("worst_governed", active)):
        if not len(apart[chosen]):
            assert told[name] == {}
            continue
        found = [abs(told[name][axis]["felt"] - told[name][axis]["wanted"]) for axis in AXES]
        np.testing.assert_allclose(found, apart[chosen].max(axis=0), rtol=1e-9, atol=1e-12)
