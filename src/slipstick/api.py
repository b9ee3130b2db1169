"""`Model`: a mechanical system with methods that simulate, analyse and reduce it.

Each method is one call into the package that does the work, which is imported on first use.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from slipstick.errors import SlipstickError, arguments_in_words
from slipstick.model.system import Connection, Coordinate, System
from slipstick.results.notebook_view import NotebookView
from slipstick.sweeps import SUFFIXES as SWEEPS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from slipstick.laws.base import Law
    from slipstick.model.equations import Equations
    from slipstick.reduction.reduce import Reduction
    from slipstick.results.basins import Basins
    from slipstick.results.campbell import Campbell
    from slipstick.results.curve import Curve
    from slipstick.results.equilibrium import Equilibrium
    from slipstick.results.equilibrium_curve import EquilibriumCurve
    from slipstick.results.fit import Fit
    from slipstick.results.jump_map import JumpMap
    from slipstick.results.lyapunov import Lyapunov
    from slipstick.results.modes import Modes
    from slipstick.results.nonlinear_mode import NonlinearMode
    from slipstick.results.orbit import Orbit
    from slipstick.results.quasi_periodic import QuasiPeriodic
    from slipstick.results.response_band import ResponseBand
    from slipstick.results.run import Run
    from slipstick.results.run_end import RunEnd
    from slipstick.results.state_space import LinearStateSpace
    from slipstick.signals import TimeFunction


MAX_SHOWN_EQUATIONS = 6  # coordinates of a model whose equations a notebook shows


class Model(System, NotebookView):
    """Coordinates, connections and loads; see `coordinate`, `connect`, `load`, and the verbs below."""

    def _repr_html_(self) -> str:
        """Diagram, and the equations of a small model; a notebook calls this for the last value of a cell."""
        picture = super()._repr_html_()
        if not 0 < len(self.coordinates) <= MAX_SHOWN_EQUATIONS:
            return picture
        try:
            return f"{picture}<div>$${escape(self.equations().latex())}$$</div>"
        except SlipstickError:  # laws of several deflections have no equations here
            return picture

    @classmethod
    @arguments_in_words
    def from_matrices(
        cls,
        mass: Any,
        damping: Any = None,
        stiffness: Any = None,
        names: Sequence[str] | None = None,
        *,
        modal_damping: float | Sequence[float] | None = None,
        name: str = "model",
        frequency: float | None = None,
    ) -> Self:
        """A model of n coordinates from the matrices of M q'' + C q' + K q; add connections and loads to it.

        mass, damping, stiffness : (n, n) arrays, SciPy sparse matrices, nested lists, or paths of .npz, .npy, .mat or
            Matrix Market .mtx files. One .npz or .mat path as ``mass`` may hold all three. No damping means zero.
            Mass is symmetric and positive semi-definite; the others may be unsymmetric.
        names : the coordinates; default q1 ... qn.
        modal_damping : a damping ratio for all modes, or one each for the lowest modes, instead of ``damping``.
        """
        from slipstick.model.given_matrices import checked_matrices

        matrices = checked_matrices(mass, damping, stiffness, names, modal_damping)
        model = cls(name, frequency)
        mark = frozenset([model.mark])
        model.coordinates = [Coordinate(each, 0.0, 0.0, 0.0, None, mark) for each in matrices.names]
        model.matrices = matrices
        return model

    @arguments_in_words
    def connect_patch(
        self, deflections: Any, law: Law, areas: Any, pressure: Any = None, *, name: str = "patch"
    ) -> tuple[tuple[Connection, ...], ...]:
        """Connect an interface node by node: each takes its share of the stiffness and of the preload.

        deflections : for each node its deflections, such as ``[(x1 - x2, z1 - z2), ...]``, tangential ones first.
        law : of the whole interface, such as `FrictionContact` with its total stiffnesses and clamping force.
        areas : of the nodes, in any unit; stiffness and damping are shared by area.
        pressure : at the nodes, in any unit; the preload is shared by pressure times area. Default: the same at all.
        name : the connections are name1, name2 ...
        """
        from slipstick.model.contact_patch import connect_patch

        return connect_patch(self, deflections, law, areas, pressure, name)

    @arguments_in_words
    def modes(
        self,
        state: Mapping[str, str | Sequence[str]] | None = None,
        *,
        at: Mapping[str, float] | None = None,
        count: int | None = None,
    ) -> Modes:
        """Linear modes: |lambda|, damped frequency, damping ratio and shape, in order of |lambda|.

        state : the state of connections by name, such as {"bearing": "stick", "mesh": "contact"}; those not
            named are in the state they have at rest. Of a sum of laws one for each part that has states,
            "contact slip" or ("contact", "slip"). Sticking dry friction becomes a constraint. Where a coordinate that
            moves at a constant speed makes dry friction slide, it is linearised at that rate; the notes say so.
        at : displacement by coordinate to linearise about, such as ``m.equilibrium().displacement``;
            default the initial displacement. Prescribed coordinates are held.
        count : how many of the lowest; default all, or 20 of a sparse model with more than 500 coordinates.
        """
        from slipstick.model.modes import modes

        return modes(self, state, at, count)

    @arguments_in_words
    def campbell(
        self, between: Any, orders: Any = (1.0,), *, state: Mapping[str, str | Sequence[str]] | None = None
    ) -> Campbell:
        """Campbell diagram: damped frequencies of the modes over the speed, with the lines of orders.

        between : (low, high) speeds [rad/s].   orders : multiples of the speed.   state : as of `modes`.
        ``critical`` lists the speeds at which an order meets a mode.
        """
        from slipstick.results.campbell import campbell_of

        return campbell_of(self.modes(state), between, orders, self.units)

    @arguments_in_words
    def state_space(
        self,
        state: Mapping[str, str | Sequence[str]] | None = None,
        *,
        at: Mapping[str, float] | None = None,
        output: str = "displacement",
    ) -> LinearStateSpace:
        """The linearised model as matrices A, B, C, D, with a force on each free coordinate as input.

        state, at : as of `modes`.   output : "displacement", "velocity" or "acceleration" of each free coordinate.
        """
        from slipstick.model.state_space import state_space

        return state_space(self, state, at, output)

    @arguments_in_words
    def equilibrium(self) -> Equilibrium:
        """Where the model rests under its constant loads and the means of its periodic loads and motions.

        With dry friction there is a band of such positions: this is the one reached by the slide
        from the initial displacement. docs/model.md says what that means.
        """
        from slipstick.model.equilibrium import equilibrium

        return equilibrium(self)

    @arguments_in_words
    def equations(self, *, numbers: bool = False) -> Equations:
        """The equations of motion in SymPy, with ``.latex()`` and ``.markdown()``; ``numbers=True`` puts values in."""
        from slipstick.model.equations import equations

        return equations(self, numbers=numbers)

    @arguments_in_words
    def reduce(
        self,
        massless: Any = None,
        frictionless: Any = None,
        rigid: Any = None,
        no_gap: Any = None,
        no_limit: Any = None,
    ) -> Reduction:
        """A smaller model from what is negligible, by the luz/tar algebra, with each step and what it assumed.

        massless : coordinates whose inertia is negligible.   frictionless : coordinates whose friction is, too.
        rigid : connections whose spring does not give way.   no_gap : connections whose gap is negligible.
        no_limit : connections whose dry friction is negligible, while what is viscous of it stays.

        The result has ``model``, ``equations``, ``steps``, ``latex()``, ``recover(run)`` and ``compare(until)``.
        """
        from slipstick.reduction.reduce import reduce

        return reduce(self, massless, frictionless, rigid, no_gap, no_limit)

    @arguments_in_words
    def condense(self, keep: Any = (), modes: int = 20) -> Self:
        """The model with its large linear part condensed after Craig and Bampton.

        keep : coordinates that stay, by name or number from 0; those of connections and prescribed motions do anyway.
        modes : of the rest, with the kept coordinates held, that stay beside them, the lowest first.
        """
        from slipstick.model.craig_bampton import condense

        return condense(self, keep, modes)

    @arguments_in_words
    def export_fmu(
        self,
        path: str | os.PathLike[str],
        *,
        fmi: int = 3,
        frequency: float | None = None,
        platforms: Sequence[str] | None = None,
    ) -> Path:
        """Write the model as an FMU for co-simulation in other programs, in native code; return its path.

        fmi : the version of the interface, 2 or 3.
        frequency : the base frequency [rad/s] at the start for loads that have an order, instead of the model's own.
        platforms : where it runs: "linux-x86_64", "linux-aarch64", "windows-x86_64"; default this machine.

        Inputs are loads on coordinates, velocities of prescribed ones and the base frequency; outputs are motions,
        deflections, forces and states. Steps are exact. The laws must consist of linear pieces.
        """
        from slipstick.fmu.export import export_fmu

        return export_fmu(self, path, fmi, frequency, platforms)

    @property
    def _solvable(self) -> Self:
        """The model, condensed where it is large and sparse with few laws."""
        if self.matrices is None:
            return self
        from slipstick.model.automatic_condensation import condensed_if_large

        return condensed_if_large(self)

    @property
    def symbols(self) -> list[str]:
        """Names of the SymPy symbols among the model's numbers; empty for a model that can be run."""
        from slipstick.model.symbol_values import symbols_of

        return symbols_of(self)

    @arguments_in_words
    def with_values(self, values: Mapping[Any, float]) -> Self:
        """The model with numbers for its SymPy symbols, given by symbol or by name."""
        from slipstick.model.symbol_values import with_values

        return with_values(self, values)

    @arguments_in_words
    def simulate(
        self,
        until: float,
        start: float | RunEnd = 0.0,
        frequency: float | None = None,
        method: str = "auto",
        step: float | None = None,
        tolerance: float | None = None,
        samples: Any = 2000,
        progress: Callable[[float], Any] | None = None,
        speed: TimeFunction | None = None,
        **options: Any,
    ) -> Run:
        """The motion from the initial state at ``start`` to ``until`` [s], with a certificate of its error.

        start : [s] when the run begins in the model's initial state; or ``run.end``, to go on from another run.
        frequency : the base frequency [rad/s] for loads that have an order, instead of the model's own.
        speed : [rad/s] the base frequency as a function of time, for a run-up: ``ss.Ramp``, ``ss.Signal``, or a sum
            with ``ss.Constant``. Loads, motions and limits with an order follow the angle, its integral from t = 0.
        method : "exact", "events", "inclusion", "newmark", "taylor", or "auto": exact where every law is made of
            linear pieces, events elsewhere; ``run.stats.reason`` says why.
        step : [s] of methods with fixed steps: inclusion, newmark, taylor, and events where it is wanted.
        tolerance : relative, of methods that control their error: events, newmark, taylor.
        samples : how many, equally spaced with both ends; or the times themselves; or 0: events and the end only.
        progress : called now and then with the part that is done, 0 to 1.
        options : of the method, such as ``theta=`` of inclusion; docs/simulate.md lists them.

        A run that cannot be finished raises `NotConverged`, whose ``partial`` is the Run up to there.
        """
        from slipstick.transient.simulate import simulate

        run = simulate(
            self._solvable, until, start=start, frequency=frequency, method=method, step=step, tolerance=tolerance,
            samples=samples, progress=progress, speed=speed, **options,
        )  # fmt: skip
        run.solver = _lyapunov_of
        return run

    @arguments_in_words
    def periodic(
        self,
        frequency: float | None = None,
        subharmonic: int | None = None,
        method: str = "auto",
        start: Orbit | None = None,
        harmonics: int | None = None,
    ) -> Orbit:
        """One periodic response, with its multipliers and a certificate of its error.

        frequency : the base frequency [rad/s] for loads that have an order, instead of the model's own.
        subharmonic : how many common periods of the loads one period of the response takes; default one, or as
            many as ``start`` takes.
        method : "shooting", "harmonic-balance", "integration" (a run until it repeats itself), or "auto".
        start : an orbit to begin the search from, found by any method; default the model's initial state.
        harmonics : of the base frequency that harmonic balance balances; default 7, more where the loads need them.
        """
        from slipstick.periodic.orbit import find_periodic_orbit

        return find_periodic_orbit(self._solvable, frequency, subharmonic, method, start, harmonics)

    @arguments_in_words
    def equilibria(
        self,
        parameter: str | Callable[[float], System],
        between: tuple[float, float],
        progress: Callable[[int, float], Any] | None = None,
    ) -> EquilibriumCurve:
        """Equilibria over a parameter, sliding ones too, with eigenvalues, Hopf points and folds.

        parameter : a number of the model by name, as of `follow`, or "belt.speed", the speed of a prescribed motion;
            or a function from a value to a model.
        between : two values of it.   progress : called with the number of points so far and the last value.

        Contacts of dry friction slide where prescribed motions give them a rate, and stick elsewhere at the initial
        displacement. The search begins at the initial displacement.
        """
        from slipstick.periodic.equilibria.follow_equilibria import follow_equilibria

        return follow_equilibria(self._solvable, parameter, between, progress)

    @arguments_in_words
    def limit_cycle(
        self, start: Run | Orbit | Mapping[str, Any], method: str = "auto", harmonics: int | None = None
    ) -> Orbit:
        """A periodic motion that the model keeps up without forcing, such as squeal; its period is an unknown.

        start : a run that has settled to the motion, or nearly; or an orbit near it, such as one of other parameters;
            or a Hopf point, one of ``m.equilibria(...).special``, from which the cycle is followed to this model.
        method : "shooting", "harmonic-balance", or "auto".
        harmonics : that harmonic balance balances; default 15.

        ``orbit.period`` is the period [s], ``orbit.frequency`` 2 pi over it. One of ``orbit.multipliers`` is 1, that of
        a shift in time; the others decide about stability. Coordinates with a prescribed motion may move at a constant
        speed, where only friction and dampers act on them.
        """
        from slipstick.periodic.cycles.limit_cycle import find_limit_cycle
        from slipstick.periodic.equilibria.hopf_start import cycle_from_hopf, is_special

        if isinstance(start, Mapping) and is_special(start):
            start = cycle_from_hopf(self._solvable, start)
            if method == "auto" and harmonics is None:
                return start
        return find_limit_cycle(self._solvable, start, method, harmonics)

    @arguments_in_words
    def frequency_response(
        self,
        between: tuple[float, float] | None = None,
        at: Any = None,
        method: str = "auto",
        harmonics: int | None = None,
        subharmonic: int | None = None,
        start: Orbit | None = None,
        progress: Callable[[int, float], Any] | None = None,
        thorough: bool = False,
    ) -> Curve:
        """The periodic response over frequency, with stability, special points and an error at every point.

        between : two frequencies [rad/s]: the curve is followed by its arclength, around folds.
        at : frequencies [rad/s], just these instead: the branch reached from ``start`` or the initial state.
        method : "shooting" (exact, for piecewise-linear laws), "harmonic-balance", "integration" (runs until
            they repeat themselves, each from the end of the last: with ``between``, up and down again), or "auto".
        harmonics : of the base frequency that are balanced; default 7, more where the loads need them.
        subharmonic : how many common periods of the loads one period of the response takes; default one, or as
            many as ``start`` takes.
        start : an orbit to begin from, found by any method.
        progress : called with the number of points so far and the frequency of the last.
        thorough : search the range for branches that are not connected to the curve, too: ``curve.others``. A note
            states what was searched.
        """
        from slipstick.branch_search.thorough_response import thorough_response
        from slipstick.periodic.response import frequency_response

        respond = thorough_response if thorough else frequency_response
        how = {"harmonics": harmonics, "subharmonic": subharmonic, "start": start}
        return respond(self._solvable, between, at, method, progress=progress, **how)

    @arguments_in_words
    def follow(
        self,
        parameter: str | Callable[[float], System],
        between: tuple[float, float],
        start: Orbit | None = None,
        frequency: float | None = None,
        method: str = "auto",
        harmonics: int | None = None,
        subharmonic: int | None = None,
        progress: Callable[[int, float], Any] | None = None,
    ) -> Curve:
        """The periodic response over any parameter at a fixed frequency, around folds, with stability.

        parameter : a number of the model by name: "bearing.limit", "forcing.amplitude" (the load of that name, or the
            only one that varies), "x.inertia", "joint.1.stiffness" (of the second law in a sum); or a function from a
            value to a model.
        between : two values of it.
        start : an orbit of this model, as it is, to begin from; its frequency is kept. Default: the orbit at the first
            value.
        frequency : [rad/s] instead of the start's, or the model's own.
        method, harmonics, subharmonic, progress : as of `frequency_response`.
        """
        from slipstick.periodic.response import over_parameter

        how = {"frequency": frequency, "method": method, "harmonics": harmonics, "subharmonic": subharmonic}
        return over_parameter(self._solvable, parameter, between, start, progress=progress, **how)

    @arguments_in_words
    def quasi_periodic(
        self,
        frequencies: tuple[float, float | None],
        harmonics: tuple[int, int] = (7, 7),
        start: Run | QuasiPeriodic | None = None,
    ) -> QuasiPeriodic:
        """The motion under two tones without a common period, or on the torus born at a Neimark-Sacker point.

        frequencies : both [rad/s]; the first is the base frequency of loads with an order, others have a ``frequency``.
            (w, None): the second is the motion's own, an unknown near that of ``start``.
        harmonics : highest multiples of each that are balanced; all their sums are.
        start : a run that has settled to the motion, or a motion of other parameters; by default small loads grow.

        Laws without memory, Jenkins, Masing, Iwan and Bouc-Wen, and sums of them.
        """
        from slipstick.periodic.two_tones.quasi_periodic import find_quasi_periodic

        return find_quasi_periodic(self._solvable, frequencies, harmonics, start)

    @arguments_in_words
    def jump_map(
        self,
        parameter: str,
        between: tuple[float, float],
        frequencies: tuple[float, float],
        *,
        method: str = "auto",
        harmonics: int | None = None,
        subharmonic: int | None = None,
        thorough: bool = False,
        levels: int = 5,
        progress: Callable[[int, float], Any] | None = None,
    ) -> JumpMap:
        """The folds of the response in the plane of frequency and a parameter: up to which load is there no jump?

        parameter : a number of the model by name, such as "forcing.amplitude", as of `follow`.
        between : two values of it.   frequencies : two frequencies [rad/s].
        method, harmonics, subharmonic : as of `frequency_response`; by default shooting for piecewise-linear laws, else
            harmonic balance.
        thorough : folds of branches that are not connected to the first, too.
        levels : how many values of the parameter folds are looked for at; a closed branch between two is missed.
        progress : called with the number of points so far and the value at which folds were looked for last.

        ``largest_without_jump`` is the largest value below which no fold was found, with its error. Where folds cannot
        be followed the map is ``unknown``.
        """
        from slipstick.branch_search.jump_map import JumpRequest, jump_map

        how = {"method": method, "harmonics": harmonics, "subharmonic": subharmonic}
        return jump_map(self._solvable, JumpRequest(parameter, between, frequencies, how, thorough, progress, levels))

    @arguments_in_words
    def basins(
        self,
        over: Mapping[str, tuple[float, float]],
        count: int = 1000,
        frequency: float | None = None,
        *,
        seed: int = 0,
        longest: float | None = None,
        workers: int | None = None,
        store: str | os.PathLike[str] | None = None,
        progress: Callable[[float], Any] | None = None,
    ) -> Basins:
        """The shares of random starts that end on each motion: rests, orbits, cycles, drift, or none of them.

        over : ranges of the start, such as {"x": (-1, 1), "x.velocity": (0, 2)}; starts are uniform in them, and all
            else starts as in the model.
        count : how many starts.   seed : of their random numbers.
        frequency : the base frequency [rad/s] for loads that have an order, instead of the model's own.
        longest : [s] to follow a start; default 2000 periods of the loads, or of the slowest mode without loads.
        workers : processes; default one for each core where it is worth it.
        store : an SQLite file, by which basins that were interrupted resume.
        progress : called now and then with the part that is done, 0 to 1.
        """
        from slipstick.basins.shares import WorkerChoice, find_basins
        from slipstick.basins.study import basin_study

        study = basin_study(self, over, count, frequency, seed, longest)
        return find_basins(study, WorkerChoice(workers, store, progress))

    @arguments_in_words
    def nonlinear_mode(
        self,
        mode: int = 1,
        amplitudes: Any = None,
        between: tuple[float, float] | None = None,
        coordinate: Any = None,
        harmonics: int | None = None,
        sustain: str = "first",
        progress: Callable[[int, float], Any] | None = None,
        norm: str = "first",
    ) -> NonlinearMode:
        """Frequency and damping ratio of a free motion over its amplitude, with an error at every point.

        mode : its number at the smallest amplitude, as `modes` counts them (at the largest, if it swings only there).
        amplitudes : of the first harmonic, just these; default 50, from where nothing slips to where all does.
        between : two amplitudes instead: the mode is followed by its arclength, around folds.
        coordinate : whose displacement the amplitudes are [m or rad]; default the modal amplitude, the root of q' M q.
        harmonics : that are balanced; default 7.
        sustain : harmonics on which the term 2 zeta omega M q' acts that makes the motion periodic: "first", or "all",
            as published; with "first", small motions are the linear modes for any damping matrix.
        norm : harmonics that the amplitude is of: "first", or "all" (the root of the sum of their squares), which also
            grows where the first one vanishes, as at an internal resonance.
        progress : called with the number of points so far and the amplitude of the last.

        Loads that vary in time are left out; constant ones and preloads stay.
        """
        from slipstick.periodic.modes.nonlinear_mode import nonlinear_mode

        how = {"between": between, "coordinate": coordinate, "harmonics": harmonics, "sustain": sustain, "norm": norm}
        return nonlinear_mode(self._solvable, mode, amplitudes, progress=progress, **how)

    def plot(self) -> Figure:
        """Diagram of the coordinates with their connections and loads, up to 40 coordinates."""
        from slipstick.plot.model_diagram import draw_diagram

        return draw_diagram(self)

    def __repr__(self) -> str:
        counts = (
            (len(self.coordinates), "coordinate"),
            (len(self.connections), "connection"),
            (len(self.loads), "load"),
        )
        words = ", ".join(f"{n} {word}" + ("" if n == 1 else "s") for n, word in counts)
        return f'<Model "{self.name}": {words}>'


