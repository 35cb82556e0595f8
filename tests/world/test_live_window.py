"""A world in a live window: seen, paused, stepped, pulled at, on a screen of the test's own."""

import math
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from x_screen import CONTROL, HEIGHT, LEFT, RIGHT, WIDTH, Screen, why_none

from hil.config.file_search import configs_dir, find_file
from hil.config.settings import read_toml
from hil.recording.export import export_csv
from hil.recording.reader import Recording
from hil.stations.world.plan.scenario_reader import load_world_plan, world_plan_from_table
from hil.stations.world.run.live_view import watch_run
from hil.stations.world.view.live_clock import (
    FASTER,
    HELD_S,
    SLOWER,
    SPACE,
    SPEEDS,
    LiveClock,
    viewed,
)
from hil.stations.world.view.live_clock import RIGHT as STEP
from hil.stations.world.view.viewer import NO_SCREEN, ViewerError, ViewerProcess
from hil.timing.realtime import RealClock
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.world import World
from sim.world.pictures.wire import WireError, message
from sim.world.robots.body import BodyShape
from sim.world.scenes.model import BodyMotion, Floor, Scene, SceneBody, Stepping
from sim.world.viewer.wire import MousePush, ViewedModel, ViewerState, key_of

MASS_KG = 3.0
STEPPING = Stepping(0.002, "implicitfast", (0.0, 0.0, 0.0))
BOX = SceneBody(
    "box", motion=BodyMotion.FREE, shape=BodyShape.BOX, size_m=(0.3, 0.2, 0.25),
    position_m=(0.0, 0.0, 1.0), mass_kg=MASS_KG, colour=(0.9, 0.05, 0.05),
)  # fmt: skip


def floating():
    """A red box that nothing holds, in a world without weight."""
    return World(scene_text(Scene("floating", bodies=(BOX,), stepping=STEPPING), {}))


class Script:
    """A window and the wall's clock as a test wants them: what is done, and when."""

    def __init__(self, acts=()):
        self.now_s, self.is_open, self.shown, self.models = 100.0, True, [], []
        self.failure = ""
        self._acts = sorted(acts, key=lambda one: one[0])

    def change(self, model):
        self.models.append(model)

    def show(self, snapshot, speed, *, paused, words):
        self.shown.append((self.now_s, speed, paused, words))
        return True

    def take(self, most_s):
        until_s = min([100.0 + at_s for at_s, _ in self._acts[:1]] + [self.now_s + most_s])
        self.now_s = max(until_s, self.now_s + 1e-6)
        done = [act for at_s, act in self._acts if 100.0 + at_s <= self.now_s]
        self._acts = self._acts[len(done) :]
        return done


def live(script, world, told=None):
    pushed = [] if told is None else told
    return LiveClock(
        script, lambda: world, lambda: script.now_s, lambda *one: pushed.append(one), "test"
    )


def turned(script, clock, world, until_s, period_s=0.002):
    """Turn until a time on the wall's clock; how often."""
    for count, tick in enumerate(clock.ticks(period_s)):
        if script.now_s >= 100.0 + until_s:
            return count
        assert tick.index == count
        assert tick.t_s == count * period_s
        world.step()
    raise AssertionError("the clock ended")


@pytest.mark.parametrize("keys", range(-6, 7))
def test_time_goes_as_fast_as_the_keys_say(keys):
    """Judge: the wall's seconds by the speed and the period."""
    speed = SPEEDS[6 + keys]
    assert {0: 1.0, 6: 100.0, -6: 0.01}.get(keys, speed) == speed
    acts = [(0.0, (FASTER if keys > 0 else SLOWER)[0])] * abs(keys)
    script, world = Script(acts), floating()
    clock = live(script, world)
    wall_s = 2.0 / speed
    assert turned(script, clock, world, wall_s) == pytest.approx(1000, abs=2 + 20 * speed)
    assert clock.speed == speed
    assert clock.overruns == 0


def test_it_goes_no_faster_and_no_slower_than_that():
    for key, speed in ((FASTER[1], 100.0), (SLOWER[1], 0.01)):
        script, world = Script([(0.0, key)] * 40), floating()
        clock = live(script, world)
        turned(script, clock, world, 0.05)
        assert clock.speed == speed


