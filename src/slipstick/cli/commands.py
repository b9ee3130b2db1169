"""The commands. A new one is a file with a function, and a line here."""

from __future__ import annotations

from typing import Annotated

import typer

from slipstick.cli.app_command import page
from slipstick.cli.band_command import band
from slipstick.cli.calibrate_command import calibrate
from slipstick.cli.check_command import check
from slipstick.cli.identify_command import identify
from slipstick.cli.new_command import new
from slipstick.cli.paper_command import paper
from slipstick.cli.rank_command import rank
from slipstick.cli.reduce_command import ListOptionCommand, reduce
from slipstick.cli.ringdown_command import ringdown
from slipstick.cli.run_command import run
from slipstick.cli.sweep_command import sweep
from slipstick.cli.trend_command import trend
from slipstick.cli.warm_command import warm

app = typer.Typer(
    name="slipstick",
    help="Mechanical systems with dry friction, hysteresis and freeplay.",
    epilog="Start with: slipstick new belt, slipstick new belt-run --study belt.yaml, slipstick run belt-run.yaml",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from slipstick import __version__

        print(f"slipstick {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the program an error came from.")] = False,
) -> None:
    """Mechanical systems with dry friction, hysteresis and freeplay."""


app.command(epilog="Example: slipstick new belt-response --study belt.yaml --kind frequency-response")(new)
app.command(epilog="Example: slipstick check belt.yaml")(check)
app.command(epilog="Example: slipstick run belt-run.yaml")(run)
app.command(epilog="Example: slipstick identify joint.csv --law masing --fixed damping=0")(identify)
app.command(epilog="Example: slipstick rank joint.csv --laws masing,linear+dahl,bouc-wen")(rank)
app.command(epilog="Example: slipstick trend joint-*.csv --law masing")(trend)
app.command(epilog="Example: slipstick ringdown hammer.csv --channel acc1 --near 150Hz --band 10Hz")(ringdown)
app.command(epilog="Example: slipstick calibrate rig-fit.yaml")(calibrate)
app.command(epilog="Example: slipstick band joint-masing.nc belt-response.yaml --samples 100")(band)
app.command(
    cls=ListOptionCommand,
    epilog="Example: slipstick reduce train.yaml --massless delta gamma --frictionless delta gamma",
)(reduce)
app.command(epilog="Example: slipstick sweep limits.yaml; elsewhere: slipstick sweep --status limits.sqlite")(sweep)
app.command(epilog="Example: slipstick paper tensioner --figure 21b")(paper)
app.command("app", epilog="Example: slipstick app")(page)
app.command(epilog="Example: slipstick warm")(warm)