def _lyapunov_of(run: Run, count: Any, time: Any) -> Lyapunov:
    """Solves for `Run.lyapunov`."""
    from slipstick.periodic.stability.lyapunov import lyapunov_of

    return lyapunov_of(run, count, time)


@arguments_in_words
def frequency_response(
    build: Callable[[float], System],
    between: tuple[float, float] | None = None,
    at: Any = None,
    method: str = "auto",
    harmonics: int | None = None,
    subharmonic: int | None = None,
    start: Orbit | None = None,
    progress: Callable[[int, float], Any] | None = None,
    thorough: bool = False,
) -> Curve:
    """The periodic response of models that depend on the frequency.

    build : from a frequency [rad/s] to the model at it; all have the same coordinates and connections.
    The other arguments are those of `Model.frequency_response`.
    """
    from slipstick.branch_search.thorough_response import thorough_response
    from slipstick.periodic.response import frequency_response

    respond = thorough_response if thorough else frequency_response
    how = {"harmonics": harmonics, "subharmonic": subharmonic, "start": start}
    return respond(build, between, at, method, progress=progress, **how)


@arguments_in_words
def response_band(
    build: Callable[[Law], System],
    laws: Fit | Sequence[Law],
    between: tuple[float, float] | None = None,
    at: Any = None,
    *,
    samples: int = 50,
    seed: int = 0,
    coverage: float = 0.95,
    nominal: Law | None = None,
    misfit: bool = False,
    method: str = "auto",
    harmonics: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> ResponseBand:
    """The periodic response over frequency of a model whose law is known up to a spread.

    build : from a law to the model that has it.
    laws : a fit, from which ``samples`` laws are drawn, or a list of laws.
    between : two frequencies [rad/s]: each curve is followed by its arclength.   at : frequencies [rad/s], just these.
    coverage : share of the laws that the band holds at each frequency.
    nominal : a law whose curve is drawn above the others; default that of the fit.
    misfit : draw the laws of a fit with its residual beyond the noise as model error.
    method, harmonics : as of `Model.frequency_response`.
    progress : called with how many curves are done, and how many there are.

    The band is one of quantiles at each frequency by itself, of the largest amplitude among the stable responses of
    each law; where a law has several, as between folds, the lower ones are in the thin lines alone.
    """
    from slipstick.periodic.response_band import response_band as band

    how = {"method": method, "harmonics": harmonics}
    if misfit and not isinstance(laws, Sequence):
        laws = laws.with_misfit()
    return band(build, laws, between, at, samples, seed, coverage, nominal, progress, **how)


def open(path: str | os.PathLike[str]) -> Any:
    """Open what slipstick wrote: a model, a result with its model, a figure of a paper, a sweep, or a dataset."""
    from slipstick.model.files import read_model
    from slipstick.model.files.text_file import shown_file_name

    if shown_file_name(path).lower().endswith(SWEEPS):
        from slipstick.sweeps.ledger_dataset import open_sweep

        return open_sweep(Path(os.fsdecode(path)))
    if not shown_file_name(path).lower().endswith(".nc"):
        return read_model(path, Model)
    from slipstick.results.result_files import (
        MODEL_FILE,
        REPRODUCTION_KIND,
        SWEEP_KIND,
        kind_of_file,
        read_dataset,
        read_result,
    )
    from slipstick.results.table_result import TABLE_KIND

    kind = kind_of_file(path)
    if kind == REPRODUCTION_KIND:
        from slipstick.papers import open_reproduction

        return open_reproduction(path)
    if kind == SWEEP_KIND:
        from slipstick.results.sweep import read_sweep

        return read_sweep(path)
    if kind == TABLE_KIND:
        return read_dataset(path, (TABLE_KIND,))
    result, files = read_result(path)
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / Path(name).name).write_bytes(content)
        yaml = [name for name in files if name.endswith(".yaml")]
        models = {name: read_model(Path(folder) / name, Model, warns=False) for name in yaml}
    if MODEL_FILE in models:
        return _with_model(result, models[MODEL_FILE])
    return _with_laws(result, models) if models else result


