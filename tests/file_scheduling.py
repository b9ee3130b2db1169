"""How pytest-xdist distributes the tests under `--dist loadgroup`."""

from xdist.scheduler import LoadGroupScheduling


class FileScheduling(LoadGroupScheduling):  # type: ignore[misc]
    """A process takes a whole file, or a whole group: it makes the fixtures of a module once."""

    def _split_scope(self, nodeid: str) -> str:
        return super()._split_scope(nodeid).split("::")[0]
