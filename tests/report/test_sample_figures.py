"""The figures of a random sample: the sample's own numbers, its ranges, its extremes."""

import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from matplotlib.axes import Axes
from PIL import Image
from report_samples import demo_plan

from hil.machines.rig.machine import geometry_of
from hil.stations.platform.report.sample_figures import CSV_NAMES, shown_dots, write_sample_figures
from platform6dof.workspace import LegExtremes, PoseBox, PoseSample, extremes, sample

NAMES = [
    "figure_5a_positions.png",
    "figure_5b_orientations.png",
    "figure_6_lengths.png",
    "sample.csv",
]


@pytest.fixture(scope="module")
def box() -> PoseBox:
    return demo_plan().rig.pose_box.box()


@pytest.fixture(scope="module")
def drawn(box: PoseBox) -> PoseSample:
    return sample(geometry_of(demo_plan().rig), box, 300, 7)


@pytest.fixture(scope="module")
def exact(box: PoseBox) -> LegExtremes:
    return extremes(geometry_of(demo_plan().rig), box)


def test_three_pictures_and_a_table_are_written(drawn, box, exact, tmp_path: Path) -> None:
    written = write_sample_figures(drawn, box, tmp_path / "new" / "folder", exact)
    assert [path.name for path in written] == NAMES
    for path in written[:3]:
        image = Image.open(path)
        assert image.width == 1199
        pixels = np.asarray(image.convert("L"), dtype=float)
        assert pixels.std() > 5.0
        assert (pixels[:, -2:] == 255.0).all()
        assert (pixels[:, :2] == 255.0).all()


@pytest.mark.usefixtures("unpainted")
def test_the_table_holds_the_sample_to_the_last_bit(drawn, box, tmp_path: Path) -> None:
    table = write_sample_figures(drawn, box, tmp_path)[-1]
    assert table.read_text(encoding="utf-8").partition("\n")[0] == ",".join(CSV_NAMES)
    rows = np.loadtxt(table, delimiter=",", skiprows=1)
    np.testing.assert_array_equal(rows[:, :6], drawn.coordinates)
    np.testing.assert_array_equal(rows[:, 6:], drawn.lengths)


@pytest.mark.usefixtures("unpainted")
def test_lines_are_the_ranges_and_the_extremes_of_each_leg(
    monkeypatch, drawn, box, exact, tmp_path: Path
) -> None:
    lines: list[float] = []
    line = Axes.axhline

    def spy(self, y, **kwargs):
        lines.append(float(y))
        return line(self, y, **kwargs)

    monkeypatch.setattr(Axes, "axhline", spy)
    write_sample_figures(drawn, box, tmp_path, exact)
    np.testing.assert_allclose(lines[:6], [-0.1, 0.1, -0.1, 0.1, 0.73, 1.14])
    np.testing.assert_allclose(lines[6:12], [-10.0, 10.0] * 3)
    expected = np.column_stack([exact.leg_min_m, exact.leg_max_m]).ravel()
    np.testing.assert_allclose(lines[12:], expected)
    lines.clear()
    write_sample_figures(drawn, box, tmp_path)
    assert len(lines) == 12


@pytest.mark.usefixtures("coarse")
def test_the_same_sample_gives_the_same_pictures(drawn, box, tmp_path: Path) -> None:
    first = write_sample_figures(drawn, box, tmp_path / "a")
    second = write_sample_figures(drawn, box, tmp_path / "b")
    for one, other in zip(first, second, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert "Software" not in Image.open(io.BytesIO(first[0].read_bytes())).info


@pytest.mark.usefixtures("coarse")
def test_one_pose_is_a_sample_too(box, tmp_path: Path) -> None:
    one = sample(geometry_of(demo_plan().rig), box, 1, 0)
    assert len(write_sample_figures(one, box, tmp_path)) == 4


@given(
    values=arrays(np.float64, st.integers(1, 300), elements=st.floats(-1e3, 1e3)),
    most=st.integers(1, 50),
)
def test_thinning_out_keeps_the_extremes(values: np.ndarray, most: int) -> None:
    chosen = shown_dots(values, most)
    assert len(chosen) <= most + 2
    assert (np.diff(chosen) > 0).all()
    assert values[chosen].min() == values.min()
    assert values[chosen].max() == values.max()
