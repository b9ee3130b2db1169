"""`slipstick app` that waits an hour where it would give up after some seconds: machines that test may be slow."""

HOUR = 3600.0  # [s]


def serve():
    """Before pages have it from there, all that is done `within` a time has an hour."""
    from slipstick.app import staff

    within = staff.within
    staff.within = lambda own, _seconds, task, *given, **named: within(own, HOUR, task, *given, **named)

    from slipstick.app import parts
    from slipstick.cli import main

    parts.GRACE = HOUR
    main()


if __name__ == "__main__":  # the processes that compute read this file, too
    serve()
