"""How long work for the page may last, and what becomes of files that were made."""

from __future__ import annotations

from collections.abc import Mapping

from slipstick.app.model.tasks import FILE

LIMIT = 20.0  # [s] from when a process begins with it


def as_download(files: Mapping[str, bytes], name: str) -> tuple[bytes, str]:
    """What a browser is handed, and its name: the YAML file, or all files in one archive."""
    if len(files) == 1:
        return files[FILE], name
    import io
    import zipfile

    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for key, content in files.items():
            archive.writestr(key, content)
    return stream.getvalue(), f"{name.rpartition('.')[0] or name}.zip"
