"""What saving a model writes, and what a browser is handed of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slipstick.api import Model

MODEL_FILE = "model.yaml"  # what a model is saved as, to be read at once


def model_files(model: Model, head: str = "") -> dict[str, bytes]:
    """The YAML file of a model, and .npz files beside it where it has matrices or long signals."""
    import tempfile
    from pathlib import Path

    from slipstick.model.files import write_model

    with tempfile.TemporaryDirectory() as folder:
        write_model(model, Path(folder) / MODEL_FILE, head)
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def as_download(files: Mapping[str, bytes], name: str) -> tuple[bytes, str]:
    """What a browser is handed, and its name: the YAML file, or all files in one archive."""
    if len(files) == 1:
        return files[MODEL_FILE], name
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, content in files.items():
            archive.writestr(key, content)
    return stream.getvalue(), f"{name.rpartition('.')[0] or name}.zip"
