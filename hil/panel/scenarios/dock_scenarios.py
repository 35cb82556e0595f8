"""The dock of scenarios: pick, edit, check, run."""

from pathlib import Path

from hil.panel.scenarios.scenarios_view import ScenariosView
from hil.panel.shell.dock_views import Plain
from hil.panel.shell.host import Host


class ScenariosDock(Plain[ScenariosView]):
    """Scenarios."""

    every_turn = True

    def __init__(self, host: Host) -> None:
        super().__init__(ScenariosView(host.now_s, theme=host.theme))
        self.widget.bench_ready.connect(lambda path: host.connect_to(path, take=True))
        self.widget.steered.connect(host.steer)
        self.widget.replay_wanted.connect(host.replay)

    def open_scenario(self, path: Path | None) -> None:
        """Make a scenario ready to run."""
        self.widget.open_scenario(path)

    def close(self) -> None:
        """End checks and dry runs; a bench goes on without its dead-man, so it stops."""
        self.widget.close_all()
