"""`slipstick app` that waits an hour where it would give up or hide a line after seconds: test machines may be slow."""

import signal

HOUR = 3600.0  # [s]


def serve():
    """As started by hand: Ctrl-C and a closed terminal reach it. All that is done `within` a time has an hour."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)

    from slipstick.app import worker_pool

    within = worker_pool.run_within  # before pages have it from there
    worker_pool.run_within = lambda own, _seconds, task, *given, **named: within(own, HOUR, task, *given, **named)

    from slipstick.app import notifications, widgets
    from slipstick.cli import main

    widgets.FINISH_GRACE_TIME = notifications.MIN_DISPLAY_TIME = HOUR
    main()


if __name__ == "__main__":  # the processes that compute read this file, too
    serve()
