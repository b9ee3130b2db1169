"""``slipstick ringdown``: frequency and damping of a free decay over amplitude."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from slipstick.cli.console import console, despite_closed_pipe, headline, table
from slipstick.cli.loop_options import (
    DecimalOption,
    EncodingOption,
    OutOption,
    RateOption,
    SkipIncompleteOption,
    SkipLinesOption,
    TimeOption,
    column_index,
    finish_command,
)
from slipstick.cli.option_types import optional

if TYPE_CHECKING:
    from slipstick.results.ringdown import Ringdown

TABLE_ROWS = 8

FileArgument = Annotated[
    str, typer.Argument(metavar="FILE", help="A record: text (also .gz), .xlsx, .mat, .json, .parquet, .tdms.")
]
ChannelOption = Annotated[str | None, optional(metavar="COLUMN", help="The measured history.")]
LoadOption = Annotated[str | None, optional(metavar="COLUMN", help="Force of the hammer; the decay starts after it.")]
QuantityOption = Annotated[str, typer.Option(help="displacement, velocity or acceleration.")]
NearOption = Annotated[str | None, optional(metavar="150Hz", help="Frequency of the mode; default the largest.")]
BandOption = Annotated[
    str | None, optional(metavar="10Hz", help="Distance of the nearest other mode; default a tenth of --near.")
]
StartOption = Annotated[str | None, optional(metavar="0.1s", help="Start of the decay.")]
EndOption = Annotated[str | None, optional(metavar="2s", help="End of the decay.")]


def ringdown(
    file: FileArgument,
    channel: ChannelOption = None,
    near: NearOption = None,
    band: BandOption = None,
    load: LoadOption = None,
    quantity: QuantityOption = "acceleration",
    time: TimeOption = None,
    start: StartOption = None,
    end: EndOption = None,
    rate: RateOption = None,
    decimal: DecimalOption = None,
    skip_lines: SkipLinesOption = 0,
    skip_incomplete: SkipIncompleteOption = False,
    encoding: EncodingOption = None,
    out: OutOption = None,
) -> None:
    """Find amplitude, frequency and damping of a free decay over time.

    Writes NAME-ringdown.nc (for ss.open), .csv, .png and .svg.
    """
    from slipstick.cli.output_files import figure_jobs, output_location, use_headless_backend, write_files
    from slipstick.identification.constraints import quantity_in_si
    from slipstick.identification.decay.ringdown import ringdown as find_decay
    from slipstick.identification.record import QUANTITIES, Record
    from slipstick.report.html_page import figure_svg

    if quantity not in QUANTITIES:
        from slipstick.errors import InvalidInput, short_repr

        raise InvalidInput(f"--quantity must be one of {', '.join(QUANTITIES)}, got {short_repr(quantity)}")
    reading: dict[str, Any] = {
        "rate": rate, "decimal": decimal, "skip_lines": skip_lines, "skip_incomplete": skip_incomplete,
        "encoding": encoding,
    }  # fmt: skip
    loads = {} if load is None else {"load": column_index(load) or 0}
    columns = None if channel is None else {f"{channel}.{quantity}": column_index(channel) or 0}
    place = output_location([file], "ringdown", out)
    record = Record.read(file, column_index(time), columns, loads, **reading)
    given: dict[str, Any] = {
        name: quantity_in_si(f"--{name}", text, units)
        for name, text, units in (
            ("near", near, ("rad/s", "Hz")), ("band", band, ("rad/s", "Hz")),
            ("start", start, ("s",)), ("end", end, ("s",)),
        )
        if text is not None
    }  # fmt: skip
    decay = find_decay(record, **given)
    with despite_closed_pipe():
        _show(decay, place.name)
    use_headless_backend()
    figure = decay.plot()
    rows = decay.data.to_pandas().to_csv().encode()
    finish_command(*write_files(place, {".nc": decay.save, ".csv": rows, **figure_jobs(figure, figure_svg(figure))}))


def _show(decay: Ringdown, name: str) -> None:
    """Print some rows of the decay."""
    import numpy as np

    screen, data = console(), decay.data
    full = np.flatnonzero(data["edge"].values == 0)
    chosen = full if full.size else np.arange(data.sizes["time"])
    rows = chosen[np.unique(np.linspace(0, chosen.size - 1, min(TABLE_ROWS, chosen.size)).astype(int))]
    hertz = 0.5 / np.pi
    headline(screen, f"{name}: ", repr(decay).strip("<>"))
    screen.print()
    body = []
    for i in rows:
        f, z = data["frequency"].values[i], data["damping"].values[i]
        df, dz = (0.5 * (data[f"{k}_high"].values[i] - data[f"{k}_low"].values[i]) for k in ("frequency", "damping"))
        body.append((
            f"{data['time'].values[i]:.4g}", f"{data['amplitude'].values[i]:.4g}", f"{hertz * f:.6g}",
            f"{hertz * df:.2g}", f"{100 * z:.4g}", f"{100 * dz:.2g}",
        ))  # fmt: skip
    screen.print(table(("time [s]", "amplitude", "frequency [Hz]", "+-", "damping [%]", "+-"), body, numbers=6))
    for note in decay.notes:
        screen.print(f"note: {note}", soft_wrap=True)
