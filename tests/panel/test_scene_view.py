"""The picture in space on a real window, and flat where there is no OpenGL."""

import math
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip("PySide6.QtWidgets")

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from row_samples import PLATFORM
from scene_samples import (
    BKM,
    RM01,
    arm_header,
    arm_row,
    platform,
    platform_header,
    platform_row,
    robot,
    space_arm,
)

from arm_driver.kinematics import puma as kinematics
from hil.panel.scene import gl_calls, gl_program, gl_support
from hil.panel.scene import view as scene_view
from hil.panel.scene.flat import FlatCanvas
from hil.panel.scene.view import SceneView
from hil.recording.header import RunHeader
from hil.scene.colours import DARK, LIGHT

LEVEL = (0.0, 0.0, 0.935, 0.0, 0.0, 0.0)
ROLLED = (0.0, 0.0, 0.935, 0.0, 0.0, math.radians(10.0))


@pytest.fixture(scope="module")
def app():
    return QApplication.instance() or QApplication([])


@pytest.fixture
def opengl(app):
    """Only where there is OpenGL, such as under Xvfb."""
    problem = gl_support.opengl_problem()
    if problem:
        pytest.skip(f"no OpenGL: {problem}")


@pytest.fixture
def no_opengl(app, monkeypatch):
    monkeypatch.setattr(scene_view, "opengl_problem", lambda: "none is here")


def shown(view: SceneView, width: int = 300, height: int = 260) -> SceneView:
    view.resize(width, height)
    view.show()
    for _ in range(200):
        QApplication.processEvents()
        if view.isVisible() and view.size().width() == width:
            break
    return view


def pixels(widget) -> np.ndarray:
    """Red, green and blue of what a widget shows, shape (rows, columns, 3)."""
    QApplication.processEvents()
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(int)


def near(picture: np.ndarray, colour: str, reach: int = 60) -> np.ndarray:
    """Where a picture has about this colour."""
    wanted = np.array(list(bytes.fromhex(colour.removeprefix("#"))))
    return np.abs(picture - wanted).max(axis=2) < reach


def of_pose(pose, **more) -> np.ndarray:
    return platform_row(reached_pose=pose, **more)[None]


@pytest.fixture
def platform_view(opengl):
    view = shown(SceneView((platform(),)))
    view.refresh(of_pose(LEVEL), 0.0)
    yield view
    view.close()


def test_the_picture_is_not_blank_and_differs_with_the_pose(platform_view):
    canvas = platform_view.panes[0].canvas
    assert not isinstance(canvas, FlatCanvas)
    level = pixels(canvas)
    background = near(level, LIGHT.hex_of["background"], 8)
    assert 0.2 < background.mean() < 0.9
    platform_view.refresh(of_pose(ROLLED), 0.1)
    rolled = pixels(canvas)
    assert (np.abs(level - rolled).max(axis=2) > 40).mean() > 0.02
    platform_view.refresh(of_pose(LEVEL), 0.2)
    assert (pixels(canvas) == level).all()


def test_up_is_up_and_from_the_front_a_roll_lowers_the_left_of_the_picture(platform_view):
    canvas = platform_view.panes[0].canvas
    QTest.keyClick(canvas, Qt.Key.Key_F)
    platform_view.refresh(of_pose(ROLLED), 0.1)
    plate = near(pixels(canvas), LIGHT.hex_of["plate"], 45)
    rows, columns = np.nonzero(plate)
    middle = canvas.width() / 2
    left, right = rows[columns < middle].mean(), rows[columns > middle].mean()
    # The eye in front of the machine has its right side (-y) on its left; rows count downwards.
    assert left > right + 2.0
    base = near(pixels(canvas), LIGHT.hex_of["base"], 40)
    assert np.nonzero(base)[0].mean() > rows.mean() + 20.0


def test_a_leg_at_its_limit_is_red(platform_view):
    canvas = platform_view.panes[0].canvas
    platform_view.refresh(of_pose(LEVEL, measured_length_m=1.0), 0.1)
    calm = near(pixels(canvas), LIGHT.hex_of["fault"], 50).sum()
    platform_view.refresh(of_pose(LEVEL, measured_length_m=[0.65] * 6), 0.2)
    assert near(pixels(canvas), LIGHT.hex_of["fault"], 50).sum() > calm + 200


