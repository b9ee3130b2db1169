"""The kinds of studies, in their order in documents: the only list.

Each is the name of a section of the file, of a module here with its `KIND`, and, with - for _, of a starter of the
command line, ``starter-NAME.yaml``.
"""

from __future__ import annotations

NAMES = ("transient", "frequency_response", "periodic", "limit_cycle", "follow", "nonlinear_mode", "calibrate")
