"""Notes about a whole curve: missing special points, and doubtful results."""

from __future__ import annotations

from typing import Any

from slipstick.errors import Advice, Message
from slipstick.laws.monotone_memory import monotone_memories
from slipstick.periodic.continuation.curve_trace import CurveTrace
from slipstick.results.orbit import OrbitPoint
from slipstick.results.tolerances import UNRESOLVED_ERROR_REL
from slipstick.transient.problem import Problem

MAX_SINGLE_NOTES = 2  # notes of a kind that are told one by one
NEAR_FOLD_REL = 1e-3  # of the parameter: a multiplier that passes one so near to a fold belongs to it
NEAR_BRANCH_POINT_REL = 1e-2  # likewise
LONG_USE_MESSAGE = ", so the response is the one after long use, once the force no longer depends on it"
BAND_MESSAGE = (
    " and keeps its largest value, so there is a band of solutions; methods and starts may give "
    "different ones, and simulate shows the one of a given history"
)
STABILITY_UNKNOWN = "stability is not known"  # the owner of a note of an orbit that says why


def long_use_notes(problem: Problem) -> list[str]:
    """A note on each law whose memory moves one way only: its periodic motions are those in the limit of long use, or
    form a band where the memory ends as far as a motion has led it."""
    notes = []
    for element in problem.elements:
        connection = problem.system.connections[element.connection].name
        moving = monotone_memories(element.law)
        for ends, words in ((True, LONG_USE_MESSAGE), (False, BAND_MESSAGE)):
            names = " and ".join(f'"{own.name}"' for own in moving if (own.limit is not None) == ends)
            if names:
                notes.append(
                    f'memory {names} of "{connection}" ({type(element.law).__name__}) moves one way only{words}'
                )
    return notes


def unlocated_grazes_note(special: list[dict[str, Any]], interrupted: bool) -> list[str]:
    """One note on all grazes that are only known to lie within an interval; interrupted : none was looked for."""
    rough = [s for s in special if not s.get("located", True)]
    if not rough:
        return []
    count = "one graze is" if len(rough) == 1 else f"{len(rough)} grazes are"
    names = ", ".join(dict.fromkeys(s["connection"] for s in rough if s["connection"]))
    of = f" (of {names})" if names else ""
    why = "no orbit was found in it, as where a contact chatters"
    if interrupted:
        why = "it was not looked for, as the curve was interrupted"
    return [
        Message(
            f"{count} known only to lie within an interval{of}: {why}; the rest of the curve is unaffected",
            advice=[Advice("{special} has its width")],
        )
    ]


def doubtful_multiplier_notes(
    traced: CurveTrace, doubtful: list[float], points: list[OrbitPoint], special: list[dict[str, Any]]
) -> list[str]:
    """Notes on multipliers that pass one where the equations say that nothing does, and on errors as large as orbits.

    doubtful : values of the parameter where they do.
    """
    words_of, notes = traced.family.format_parameter, list[str]()
    near = {"fold": NEAR_FOLD_REL, "branch-point": NEAR_BRANCH_POINT_REL}
    known = [(s["parameter"], near[s["kind"]] * abs(s["parameter"])) for s in special if s["kind"] in near]
    far = [p for p in doubtful if not any(abs(p - own) <= reach for own, reach in known)]
    if far:
        notes.append(_passing_note(", ".join(words_of(p) for p in far[:MAX_SINGLE_NOTES]), traced.family.apart))
    doubts = (Message.of(note) for p in points if p.stable is None for note in p.notes)
    unknown = [note for note in doubts if note.parts.owner == STABILITY_UNKNOWN]
    if 0 < len(unknown) < len(points):  # of all, the curve has been told
        notes.append(unknown[0].with_owner(f"stability of {len(unknown)} of {len(points)} orbits is not known"))
    if traced.family.apart:
        rough = sum(not p.error <= UNRESOLVED_ERROR_REL * float(p.amplitude.max(initial=0.0)) for p in points)
        if rough:
            words = (
                f"{rough} of {len(points)} orbits have an error above 10 % of their motion, or no error estimate: "
                "their stability is uncertain"
            )
            notes.append(Message(words, advice=[Advice("raise {harmonics}")]))
    return notes


UNRESOLVED_REASON = "the error of their orbits is above 10 % of the motion"
UNCONFIRMED_REASON = "more harmonics do not confirm them"


def artefacts_note(artefacts: list[tuple[str, str]], reason: str) -> list[str]:
    """One note on special points that are left out for one reason.

    artefacts : kind and place of each.
    """
    if not artefacts:
        return []
    kinds = [kind for kind, _ in artefacts]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    places = ", ".join(place for _, place in artefacts[:MAX_SINGLE_NOTES])
    more = " ..." if len(artefacts) > MAX_SINGLE_NOTES else ""
    words = f"special points left out: {counts} ({places}{more}): {reason}"
    return [Message(words, advice=[Advice("raise {harmonics}")])]


def _passing_note(places: str, harmonics: bool) -> Message:
    """The note on multipliers that pass one elsewhere than at folds; harmonics : these are the reason, else a band."""
    words = f"a multiplier passes 1 at {places} without a fold or branch point: "
    if harmonics:
        words += "stability between there and the next fold is uncertain"
        return Message(words, advice=[Advice("raise {harmonics}")])
    return Message(f"{words}the multiplier holds the slider fixed, while the curve moves it in its band")


def summarised_notes(told: list[str], what: str) -> list[str]:
    """Notes of one kind: each of a few; of many how many they are, and the first."""
    return told if len(told) <= MAX_SINGLE_NOTES else [Message.of(told[0]).wrapped(f"{len(told)} {what}; the first: ")]
