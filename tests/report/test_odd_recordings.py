"""Every recording has a page, however odd: no cycle, no header, no numbers, cut off anywhere."""

import dataclasses

import numpy as np
import pytest
from html_samples import parsed
from report_samples import with_columns

from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.stations.platform.signals import CycleFlag


def empty(run: Recording) -> Recording:
    return with_columns(run, **{name: column[:0] for name, column in run.columns.items()})


def one_cycle(run: Recording) -> Recording:
    return with_columns(run, **{name: column[:1] for name, column in run.columns.items()})


def one_engaged_cycle(run: Recording) -> Recording:
    return with_columns(run, **{name: column[100:101] for name, column in run.columns.items()})


def all_nan(run: Recording) -> Recording:
    floats = [name for name, column in run.columns.items() if column.dtype == np.float64]
    return with_columns(run, **{name: np.full_like(run.column(name), np.nan) for name in floats})


def one_leg_silent(run: Recording) -> Recording:
    measured = {}
    for name in ("measured_length_m", "measured_speed_m_s", "measured_force_n"):
        measured[name] = run.column(name).copy()
        measured[name][:, 2] = np.nan
    return with_columns(run, **measured)


def standing_time(run: Recording) -> Recording:
    return with_columns(run, t_s=np.zeros(run.cycles))


def flapping(run: Recording) -> Recording:
    mode = np.where(np.arange(run.cycles) % 2, 5, 6).astype(np.uint8)
    return with_columns(run, mode=mode)


def stopped_in_the_first_cycle(run: Recording) -> Recording:
    first = run.modes.index("CSTOP")
    flags = np.full_like(run.column("flags"), int(CycleFlag.FAULT_LATCHED))
    return with_columns(run, mode=np.full_like(run.column("mode"), first), flags=flags)


def tripped_at_once(run: Recording) -> Recording:
    mode = run.column("mode").copy()
    engaged = int(np.argmax(mode == run.modes.index("ENGAGED")))
    mode[engaged + 1 :] = run.modes.index("CSTOP")
    flags = run.column("flags").copy()
    flags[engaged + 1 :] |= int(CycleFlag.FAULT_LATCHED)
    return with_columns(run, mode=mode, flags=flags)


def huge_values(run: Recording) -> Recording:
    return with_columns(run, measured_length_m=run.column("measured_length_m") * 1e300)


def without_header(run: Recording) -> Recording:
    return dataclasses.replace(run, scenario=None, metadata={}, events=())


def foreign_scenario(run: Recording) -> Recording:
    return dataclasses.replace(run, scenario={"car": [1, 2], "scenario": None})


def named(value: object) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (empty, "EMPTY"),
        (one_cycle, "never played"),
        (all_nan, "545 over"),
        (standing_time, "545 over 0.00 s"),
        (tripped_at_once, "TRIPPED"),
        (huge_values, "COMPLETED"),
    ],
    ids=named,
)
def test_odd_numbers_still_have_a_page(good_run: Recording, tmp_path, odd, words: str) -> None:
    page = write_report(odd(good_run), tmp_path)
    assert words in parsed(page).text
    for path in (tmp_path / "pictures").iterdir():
        assert path.stat().st_size > 1000


@pytest.mark.usefixtures("unpainted")
@pytest.mark.parametrize(
    ("odd", "words"),
    [
        (one_engaged_cycle, "ENGAGED, not parked"),
        (one_leg_silent, "COMPLETED"),
        (flapping, "TRIPPED"),
        (stopped_in_the_first_cycle, "TRIPPED"),
        (without_header, "unknown scenario on unknown rig"),
        (foreign_scenario, "not one of this version"),
    ],
    ids=named,
)
def test_an_odd_course_still_has_a_page(good_run: Recording, tmp_path, odd, words: str) -> None:
    assert words in parsed(write_report(odd(good_run), tmp_path)).text
    assert any((tmp_path / "pictures").iterdir())


@pytest.mark.usefixtures("unpainted")
@pytest.mark.parametrize("share", [0.1, 0.97])
def test_a_recording_that_is_cut_off_says_so(good_run: Recording, tmp_path, share: float) -> None:
    whole = good_run.path.read_bytes()
    cut = tmp_path / "recording.mcap"
    cut.write_bytes(whole[: int(share * len(whole))])
    text = parsed(write_report(Recording.open(cut), tmp_path)).text
    assert "was not finished properly" in text
    assert "CUT OFF" in text or "EMPTY" in text
