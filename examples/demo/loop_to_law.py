"""A loop from a test rig becomes a law, with 95 % intervals."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from chapter import Chapter

import slipstick as ss
from slipstick.report.fit_tables import fit_verdict, parameter_table

if TYPE_CHECKING:
    from slipstick.results.fit import Fit

TITLE = "A measured loop becomes a law"


def make(out: Path) -> Fit:
    """Read the loop of a belt tensioner, take out the drift of its sensor, and fit a spring with a slider beside it."""
    loop = ss.Loop.read_csv(ss.dataset_path("tensioner-masing"))
    fit = ss.identify(loop.without_drift(), ss.Masing)
    fit.save(out / "tensioner-fit.nc")
    return fit


def chapter(fit: Fit, out: Path) -> Chapter:
    """The loop with the fit, and its numbers."""
    table = parameter_table(fit)
    limit = fit.parameters["limit"]
    return Chapter(
        words="Force over deflection of a belt tensioner on a test rig, 14,000 noisy samples (synthetic: made from a "
        "known law, as the file says). The law is Masing's: a spring that ends in a slider, beside a spring and a "
        "damper. What the data do not tell apart is said below.",
        headline=f"it slips at {limit.value:.1f} N, 95 % interval {limit.low:.1f} to {limit.high:.1f} N",
        heading=table.heads,
        rows=table.rows,
        certificate=fit_verdict(fit),
        good=fit.within_noise,
        figure=fit.plot(),
        warnings=fit.warnings,
        files=(out / "tensioner-fit.nc",),
    )
