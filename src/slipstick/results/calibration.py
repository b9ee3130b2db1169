"""`Calibration`: a model whose parameters were fitted to measurements."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from slipstick.arrays import Array
from slipstick.errors import InvalidInput
from slipstick.results.fit import Estimate, Estimates, FittedResult
from slipstick.results.run import Names

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

    from slipstick.results.posterior import Posterior
    from slipstick.results.recommendation import Recommendation


class BlockResult(NamedTuple):
    """Measured values of one noise level (n,), and those of the model.

    over, label : abscissa in figures.   logarithmic : the values are natural logarithms, a difference of 0.01 is 1 %.
    noise : rms of the difference, where weights are 1.   unit : of the values, in SI; empty if not known.
    """

    name: str
    measured: Array
    predicted: Array
    over: Array
    label: str
    logarithmic: bool
    noise: float
    unit: str = ""

    @property
    def rms(self) -> float:
        return float(np.sqrt(np.mean((self.predicted - self.measured) ** 2)))

    @property
    def rms_words(self) -> str:
        """The rms difference with its unit."""
        return f"{100.0 * self.rms:.3g} %" if self.logarithmic else f"{self.rms:.3g} {self.unit}".rstrip()


@dataclass(frozen=True, repr=False)
class Calibration(FittedResult):
    """Result of `slipstick.calibrate`.

    model : with the fitted parameters.   parameters : value, low, high, unit and deviation by name.
    blocks : measured and predicted values of each part of the data.   warnings : most important first.
    covariance : of the search variables (logarithms where `logarithmic`).   evaluations : number of computed models.
    """

    called = "a calibration"
    remake = "calibrate again"

    model: Any
    parameters: Estimates
    blocks: tuple[BlockResult, ...]
    covariance: Array
    logarithmic: tuple[bool, ...]
    warnings: tuple[str, ...]
    evaluations: int
    build: Callable[[Any, Mapping[str, float]], Any] | None = None  # a model with other parameters
    posterior_of: Callable[..., Posterior] | None = None  # behind `posterior`; None for one from a file

    @property
    def residual(self) -> dict[str, float]:
        """Rms difference of each part of the data, by name."""
        return {block.name: block.rms for block in self.blocks}

    @property
    def names(self) -> Names:
        return Names("calibration", (), ()) if self.model is None else Names.of(self.model)

    @property
    def correlation(self) -> Array:
        """(k, k) correlation of the parameters, in their order."""
        size = np.sqrt(np.where(np.diag(self.covariance) > 0.0, np.diag(self.covariance), np.inf))
        return np.asarray(self.covariance / np.outer(size, size))

    def sample(self, n: int, seed: int = 0) -> list[Any]:
        """Models with parameters drawn from their distribution."""
        self._check_count(n, "models")
        if self.model is None or self.build is None:
            raise InvalidInput("the model is not in the file of this calibration; calibrate again")
        middle = np.array([
            np.log(own.value) if log else own.value
            for own, log in zip(self.parameters.values(), self.logarithmic, strict=True)
        ])  # fmt: skip
        drawn = np.random.default_rng(seed).multivariate_normal(middle, self._scaled_covariance(), size=int(n))
        drawn = np.where(self.logarithmic, np.exp(drawn), drawn)
        return [self.build(self.model, dict(zip(self.parameters, row.tolist(), strict=True))) for row in drawn]

    def advise(self, candidates: Mapping[str, tuple[Any, Mapping[str, float]]]) -> Recommendation:
        """Which of several tests would narrow the widest interval most.

        candidates : by name, a run, orbit, curve or mode of ``fit.model`` under the loads of the test, and the standard
            deviations of the figures that would be measured: {"sweep at 5 N": (curve, {"x.peak": 1e-5})}.
        """
        from slipstick.sensitivity.advise import advise_calibration

        return advise_calibration(self, candidates)

    def _scaled_covariance(self) -> Array:
        """Covariance of logarithms, and of the values of parameters that are not logarithmic."""
        scale = np.array([
            1.0 if log else own.deviation / max(float(np.sqrt(self.covariance[k, k])), 1e-300)
            for k, (own, log) in enumerate(zip(self.parameters.values(), self.logarithmic, strict=True))
        ])  # fmt: skip
        return np.asarray(self.covariance * np.outer(scale, scale))

    @cached_property
    def data(self) -> xarray.Dataset:
        """Estimates along "parameter", and the measured and predicted values of all blocks along "sample"."""
        import xarray

        rows, blocks = self.parameters.values(), self.blocks
        columns = ("value", "low", "high", "deviation", "start", "unit")
        held: dict[str, Any] = {key: ("parameter", [getattr(own, key) for own in rows]) for key in columns}
        held["covariance"] = (("parameter", "other_parameter"), self.covariance)
        for key in ("measured", "predicted", "over"):
            held[key] = ("sample", np.concatenate([getattr(block, key) for block in blocks]))
        held["block"] = ("sample", np.repeat(np.arange(len(blocks)), [block.measured.size for block in blocks]))
        return xarray.Dataset(held, coords={"parameter": list(self.parameters)}, attrs={"model": self.names.model})

    def table_data(self) -> xarray.Dataset:
        """Estimates along "parameter"."""
        return self.data[["value", "low", "high", "deviation", "start", "unit"]]

    def plot(self) -> Figure:
        """Figure of measured and predicted values, a panel a block."""
        from slipstick.plot.calibration_plot import plot_calibration

        return plot_calibration(self)

    def __repr__(self) -> str:
        width = max(len(name) for name in self.parameters)
        lines = [f'Calibration of model "{self.names.model}", {len(self.blocks)} blocks of data']
        lines += [f"  {name:<{width}}  {own}" for name, own in self.parameters.items()]
        lines += [f"  rms {block.rms_words}  {block.name}" for block in self.blocks]
        return "\n".join(lines + [f"  warning: {words}" for words in self.warnings])


def encode_calibration(result: Calibration) -> xarray.Dataset:
    """Dataset for a file."""
    kept = result.data.drop_vars(["unit", "covariance"])
    attributes = {
        "model": result.names.model,
        "estimates_json": json.dumps({name: own._asdict() for name, own in result.parameters.items()}),
        "covariance_json": json.dumps(result.covariance.tolist()),
        "logarithmic_json": json.dumps(list(result.logarithmic)),
        "warnings_json": json.dumps(list(result.warnings)),
        "blocks_json": json.dumps([(b.name, b.label, b.logarithmic, b.noise, b.unit) for b in result.blocks]),
        "evaluations": result.evaluations,
    }
    return kept.assign_attrs(attributes)


def decode_calibration(dataset: xarray.Dataset) -> Calibration:
    """Inverse of `encode_calibration`; the result has no model."""
    attributes = dataset.attrs
    estimates = Estimates(
        {
            name: Estimate(**{**own, "dimension": None if own["dimension"] is None else tuple(own["dimension"])})
            for name, own in json.loads(attributes["estimates_json"]).items()
        }
    )
    number = dataset["block"].values
    measured, predicted, over = (dataset[key].values.astype(float) for key in ("measured", "predicted", "over"))
    blocks = tuple(
        BlockResult(name, measured[number == k], predicted[number == k], over[number == k], label, *rest)
        for k, (name, label, *rest) in enumerate(json.loads(attributes["blocks_json"]))
    )
    return Calibration(
        None, estimates, blocks, np.array(json.loads(attributes["covariance_json"])),
        tuple(json.loads(attributes["logarithmic_json"])), tuple(json.loads(attributes["warnings_json"])),
        int(attributes["evaluations"]),
    )  # fmt: skip
