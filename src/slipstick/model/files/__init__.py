"""Model files: reads, checks and writes YAML 1.2, with one line for each problem.

read_model(path, model_class)    a model, or `FileError`
examine(path, model_class)       a model or all problems, and warnings
examine_alone(data, name, ...)   the same for bytes; opens no file that they name
write_model(model, path)         a file that reads back exactly
law_document(law, where)         a law as plain data, as in a connection
json_schema()                    for editors

model_reader                       reads a model file
text_file, yaml_tree               text of a file, and its data with line numbers
schema, schema_check, json_schema  the shape of a file, its check, and its JSON Schema
model_builder, law_reader, time_functions
                                   models, laws and functions of time from checked data
quantities, unit_kinds             numbers with units; translation, rotation or stress
form_expression, headers           deflections as text; names and units in table headers
npz_arrays, condensation_arrays    matrices and signals in .npz files; records of condensation
file_problems                      problems with their lines; warnings
model_writer, yaml_emitter         writes a model; YAML text
written_units, author_units        units that a file uses, and numbers in them
"""

from __future__ import annotations

from slipstick.model.files.json_schema import json_schema
from slipstick.model.files.model_reader import Report, examine, examine_alone, read_model
from slipstick.model.files.model_writer import law_document, write_model

__all__ = ["Report", "examine", "examine_alone", "json_schema", "law_document", "read_model", "write_model"]
