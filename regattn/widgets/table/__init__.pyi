"""What editors and type checkers know of it; written by tools/explorer_stubs.py."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pandas import DataFrame

from regattn.widgets._kit import Explorer

class TableExplorer(Explorer):
    query: int
    model: Literal["least squares", "ridge", "components", "neighbours", "gaussian", "softmax"]
    listens: Literal["all", "others", "past"]
    typed: dict[str, float]
    target: str
    date: str
    lags: int
    tuning: Literal["loo", "hand"]
    ridge: float
    rank: int
    neighbours: int
    temperature: float
    predictors: list[str]
    def __init__(
        self,
        table: DataFrame | None = None,
        *,
        examples: Mapping[str, DataFrame] | None = None,
        hide: Sequence[str] = (),
        query: int | None = None,
        model: Literal["least squares", "ridge", "components", "neighbours", "gaussian", "softmax"] | None = None,
        listens: Literal["all", "others", "past"] | None = None,
        typed: dict[str, float] | None = None,
        target: str | None = None,
        date: str | None = None,
        lags: int | None = None,
        tuning: Literal["loo", "hand"] | None = None,
        ridge: float | None = None,
        rank: int | None = None,
        neighbours: int | None = None,
        temperature: float | None = None,
        predictors: list[str] | None = None,
        presets: Mapping[str, Mapping[str, Any]] | None = None,
        alt: str | None = None,
    ) -> None: ...
    def result(self) -> dict[str, Any]: ...
