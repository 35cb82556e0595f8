"""Named mutants of designs of platforms, and of what motions ask of cylinders."""

# ruff: noqa: E501 a text of a file is longer than a line of one
_DESIGN = ("platform6dof/test_design.py", "platform6dof/test_design_motions.py")
_MOTIONS = ("platform6dof/test_design_motions.py",)
_SIZING = ("platform6dof/test_sizing.py",)
_FIT = ("platform_station/test_size_verb.py",)
_RIGS = ("platform_station/test_design_verb.py",)
DESIGN_TESTS = {
    "platform6dof/design/problem.py": _DESIGN,
    "platform6dof/design/search.py": _DESIGN,
    "platform6dof/design/motion_poses.py": _MOTIONS,
    "platform6dof/kernels/design.py": _DESIGN,
    "platform6dof/sizing/demand.py": (*_SIZING, *_FIT),
    "platform6dof/sizing/motor_demand.py": (*_SIZING, *_FIT),
    "platform6dof/dynamics/drive_train.py": ("platform6dof/test_drive_train.py", *_SIZING),
    "platform6dof/sizing/screw.py": _SIZING,
    "hil/machines/rig/design_spec.py": ("platform_station/test_design_refusals.py", *_RIGS),
    "hil/stations/platform/machine/cylinder_fit.py": _FIT,
    "hil/stations/platform/machine/design_motions.py": _RIGS,
    "hil/stations/platform/machine/design_rigs.py": _RIGS,
}
"""Tests that look at each file, the likeliest first."""

DESIGN_ROWS = {
    "platform6dof/design/problem.py": (
        ("a design makes its force large", '"force_n": out[:, kernel.FORCE],', '"force_n": 1e7 / out[:, kernel.FORCE],'),
        ("a design forgets its dead length", "stroke + limits.dead_length_m - (", "stroke - ("),
        ("a design forgets clearance", "limits.clearance_m - out[:, kernel.CLEARANCE],", "0.0 * out[:, kernel.CLEARANCE],"),
        ("a design forgets how well its legs hold", "limits.singular_value_min - out[:, kernel.SINGULAR],", "0.0 * out[:, kernel.SINGULAR],"),
        ("a designed stroke has a margin at one end", "out[:, kernel.SHORTEST] + 2.0 * self.limits", "out[:, kernel.SHORTEST] + 1.0 * self.limits"),
        ("a footprint is the smaller circle", "np.maximum(machines[:, 0], machines[:, 2])", "np.minimum(machines[:, 0], machines[:, 2])"),
        ("more setpoints make a machine better", "found[:, least] = np.minimum(raw[:, least], more[:, least])", "found[:, least] = raw[:, least]"),
    ),
    "platform6dof/design/search.py": (
        ("one better objective dominates", "if not (front <= objectives[row]).all(axis=1).any():", "if not (front <= objectives[row]).any(axis=1).any():"),
        ("chosen machines are not judged with all setpoints", "if (judged.raw == chosen.raw).all():", "if True:"),
        ("machines that break a constraint stay chosen", "near = widened.rows(widened.kept)", "near = widened"),
    ),
    "platform6dof/design/motion_poses.py": (
        ("a motion of a design has no accelerations", "whole = push + np.cross(turning, arm)", "whole = 0.0 * push + np.cross(turning, arm)"),
        ("a motion of a design turns nothing", 'spin = np.einsum("nij,nj->ni", tensor, turning)', 'spin = np.einsum("nij,nj->ni", 0.0 * tensor, turning)'),
        ("a load stays upright in a motion", "arm = turns @ body.centre_m", "arm = np.tile(body.centre_m, (len(turns), 1))"),
        ("ends of a motion may be left out", "np.concatenate([ends, rows])[:KEPT]", "np.concatenate([rows, ends])[:KEPT]"),
    ),
    "platform6dof/kernels/design.py": (
        ("an error knows no turned joints", "        cx = r[0, 0] * top[i, 0] + r[0, 1] * top[i, 1] + r[0, 2] * top[i, 2]\n", "        cx = top[i, 0]\n"),
        ("an error is of one direction", "            place += work[k, 6 + i] * work[k, 6 + i]\n", "            place = max(place, work[k, 6 + i] * work[k, 6 + i])\n"),
        ("a singular value knows no turns", "1.0 / math.sqrt(place + radius * radius * turn)", "1.0 / math.sqrt(place)"),
        ("a force of a motion has no moment", "        for k in range(6):\n            force += inverse[k, i] * wrench[k]", "        for k in range(3):\n            force += inverse[k, i] * wrench[k]"),
        ("motions have no weight in figures", "        for m in range(moving.shape[0]):\n            _in_motion(", "        for m in range(0):\n            _in_motion("),
        ("the best setpoint is called the worst", "if (row[k] < worst[k]) if least else (row[k] > worst[k]):", "if row[k] > worst[k]:"),
    ),
    "platform6dof/sizing/demand.py": (
        ("a peak is a push", "peak_n=float(np.abs(self.force_n).max()),", "peak_n=float(self.force_n.max()),"),
        ("wear is counted by time", "return np.abs(np.diff(self.length_m, axis=0))", "return np.ones_like(self.length_m[1:])"),
    ),
    "platform6dof/sizing/motor_demand.py": (
        ("the hardest window is the whole", "float(np.sqrt(squares.hardest()[0].max()))", "float(np.sqrt(squares.mean.max()))"),
        ("what flows back is that of one drive", "returned_hardest_w=float(together.hardest()[0].max())", "returned_hardest_w=float(single.hardest()[0].max())"),
    ),
    "platform6dof/dynamics/drive_train.py": (
        ("a driven screw loses what a driving one does", "np.where(drives, 1.0 / self.efficiency, self.efficiency_back)", "np.where(drives, 1.0 / self.efficiency, 1.0 / self.efficiency)"),
    ),
    "platform6dof/sizing/screw.py": (
        ("a mean force is quadratic", "float((force**3 * path).sum() / total) ** (1.0 / 3.0)", "float((force**2 * path).sum() / total) ** (1.0 / 2.0)"),
        ("a rod buckles as if it were short", "STEEL_PA * inertia / length_m**2", "STEEL_PA * inertia / length_m"),
        ("life has no lead", "** 3 * 1e6 * lead_m", "** 3 * 1e6"),
    ),
    "hil/machines/rig/design_spec.py": (
        ("a design accelerates without weight", "ax, ay, az + GRAVITY_M_S2]", "ax, ay, az]"),
        ("a box under the base is searched", "if half >= highest:", "if half >= 10.0 * highest:"),
    ),
    "hil/stations/platform/machine/cylinder_fit.py": (
        ("a closed cylinder has no stroke in it", "closed_m, allowed_m = one.dead_length_m + needed.stroke_m,", "closed_m, allowed_m = one.dead_length_m,"),
    ),
    "hil/stations/platform/machine/design_motions.py": (
        ("a rig is not tried with its motions", "        if outside.any():", "        if False:"),
        ("motions stay at the old height", "moved[:, :3] += np.array", "moved[:, :3] -= np.array"),
    ),
    "hil/stations/platform/machine/design_rigs.py": (
        ("a rig's cylinders are those of its box", "min(found.min_m, needs.shortest_m)", "found.min_m"),
    ),
}  # fmt: skip
