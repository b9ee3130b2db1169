"""Draws from a posterior density by an ensemble sampler.

The density is that of the search variables x of a least-squares problem, with priors that are flat in the parameters
between their bounds. A parameter exp(x) therefore adds x:

    log p(x) = -S(x') / 2 + sum of logarithmic x,    x' = b + M (x - b),    M^T W^-1 M = C^-1

S is the sum of squares of data and priors in variances, b the best fit, W the covariance from the curvature of S, and C
the stated one, which includes the colour of the noise. M widens the density until its curvature is that of C (Chandler
and Bate, Biometrika 94, 2007). For a linear model the posterior is the normal distribution N(b, C).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from slipstick.arrays import Array, Flags
from slipstick.errors import Advice, InvalidInput, Message, short_repr
from slipstick.identification import tolerances as tol
from slipstick.identification.intervals.truncated_normal import sample_truncated_normal
from slipstick.results.result_tables import need

Progress = Callable[[int, int], object]

DEFAULT_EVALUATIONS = 60_000  # of the density
MIN_WALKERS, WALKERS_A_PARAMETER = 16, 4
MIN_STEPS = 10  # of a walker
CHUNK_STEPS = 50  # between two looks at the autocorrelation
CHAIN_LENGTHS = 50  # autocorrelation times that a chain needs until its own estimate of them holds
BURN_IN_LENGTHS = 5  # autocorrelation times left out at the start
START_SHRINKAGE = 0.5  # of the stated deviations, from which walkers start


@dataclass(frozen=True)
class PosteriorDensity:
    """Density of search variables.

    squares : sum of squares of data and priors, in variances of the noise.   best : (k,) minimum.
    adjustment : (k, k) M above.   covariance : (k, k) about which the walkers start.   low, high : (k,) bounds.
    logarithmic : (k,) mask of variables that are logarithms.
    """

    squares: Callable[[Array], float]
    best: Array
    adjustment: Array
    covariance: Array
    low: Array
    high: Array
    logarithmic: NDArray[np.bool_]

    def __call__(self, x: Array) -> float:
        """Logarithm of the density, without its constant."""
        logarithms = x[self.logarithmic]
        if np.any(x < self.low) or np.any(x > self.high) or np.any(np.abs(logarithms) > tol.MAX_LOG_VALUE):
            return -np.inf
        with np.errstate(over="ignore"):  # proposals may be far away
            stretched = self.best + self.adjustment @ (x - self.best)
            squares = self.squares(np.clip(stretched, self.low, self.high))
        return -0.5 * squares + float(logarithms.sum()) if np.isfinite(squares) else -np.inf


class Chain(NamedTuple):
    """draws : (n, k) search variables.   effective : effective sample size.   correlation_time : in steps.
    evaluations : of the density.   converged : the chain is long enough.
    """

    draws: Array
    effective: float
    correlation_time: float
    evaluations: int
    converged: bool


def curvature_adjustment(white: NDArray[Any], covariance: Array) -> Array:
    """(k, k) matrix M with M^T white^-1 M = covariance^-1, the identity where both are equal."""
    values, vectors = np.linalg.eigh(np.asarray(white, dtype=float))
    root, inverse = (vectors * np.sqrt(values)) @ vectors.T, (vectors / np.sqrt(values)) @ vectors.T
    values, vectors = np.linalg.eigh(inverse @ covariance @ inverse)
    return np.asarray(root @ ((vectors / np.sqrt(values)) @ vectors.T) @ inverse)


def adjustment_of(information: NDArray[Any], covariance: Array, undetermined: Flags) -> tuple[Array, Array]:
    """(k, k) adjustment, and the (k, k) covariance about which the walkers start.

    information : (k, k) curvature of half the sum of squares.   undetermined : (k,) mask of variables without a
    covariance; the adjustment is then one factor, the widest of the others.
    """
    if not undetermined.any():
        return curvature_adjustment(np.linalg.inv(information), covariance), covariance
    variance, white = np.diag(covariance), np.diag(np.linalg.pinv(information))
    known = ~undetermined & (white > 0.0)
    factor = np.sqrt(np.max(variance[known] / white[known], initial=1.0))
    most = tol.UNDETERMINED_DEVIATION**2
    start = np.where(undetermined & ~((variance > 0.0) & (variance < most)), most, variance)
    return np.eye(variance.size) / factor, np.diag(start)


def sample_posterior(
    density: PosteriorDensity, draws: int, seed: int, evaluations: int | None, progress: Progress | None
) -> Chain:
    """Draws by an ensemble of walkers, until they have this effective sample size or the budget is used.

    evaluations : budget, of the density.   progress : called with the evaluations so far and the budget.
    """
    need("emcee", "a posterior", "posterior", "use sample() and profile()")
    import emcee

    draws, seed, size = _whole("draws", draws, 1), _whole("seed", seed, 0), density.best.size
    walkers = max(MIN_WALKERS, WALKERS_A_PARAMETER * size)
    least = MIN_STEPS * walkers
    budget = DEFAULT_EVALUATIONS if evaluations is None else _whole("evaluations", evaluations, least)
    moves = [(emcee.moves.DEMove(), 0.8), (emcee.moves.DESnookerMove(), 0.2)]
    sampler = emcee.EnsembleSampler(walkers, size, density, moves=moves)
    sampler.random_state = np.random.RandomState(seed).get_state()
    state = _starts(density, walkers, seed)
    used, time, converged = walkers, np.inf, False  # the first positions are evaluated
    while used + walkers <= budget and not converged:
        steps = min((budget - used) // walkers, CHUNK_STEPS)
        state = sampler.run_mcmc(state, steps, skip_initial_state_check=True)
        used += steps * walkers
        time = _correlation_time(sampler)
        kept = sampler.iteration - BURN_IN_LENGTHS * time
        converged = sampler.iteration >= CHAIN_LENGTHS * time and kept * walkers / time >= draws
        if progress is not None:
            progress(used, budget)
    burn_in = int(min(np.ceil(BURN_IN_LENGTHS * time), sampler.iteration // 2))
    flat = sampler.get_chain(discard=burn_in, flat=True)
    chosen = np.linspace(0, len(flat) - 1, min(draws, len(flat))).round().astype(int)
    return Chain(np.asarray(flat[chosen]), len(flat) / time, time, used, converged)


def refuse_open(names: list[str], is_open: NDArray[np.bool_]) -> None:
    """Refuse parameters that neither data nor bounds limit: they have no distribution."""
    unlimited = [name for name, own in zip(names, is_open, strict=True) if own]
    if unlimited:
        words = f"the data do not limit {' and '.join(unlimited)}, so there is no posterior"
        way = Advice("fit again with {bounds} or {priors} for them, or {fixed}", fixed=dict.fromkeys(unlimited, ...))
        raise InvalidInput(words, owner="posterior", advice=[way])


def chain_notes(chain: Chain, draws: int) -> tuple[Message, ...]:
    """Notes on a chain that is too short."""
    if chain.converged:
        return ()
    words = f"{chain.evaluations} evaluations give an effective sample size of {chain.effective:.0f}, below {draws}"
    if chain.effective >= draws:
        words = f"the chain is shorter than {CHAIN_LENGTHS} autocorrelation times, so its intervals are rough"
    return (Message(f"{words}; raise evaluations, or ask for fewer draws"),)


def _starts(density: PosteriorDensity, walkers: int, seed: int) -> Array:
    """(walkers, k) points about the best fit, within the bounds."""
    factor = np.linalg.svd(density.covariance, hermitian=True)
    root = START_SHRINKAGE * factor[0] * np.sqrt(factor[1])
    middle = np.clip(density.best, density.low, density.high)
    rng = np.random.default_rng(seed)
    return sample_truncated_normal(middle, root, density.low, density.high, rng, walkers)


def _correlation_time(sampler: Any) -> float:
    """The longest autocorrelation time of the parameters, in steps; infinite for a chain that does not move."""
    with np.errstate(invalid="ignore", divide="ignore"):
        times = np.asarray(sampler.get_autocorr_time(tol=0, quiet=True))
    return float(np.max(times)) if np.all(np.isfinite(times)) else np.inf


def _whole(name: str, number: Any, least: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
        raise InvalidInput(f"posterior: {name} must be a whole number >= {least}, got {short_repr(number)}").about(name)
    return int(number)
