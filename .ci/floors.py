"""Print the lowest version of each dependency that pyproject.toml allows, as constraints for pip.

python .ci/floors.py [EXTRA ...]    those of the package itself and of these extras
"""

import re
import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = [line for extra in sys.argv[1:] for line in project["optional-dependencies"][extra]]
for line in (*project["dependencies"], *extras):
    found = re.fullmatch(r"([\w.-]+)>=([\d.]+)", line)
    if found is None:
        sys.exit(f"{line} has no floor; write it as name>=version")
    print(f"{found[1]}=={found[2]}")
