"""`FileLoader`: reads files for the page Identify; files, options and contents change together when it is done."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from slipstick.app.debounce import Debouncer
from slipstick.app.identify.page_state import FileContents, IdentifyState, LoadRequest, ReadOptions, UploadedFile


class FileLoader:
    """The load requests of one opening of the page; the state changes when the newest request was read.

    examine : reads files; None if that was cancelled.   show : called when a request has ended.
    """

    def __init__(
        self,
        state: IdentifyState,
        examine: Callable[[tuple[UploadedFile, ...], ReadOptions], Awaitable[FileContents | None]],
        show: Callable[[], None],
    ) -> None:
        self._state, self._examine, self._show = state, examine, show
        self._current: LoadRequest | None = None
        self._debouncer = Debouncer(self._read)
        self._settled = asyncio.Event()

    @property
    def request(self) -> LoadRequest:
        """The latest request; the present state if none is under way."""
        return self._current or LoadRequest(self._state.files, self._state.reading, self._state.refused)

    async def done(self) -> None:
        """Wait until nothing is being read."""
        while self._current is not None:
            await self._settled.wait()

    async def read(self, reading: ReadOptions) -> None:
        """Read the same files with other options."""
        await self._submit(replace(self.request, reading=reading))

    async def add(self, dropped: Sequence[UploadedFile]) -> None:
        """Add files."""
        files, duplicates = merge_files(self.request.files, dropped)
        before = self._current.refused if self._current else ()
        await self._submit(LoadRequest(files, self.request.reading, (*before, *duplicates)))

    async def remove(self, name: str) -> None:
        """Remove a file."""
        files = tuple(file for file in self.request.files if file.name != name)
        await self._submit(LoadRequest(files, self.request.reading if files else ReadOptions()))

    async def replace(self, file: UploadedFile, reading: ReadOptions) -> None:
        """Replace all files by one."""
        await self._submit(LoadRequest((file,), reading))

    async def _submit(self, request: LoadRequest) -> None:
        self._current = self._state.request = request
        self._settled.clear()
        await self._debouncer.request(request)

    async def _read(self, request: LoadRequest) -> None:
        if request is not self._current:  # it builds upon a request that was cancelled
            return
        try:
            contents = await self._examine(request.files, request.reading)
        except BaseException:
            if request is self._current:
                self._end_request()
            raise
        if contents is None:
            self._end_request()
        elif request is self._current:
            if request is self._state.request:  # else another page of this tab has a newer request
                apply_loaded(self._state, request, contents)
            self._end_request()

    def _end_request(self) -> None:
        if self._state.request is self._current:
            self._state.request = None
        self._current = None
        self._settled.set()
        self._show()


def apply_loaded(state: IdentifyState, request: LoadRequest, contents: FileContents) -> None:
    """Put a request and its contents into the state; unreadable files and old results go."""
    state.files = tuple(file for k, file in enumerate(request.files) if k not in contents.refused)
    state.refused = (*request.refused, *contents.refused.values())
    state.reading, state.contents = request.reading, contents
    state.result, state.outdated = None, ""
    state.version += 1


def merge_files(
    old: tuple[UploadedFile, ...], new: Sequence[UploadedFile]
) -> tuple[tuple[UploadedFile, ...], list[str]]:
    """Old and new files by name, and a line for each new file that is not taken.

    New files replace a shipped set and files of the same name. The order of a browser's upload is arbitrary.
    """
    files = [file for file in old if not (new and file.shipped)]
    duplicates = []
    for file in sorted(new, key=lambda file: file.name):
        files = [own for own in files if own.name != file.name]
        same = next((own.name for own in files if own.content == file.content), None)
        if same is None:
            files.append(file)
        else:
            duplicates.append(
                f"{file.name}: has the same samples as {same}; counting them twice would make intervals too narrow"
            )
    return tuple(sorted(files, key=lambda file: file.name)), duplicates
