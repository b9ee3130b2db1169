"""What the page Identify has computed elsewhere: a look into files, the fit of a law, a ranking of several."""

from __future__ import annotations

from dataclasses import replace

from slipstick.app.identify.kept import File, Found, Reading, Seen, Wanted
from slipstick.app.staff import Tell
from slipstick.errors import InvalidInput, SlipstickError


def look(tell: Tell, files: tuple[File, ...], reading: Reading) -> Seen:
    """What is in files: their begin, their loops, and what is wrong with them."""
    from slipstick.app.identify import pictures
    from slipstick.app.identify.diagnostics import diagnostics
    from slipstick.app.identify.reading import doubts, seen_in
    from slipstick.identification.bare import bare_of

    tell("reading", 0.1)
    seen, loops = seen_in(files, reading)
    if not loops:
        return seen
    tell("looking at the loops", 0.6)
    seen = replace(seen, figures=pictures.measured(loops), table=diagnostics(loops), bare=bare_of(loops))
    thin = pictures.thinned_words(sum(map(len, loops)), len(loops))
    seen = doubts(loops, seen)
    return replace(seen, notes=(*seen.notes, thin) if thin else seen.notes)


def find(tell: Tell, files: tuple[File, ...], reading: Reading, wanted: Wanted) -> Found:
    """One law fitted, or several compared."""
    from slipstick.app.identify.words import told

    try:
        return _found(tell, files, reading, wanted)
    except SlipstickError as problem:
        raise InvalidInput(told(problem)) from None


def _found(tell: Tell, files: tuple[File, ...], reading: Reading, wanted: Wanted) -> Found:
    from slipstick.app.identify.reading import loops_of
    from slipstick.app.identify.telling import told_fit, told_ranking
    from slipstick.identification.fitting import identify
    from slipstick.identification.naming import USUAL, kinds_of
    from slipstick.identification.ranking import rank
    from slipstick.identification.wishes import typed, wishes_of

    for law in wanted.laws:
        kinds_of(law)  # before any file is read
    given = typed({key: wanted.typed(key) for key in ("fixed", "bounds", "prior")})
    tell("reading", 0.0)
    loops = loops_of(files, reading)
    known = wishes_of(given, wanted.laws or USUAL, loops)._asdict()

    def on_the_way(words: str, share: float) -> None:
        tell(words, 0.95 * share)

    if len(wanted.laws) == 1:
        fit = identify(loops, wanted.laws[0], progress=on_the_way, **known)
        tell("drawing", 0.95)
        return told_fit(fit, files, reading, wanted)
    ranking = rank(loops, wanted.laws or None, progress=on_the_way, **known)
    tell("drawing", 0.95)
    return told_ranking(ranking, files, reading, wanted)
