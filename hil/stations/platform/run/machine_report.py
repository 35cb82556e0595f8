"""Forces, torques and power of a proved motion, for people and programs."""

from collections.abc import Iterator

from hil.stations.platform.proof.machine_check import MachineFigures
from hil.stations.platform.proof.summaries import ExtremeSummary, LoadSummary
from hil.terminal.console import out
from platform6dof.dynamics.hardest import Extreme


def add_machine(summary: LoadSummary, figures: MachineFigures | None) -> None:
    """Add the figures to the summary of a check; what a rig says nothing of has no key."""
    if figures is None:
        return
    summary["force_n"] = _extreme(figures.force_n)
    summary["hold_n"] = _extreme(figures.hold_n)
    summary["stop_force_n"] = _extreme(figures.stop_force_n)
    summary["stop_beyond_m"] = figures.stop_beyond_m
    if figures.motor_nm is not None and figures.power_w is not None:
        summary["motor_nm"] = _extreme(figures.motor_nm)
        summary["power_w"] = _extreme(figures.power_w)
    if figures.energy_j is not None and figures.resistor_j is not None:
        summary["energy_j"], summary["resistor_j"] = figures.energy_j, figures.resistor_j


def _extreme(one: Extreme) -> ExtremeSummary:
    return ExtremeSummary(min=one.min, max=one.max, rms=one.rms, leg=one.leg, at_s=one.at_s)


def show_machine(figures: MachineFigures | None) -> None:
    """Print the loads of a machine whose rig has bodies."""
    if figures is not None:
        for line in machine_lines(figures):
            out.print(line, soft_wrap=True)


def machine_lines(figures: MachineFigures) -> Iterator[str]:
    """Lines about the machine's loads."""
    yield _line("force", figures.force_n, "N")
    hold, stop = figures.hold_n, figures.stop_force_n
    yield (
        f"hold at most {_size(hold):.0f} N (leg {hold.leg}), a stop at most {_size(stop):.0f} N "
        f"(leg {stop.leg}, begun at {stop.at_s:.2f} s)"
    )
    if figures.stop_beyond_m > 0.0:
        yield (
            "the drives give less than that: in a controlled stop a leg goes up to "
            f"{1e3 * figures.stop_beyond_m:.2g} mm further"
        )
    if figures.motor_nm is not None:
        yield _line("motor torque", figures.motor_nm, "N m")
    if figures.power_w is not None and figures.energy_j is not None:
        back_j = figures.resistor_j or 0.0
        yield (
            f"power of a drive at most {figures.power_w.max:.0f} W; the six draw "
            f"{figures.energy_j:.0f} J, {back_j:.0f} J go to their resistors"
        )


def _line(what: str, one: Extreme, unit: str) -> str:
    return (
        f"{what} {one.min:.4g} to {one.max:.4g} {unit} (leg {one.leg} at {one.at_s:.2f} s), "
        f"effective {one.rms:.4g} {unit}"
    )


def _size(one: Extreme) -> float:
    return max(abs(one.min), abs(one.max))
