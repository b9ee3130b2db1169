"""The page: what slipstick does, for people who do not program, on their own machine and offline.

    serving.py     starts the server and says where it is
    guard.py       what every request has to show before anything looks at it
    strangers.py   connections that have not shown it: few, and none for long
    frame.py       what all pages have in common: the head, the look, what each is built with
    pages.py       which there are
    shelf.py       what a tab has loaded and found; it is there after a reload
    choice.py      the model that a tab works with, from page to page
    staff.py       the processes that do long work, watched and stopped from the page
    at_work.py     what goes on in one of them
    hearing.py     what tasks warn of, for whoever awaits them
    latest.py      of many wishes in a row the last
    errands.py     for whom work goes on, so that it ends when he leaves
    figures.py     pictures in plotly's terms, in the house style
    numbers.py     numbers as they are typed into fields
    names.py       names of files as a browser tells them
    complaints.py  what went wrong, told below the page
    parts.py       the small pieces pages are made of
    identify/  model/  respond/  papers/    the pages

A page shows and asks; what computes stands in a ``tasks.py`` of its room, is called with plain things and runs in
another process.
"""