def _with_laws(group: Any, models: Mapping[str, Model]) -> Any:
    """A ranking or a trend whose fits have their laws again, from the models of each."""
    from slipstick.identification.intervals.law_samples import restore_law
    from slipstick.results.fit_group_encoding import fits_of, with_fits
    from slipstick.results.result_files import law_file_name

    fits = list(enumerate(fits_of(group)))
    return with_fits(
        group, [restore_law(fit, models[law_file_name(k)]) if law_file_name(k) in models else fit for k, fit in fits]
    )


def _with_model(result: Any, model: Model) -> Any:
    """A result that has its model again; a fit has its law from there."""
    from slipstick.results.calibration import Calibration
    from slipstick.results.curve import Curve
    from slipstick.results.fit import Fit
    from slipstick.results.response_band import ResponseBand
    from slipstick.results.run import Run

    if isinstance(result, ResponseBand):
        return replace(result, model=model)
    if isinstance(result, Calibration):
        from slipstick.calibration.unknowns import with_parameters

        return replace(result, model=model, build=with_parameters)
    if isinstance(result, Fit):
        from slipstick.identification.intervals.law_samples import restore_law

        return restore_law(result, model)
    result.model = model
    if isinstance(result, Run):
        result.solver = _lyapunov_of
    if isinstance(result, Curve):
        from slipstick.periodic.saved_curve_solver import saved_curve_solver_of

        for curve in (result, *result.others):
            curve.model, curve.origin = model, saved_curve_solver_of(curve, model)
    return result