def test_a_pause_stands_still_and_single_steps_are_single():
    acts = [(1.0, SPACE), (2.0, STEP), (2.5, STEP), (2.5, STEP), (5.0, SPACE), (5.5, STEP)]
    script, world = Script(acts), floating()
    clock = live(script, world)
    assert turned(script, clock, world, 6.0) == pytest.approx(500 + 3 + 500, abs=2)
    assert world.time_s == pytest.approx(2.006, abs=0.005)
    assert {paused for at_s, _, paused, _ in script.shown if 101.1 < at_s < 104.9} == {True}
    assert {paused for at_s, _, paused, _ in script.shown if at_s > 105.1} == {False}
    assert clock.overruns == 0  # a pause is no lateness


def test_a_loop_that_is_late_gives_up_what_it_cannot_make_good():
    script, world = Script(), floating()
    clock = live(script, world)
    ticks = clock.ticks(0.002)
    next(ticks)
    script.now_s += 3.0
    late = next(ticks).late_s
    assert late == pytest.approx(3.0, abs=0.01)
    assert clock.overruns == 1
    begun_s = script.now_s
    for _ in range(100):
        next(ticks)
    assert script.now_s - begun_s == pytest.approx(0.2, abs=0.01)


def momentum(told, until_s):
    """Of what was told: each force acts from its time to the next one's."""
    ends = [one[0] for one in told[1:]] + [until_s]
    return sum(
        (end_s - t_s) * np.array(push.wrench[:3])
        for (t_s, _, _, push), end_s in zip(told, ends, strict=True)
    )


def test_a_pull_moves_a_body_by_force_and_time_and_is_told():
    """Judge: Newton's second law, by what was told alone."""
    number = 1
    pulls = [
        (0.5 + 0.01 * k, MousePush(number, (3.0 + k, -2.0, 0.5 * k, 0.0, 0.0, 0.0)))
        for k in range(20)
    ]
    script, world, told = Script(pulls), floating(), []
    clock = live(script, world, told)
    count = turned(script, clock, world, 1.5)
    velocity = world.bodies["box"].velocity()[0]
    expected = momentum(told, count * 0.002)
    assert np.linalg.norm(expected) > 1.0
    assert MASS_KG * velocity == pytest.approx(expected, rel=1e-9)
    assert len(told) == 21
    assert [one[2] for one in told] == ["box"] * 21
    assert told[-1][3].body == 0
    last_s = told[-1][0] - told[-2][0]
    assert last_s == pytest.approx(HELD_S, abs=0.003)  # nobody told it anew


def test_a_pull_of_a_window_that_hangs_does_not_act_for_ever():
    script, world, told = Script([(0.1, MousePush(1, (9.0, 0, 0, 0, 0, 0)))]), floating(), []
    clock = live(script, world, told)
    turned(script, clock, world, 2.0)
    assert MASS_KG * world.bodies["box"].velocity()[0][0] == pytest.approx(9.0 * HELD_S, rel=0.05)


def test_a_changed_world_is_shown_and_no_longer_pulled_at():
    script = Script([(0.1, MousePush(1, (9.0, 0, 0, 0, 0, 0)))])
    worlds = [floating(), floating()]
    now = [worlds[0]]
    clock = LiveClock(script, lambda: now[0], lambda: script.now_s, lambda *_: None, "changed")
    ticks = clock.ticks(0.002)
    while script.now_s < 100.11:
        next(ticks)
        now[0].step()
    now[0] = worlds[1]
    for _ in range(50):
        next(ticks)
        now[0].step()
    assert [model.title for model in script.models] == ["changed"]
    assert not worlds[1].bodies["box"].velocity()[0].any()
    assert worlds[0].bodies["box"].velocity()[0].any()


def test_a_closed_window_holds_nothing_up():
    script, world = Script(), floating()
    clock = live(script, world)
    clock.paused, script.is_open = True, False
    for tick in clock.ticks(0.002):
        if tick.index == 10:
            break
    clock.hold()
    assert clock.closed


def test_a_pause_does_not_keep_a_run_from_its_end():
    script, world = Script(), floating()
    clock = live(script, world)
    clock.paused, clock.ends = True, lambda: script.now_s > 101.0
    next(clock.ticks(0.002))
    assert script.now_s == pytest.approx(101.0, abs=0.1)


