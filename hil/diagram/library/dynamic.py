"""Integrals, filters, controllers. H is the block's period: its rate times the base period."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from hil.diagram.library.kind import (
    NO_PAIRS,
    BlockKind,
    BlockSetting,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
    each,
    flag,
    one_in,
)  # fmt: skip
from hil.diagram.library.sources import seconds, ticks

GROUP: Final = "dynamic"
ONE: Final = Example(inputs={"u": 1.0})
INITIAL: Final = ParameterKind("initial", default=0.0, unit="unit of y", about="at the start")
GAIN_UNIT: Final = ParameterKind("unit", "unit", "1", about="unit of a gain: output per input")


def _limits_ports(parameters: Parameters) -> Ports:
    unit = parameters["unit"]
    return one_in(f"({unit})/s", unit)


def _limits_fault(parameters: Parameters) -> str:
    low, start, high = parameters["low"], parameters["initial"], parameters["high"]
    if low <= start <= high:
        return ""
    return f"initial = {start:g} is not within low = {low:g} and high = {high:g}"


def _reset_ticks(parameters: Parameters, setting: BlockSetting) -> int:
    return max(ticks(parameters["reset_s"], setting.period_s), 1)


def _lead_lag(parameters: Parameters, setting: BlockSetting) -> Sequence[float]:
    k, lead, lag = parameters["k"], 2.0 * parameters["lead_s"], 2.0 * parameters["lag_s"]
    H = setting.period_s
    return k * (lead + H) / (lag + H), k * (H - lead) / (lag + H), (H - lag) / (lag + H)


def _pi_ports(parameters: Parameters) -> Ports:
    out = f"?a*({parameters['unit']})"
    return Ports(
        (PortKind("e", "?a"), PortKind("feedforward", out, optional=True)), (PortKind("y", out),)
    )


def _pid_ports(parameters: Parameters) -> Ports:
    out = f"?a*({parameters['unit']})"
    return Ports(
        (
            PortKind("setpoint", "?a"), PortKind("measured", "?a"),
            PortKind("feedforward", out, optional=True),
        ),
        (PortKind("u", out), flag("limited")),
    )  # fmt: skip


def _pid_fault(parameters: Parameters) -> str:
    low, high = parameters["low"], parameters["high"]
    return "" if low < high else f"low = {low:g} is not below high = {high:g}"


def _pid_numbers(p: Parameters, s: BlockSetting) -> Sequence[float]:
    return (
        p["kp"], p["ki"] * s.period_s, p["kd"], p["setpoint_weight"], p["filter_per_s"],
        1.0 + p["filter_per_s"] * s.period_s, s.period_s / p["tracking_s"], p["low"], p["high"],
    )  # fmt: skip


def _decay(parameters: Parameters, setting: BlockSetting) -> Sequence[float]:
    return (1.0 - math.exp(-setting.period_s / parameters["time_s"]),)


KINDS: Final = (
    BlockKind(
        name="Integral", group=GROUP, about="Integral by the trapezoid rule.",
        equation="y[0] = initial, y[k] = y[k-1] + H/2 (u[k-1] + u[k])",
        ports=one_in("?a", "?a*s"), parameters=each(INITIAL), states=("x", "last", "started"),
        initial=lambda p, _: (p["initial"], 0.0, 0.0),
        numbers=lambda p, s: (s.period_s / 2.0,), example=ONE,
    ),
    BlockKind(
        name="IntegralForward", group=GROUP, about="Integral by Euler's rule; breaks a loop.",
        equation="y[0] = initial, y[k] = y[k-1] + H u[k-1]", ports=one_in("?a", "?a*s"),
        direct=NO_PAIRS, parameters=each(INITIAL), states=("x",),
        initial=lambda p, _: (p["initial"],), numbers=lambda p, s: (s.period_s,), example=ONE,
    ),
    BlockKind(
        name="LimitedIntegral", group=GROUP, about="Integral that stays within two limits.",
        equation="y[k] = y[k-1] + H/2 (u[k-1] + u[k]), limited, and kept as limited",
        ports=_limits_ports, check=_limits_fault, states=("x", "last", "started"),
        initial=lambda p, _: (p["initial"], 0.0, 0.0), example=ONE,
        parameters=(
            *each(
                ParameterKind("low", default=-1.0, unit="unit"),
                ParameterKind("high", default=1.0, unit="unit"),
                ParameterKind("initial", default=0.0, unit="unit"),
            ),
            ParameterKind("unit", "unit", "1", about="unit of the output"),
        ),
        numbers=lambda p, s: (s.period_s / 2.0, p["low"], p["high"]),
    ),
    BlockKind(
        name="ResettingIntegral", group=GROUP, about="Integral that begins anew after each time.",
        equation="y[k] = y[k-1] + H/2 (u[k-1] + u[k]), but 0 if k mod round(reset_s/H) = 0",
        ports=one_in("?a", "?a*s"), parameters=(seconds("reset_s", 5.0, above=0.0),),
        states=("x", "last", "k"), example=ONE,
        numbers=lambda p, s: (s.period_s / 2.0, _reset_ticks(p, s)),
    ),
    BlockKind(
        name="Lag", group=GROUP, about="First-order lag, exact for an input held over a tick.",
        equation="y[0] = initial, y[k] = y[k-1] + (1 - e^(-H/time_s)) (u[k-1] - y[k-1])",
        ports=one_in(), direct=NO_PAIRS,
        parameters=each(seconds("time_s", 1.0, above=0.0), INITIAL),
        states=("x",), initial=lambda p, _: (p["initial"],), numbers=_decay, example=ONE,
    ),
    BlockKind(
        name="HighPass", group=GROUP, about="What a lag leaves: its input less the lag.",
        equation="y[k] = u[k] - x[k], x[k+1] = x[k] + (1 - e^(-H/time_s)) (u[k] - x[k]), x[0] = 0",
        ports=one_in(), parameters=each(seconds("time_s", 1.0, above=0.0)), states=("x",),
        numbers=_decay, example=ONE,
    ),
    BlockKind(
        name="LeadLag", group=GROUP, about="k (lead_s s + 1)/(lag_s s + 1) by Tustin's rule.",
        equation="y[k] = b0 u[k] + b1 u[k-1] - a1 y[k-1]; b0 = K (2 T1 + H)/(2 T2 + H), "
        "b1 = K (H - 2 T1)/(2 T2 + H), a1 = (H - 2 T2)/(2 T2 + H)",
        ports=lambda p: one_in("?a", f"?a*({p['unit']})"), numbers=_lead_lag,
        parameters=(
            *each(
                ParameterKind("k", default=1.0, unit="unit"), seconds("lead_s", 0.1),
                seconds("lag_s", 1.0),
            ), GAIN_UNIT,
        ),
        states=("u_last", "y_last"), example=ONE,
    ),
    BlockKind(
        name="Derivative", group=GROUP, about="Derivative with a filter.",
        equation="y[0] = 0, y[k] = (y[k-1] + N (u[k] - u[k-1])) / (1 + N H)",
        ports=one_in("?a", "?a/s"),
        parameters=each(ParameterKind("filter_per_s", default=100.0, above=0.0, unit="1/s",
                                      about="N: the filter's bandwidth")),
        numbers=lambda p, s: (p["filter_per_s"], 1.0 + p["filter_per_s"] * s.period_s),
        states=("u_last", "y_last", "started"), example=ONE,
    ),
    BlockKind(
        name="PI", group=GROUP, about="PI with feed-forward; the integral by the trapezoid rule.",
        equation="y = feedforward + kp e + ki I; I[0] = 0, I[k] = I[k-1] + H/2 (e[k-1] + e[k])",
        ports=_pi_ports,
        parameters=(
            *each(
                ParameterKind("kp", default=0.2, unit="unit"),
                ParameterKind("ki", default=0.1, unit="unit/s"),
            ), GAIN_UNIT,
        ),
        states=("integral", "last", "started"),
        numbers=lambda p, s: (s.period_s / 2.0, p["kp"], p["ki"]), example=Example(
            {}, {"e": 1.0}),
    ),
    BlockKind(
        name="PID", group=GROUP,
        about="PID with a weighted setpoint, filtered derivative, limits and back-calculation; "
        "a change of kp or kd moves the integral, not the output.",
        equation="w = b setpoint - measured; d[k] = (d[k-1] + N (measured[k] - measured[k-1])) / "
        "(1 + N H); v = kp w + I - kd d + feedforward; u = v limited; "
        "I[k+1] = I + H ki (setpoint - measured) + H/Tt (u - v)",
        ports=_pid_ports, check=_pid_fault, numbers=_pid_numbers,
        parameters=(
            *each(
                ParameterKind("kp", default=1.0, unit="unit"),
                ParameterKind("ki", default=0.0, unit="unit/s"),
                ParameterKind("kd", default=0.0, unit="unit*s"),
            ),
            ParameterKind("setpoint_weight", default=1.0, low=0.0, high=2.0, about="b"),
            ParameterKind("filter_per_s", default=100.0, above=0.0, unit="1/s", about="N"),
            seconds("tracking_s", 1.0, above=0.0),
            *each(
                ParameterKind("low", default=-1e6, unit="unit of u"),
                ParameterKind("high", default=1e6, unit="unit of u"),
            ), GAIN_UNIT,
        ),
        states=("integral", "d", "measured_last", "w_last", "kp_last", "kd_last", "started"),
        initial=lambda p, _: (0.0, 0.0, 0.0, 0.0, p["kp"], p["kd"], 0.0),
        example=Example({"ki": 0.5}, {"setpoint": 1.0, "measured": 0.2}),
    ),
)  # fmt: skip
