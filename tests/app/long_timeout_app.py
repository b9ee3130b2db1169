"""`slipstick app` that waits an hour where it would give up or hide a line after seconds: test machines may be slow."""

import signal

HOUR = 3600.0  # [s]


def serve():
    """As started by hand: Ctrl-C and a closed terminal reach it. All that is done `within` a time has an hour."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    _dump_tasks_on_request()
    from slipstick.app import worker_pool

    within = worker_pool.run_within  # before pages have it from there
    worker_pool.run_within = lambda own, _seconds, task, *given, **named: within(own, HOUR, task, *given, **named)

    from slipstick.app import widgets
    from slipstick.cli import main

    widgets.FINISH_GRACE_TIME = widgets.MIN_DISPLAY_TIME = HOUR
    main()


def _dump_tasks_on_request():
    """SIGUSR2 writes the stacks of all asyncio tasks, and the workers that are free, to standard output's log file."""
    import asyncio
    import io
    import logging

    def dump(*_):
        from nicegui import core

        text = io.StringIO()
        for task in asyncio.all_tasks(core.loop):
            task.print_stack(file=text)
        logging.getLogger("slipstick.app").error("tasks:\n%s", text.getvalue())

    signal.signal(signal.SIGUSR2, dump)


if __name__ == "__main__":  # the processes that compute read this file, too
    serve()