def test_messages_come_back_as_they_were_sent_and_nonsense_is_told():
    model = ViewedModel(
        text="<mujoco/>", start=(0.1, 1 / 3), title="a", files=(("wood.png", b"\x00\xff"),)
    )
    assert ViewedModel.from_json(model.to_json()) == model
    shown = ViewerState(0.05, True, "ä", b"12345678")
    assert ViewerState.from_body(shown.to_bytes()[5:]) == shown
    push = MousePush(7, (1.0, 2.0, 1 / 3, 0.0, -1.0, 5e-324))
    assert MousePush.from_body(push.to_bytes()[5:]) == push
    for read, wrong in (
        (ViewedModel.from_json, b"[]"), (ViewedModel.from_json, b'{"text": "", "title": ""}'),
        (ViewerState.from_body, b"short"),
        (ViewerState.from_body, ViewerState(math.nan, False, "", b"").to_bytes()[5:]),
        (MousePush.from_body, b"x"),
        (MousePush.from_body, MousePush(1, (math.inf,) + (0.0,) * 5).to_bytes()[5:]),
        (key_of, b""),
    ):  # fmt: skip
        with pytest.raises(WireError):
            read(wrong)


def test_a_run_is_recorded_with_every_pull_and_a_closed_window_ends_it(tmp_path):
    """Judge: what the script did, found again in the file."""
    pulls = [(0.3 + 0.01 * k, MousePush(3, (40.0, k, 0.0, 0.0, 0.1, 0.0))) for k in range(5)]
    script, told = Script(pulls), []
    plan = load_world_plan(find_file("joint_move", folder="scenarios", key="test"))

    def shown(*_, **__):
        script.is_open = script.now_s < 101.0

    script.show = shown
    script.close = lambda: None
    result = watch_run(plan, tmp_path, told.append, lambda _: script, lambda: script.now_s)
    assert told == [result]
    assert result.figures.ended == "stopped"
    assert 0.9 / 0.002 < result.figures.steps < 2.0 / 0.002
    events = Recording.open(result.recorder.path).events
    pushes = [one for one in events if "push" in one.data]
    assert [one.data["push"] for one in pushes] == ["l2"] * 6
    found = [one.data["force_y_n"] for one in pushes]
    assert found == [0.0, 1.0, 2.0, 3.0, 4.0, 0.0]
    assert [one.data["moment_y_nm"] for one in pushes] == [0.1] * 5 + [0.0]
    assert [one.t_s for one in pushes[:5]] == pytest.approx(
        [0.3, 0.31, 0.32, 0.33, 0.34], abs=0.005
    )
    assert all(one.t_s == pytest.approx(0.002 * one.index) for one in pushes)
    assert any("window was closed" in one.message for one in events)
    table = export_csv(Recording.open(result.recorder.path), tmp_path / "rows.csv").read_text()
    assert len(table.splitlines()) == 1 + Recording.open(result.recorder.path).cycles
    assert "utc" not in table.partition("\n")[0].split(","), "a world's time is not the clock's"


def test_a_window_that_dies_is_no_end_that_a_person_wanted(tmp_path):
    script = Script()
    plan = load_world_plan(find_file("joint_move", folder="scenarios", key="test"))

    def shown(*_, **__):
        if script.now_s >= 101.0:
            script.is_open, script.failure = False, "the window's process ended by itself"

    script.show = shown
    script.close = lambda: None
    result = watch_run(plan, tmp_path, lambda _: None, lambda _: script, lambda: script.now_s)
    assert not result.end.ok
    assert "the window's process ended by itself" in result.end.cause
    assert result.figures.steps < 2.0 / 0.002


def test_an_edit_of_the_robot_is_shown_in_the_window_and_can_be_pulled_at(tmp_path):
    """Judge: the changed number in the text that the window is given."""
    text = (configs_dir() / "world/robots/robot_a.toml").read_text()
    assert "size_m = [0.06]" in text
    longer = tmp_path / "longer.toml"
    longer.write_text(text.replace("size_m = [0.06]", "size_m = [0.0712]"))
    table = read_toml(find_file("joint_move", folder="scenarios", key="test"))
    table["edit"] = [{"at_s": 0.5, "document": str(longer)}]
    plan = world_plan_from_table(table, tmp_path / "edited.toml")
    script = Script([(0.7, MousePush(3, (5.0, 0.0, 0.0, 0.0, 0.0, 0.0)))])
    first = []

    def opened_here(model):
        first.append(model)
        return script

    def shown(*_, **__):
        script.is_open = script.now_s < 101.0

    script.show, script.close = shown, lambda: None
    result = watch_run(plan, tmp_path, lambda _: None, opened_here, lambda: script.now_s)
    assert result.editor.taken == 1
    assert "0.0712" not in first[0].text
    (changed,) = script.models
    assert "0.0712" in changed.text
    assert changed.start != first[0].start  # where it was by then
    events = Recording.open(result.recorder.path).events
    assert [one.data["push"] for one in events if "push" in one.data] == ["l2", "l2"]


