"""The page Model: opens, edits, checks, draws and reduces a model.

page                              layout and actions of the page
page_state                        the draft and former texts that a tab keeps
system_form, system_fields        a published system as a form, and its fields
system_cards                      its name and a small picture, drawn from the model
text_editor                       editor of a model file, checked while typing
schema_help                       completions and hover texts from the schema
text_reader                       a model from text, without access to files
single_law_model                  a one-mass model from a law file
tasks                             the computations in worker processes
model_contents, law_descriptions  contents of a model in words, and its laws and functions of time
model_view                        shows contents, diagram and equations
equation_html                     equations as HTML
reduction_panel                   choice of negligible parts, and the reduced model
model_download                    files of a saved model
"""
