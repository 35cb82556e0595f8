"""The dock of scenarios: pick, edit, check, run."""

from pathlib import Path

from hil.panel.live.dock_views import Plain
from hil.panel.live.host import RunHost
from hil.panel.live.session import Session
from hil.panel.scenarios.scenarios_view import ScenariosView


class ScenariosDock(Plain[ScenariosView]):
    """Scenarios."""

    every_turn = True

    def __init__(self, host: RunHost) -> None:
        super().__init__(ScenariosView(host.now_s, theme=host.theme))
        self.widget.bench_ready.connect(lambda path: host.connect_to(path, take=True))
        self.widget.steered.connect(host.steer)
        self.widget.replay_wanted.connect(host.replay)
        self.widget.previewed.connect(host.preview)

    def set_session(self, session: Session | None) -> None:
        """Show what is picked in space while no run is."""
        self.widget.want_previews(session is None)

    def suggest(self, path: Path | None) -> None:
        """Show a scenario to who has chosen none."""
        self.widget.suggest(path)

    def open_scenario(self, path: Path | None) -> None:
        """Make a scenario ready to run."""
        self.widget.open_scenario(path)

    def close(self) -> None:
        """End checks and dry runs; a bench still runs, but without its dead-man, so it stops."""
        self.widget.close_all()
