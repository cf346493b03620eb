"""All settings of the server, from SANDLOT_… variables. Options of `sandlot serve` override them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

from ..errors import ConfigError

PREFIX = "SANDLOT_"
LOCAL_ORIGINS = ("http://localhost:5173", "http://127.0.0.1:5173", "http://localhost:3000")
LOCAL_PATTERN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"


def _split_commas(value: Any) -> Any:
    """A comma-separated environment variable as a tuple."""
    if not isinstance(value, str):
        return value
    return tuple(word.strip() for word in value.split(",") if word.strip())


CommaSeparated = Annotated[tuple[str, ...], BeforeValidator(_split_commas)]


def default_cache() -> Path:
    """The cache folder; outside the folder of runs, which may be read-only."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sandlot"


class Settings(BaseModel, frozen=True, extra="forbid"):
    """The variable of a field is SANDLOT_ and its name in capitals."""

    runs: Path = Field(default=Path("runs"), description="folder of the runs")
    site: Path | None = Field(default=None, description="folder of the built site; the package's without it")
    assets: Path | None = Field(
        default=None,
        description="folder of installed art packs; that of `sandlot assets` without it",
    )
    cache: Path = Field(default_factory=default_cache, description="folder of exported policies")

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="port to listen on; 0 takes any free one")
    hosts: CommaSeparated = Field(
        default=(),
        description="comma-separated host names that are answered; this machine's own without it",
    )
    origins: CommaSeparated = Field(
        default=LOCAL_ORIGINS, description="comma-separated other origins that may use the API"
    )
    origin_pattern: str = Field(default=LOCAL_PATTERN, description="regular expression for more such origins")

    max_body_bytes: int = Field(default=65_536, ge=1024, le=1 << 26, description="largest request body")
    max_message_bytes: int = Field(
        default=65_536, ge=1024, le=1 << 26, description="largest message of a client"
    )
    max_sockets: int = Field(default=512, ge=1, le=100_000, description="open replay sockets at a time")
    client_seconds: float = Field(
        default=20.0,
        gt=0,
        le=3600,
        description="for a client to read a response or send a body",
    )
    work_seconds: float = Field(
        default=60.0, gt=0, le=3600, description="limit of a request for frames or scores"
    )
    workers: int = Field(default=2, ge=1, le=64, description="threads that make replay frames")
    frame_cache_bytes: int = Field(default=128 << 20, ge=1 << 20, description="size of the frame cache")

    max_sessions: int = Field(default=256, ge=1, le=100_000, description="play sessions at a time")
    session_seconds: float = Field(default=1800.0, gt=0, description="after which an unused one is removed")

    wandb_base_url: str = Field(default="https://api.wandb.ai", description="address of Weights & Biases")
    wandb_api_key: SecretStr | None = Field(default=None, description="API key of W&B; never sent to clients")
    wandb_entity: str | None = Field(default=None, description="default Weights & Biases entity")
    wandb_project: str | None = Field(default=None, description="default Weights & Biases project")
    wandb_cache_seconds: float = Field(
        default=30.0, ge=0, le=86_400, description="how long responses of W&B are cached"
    )
    wandb_timeout_seconds: float = Field(
        default=10.0, gt=0, le=300, description="timeout of a request to W&B"
    )

    @field_validator("origin_pattern")
    @classmethod
    def _is_a_pattern(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as problem:
            raise ValueError(f"not a regular expression ({problem})") from None
        return value

    @field_validator("wandb_base_url")
    @classmethod
    def _is_an_address(cls, value: str) -> str:
        if not re.match(r"https?://[^/\s]", value):
            raise ValueError("expected an address that begins with https:// or http://")
        return value.rstrip("/")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None, **chosen: Any) -> Settings:
        """Settings from the variables; `chosen` overrides them where it is not None."""
        environment = os.environ if environment is None else environment
        values: dict[str, Any] = {
            name: environment[variable_name(name)]
            for name in cls.model_fields
            if environment.get(variable_name(name), "").strip()
        }
        values |= {name: value for name, value in chosen.items() if value is not None}
        try:
            return cls(**values)
        except ValidationError as problem:
            first = problem.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else "settings"
            shown = "" if name == "wandb_api_key" else f" = {values.get(name)!r}"
            raise ConfigError(f"{variable_name(name)}{shown}: {first['msg']}.") from None


def variable_name(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()
