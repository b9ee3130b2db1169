"""Terms of the pages, each explained in one sentence behind a "?"."""

from __future__ import annotations

from html import escape

TERMS = {
    # measured loops and fits
    "cycles": "Full there-and-back motions in the record.",
    "amplitude": "Half of the distance between the two tips of a motion.",
    "energy": "The work that friction takes in one cycle: the area of the loop.",
    "secant": "The stiffness of the straight line between the two tips of the loop.",
    "loss factor": "The energy of a cycle over 2 pi times the energy that the secant stiffness stores at the tip.",
    "damping": "The viscous damper that takes the same energy in a cycle of this frequency and amplitude.",
    "noise": "The scatter of the force that no law can explain, as a standard deviation.",
    "95 % interval": "If the test were repeated often, 95 of 100 such intervals would contain the true value.",
    "by rule": "An estimate from the shape of the loop alone, to compare with the fit.",
    "residual": "The measured force less the force of the law, as a root mean square.",
    "held-out error": "The residual on cycles that were left out of the fit: a law that only copies noise is bad here.",
    "bic difference": "Misfit plus a penalty for each parameter, relative to the best law; under 10 counts as a tie.",
    "within noise": "Yes if the law misses the data by no more than their noise.",
    "energy error": "How far the energy of a cycle of the law is from the measured one.",
    # responses
    "largest amplitude": "The peak of the response over all frequencies that are shown.",
    "largest rms, with the mean": "The largest root mean square of the motion, its mean value included.",
    "stability": "Stable: a small disturbance dies out, so that a machine can stay in this motion.",
    "special point": "Where the motion changes its character, such as a fold at which it jumps to another one.",
    "certificate": "What the solver found about its own error: green is known and small, amber unknown, red failed.",
    "multipliers": "Factors by which small disturbances grow in one period; all inside the unit circle is stable.",
    "orbit": "The motion over one period, once the start has been forgotten.",
    "kept settings": "Earlier settings, drawn dashed below the present one; the table lists what differs.",
    # models
    "inertia": "Mass of a displacement, or moment of inertia of an angle.",
    "deflection": "The relative displacement that a connection feels.",
    "equations": "The equations of motion that are solved; names are those of the model text.",
}


def sentence_of(words: str) -> str:
    """The explanation of a term; empty if there is none.   words : may end with a unit, as in "noise [N]"."""
    return TERMS.get(_without_unit(words).lower(), "")


def help_mark(words: str) -> str:
    """A "?" for a term as HTML; empty without an explanation.

    The style sheet draws its sign, so the text of a heading stays as it is.
    """
    sentence = sentence_of(words)
    if not sentence:
        return ""
    text = escape(sentence)
    attributes = f'aria-label="help" aria-description="{text}" data-help="{text}"'
    return f'<button type="button" class="help" {attributes}></button>'


def _without_unit(words: str) -> str:
    return words.partition("[")[0].strip()