# --- on a screen ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def screen():
    if why := why_none():
        pytest.skip(why)
    made = Screen()
    yield made
    made.close()


def opened(screen, world):
    try:
        return ViewerProcess(viewed(world, "test"), environment=screen.environment)
    except ViewerError as error:
        if error.code != NO_SCREEN:
            raise
        pytest.skip(str(error))


class Watched:
    """A world that is turned while a script looks at its window, and does something there.

    The script is a generator of conditions; each is waited for before it goes on.
    """

    def __init__(self, screen, world):
        self.screen, self.world, self.told = screen, world, []
        self.window = opened(screen, self.world)
        self.now_s = RealClock().now_s
        self.clock = LiveClock(
            self, lambda: self.world, self.now_s, lambda *one: self.told.append(one), "test"
        )
        self.count, self._script, self._waits_for = 0, None, None
        self.change, self.show = self.window.change, self.window.show

    @property
    def is_open(self):
        return self.window.is_open

    @property
    def failure(self):
        return self.window.failure

    def take(self, most_s):
        """As the window's; between two acts the script has its turn."""
        acts = self.window.take(most_s)
        assert self.now_s() < self._end_s, "not within the time allowed"
        if self._script is not None and self._waits_for():
            self._waits_for = next(self._script, None)
            self._script = self._script if self._waits_for else None
        return acts

    def play(self, script, most_s=60.0):
        """Turn until the script has ended."""
        self._end_s = self.now_s() + most_s
        self._script, self._waits_for = script, lambda: True
        for _ in self.clock.ticks(0.002):
            if self._script is None:
                return
            self.world.step()
            self.count += 1

    def turns(self, count):
        """So many more turns from now on."""
        until = self.count + count
        return lambda: self.count >= until

    def box_at(self, channel=0):
        """Column and row of the middle of what is red (or green), and how much of it there is."""
        colours = np.moveaxis(self.screen.picture().astype(int), -1, 0)
        others = np.delete(colours, channel, axis=0).max(axis=0)
        rows, columns = np.nonzero((colours[channel] > 90) & (others < colours[channel] // 3))
        return (columns.mean(), rows.mean(), len(rows)) if len(rows) else (0.0, 0.0, 0)

    def seen(self):
        return self.box_at()[2] > 2000


@pytest.fixture
def watched(screen):
    made = Watched(screen, floating())
    yield made
    made.window.close()


@pytest.mark.real_time
def test_a_window_shows_the_world_and_hears_keys(watched):
    """Judge: X's own pixels, and how often the world was turned."""
    screen = watched.screen

    def script():
        yield watched.seen
        picture = screen.picture()
        assert len(np.unique(picture[::8, ::8].reshape(-1, 3), axis=0)) > 50  # floor, sky, texts
        x, y, _ = watched.box_at()
        assert abs(x - WIDTH / 3) < 60  # in the middle of the window, which has 2/3 of the screen
        assert abs(y - HEIGHT / 3) < 60
        screen.move(x, y)
        screen.strike(SPACE)
        yield lambda: watched.clock.paused
        stood = watched.count
        for steps in range(1, 4):
            screen.strike(0xFF53)  # the right arrow
            yield lambda: watched.count > stood + steps - 1  # noqa: B023
            assert watched.count == stood + steps
        screen.strike(0x2D)  # minus
        yield lambda: watched.clock.speed == 0.5
        screen.strike(SPACE)
        yield watched.turns(50)
        assert not watched.clock.paused

    watched.play(script())
    assert watched.world.time_s == pytest.approx(0.002 * watched.count)


@pytest.mark.real_time
def test_the_mouse_pulls_at_a_body(watched):
    """Judge: Newton's second law by what was told of the pulls, for a recording to keep."""
    screen = watched.screen

    def script():
        yield watched.seen
        x, y, _ = watched.box_at()
        for _ in range(10):  # a double click on a busy machine may come as two single ones
            screen.move(x, y)
            for _ in range(2):
                screen.button(LEFT, down=True)
                screen.button(LEFT, down=False)
            yield watched.turns(100)
            assert not watched.told
            screen.key(CONTROL, down=True)
            screen.button(RIGHT, down=True)
            for k in range(1, 30):
                screen.move(x + 3 * k, y - k)
                yield watched.turns(20)
            screen.button(RIGHT, down=False)
            screen.key(CONTROL, down=False)
            yield watched.turns(200)
            if watched.told:
                break
        yield lambda: watched.told and not watched.told[-1][3].body
        yield lambda: math.dist(watched.box_at()[:2], (x, y)) > 8.0  # the window follows

    watched.play(script())
    assert {one[2] for one in watched.told} == {"box"}
    expected = momentum(watched.told, watched.count * 0.002)
    found = MASS_KG * watched.world.bodies["box"].velocity()[0]
    assert np.linalg.norm(expected) > 0.05
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


@pytest.mark.real_time
def test_forces_at_contacts_are_arrows(screen):
    """Judge: X's own pixels, of a colour that nothing else there has."""
    lies = replace(BOX, position_m=(0.0, 0.0, 0.125))
    stands = Scene("stands", stepping=Stepping(), floor=Floor(), bodies=(lies,))
    watched = Watched(screen, World(scene_text(stands, {})))
    lifted = watched.world.snapshot()

    def arrows():
        red, green, blue = np.moveaxis(screen.picture().astype(int), -1, 0)
        pink = (red > 90) & (green < 0.3 * red) & (blue > 0.35 * red) & (blue < 0.75 * red)
        return np.count_nonzero(pink)

    def pressed_n():
        return abs(sum(one.force_n[2] for one in watched.world.contacts()))

    def script():
        yield watched.seen
        yield lambda: arrows() > 100
        yield lambda: abs(pressed_n() - MASS_KG * 9.81) < 0.1
        watched.world.restore(lifted)
        watched.world.pull((0.0, 0.0, 0.05))  # it rises: nothing touches any more
        yield lambda: arrows() == 0

    with watched.window:
        watched.play(script())


@pytest.mark.real_time
def test_another_model_is_shown_in_the_same_window(watched):
    green = replace(BOX, colour=(0.05, 0.8, 0.05))
    two = replace(green, name="two", position_m=(0.5, 0.0, 1.0))
    other = World(scene_text(Scene("other", bodies=(green, two), stepping=STEPPING), {}))

    def script():
        yield watched.seen
        watched.world = other
        yield lambda: watched.box_at()[2] == 0 and watched.box_at(1)[2] > 2000

    watched.play(script())
    assert watched.is_open


@pytest.mark.real_time
def test_a_window_that_hangs_or_dies_holds_nothing_up(watched):
    def script():
        yield watched.seen
        os.kill(watched.window.pid, signal.SIGSTOP)
        yield watched.turns(500)  # its pipe fills up
        os.kill(watched.window.pid, signal.SIGKILL)
        yield lambda: not watched.is_open

    watched.play(script())
    assert watched.clock.closed
    assert watched.failure == "the window's process ended by itself"


def test_without_a_screen_the_remedy_is_named():
    with pytest.raises(ViewerError, match=r"screen.*DISPLAY"):
        ViewerProcess(
            viewed(floating(), "x"), environment={"DISPLAY": ":9999", "WAYLAND_DISPLAY": ""}
        )


@pytest.mark.real_time
def test_what_the_engine_refuses_is_told(screen):
    wrong = ViewedModel(text="<mujoco><worldbody><geom/></worldbody></mujoco>", start=(), title="")
    with pytest.raises(ViewerError, match="engine refuses the model"):
        ViewerProcess(wrong, environment=screen.environment)


@pytest.mark.real_time
def test_a_message_that_is_none_ends_the_window(screen):
    window = opened(screen, floating())
    window._unsent = memoryview(message(b"?", b""))
    with window:
        for _ in range(1000):
            if not window.is_open:
                break
            window.take(5.0)
    assert "neither model nor state" in window.failure
