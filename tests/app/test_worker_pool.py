"""Who does the long work: the last wish counts, what is cancelled ends, what is warned of arrives."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import warnings
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from pace import until
from test_server import is_running

from slipstick.app import task_worker
from slipstick.app import worker_pool as worker_pools
from slipstick.app.debounce import Debouncer
from slipstick.app.task_scope import TaskScope, TaskScopes
from slipstick.app.task_warnings import collect_warnings
from slipstick.app.task_worker import time_limit, uninterrupted
from slipstick.app.worker_pool import TaskFailed, TaskInterrupted, TaskTimeout, WorkerPool, run_within
from slipstick.errors import InvalidInput
from slipstick.workers.process import THREAD_COUNT_VARIABLES

SOON = 300.0  # [s] until something that is under way has happened; a busy machine is slow
A_WHILE = 3.0  # [s] of a task that is to end before


# ---- tasks


def doubled(report_progress, number):
    report_progress("half of it", 0.5)
    return 2 * number


def sleeping(_tell, seconds):
    time.sleep(seconds)


def counting(report_progress):
    """Until somebody asks for the end, and then what there is."""
    count = 0
    try:
        while True:
            count += 1
            report_progress(f"{count}", 0.0)
            time.sleep(0.01)
    except KeyboardInterrupt:
        return count


def ending_while_it_tells(report_progress):
    """The wish that it ends comes in the middle of a word, which is not broken off for it."""
    try:
        report_progress("a word", 1.0)
        task_worker._Interruption.interruptible = False
        os.kill(os.getpid(), task_worker.FINISH_SIGNAL)
        task_worker._Interruption.interruptible = True
        report_progress("the next word", 1.0)
    except KeyboardInterrupt:
        return "ended"
    return "lost"


def limited(_tell):
    """What takes too long, and what takes no time after it."""
    try:
        with time_limit(0.05):
            time.sleep(SOON)
    except KeyboardInterrupt:
        with uninterrupted():
            os.kill(os.getpid(), task_worker.FINISH_SIGNAL)
            return "in time"


def ending_when_it_is_done(_tell):
    """The wish that it ends comes after the last that it does, on the way to whoever waits."""
    with uninterrupted():
        found = "kept"
    os.kill(os.getpid(), task_worker.FINISH_SIGNAL)
    return found


def limited_while_it_tells(_tell):
    """The time is over in the middle of a word; nothing more is told afterwards."""
    try:
        with time_limit(0.05):
            task_worker._Interruption.interruptible = False
            time.sleep(0.2)
            task_worker._Interruption.interruptible = True
            time.sleep(A_WHILE)
    except KeyboardInterrupt:
        return "in time"


def own_pid(_tell):
    return os.getpid()


def refusing(_tell):
    raise InvalidInput("mass must be > 0, got -1")


def faulty(_tell):
    return 1 / 0


def dying(_tell):
    os._exit(3)


def warning(_tell, times):
    for _ in range(times):
        warnings.warn("limit is cut off\n at zero", stacklevel=1)
    warnings.warn("overflow in a square", RuntimeWarning, stacklevel=1)
    return times


def threads(_tell):
    return {name: os.environ.get(name) for name in THREAD_COUNT_VARIABLES}


# ---- processes


def ran(act: Coroutine[Any, Any, Any]) -> Any:
    """What comes of it, in a thread of its own: that of the tests may have a loop already, of the browser's driver."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, act).result()


def in_a_pool(act: Any, count: int = 1) -> Any:
    """What an asynchronous function of a worker_pool comes to; its processes are all gone afterwards."""

    async def whole() -> Any:
        worker_pool = WorkerPool(count)
        worker_pool.start()
        try:
            return await asyncio.wait_for(act(worker_pool), 2 * SOON)
        finally:
            worker_pool.close()

    return ran(whole())