def test_the_ghost_shows_where_it_is_wanted(platform_view):
    canvas = platform_view.panes[0].canvas
    before = pixels(canvas)
    higher = (0.0, 0.0, 1.035, 0.0, 0.0, 0.0)
    platform_view.refresh(of_pose(LEVEL, wanted_pose=higher), 0.1)
    changed = np.nonzero(np.abs(pixels(canvas) - before).max(axis=2) > 25)[0]
    plate = np.nonzero(near(before, LIGHT.hex_of["plate"], 45))[0]
    assert len(changed) > 100
    assert changed.mean() < plate.mean()


def test_the_theme_changes_the_picture(platform_view):
    platform_view.set_theme(SimpleNamespace(window="#14181E", text="#FFFFFF"))
    assert near(pixels(platform_view), DARK.hex_of["background"], 8).mean() > 0.2


def test_keys_move_the_camera(platform_view):
    canvas = platform_view.panes[0].canvas
    first = canvas.eye

    def press(key, modifier=Qt.KeyboardModifier.NoModifier):
        QTest.keyClick(canvas, key, modifier)
        return canvas.eye

    assert press(Qt.Key.Key_Right).azimuth_deg == pytest.approx(first.azimuth_deg + 5.0)
    assert press(Qt.Key.Key_Up).elevation_deg == pytest.approx(first.elevation_deg + 5.0)
    assert press(Qt.Key.Key_Plus).distance_m < first.distance_m
    assert press(Qt.Key.Key_Minus).distance_m == pytest.approx(first.distance_m)
    right, up, _ = canvas.eye.axes
    shifted = press(Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert (shifted.middle_m - first.middle_m) @ right < -0.01
    assert (shifted.middle_m - first.middle_m) @ up == pytest.approx(0.0, abs=1e-12)
    assert press(Qt.Key.Key_T).elevation_deg == 90.0
    side = press(Qt.Key.Key_S)
    assert (side.azimuth_deg, side.elevation_deg) == (-90.0, 8.0)
    assert press(Qt.Key.Key_F).azimuth_deg == 0.0
    again = press(Qt.Key.Key_R)
    for name in ("azimuth_deg", "elevation_deg", "distance_m"):
        assert getattr(again, name) == getattr(first, name)
    np.testing.assert_array_equal(again.middle_m, first.middle_m)


def drag(canvas, button, by: QPointF, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    place = QPointF(50.0, 60.0)
    for kind, at in (
        (QEvent.Type.MouseButtonPress, place),
        (QEvent.Type.MouseMove, place + by),
        (QEvent.Type.MouseButtonRelease, place + by),
    ):
        QApplication.sendEvent(canvas, QMouseEvent(kind, at, at, button, button, modifier))


def test_the_mouse_turns_and_the_wheel_zooms(platform_view):
    canvas = platform_view.panes[0].canvas
    first = canvas.eye
    drag(canvas, Qt.MouseButton.LeftButton, QPointF(30.0, -10.0))
    assert canvas.eye.azimuth_deg == pytest.approx(first.azimuth_deg - 30.0)
    assert canvas.eye.elevation_deg == pytest.approx(first.elevation_deg - 10.0)
    place, none = QPointF(50, 50), QPoint(0, 0)
    wheel = QWheelEvent(
        place, place, none, QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, wheel)
    assert canvas.eye.distance_m < first.distance_m
    for _ in range(60):
        QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.eye.distance_m > 0.1  # never through the machine's middle


@pytest.mark.parametrize(
    ("button", "modifier", "follows"),
    [
        (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, (1.0, 1.0)),
        (Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.NoModifier, (1.0, None)),
        (Qt.MouseButton.MiddleButton, Qt.KeyboardModifier.ControlModifier, (1.0, None)),
    ],
)
def test_what_is_dragged_follows_the_mouse(platform_view, button, modifier, follows):
    canvas = platform_view.panes[0].canvas
    middle = tuple(canvas.eye.middle_m.tolist())
    before = canvas.on_screen(middle)
    drag(canvas, button, QPointF(24.0, 18.0), modifier)
    moved = canvas.on_screen(middle) - before
    assert moved.x() == pytest.approx(24.0 * follows[0], rel=0.1)
    assert moved.y() == pytest.approx(18.0, rel=0.01) if follows[1] else moved.y() > 1.0


def test_a_call_that_the_driver_refuses_is_told_in_words(platform_view):
    canvas = platform_view.panes[0].canvas
    pixels(canvas)
    offscreen = canvas._offscreen
    with pytest.raises(gl_calls.GlError, match="drawing the scene: invalid enum"):
        offscreen.picture(8, 8, lambda: offscreen.gl.glEnable(0x1))
    offscreen.picture(8, 8, lambda: None)  # what was told is told once
    with pytest.raises(AttributeError, match="glNonsense"):
        offscreen.gl.glNonsense(1)
    with pytest.raises(ValueError, match="contiguous"):
        gl_calls.address(np.zeros((4, 4))[:, 1])


def test_a_program_that_does_not_compile_is_told_with_the_drivers_log(platform_view, monkeypatch):
    canvas = platform_view.panes[0].canvas
    pixels(canvas)
    offscreen = canvas._offscreen
    monkeypatch.setattr(gl_program, "_FRAGMENT", "RESULT\nvoid main() { COLOUR = nobody; }")

    def make():
        gl_program.Program(offscreen.gl, "line", offscreen.version)

    with pytest.raises(gl_calls.GlError, match=r"line program does not compile: .*nobody"):
        offscreen.prepare(make)


def test_nothing_is_drawn_while_nothing_changes_or_nobody_looks(platform_view, monkeypatch):
    canvas = platform_view.panes[0].canvas
    pixels(canvas)
    drawn = []
    draw = canvas._drawing.draw
    monkeypatch.setattr(canvas, "_drawing", SimpleNamespace(
        draw=lambda *given: (drawn.append(1), draw(*given))))  # fmt: skip

    def seen(pose):
        drawn.clear()
        platform_view.refresh(of_pose(pose), 0.1)
        for _ in range(5):
            QApplication.processEvents()
        return len(drawn)

    assert seen(LEVEL) == 0
    assert seen(ROLLED) == 1
    platform_view.hide()
    assert seen(LEVEL) == 0
    platform_view.show()
    platform_view.refresh(of_pose(LEVEL), 0.1)
    for _ in range(1000):  # a busy screen shows a window late
        if drawn:
            return
        QTest.qWait(10)
    pytest.fail("nothing is drawn within 10 s of its being shown")


def test_a_point_is_drawn_where_on_screen_says(platform_view):
    """The words stand where the bodies are: both come of one projection."""
    canvas = platform_view.panes[0].canvas
    head = platform().build.parts[1].pieces[0].solid.vertices_m.mean(axis=0)
    head[2] += 0.935
    place = canvas.on_screen(tuple(head.tolist()))
    row, column = round(place.y()), round(place.x())
    blue = near(pixels(canvas), LIGHT.hex_of["plate"], 45)
    assert blue[row - 2 : row + 3, column - 2 : column + 3].any()


@pytest.mark.parametrize("make", [space_arm, robot])
def test_arms_are_drawn_and_move(opengl, make):
    view = shown(SceneView((make(),)))
    home = np.radians(BKM.home_deg if make is space_arm else (0, 45, -180, 0, 45, 0))
    pictures = []
    for number, angle in enumerate((0.0, 0.4)):
        q = home + np.eye(6)[0] * angle
        pose = kinematics.forward(RM01.geometry(), q)
        target = np.concatenate([pose.position_m, [1.0, 0.0, 0.0, 0.0]])
        view.refresh(arm_row(number, space_q=q, robot_q=q, target_pose=target)[None], number)
        view.refresh(arm_row(number)[None][:0], number + 1.0)
        pictures.append(pixels(view.panes[0].canvas))
    background = near(pictures[0], LIGHT.hex_of["background"], 8).mean()
    assert 0.2 < background < 0.98
    assert (np.abs(pictures[0] - pictures[1]).max(axis=2) > 40).mean() > 0.005
    view.close()


def test_the_path_is_seen(opengl):
    view = shown(SceneView((robot(),)))
    before = near(pixels(view.panes[0].canvas), LIGHT.hex_of["trace"], 40).sum()
    rows = [
        arm_row(0.1 * k, measured_pose=[0.5, 0.02 * k - 0.3, 0.9, 1.0, 0.0, 0.0, 0.0])
        for k in range(30)
    ]
    view.refresh(np.array(rows), 0.0)
    assert near(pixels(view.panes[0].canvas), LIGHT.hex_of["trace"], 40).sum() > before + 100
    view.close()


def test_opengl_that_fails_later_leaves_a_flat_drawing(platform_view, monkeypatch):
    canvas = platform_view.panes[0].canvas
    pixels(canvas)

    def broken(*given):
        raise RuntimeError("the driver is gone")

    monkeypatch.setattr(canvas._drawing, "draw", broken)
    platform_view.refresh(of_pose(ROLLED), 0.1)
    for _ in range(20):
        QApplication.processEvents()
    pane = platform_view.panes[0]
    assert isinstance(pane.canvas, FlatCanvas)
    assert "the driver is gone" in pane._heading.text()
    platform_view.refresh(of_pose(LEVEL), 0.2)
    assert near(pixels(pane.canvas), LIGHT.hex_of["plate"], 40).sum() > 100


@pytest.mark.parametrize("make", [platform, space_arm, robot])
def test_without_opengl_it_is_drawn_flat_and_says_so(no_opengl, make):
    view = shown(SceneView((make(),)), 420, 260)
    pane = view.panes[0]
    assert isinstance(pane.canvas, FlatCanvas)
    assert "Drawn flat: {why}".format(why="none is here") in pane._heading.text()
    view.refresh(np.zeros((0, platform_row().size if make is platform else arm_row(0).size)), 0.0)
    picture = pixels(pane.canvas)
    background = near(picture, LIGHT.hex_of["background"], 8)
    for half in (background[:, :210], background[:, 210:]):
        assert 0.3 < half.mean() < 0.99
    view.close()


def test_the_flat_drawing_shows_the_pose_from_the_side_and_from_above(no_opengl):
    view = shown(SceneView((platform(),)), 420, 260)
    canvas = view.panes[0].canvas
    blue = LIGHT.hex_of["plate"]

    def plate(pose, half):
        view.refresh(of_pose(pose), 0.0)
        rows, columns = np.nonzero(near(pixels(canvas)[:, half], blue, 12))
        return rows.mean(), columns.mean()

    side, top = slice(0, 210), slice(210, 420)
    low, high = plate((0.0, 0.0, 0.8, 0, 0, 0), side), plate((0.0, 0.0, 1.1, 0, 0, 0), side)
    assert high[0] < low[0] - 10.0
    back, front = plate((-0.1, 0.0, 0.9, 0, 0, 0), top), plate((0.1, 0.0, 0.9, 0, 0, 0), top)
    assert front[1] > back[1] + 5.0
    left = plate((0.0, 0.1, 0.9, 0, 0, 0), top)  # y points up in the picture
    assert left[0] < back[0] - 2.0
    view.close()


def test_another_run_takes_the_place_of_the_one_before(no_opengl):
    view = shown(SceneView(()))
    assert view.panes == ()
    view.say("The machine")
    assert view._empty.text() == "The machine"
    view.set_run(SimpleNamespace(header=platform_header()))
    assert [pane.scene.title.split()[-1] for pane in view.panes] == ["paper"]
    view.set_run(SimpleNamespace(header=arm_header()))
    assert [pane.scene.title.split()[-1] for pane in view.panes] == ["bkm", "rm01"]
    assert "SIMULATED" in view.panes[0]._heading.text()
    view.set_run(SimpleNamespace(header=RunHeader(PLATFORM)))
    assert view.panes == ()
    assert "rig" in view._empty.text()
    view.set_run(None)
    assert view._empty.text() == "The machine"
    view.close()


def test_a_note_is_told_and_taken_back(no_opengl):
    view = shown(SceneView((platform(),)))
    view.refresh(platform_row()[None], 0.0)
    heading = view.panes[0]._heading
    assert "Pose not known: drawn level at its reference lengths" in heading.text()
    view.refresh(of_pose(LEVEL), 0.1)
    assert "Pose not known: drawn level at its reference lengths" not in heading.text()
    view.close()


def test_a_low_picture_has_its_legend_in_the_tool_tip_only(no_opengl):
    view = shown(SceneView((platform(),)), 400, 300)
    pane = view.panes[0]
    assert not pane._legend.isVisible()
    assert "leg at its limit" in pane.toolTip()
    view.resize(600, 500)
    QApplication.processEvents()
    assert pane._legend.isVisible()
    assert "grid {value}".format(value="0.5 m") in pane._legend.text()
    view.close()


def test_every_colour_of_the_legend_has_words(app):
    for make in (platform, space_arm, robot):
        for entry in make().build.legend:
            assert entry.words


def test_the_offscreen_platform_is_known_to_have_no_opengl(app, monkeypatch):
    name = SimpleNamespace(platformName=lambda: "offscreen")
    monkeypatch.setattr(gl_support, "QGuiApplication", name)
    assert "offscreen" in gl_support.opengl_problem()
