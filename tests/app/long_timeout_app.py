"""`slipstick app` that waits an hour where it would give up or hide a line after seconds: test machines may be slow.

While a file `HOLD` is in its folder, a first look waits before its fourth frequency, so that a test can see it partial.
While a file `HOLD_FULL` is there, full curves wait, so that a test can see a preview.
"""

import asyncio
import logging
import os
import signal
from pathlib import Path

HOUR = 3600.0  # [s]
HOLD = "hold-first-look"
HOLD_FULL = "hold-full-curve"
HELD_FROM = 3  # points that a first look has when it is held


def serve():
    """As started by hand: Ctrl-C and a closed terminal reach it. All that is done `within` a time has an hour."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    _dump_tasks_on_request()
    # NiceGUI waits two seconds for its tasks at the end
    logging.getLogger("nicegui").addFilter(lambda record: "Could not cancel" not in record.msg)
    from slipstick.app import worker_pool

    worker_pool.MIN_PROCESSES = worker_pool.MAX_PROCESSES = int(os.environ["SLIPSTICK_TEST_PROCESSES"])
    within = worker_pool.run_within  # before pages have it from there

    async def patient(own, _seconds, task, *given, **named):
        while (task.__name__ == "add_preview_point" and _is_held(*given)) or (
            task.__name__ == "preview_curve" and _is_held_full(*given)
        ):
            await asyncio.sleep(0.05)
        return await within(own, HOUR, task, *given, **named)

    worker_pool.run_within = patient

    from slipstick.app import widgets
    from slipstick.cli import main

    widgets.FINISH_GRACE_TIME = widgets.MIN_DISPLAY_TIME = HOUR
    main()


def _is_held(_choice, omega, _kept, ends):
    from slipstick.app.respond.transient_preview import preview_frequencies

    return Path(HOLD).exists() and preview_frequencies(*ends).index(omega) >= HELD_FROM


def _is_held_full(_choice, _begin, _end, points):
    from slipstick.app.respond.curve_notes import FULL_CURVE_POINTS

    return Path(HOLD_FULL).exists() and points == FULL_CURVE_POINTS


def _dump_tasks_on_request():
    """SIGUSR2 writes the stacks of all asyncio tasks to the log file."""
    import io

    def dump(*_):
        from nicegui import core

        text = io.StringIO()
        for task in asyncio.all_tasks(core.loop):
            task.print_stack(file=text)
        logging.getLogger("slipstick.app").error("tasks:\n%s", text.getvalue())

    signal.signal(signal.SIGUSR2, dump)


if __name__ == "__main__":  # the processes that compute read this file, too
    serve()
