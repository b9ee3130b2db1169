"""Units for display; data are in SI.

scales  scales of axes, tables and messages, in the units of a model's author
"""