@pytest.fixture(autouse=True)
def quick_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Processes that read nothing beforehand: the tasks here need nothing."""
    monkeypatch.setattr(worker_pools, "TaskProcess", ColdProcess)


def run_without_warm_up(link: Any) -> None:
    task_worker._warm_up = lambda: None
    task_worker.run_worker(link)


class ColdProcess(worker_pools.TaskProcess):
    function = "test_worker_pool:run_without_warm_up"


class InterruptingLink:
    """A link that interrupts each task as soon as it has begun."""

    def __init__(self, link: Any) -> None:
        self._link, self.recv = link, link.recv

    def send(self, what: tuple[Any, ...]) -> None:
        self._link.send(what)
        if task_worker.FIRST_PROGRESS_TEXT in what:
            os.kill(os.getpid(), task_worker.FINISH_SIGNAL)


def run_with_interrupts(link: Any) -> None:
    run_without_warm_up(InterruptingLink(link))


class InterruptedProcess(worker_pools.TaskProcess):
    function = "test_worker_pool:run_with_interrupts"


HELD, LET_GO = "held", "let-go"  # files: of the one process that waits while it starts, and that ends its wait


def run_after_the_others(link: Any) -> None:
    """The first process that comes here is not ready before it is let go."""
    folder = Path(os.environ["SLIPSTICK_TEST_FOLDER"])
    with suppress(FileExistsError):
        (folder / HELD).touch(exist_ok=False)
        until(lambda: (folder / LET_GO).exists())
    run_without_warm_up(link)


class LateProcess(worker_pools.TaskProcess):
    function = "test_worker_pool:run_after_the_others"


def test_no_task_waits_for_a_process_that_starts_while_another_is_free(monkeypatch, tmp_path):
    monkeypatch.setattr(worker_pools, "TaskProcess", LateProcess)
    monkeypatch.setenv("SLIPSTICK_TEST_FOLDER", str(tmp_path))

    async def story(worker_pool):
        first = await worker_pool.run(own_pid, None)
        assert [await worker_pool.run(own_pid, None) for _ in range(3)] == 3 * [first]
        (tmp_path / LET_GO).touch()
        pids = set()
        while len(pids) < 2:
            pids.add(await worker_pool.run(own_pid, None))

    in_a_pool(story, count=2)


def run_no_further(_link: Any) -> None:
    os._exit(3)


class DeadProcess(worker_pools.TaskProcess):
    function = "test_worker_pool:run_no_further"


def test_a_process_that_dies_while_it_starts_fails_its_task_and_not_the_page(monkeypatch):
    monkeypatch.setattr(worker_pools, "TaskProcess", DeadProcess)

    async def story(worker_pool):
        for _ in range(3):
            with pytest.raises(TaskFailed, match="ended unexpectedly; try again"):
                await worker_pool.run(doubled, None, 1)

    in_a_pool(story, count=2)


def test_a_task_answers_tells_refuses_and_fails_in_one_line():
    async def story(worker_pool):
        told = []
        assert await worker_pool.run(doubled, lambda *words: told.append(words), 21) == 42
        assert told[0][1] == 0.0
        assert told[-1] == ("half of it", 0.5)
        with pytest.raises(TaskFailed, match=r"^mass must be > 0, got -1$") as refusal:
            await worker_pool.run(refusing, None)
        assert refusal.value.details == ""
        with pytest.raises(TaskFailed, match=r"^ZeroDivisionError: .* please report") as fault:
            await worker_pool.run(faulty, None)
        assert "1 / 0" in fault.value.details
        with pytest.raises(TaskFailed, match="ended unexpectedly; try again"):
            await worker_pool.run(dying, None)
        assert await worker_pool.run(doubled, None, 1) == 2
        assert set((await worker_pool.run(threads, None)).values()) == {"1"}

    in_a_pool(story)


def test_what_a_task_warns_of_is_heard_once_and_only_by_the_nearest():
    async def story(worker_pool):
        with collect_warnings() as outside:
            with collect_warnings() as inside:
                assert await worker_pool.run(warning, None, 3) == 3
                assert await asyncio.ensure_future(worker_pool.run(warning, None, 1)) == 1
            assert await worker_pool.run(doubled, None, 1) == 2
        assert inside == ["limit is cut off at zero"]
        assert outside == []

    in_a_pool(story)


def test_what_nobody_hears_is_in_the_log(caplog):
    in_a_pool(lambda worker_pool: worker_pool.run(warning, None, 2))
    assert [record.getMessage() for record in caplog.records] == ["limit is cut off at zero"]


def test_what_is_cancelled_ends_and_another_process_takes_its_place():
    async def story(worker_pool):
        first = await worker_pool.run(own_pid, None)
        job = asyncio.ensure_future(worker_pool.run(sleeping, None, 600.0))
        await asyncio.sleep(0.2)
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert not is_running(first)
        assert await worker_pool.run(own_pid, None) != first

    in_a_pool(story)


@pytest.mark.skipif(task_worker.FINISH_SIGNAL is None, reason="processes cannot be asked here")
def test_a_task_that_is_asked_to_end_hands_over_what_it_has_and_its_process_goes_on():
    async def story(worker_pool):
        before, heard = await worker_pool.run(own_pid, None), asyncio.Event()
        for task in (counting, sleeping):
            heard.clear()
            job = asyncio.ensure_future(
                worker_pool.run(
                    task, lambda words, _: words != "at work" and heard.set(), *([SOON] if task is sleeping else [])
                )
            )
            assert not worker_pool.finish(job)  # it has not begun
            await heard.wait()
            await asyncio.sleep(0.1)
            assert worker_pool.finish(job)
            if task is counting:
                assert await job >= 1
            else:
                with pytest.raises(TaskInterrupted, match="stopped before there was anything"):
                    await job
            assert not worker_pool.finish(job)
        assert await worker_pool.run(own_pid, None) == before

    in_a_pool(story)


@pytest.mark.skipif(task_worker.FINISH_SIGNAL is None, reason="processes cannot be asked here")
def test_a_wish_to_end_is_not_lost_while_a_task_tells_something():
    in_a_pool(lambda worker_pool: _found(worker_pool, ending_while_it_tells, "ended"))


@pytest.mark.skipif(task_worker.FINISH_SIGNAL is None, reason="processes cannot be asked here")
def test_what_may_take_some_time_only_ends_after_it_and_what_takes_none_is_not_disturbed():
    in_a_pool(lambda worker_pool: _found(worker_pool, limited, "in time"))


@pytest.mark.skipif(task_worker.FINISH_SIGNAL is None, reason="processes cannot be asked here")
def test_what_was_found_undisturbed_is_not_lost_on_its_way():
    in_a_pool(lambda worker_pool: _found(worker_pool, ending_when_it_is_done, "kept"))


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm here")
def test_a_time_that_is_over_while_a_task_tells_something_ends_it_after_that():
    in_a_pool(lambda worker_pool: _found(worker_pool, limited_while_it_tells, "in time"))


@pytest.mark.skipif(task_worker.FINISH_SIGNAL is None, reason="processes cannot be asked here")
def test_a_task_that_is_asked_to_end_as_soon_as_it_has_begun_ends(monkeypatch):
    monkeypatch.setattr(worker_pools, "TaskProcess", InterruptedProcess)

    async def story(worker_pool):
        for _ in range(2):  # and the next one, too
            with pytest.raises(TaskInterrupted, match="stopped before there was anything"):
                await worker_pool.run(sleeping, None, A_WHILE)

    in_a_pool(story)


async def _found(worker_pool, task, what):
    assert await worker_pool.run(task, None) == what


def test_a_process_that_was_ended_while_idle_is_replaced_and_not_told_of():
    async def act(worker_pool: WorkerPool) -> Any:
        first = await worker_pool.run(own_pid, None)
        os.kill(first, signal.SIGKILL)
        for worker in worker_pool._processes:
            worker.process.wait()
        return first, await worker_pool.run(own_pid, None)

    first, second = in_a_pool(act)
    assert first != second


class Waiting:
    """A worker_pool whose processes are still starting, or at other work, for a while; then it answers at once."""

    async def run(self, task, report_progress, *given):
        report_progress("at work", 0.0)
        await asyncio.sleep(0.05)
        report_progress(task_worker.FIRST_PROGRESS_TEXT, 0.0)
        return task(report_progress, *given)


def test_waiting_for_a_process_takes_no_time_from_a_task():
    assert ran(run_within(Waiting(), 0.01, doubled, 4)) == 8  # it waited longer than it may take


def test_a_task_that_takes_longer_than_it_may_is_stopped():
    async def story(worker_pool):
        with pytest.raises(TaskTimeout, match=r"longer than 0\.3 s"):
            await run_within(worker_pool, 0.3, sleeping, 10 * SOON)  # which says nothing on the way

    in_a_pool(story)


def test_nothing_begins_after_the_end():
    async def story(worker_pool):
        await worker_pool.run(own_pid, None)
        job = asyncio.ensure_future(worker_pool.run(sleeping, None, 600.0))
        waiting = asyncio.ensure_future(worker_pool.run(own_pid, None))
        await asyncio.sleep(0.2)
        hired = len(worker_pool._processes)
        worker_pool.close()
        with pytest.raises(TaskFailed, match="the server is ending"):
            await job
        with pytest.raises(TaskFailed, match="the server is ending"):
            await worker_pool.run(own_pid, None)
        assert not waiting.done()
        waiting.cancel()
        return hired, len(worker_pool._processes)

    assert in_a_pool(story) == (1, 0)


def test_there_are_few_processes_on_many_processors(monkeypatch):
    def count(number):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(number)), raising=False)
        return WorkerPool().count

    assert [count(number) for number in (1, 2, 3, 64)] == [2, 2, 3, 4]


# ---- the last wish


def asked(*wishes: int, failing: tuple[int, ...] = ()) -> tuple[list[int], list[str]]:
    """Which of some wishes in a row are done, and what is said to those who asked; some fail."""

    async def whole() -> tuple[list[int], list[str]]:
        done = []

        async def act(wish: int) -> None:
            await asyncio.sleep(0.01)
            done.append(wish)
            if wish in failing:
                raise TaskFailed(f"{wish} does not converge")

        latest = Debouncer(act)
        said = await asyncio.gather(*(latest.request(wish) for wish in wishes), return_exceptions=True)
        await latest.request(99)  # and it goes on as before
        assert done.pop() == 99
        return done, [str(one) for one in said if one is not None]

    return ran(whole())


def test_of_many_wishes_the_first_and_the_last_are_done():
    assert asked(1, 2, 3, 4) == ([1, 4], [])


def test_a_wish_that_fails_does_not_take_the_newest_with_it():
    assert asked(1, 2, 3, failing=(1,)) == ([1, 3], [])


def test_that_the_newest_wish_fails_is_told():
    assert asked(1, 2, 3, failing=(1, 3)) == ([1, 3], ["3 does not converge"])


# ---- those who leave


def test_what_goes_on_ends_with_its_page_or_with_its_tab():
    async def whole() -> None:
        task_scopes, ended = TaskScopes(), []

        async def go(name: str, *task_scope: Any) -> None:
            with task_scopes.running_in(TaskScope(*task_scope)):
                try:
                    await asyncio.sleep(SOON)
                except asyncio.CancelledError:
                    ended.append(name)
                    raise

        async def after(act: Any, *given: str) -> list[str]:
            act(*given)
            await asyncio.sleep(0.01)
            return [ended.pop() for _ in list(ended)]

        jobs = [
            asyncio.ensure_future(go("figure", "papers", "left tab")),
            asyncio.ensure_future(go("fit", "identify", "left tab", True)),
            asyncio.ensure_future(go("curve", "respond", "right tab")),
        ]
        await asyncio.sleep(0.01)
        assert await after(task_scopes.show_page, "papers", "left tab") == []
        assert await after(task_scopes.show_page, "model", "left tab") == ["figure"]
        assert await after(task_scopes.leave_page, "identify") == []
        assert await after(task_scopes.close_tab, "left tab") == ["fit"]
        assert await after(task_scopes.leave_page, "respond") == ["curve"]
        await asyncio.gather(*jobs, return_exceptions=True)
        assert await after(task_scopes.close_tab, "right tab") == []

    ran(whole())
