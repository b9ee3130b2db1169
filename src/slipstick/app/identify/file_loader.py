"""How files get onto the page Identify: they are read first, and all of what comes of it is taken at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from slipstick.app.identify.page_state import FileContents, IdentifyState, LoadRequest, ReadOptions, UploadedFile
from slipstick.app.worker_pool import Debouncer


class FileLoader:
    """What is asked for on one opening of the page; what is there stays as it is until the newest wish was read.

    look : reads files; None if that was cancelled.   show : called when something has changed, or will not.
    """

    def __init__(
        self,
        kept: IdentifyState,
        look: Callable[[tuple[UploadedFile, ...], ReadOptions], Awaitable[FileContents | None]],
        show: Callable[[], None],
    ) -> None:
        self._kept, self._look, self._show = kept, look, show
        self._request: LoadRequest | None = None
        self._latest = Debouncer(self._read)
        self._settled = asyncio.Event()

    @property
    def wish(self) -> LoadRequest:
        """What was asked for last; what is there, if nothing is under way."""
        return self._request or LoadRequest(self._kept.files, self._kept.reading, self._kept.refused)

    async def done(self) -> None:
        """Wait until nothing is being read."""
        while self._request is not None:
            await self._settled.wait()

    async def read(self, reading: ReadOptions) -> None:
        """The same files in another way."""
        await self._ask(replace(self.wish, reading=reading))

    async def add(self, dropped: Sequence[UploadedFile]) -> None:
        """Files beside those that are there."""
        files, twice = merge_files(self.wish.files, dropped)
        before = self._request.refused if self._request else ()
        await self._ask(LoadRequest(files, self.wish.reading, (*before, *twice)))

    async def remove(self, name: str) -> None:
        """One file."""
        files = tuple(file for file in self.wish.files if file.name != name)
        await self._ask(LoadRequest(files, self.wish.reading if files else ReadOptions()))

    async def replace(self, file: UploadedFile, reading: ReadOptions) -> None:
        """All files by one."""
        await self._ask(LoadRequest((file,), reading))

    async def _ask(self, wish: LoadRequest) -> None:
        self._request = self._kept.wish = wish
        self._settled.clear()
        await self._latest.ask(wish)

    async def _read(self, wish: LoadRequest) -> None:
        if wish is not self._request:  # it was built upon one that was cancelled
            return
        try:
            seen = await self._look(wish.files, wish.reading)
        except BaseException:
            if wish is self._request:
                self._forget()
            raise
        if seen is None:
            self._forget()
        elif wish is self._request:
            if wish is self._kept.wish:  # else another page of this tab was asked for something since
                _apply_loaded(self._kept, wish, seen)
            self._forget()

    def _forget(self) -> None:
        if self._kept.wish is self._request:
            self._kept.wish = None
        self._request = None
        self._settled.set()
        self._show()


def _apply_loaded(kept: IdentifyState, wish: LoadRequest, seen: FileContents) -> None:
    """What is no table goes, with its line; what was found in other files goes too."""
    kept.files = tuple(file for k, file in enumerate(wish.files) if k not in seen.refused)
    kept.refused = (*wish.refused, *seen.refused.values())
    kept.reading, kept.seen = wish.reading, seen
    kept.found, kept.late = None, ""
    kept.stamp += 1


def merge_files(
    old: tuple[UploadedFile, ...], new: Sequence[UploadedFile]
) -> tuple[tuple[UploadedFile, ...], list[str]]:
    """Files that were dropped beside those that are there, and which of them are not taken.

    A set makes room, and what has the name of an older file takes its place. They stand by name: a browser hands over
    what is dropped together in any order.
    """
    files = [file for file in old if not (new and file.shipped)]
    twice = []
    for file in sorted(new, key=lambda file: file.name):
        files = [own for own in files if own.name != file.name]
        same = next((own.name for own in files if own.content == file.content), None)
        if same is None:
            files.append(file)
        else:
            twice.append(f"{file.name}: has what {same} has; it would count twice, and make intervals too narrow")
    return tuple(sorted(files, key=lambda file: file.name)), twice
