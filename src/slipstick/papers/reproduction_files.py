"""Reproductions in netCDF files, with texts in attributes."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from slipstick.errors import FileError, InvalidInput
from slipstick.papers.reproduction import CHANGED_SUFFIX, OWN_SCHEME_SUFFIX, Reproduction, Row
from slipstick.results.result_files import FILE_FORMAT, FORMAT_ATTRIBUTE, KIND_ATTRIBUTE, REPRODUCTION_KIND

if TYPE_CHECKING:
    import xarray

ATTRIBUTES = (
    "paper",
    "label",
    "title",
    "method",
    "certificate",
    "seconds",
    "changed",
    "rows",
    "rows_json",
    FORMAT_ATTRIBUTE,
    KIND_ATTRIBUTE,
)


def reproduction_dataset(made: Reproduction) -> xarray.Dataset:
    """The data with everything else in attributes: the rows as text, and as JSON to read back."""
    held = {
        FORMAT_ATTRIBUTE: FILE_FORMAT,
        KIND_ATTRIBUTE: REPRODUCTION_KIND,
        "paper": made.paper,
        "label": made.label,
        "title": made.title,
        "method": made.method,
        "certificate": made.certificate,
        "seconds": made.seconds,
        "changed": made.changed,
        "rows": "\n".join(" | ".join(row.cells) for row in made.rows),
        "rows_json": json.dumps(made.rows),
    }
    return made.data.assign_attrs({**made.data.attrs, **held})


def open_reproduction(path: str | os.PathLike[str]) -> Reproduction:
    """What `Reproduction.save` wrote as .nc; it is drawn by the entry of its name, nothing is computed."""
    import xarray

    from slipstick.papers import entry

    name = os.fsdecode(path)
    try:
        with xarray.open_dataset(name, engine="scipy", decode_times=False, decode_timedelta=False) as opened:
            data = opened.load()
        held = dict(data.attrs)
        rows = tuple(Row(*cells) for cells in json.loads(held["rows_json"]))
        data.attrs = {key: value for key, value in held.items() if key not in ATTRIBUTES}
        return Reproduction(
            paper=held["paper"],
            label=held["label"],
            title=held["title"],
            data=data,
            rows=rows,
            method=held["method"],
            certificate=held["certificate"],
            seconds=float(held["seconds"]),
            draw=entry(held["paper"], held["label"].removesuffix(CHANGED_SUFFIX).removesuffix(OWN_SCHEME_SUFFIX)).draw,
            changed=held.get("changed", ""),
        )
    except InvalidInput as error:  # of another slipstick, which has other figures
        raise FileError(name, None, "", str(error)) from None
    except Exception as error:  # the file may hold anything
        words = " ".join(str(error).split())
        raise FileError(name, None, "", f"is damaged: {type(error).__name__}: {words}") from None
