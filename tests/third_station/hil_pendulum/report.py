"""What the page of a run tells of the pendulum alone."""

import numpy as np

from hil.report.recorded_run import RecordedRun, Row, Table, Tables


def swing(run: RecordedRun) -> Tables:
    """How far it swung."""
    limit_deg = float(run.recording.scenario["angle_max_deg"])
    most_deg = float(np.degrees(np.abs(run.recording.column("angle_rad")).max()))
    cells = ("largest angle", f"{most_deg:.2f} deg", f"{limit_deg:g} deg")
    return Tables((Table(("", "value", "limit"), (Row(cells, most_deg > limit_deg),)),))
