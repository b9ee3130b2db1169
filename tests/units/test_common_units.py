"""Units that are known without pint are those of pint."""

from __future__ import annotations

import subprocess
import sys

import pytest

from slipstick.units.common_units import COMMON
from slipstick.units.parser import _from_pint, parse_unit


@pytest.mark.parametrize("name", COMMON)
def test_a_common_unit_is_that_of_pint(name):
    assert COMMON[name] == _from_pint(name)


def test_other_units_come_from_pint():
    assert float(parse_unit("inch").factor) == 0.0254
    assert "inch" not in COMMON


def test_common_units_do_not_import_pint():
    code = (
        "import sys; from slipstick.units.parser import parse_unit; "
        "[parse_unit(u) for u in ('N m/deg', 'kg m^2', 'rpm', 'kNm', 'rev')]; print('pint' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"
