"""gates.toml: margins in the metric's own unit, thresholds, budgets, error rates. Unknown keys are errors.

[regression]
pairs = 2000
[regression.margins]
success = 0.05                                    # points; a number gates
touchdown_speed = { margin = 0.3, gating = false }
[validate]
min = { success = 0.8 }
[budget]
p95 = { step_us = 12.0 }
"""

import tomllib
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from ..documents import first_invalid
from ..errors import ConfigError

FILE = "gates.toml"


class Part(BaseModel):
    """A table of the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Margin(Part):
    """How much worse a metric may be, and whether that decides."""

    margin: float = Field(gt=0, allow_inf_nan=False)
    gating: bool = True
    better: Literal["higher", "lower"] | None = None  # None: as the game says


class Regression(Part):
    """How `sandlot gate regression` judges."""

    alpha: float = Field(default=0.002, gt=0, lt=0.5)  # chance of a false alarm, over all gating metrics
    beta: float = Field(default=0.01, gt=0, lt=0.5)  # chance of passing a drop of the margin
    pairs: int = Field(default=2000, ge=1, le=1_000_000)  # at most
    first_look: int = Field(default=64, ge=1, le=1_000_000)
    margins: dict[str, Margin] = Field(default_factory=dict)

    @field_validator("margins", mode="before")
    @classmethod
    def _plain_numbers(cls, given: Any) -> Any:
        """`success = 0.05` means { margin = 0.05 }."""
        if not isinstance(given, dict):
            return given
        return {k: {"margin": v} if isinstance(v, (int, float)) else v for k, v in given.items()}


class Validate(Part):
    """Thresholds of `sandlot gate validate`: a metric or a TensorBoard tag, and its limit."""

    min: dict[str, float] = Field(default_factory=dict)
    max: dict[str, float] = Field(default_factory=dict)


class Budget(Part):
    """Limits of `sandlot gate budget`, for the median and for the 95th percentile."""

    p50: dict[str, float] = Field(default_factory=dict)
    p95: dict[str, float] = Field(default_factory=dict)
    slower: float = Field(default=0.1, gt=0, le=10)  # share by which a build may be slower than another


class Training(Part):
    """How `sandlot gate training` judges."""

    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    beta: float = Field(default=0.05, gt=0, lt=0.5)
    margins: dict[str, float] = Field(default_factory=dict)


class Settings(Part):
    """The whole file."""

    schema_version: Literal[1] = 1
    regression: Regression = Regression()
    validate_: Validate = Field(default=Validate(), alias="validate")
    budget: Budget = Budget()
    training: Training = Training()


def read_settings(path: Path | None) -> Settings:
    """The file, or gates.toml of this folder if there is one; ConfigError names the first wrong key."""
    if path is None:
        path = Path(FILE)
        if not path.is_file():
            return Settings()
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as problem:
        raise ConfigError(f"{path} could not be read ({problem.strerror or problem}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path} is no TOML file ({problem}).") from None
    return parse_settings(given, str(path))


def parse_settings(given: Any, where: str) -> Settings:
    """Check plain values."""
    try:
        return Settings.model_validate(given)
    except ValidationError as problem:
        raise ConfigError(f"{where}: {first_invalid(problem)}. See docs/gates.md.") from None
