"""The files of a model, and their download."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from slipstick.api import Model

MODEL_FILE = "model.yaml"  # name of a temporary file


def model_files(model: Model, head: str = "") -> dict[str, bytes]:
    """The YAML file of a model, with .npz files for matrices and long signals."""
    import tempfile
    from pathlib import Path

    from slipstick.model.files import write_model

    with tempfile.TemporaryDirectory() as folder:
        write_model(model, Path(folder) / MODEL_FILE, head)
        return {file.name: file.read_bytes() for file in sorted(Path(folder).iterdir())}


def as_download(files: Mapping[str, bytes], name: str) -> tuple[bytes, str]:
    """Content and name of the download: the YAML file, or an archive of all files."""
    if len(files) == 1:
        return files[MODEL_FILE], name
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, content in files.items():
            archive.writestr(key, content)
    return stream.getvalue(), f"{name.rpartition('.')[0] or name}.zip"
