"""Model files: YAML 1.2 that a stranger can write, and one line for everything that is wrong with one.

read_model(path, model_class)    a model, or `FileError`
examine(path, model_class)       a model or all problems, and warnings
examine_alone(data, name, ...)   the same for bytes from elsewhere; no file that they name is opened
write_model(model, path)         a file that reads back exactly
law_document(law, where)         a law as it stands in a connection, as plain data
json_schema()                    for editors
"""

from __future__ import annotations

from slipstick.model.files.json_schema import json_schema
from slipstick.model.files.read import Report, examine, examine_alone, read_model
from slipstick.model.files.write import law_document, write_model

__all__ = ["Report", "examine", "examine_alone", "json_schema", "law_document", "read_model", "write_model"]
