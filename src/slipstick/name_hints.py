"""Hints for a name that is not known: the one that was probably meant, or those that are known.

did_you_mean("limits", ["limit", "stiffness"])     ' (did you mean "limit"?)'
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable

MAX_LISTED_NAMES = 30  # names that a hint lists


def did_you_mean(word: str, known: Iterable[str], lists: bool = True) -> str:
    """`` (did you mean "limit"?)`` if a known name is close to ``word``, else the list of names if it ``lists``."""
    names = [str(name) for name in known]
    meant = _name_here(str(word), names)
    if meant:
        return f" (did you mean {meant}?)"
    close = difflib.get_close_matches(str(word), names, n=1, cutoff=0.6)
    if close:
        return f' (did you mean "{close[0]}"?)'
    return f" (known: {', '.join(sorted(names))})" if names and lists else ""


def name_hint(word: str, known: Collection[str]) -> str:
    """`` (did you mean ...?)``, or the known names, of which a long list is cut."""
    if not known:
        return ""
    text = did_you_mean(word, known, lists=len(known) <= MAX_LISTED_NAMES)
    if text:
        return text
    few = ", ".join(list(known)[:5])
    return f" ({len(known)} are known: {few} ...)"


# names elsewhere, in small letters and digits alone, and those here; of several rows the first with a known name counts
_OTHER_NAMES = {
    "coulomb drycoulomb coulombfriction friction": ("dryfriction", "coulombcontact"),
    "rigidcontact frictionalimpact signorini": ("coulombcontact", "impact"),
    "gap": ("halfgap", "freeplay"),
    "backlash play deadzone deadband clearance": ("freeplay",),
    "spring dashpot damper viscous springdamper": ("linear",),
    "slider elastoplastic jenkinselement elasticslider": ("jenkins",),
    "maxwellslip": ("iwan",),
    "bilinear": ("masing", "jenkins"),
    "hysteresis": ("masing", "dahl", "boucwen"),
    "duffing cubic": ("polynomial",),
    "wall bumper onesided unilateral": ("contact", "impact"),
    "impact": ("contact",),
    "dt timestep deltat maxstep": ("step", "samples"),
    "tend tfinal tmax tstop tf endtime finaltime duration tspan": ("until",),
    "t0 tstart starttime begin": ("start",),
    "tol rtol reltol atol": ("tolerance",),
    "solver integrator": ("method",),
    "npoints nsamples numsamples teval points": ("samples",),
    "omega w freq basefrequency": ("frequency",),
    "omega w freq omegas freqs frequency frequencies": ("between", "at"),
    "nh nharm nharmonics numharmonics": ("harmonics",),
    "m mass massmatrix": ("inertia", "mass"),
    "k stiffnessmatrix": ("stiffness",),
    "c dampingmatrix": ("damping",),
    "coordinate dof dofs": ("coordinates",),
    "connection": ("connections",),
    "rk4 rk23 rk45 ode23 ode45 dopri5 dop853 lsoda odeint rungekutta": ("events",),
    "radau bdf ode15s ode23t hht generalizedalpha newmarkbeta": ("newmark",),
    "eventdriven": ("exact",),
    "moreau timestepping": ("inclusion",),
    "readcsv readloop loadcsv": ("loop",),
    "mu fc coulombforce slidingforce": ("limit",),
    "mu cof frictioncoefficient coefficientoffriction": ("friction",),
    "cor e coefficientofrestitution": ("restitution",),
    "x0 q0 u0": ("displacement",),
    "v0": ("velocity",),
}


def _simplified_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _name_here(word: str, names: Iterable[str]) -> str:
    """``"step" or "samples"``: the names here for what is called ``word`` elsewhere."""
    here = {_simplified_name(name): name for name in names}
    rows = (others for names, others in _OTHER_NAMES.items() if _simplified_name(word) in names.split())
    found = next(filter(None, ([f'"{here[other]}"' for other in row if other in here] for row in rows)), [])
    return " or ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
