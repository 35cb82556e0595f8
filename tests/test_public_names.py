"""What the packages show at their top: whole, described, and loaded when it is asked for."""

import subprocess
import sys
from importlib import import_module

import pytest

PACKAGES = ("platform6dof", "arm_driver", "drives", "safety", "sim", "hil_common")


@pytest.mark.parametrize("package", PACKAGES)
def test_each_public_name_is_there_and_says_what_it_is(package):
    module = import_module(package)
    for name in {*module.__all__} - {"__version__"}:
        one = getattr(module, name)
        assert one.__module__.startswith(package)
        assert one.__doc__
    assert {*module.__all__} <= {*dir(module)}
    with pytest.raises(AttributeError, match="no attribute 'pose_of_nobody'"):
        _ = module.pose_of_nobody


def test_packages_load_nothing_before_a_name_is_asked_for():
    code = (
        f"import sys, {', '.join(PACKAGES)}\n"
        "print(sorted({name.split('.')[0] for name in sys.modules} & "
        "{'numpy', 'numba', 'scipy', 'can', 'canopen', 'pymodbus'}))\n"
        "from safety import Gate\n"
        "print('numpy' in sys.modules)\n"
        "from platform6dof import PlatformSetpoint\n"
        "print('numpy' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:3] == ["[]", "False", "True"]
