"""Which figures of the benchmarks' results are published, under which names (`rows` says how)."""

from typing import Final

from benchmarks.rows import Peer, Row

LATEST: Final = Peer("latest cyclictest", "cases>*>machine_max_us", is_rival=False)
"""Lateness of the machine itself meanwhile."""


def calls(*given: tuple[str, str, str], unit: str = "us") -> tuple[Row, ...]:
    """Rows of single calls: name, key, target."""
    return tuple(
        Row(name, unit, f"{key}>median_us", f"{key}>p99_us", target=target)
        for name, key, target in given
    )


FIGURES: Final[dict[str, tuple[Row, ...]]] = {
    "kinematics": (
        *calls(
            ("setpoint from coordinates, one call", "from_coordinates", "≤ 4 µs"),
            ("inverse with speeds, one call", "inverse", "≤ 5 µs"),
            ("forward, one call, warm start", "forward", "≤ 15 µs"),
        ),
        Row("forward, most steps of a call", "steps", "forward>iterations_max", target="≤ 4"),
        Row("inverse, batch of 16384, best pass", "Mposes/s", "inverse_batch>mposes_s>batch",
            peers=(Peer("C -O3", "inverse_batch>mposes_s>c"),
                   Peer("NumPy", "inverse_batch>mposes_s>numpy")),
            target="≥ 12 Mposes/s, ≥ 0.5 of C"),
        Row("inverse, batch of a million, best pass", "Mposes/s",
            "inverse_batch>big_mposes_s>batch",
            peers=(Peer("C -O3", "inverse_batch>big_mposes_s>c"),
                   Peer("NumPy", "inverse_batch>big_mposes_s>numpy"))),
        Row("forward, batch, best pass", "Mposes/s", "forward_batch>mposes_s>batch",
            peers=(Peer("loop of single calls", "forward_batch>mposes_s>loop of single calls"),
                   Peer("Newton in NumPy", "forward_batch>mposes_s>numpy")),
            target="≥ 0.5 Mposes/s"),
    ),
    "cycle": (
        Row("whole cycle, {} build", "us", "*>cycle_us", "*>cycle_p99_us",
            peers=(Peer("one inverse call", "*>inverse_us", is_rival=False),)),
        Row("whole cycle / one inverse call, {} build", "", "*>by_inverse", target="≤ 10"),
        Row("dry run with its recording, {} build", "× real time", "*>speed_up", target="≥ 90"),
    ),
    "cueing": (
        Row("classical cycle, whole", "us", "classical_us",
            peers=(Peer("its linear channels by scipy.signal.sosfilt", "sosfilt_us"),
                   Peer("by pathsim", "pathsim_us")),
            target="ratio ≥ 20"),
        Row("{} cycle", "us", "others_us>*"),
    ),
    "governor": tuple(
        Row(f"{{}}: {kind}", "us", f"*>{kind}", f"*>{kind}, p99", peers)
        for kind, peers in {
            "untouched": (Peer("envelope's check", "*>envelope's check"),),
            "governed, in the box": (Peer("its program by SLSQP", "*>program by SLSQP"),),
            "governed, in the envelope": (),
        }.items()
    ),
    "diagram": (
        *(Row(f"tick of {size} blocks", "us", f"{size}>tick_us>0", f"{size}>tick_us>1",
              (Peer("interpreter", f"{size}>interpreter_us>0", f"{size}>interpreter_us>1"),))
          for size in (48, 200, 1000)),
        *(Row(f"file to first tick, {size} blocks", "s", f"{size}>first_s")
          for size in (48, 200, 1000)),
        *(Row(f"tick of {size} blocks that peers have", "us", f"peers_{size}>ours>0",
              f"peers_{size}>ours>1",
              tuple(Peer(one, f"peers_{size}>{one}>0", f"peers_{size}>{one}>1")
                    for one in ("pathsim", "bdsim")))
          for size in (48, 1002)),
        *(Row(f"tick of {what}, 7 joints", "us", f"{key}>0", f"{key}>1")
          for what, key in (("force_joint", "force_joint_us"), ("force_wrist", "force_wrist_us"),
                            ("kinematics, Jacobian and least squares", "kinematics_us"))),
        Row("added to a tick by 64 taps", "us", "taps_us"),
        Row("added to a tick by a station's connection", "us", "connection_us"),
    ),
    "diagram_editor": (
        Row("open 1000 blocks", "s", "open_s", target="≤ 0.5 s"),
        Row("pan over 1000 blocks", "pictures/s", "pan_hz", target="≥ 30 pictures/s"),
        Row("200 values written and drawn", "ms", "values_ms", target="≤ 50 ms"),
        Row("processor of the editor that watches", "% of a core", "cpu_share"),
        Row("lateness of a 1 kHz loop beside the editor", "s", "", "late_p99_editor_s",
            (Peer("beside as much work", "", "late_p99_busy_s"),
             Peer("bound", "", "late_p99_bound_s", is_rival=False))),
    ),
    "fmu": tuple(
        row for fmi in (2, 3) for row in (
            Row(f"step through the process, FMI {fmi}", "us", f"fmi{fmi}>process_us",
                f"fmi{fmi}>process_p99_us",
                (Peer("FMPy in this process", f"fmi{fmi}>fmpy_us", f"fmi{fmi}>fmpy_p99_us"),)),
            Row(f"step over that of FMPy, FMI {fmi}", "us", f"fmi{fmi}>over_us", target="≤ 100 µs"),
        )
    ),
    "plan": (
        *(Row(f"plan of {what}, {rig}", "ms", f"plans>{rig}, {kind}>p50_ms",
              f"plans>{rig}, {kind}>p99_ms", peers)
          for rig in ("paper", "training_simulator")
          for what, kind, peers in (
              ("a smooth drive", "drive",
               (Peer("SLSQP, 20 steps at most", f"plans>{rig}, SLSQP>p50_ms"),)),
              ("leaps", "leaps", ()))),
        Row("lateness of a 500 Hz loop beside the planner", "us", "", "real_time>p99_us",
            (Peer("beside as much work", "", "real_time>busy_p99_us"),
             Peer("bound", "", "real_time>bound_us", is_rival=False))),
        Row("plans asked for by the loop", "plans", "real_time>asked"),
        Row("plans that were late", "plans", "real_time>late"),
    ),
    "realtime": (
        Row("lateness at 1 kHz, ratio of the 99 %: ours / cyclictest's", "us", "real_clock>p50_us",
            "real_clock>p99_us", (Peer("cyclictest", "cyclictest>p50_us", "cyclictest>p99_us"),),
            "ratio ≤ 3", "p99_ratio"),
        Row("drift of the deadlines", "ns", "drift_ns", target="0 ns"),
    ),
    "slcan": tuple(
        row for wire in ("pty", "tcp") for row in (
            Row(f"cycle of 13 frames, {wire}", "us", f"drives.can.slcan_bus {wire}>median_us",
                f"drives.can.slcan_bus {wire}>p99_us",
                (Peer("python-can", f"python-can slcan {wire}>median_us",
                      f"python-can slcan {wire}>p99_us"),)),
            Row(f"processor for it, mean, {wire}", "us", f"drives.can.slcan_bus {wire}>cpu_us",
                peers=(Peer("python-can", f"python-can slcan {wire}>cpu_us"),)),
        )
    ),
    "exchange": tuple(
        Row(f"processor for an exchange of six drives, {what}", "us",
            f"this bank, {what}>cpu_p50_us", f"this bank, {what}>cpu_p99_us",
            (Peer("canopen without a bus", "canopen PdoVariable, without a bus>cpu_p50_us",
                  "canopen PdoVariable, without a bus>cpu_p99_us"),))
        for what in ("memory, 1 bus", "SLCAN, 1 bus", "SLCAN, 2 buses")
    ),
    "desk": (Row("{}", "us", "*>p50_us", "*>p99_us"),),
    "emulator": (
        Row("processor for a cycle of the emulated rack, {case}", "us", "cases>*>p50_us",
            "cases>*>p99_us", target="≤ 200 µs at 500 Hz (no bit rate)"),
    ),
    "rack": (
        Row("round trip, {case}", "us", "cases>*>p50_us", "cases>*>p99_us", (LATEST,),
            "99 % ≤ 700 µs (CANopen, no bit rate)"),
        Row("processor of gate and bank, {case}", "% of a core", "cases>*>cpu_share",
            target="≤ 10 % at 500 Hz"),
        Row("frames missed, {case}", "of {cycles} cycles", "cases>*>missed", target="0"),
        Row("runs ended, {case}", "runs", "cases>*>ended", target="0"),
    ),
    "kill": (
        Row("{}: first corrective setpoint", "cycles", "stop_cycles>*>median",
            target="≤ 3 cycles"),
        Row("{}: first corrective setpoint, worst", "cycles", "stop_cycles>*>worst",
            target="≤ 3 cycles"),
        Row("gate killed: drives leave operation", "s", "noticed_s>median", target="≤ 50 ms"),
        Row("gate killed: drives leave operation, worst", "s", "noticed_s>worst", target="≤ 50 ms"),
    ),
    "space_arm": (
        Row("D and h in a compiled loop", "us", "dynamics>loop_us",
            peers=(Peer("pinocchio from Python", "dynamics>pinocchio_us"),),
            target="≤ 0.45 µs, ratio ≥ 2"),
        Row("D and h from Python", "us", "dynamics>python_us",
            peers=(Peer("pinocchio from Python", "dynamics>pinocchio_us"),)),
        Row("inverse dynamics in a compiled loop", "us", "inverse>loop_us",
            peers=(Peer("pinocchio's rnea from Python", "inverse>pinocchio_us"),),
            target="ratio ≥ 5"),
        Row("inverse dynamics from Python", "us", "inverse>python_us",
            peers=(Peer("pinocchio's rnea from Python", "inverse>pinocchio_us"),)),
        Row("tick of model e, payload {}", "us", "tick_e>*>median_us", "tick_e>*>p99_us",
            target="99 % ≤ 2 ms"),
        Row("fine tick of model e as the arm station has it, payload {}", "us",
            "tick_fine>*>median_us", "tick_fine>*>p99_us",
            target="99 % ≤ 10 ms beside a busy program"),
        Row("model and payload {}, integration", "× real time", "rtf>*>rtf",
            target="≥ 5000 (a, b, f), ≥ 1000 (c, d, e)"),
        Row("model and payload {}, whole ticks", "× real time", "rtf>*>rtf_tick"),
        Row("fine simulation, model and payload {}", "× real time", "fine_rtf>*",
            target="≤ 350 µs for 10 ms"),
    ),
    "arm": (
        *calls(
            ("forward, one call", "forward", ""),
            ("eight solutions, one call", "solutions", "≤ 10 µs"),
            ("nearest solution, one call", "nearest", "≤ 10 µs"),
            ("eight solutions, kernel from Python", "kernel_from_python", ""),
        ),
        Row("eight solutions in the kernel, processor, best pass", "us", "kernel_us",
            target="≤ 1 µs"),
        Row("batch, best pass", "Mposes/s", "batch_mposes_s", target="≥ 1 Mposes/s"),
        Row("batch by processor, best pass", "Mposes/s", "batch_mposes_per_processor_s",
            target="≥ 1 Mposes/s"),
        Row("batch_solutions, best pass", "Mposes/s", "batch_public_mposes_s",
            target="≥ 1 Mposes/s"),
        Row("check_path of three minutes, best pass", "ms", "check_path_ms"),
        Row("best_reference of three minutes, best pass", "s", "best_reference_s"),
    ),
    "arm_link": (
        Row("request to answer in the program, virtual clock", "ms", "virtual>p50_ms",
            "virtual>p99_ms"),
        Row("request to answer in the program, real clock", "ms", "real>p50_ms", "real>p99_ms",
            target="99 % ≤ 2 ms"),
        Row("waypoints missed, real clock", "of {waypoints}", "real>missed", target="0"),
        Row("request to answer for the robot, beside {}", "ms", "port>*>station>p50_ms",
            "port>*>station>p99_ms",
            (Peer("plain pyserial loop", "port>*>plain peer>p50_ms", "port>*>plain peer>p99_ms"),),
            "99 % ≤ 2 ms"),
    ),
    "panel": (
        Row("start to first picture of a bench", "s", "first_picture_s", target="≤ 3 s"),
        Row("processor for it", "s", "first_picture_cpu_s"),
        Row("start to an empty panel", "s", "empty_s"),
        Row("start to the demo's picture", "s", "demo_picture_s"),
        Row("processor at 30 Hz", "% of a core", "cpu_share", target="≤ 60 %"),
        Row("lateness of a 1 kHz loop beside the panel", "us", "", "late_p99_panel_median_us",
            (Peer("alone", "", "late_p99_alone_median_us"),
             Peer("beside a process that counts", "", "late_p99_counting_median_us"))),
        Row("99 % of the lateness, panel / alone", "×", "late_ratio", target="≤ 1.3"),
    ),
    "panel_stop": tuple(
        Row(f"{act}: {what}", "ms", f"{act.replace(' ', '_')}_{key}_ms")
        for act in ("let go", "frozen", "slow", "closed", "killed", "another panel stops")
        for what, key in (("stop begins", "begun"), ("at rest after that", "stands"))
    ),
    "recording": (
        Row("recording of demo", "MB", "recording of demo [MB]", target="≤ 6.8 MB"),
        Row("processor for a row packed", "us", "a row packed [us]"),
        Row("processor for a row from ring to file", "us", "a row from the ring to the file [us]"),
        Row("processor for all columns of 10 min", "s", "all columns of 10 min read [s]",
            peers=(Peer("message loop of mcap", "the same by the loop of mcap [s]"),),
            target="≤ 2 s, ratio ≥ 3"),
        Row("of it opening", "s", "of it opening [s]"),
    ),
    "world": (
        Row("processor for {}", "us", "*>ours_us", peers=(Peer("peer", "*>peer_us"),),
            ratio="*>ratio", target="ratio {asked}"),
    ),
    "world_rack": (
        Row("processor for 1 ms of a rack, with / without a world, {case}", "us", "racks>*>with_us",
            peers=(Peer("without", "racks>*>without_us"),), ratio="racks>*>ratio",
            target="ratio ≤ 1.8"),
        Row("dry run of heave with paper_cabin, processor", "× real time", "dry_run>faster",
            target="≥ 5"),
    ),
    "world_pictures": (
        Row("{} pictures of robot A, best round", "pictures/s", "*>ours",
            peers=(Peer("the engine's renderer", "*>bare"),), target="ratio ≥ 0.9"),
    ),
    "tables": (
        Row("processor for a million rows, plain CSV", "s", "plain CSV [s]",
            peers=(Peer("pandas", "pandas.read_csv, plain [s]"),
                   Peer("numpy.loadtxt", "numpy.loadtxt, plain [s]"))),
        Row("processor for a million rows, decimal commas", "s",
            "semicolons and decimal commas [s]",
            peers=(Peer("pandas", "pandas.read_csv, semicolons and decimal commas [s]"),)),
        Row("processor for a million rows, stamps", "s", "stamps of ISO 8601 [s]",
            peers=(Peer("pandas", "pandas.read_csv, stamps of ISO 8601 [s]"),)),
    ),
    "turn": (
        Row("{}: calls in a turn", "calls", "*>calls"),
        Row("{}: files in it", "files", "*>files"),
    ),
    "help": (
        Row("hil --help", "s", "help",
            peers=(Peer("import of typer", "typer"), Peer("nothing", "nothing")), target="≤ 0.6 s"),
    ),
    "hosts": (
        *(Row(f"delay of a 1 Hz sine at 60 packets/s, {what}", "s", f"{key}>delay_s",
              peers=(Peer("newest packet held", "newest>delay_s"),))
          for what, key in (("with stamps", "stamps"), ("without", "arrivals"))),
        Row("lateness of a 500 Hz loop in a flood", "s", "", "flood>p99_s",
            (Peer("beside a busy loop", "", "busy>p99_s"),)),
    ),
    "physics": (
        Row("processor for a packet, whole watch, best pass", "s", "watch_s"),
        Row("of it physics, best pass", "s", "more_s", target="≤ 1 µs"),
    ),
    "latency": (
        Row("kernel's stamp to the wire, {case}", "cycles", "cases>*>kernel_to_wire_periods>p50",
            "cases>*>kernel_to_wire_periods>p99", target="≤ 2, 99 % ≤ 3.5 cycles at 500 Hz"),
        Row("rides ended early, {case}", "rides", "cases>*>ended_early"),
        Row("rides, {case}", "rides", "cases>*>rides"),
    ),
    "workspace": (
        Row("map of 100³ poses, all limits", "s", "map_s",
            peers=(Peer("NumPy, without clearance", "map_numpy_s"),), target="≤ 5 s"),
        Row("proof of 0.85 of the paper's box, all limits", "s", "proof_s",
            peers=(Peer("10⁶ random poses, which prove nothing", "sample_s"),),
            target="≤ 20 s"),
    ),
    "forces": (
        Row("inverse dynamics of a pose, batch", "us", "batch_us",
            peers=(Peer("pinocchio's rnea of the opened chain, from Python", "pinocchio_us"),),
            target="ratio ≥ 3"),
        Row("inverse dynamics of one setpoint", "us", "one_us"),
        Row("check of a row with forces", "us", "check>with_us",
            peers=(Peer("without", "check>without_us", is_rival=False),)),
        Row("check with forces / without", "", "check>ratio", target="≤ 1.3"),
    ),
    "tasks": (
        Row("cycle of the container task, mean, 99 %", "ms", "mean_ms", "p99_ms",
            target="≤ 0.25, 99 % ≤ 1 ms"),
        Row("its run / its bare steps", "", "by_bare", target="≤ 2"),
        Row("real-time factor on one core", "", "real_time_factor", target="≥ 20"),
    ),
    "campaign": (
        Row("more than the service, a run", "ms", "overhead_ms", target="≤ 50 ms"),
        Row("speed of two workers / of one", "", "two_over_one", target="≥ 1.8"),
        Row("speed of two workers / of a bare pool", "", "two_over_pool", target="≥ 0.95"),
    ),
}  # fmt: skip
"""Rows of each benchmark."""
