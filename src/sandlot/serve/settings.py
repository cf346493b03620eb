"""Everything about the server that can be set, in one table. `sandlot serve` lays its options over it."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
)

from ..errors import ConfigError

PREFIX = "SANDLOT_"
LOCAL_ORIGINS = ("http://localhost:5173", "http://127.0.0.1:5173", "http://localhost:3000")
LOCAL_PATTERN = r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?"


def _words(value: Any) -> Any:
    """A list as a variable of the environment writes it: words with commas between them."""
    return (
        tuple(word.strip() for word in value.split(",") if word.strip()) if isinstance(value, str) else value
    )


Words = Annotated[tuple[str, ...], BeforeValidator(_words)]


def default_cache() -> Path:
    """Where exported policies are kept, so that the folder of runs may be read-only."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "sandlot"


class Settings(BaseModel):
    """One field a setting; its variable is SANDLOT_ and the name in capitals."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    runs: Path = Field(default=Path("runs"), description="the folder that runs are in")
    site: Path | None = Field(
        default=None, description="the built site; without one, the site inside the package"
    )
    assets: Path | None = Field(
        default=None, description="adopted art; without one, where `sandlot assets` puts it"
    )
    cache: Path = Field(default_factory=default_cache, description="exported policies")

    host: str = Field(default="127.0.0.1", description="address to listen on")
    port: int = Field(default=8000, ge=0, le=65535, description="0 takes any free one")
    hosts: Words = Field(
        default=(),
        description="names the server answers to, with commas; none: this machine's own names and addresses",
    )
    origins: Words = Field(
        default=LOCAL_ORIGINS, description="pages elsewhere that may use the API, with commas"
    )
    origin_pattern: str = Field(default=LOCAL_PATTERN, description="a regular expression for more such pages")

    max_body_bytes: int = Field(default=65_536, ge=1024, le=1 << 26, description="of a request")
    max_message_bytes: int = Field(
        default=65_536, ge=1024, le=1 << 26, description="of a message to a socket"
    )
    max_sockets: int = Field(default=512, ge=1, le=100_000, description="replay sockets at a time")
    client_seconds: float = Field(
        default=20.0,
        gt=0,
        le=3600,
        description="how long a client may keep us from writing or let us wait for a body",
    )
    work_seconds: float = Field(
        default=60.0, gt=0, le=3600, description="how long a request waits for frames or scores"
    )
    workers: int = Field(default=2, ge=1, le=64, description="threads that play replays again")
    frame_cache_bytes: int = Field(default=128 << 20, ge=1 << 20, description="frames kept in memory")

    max_sessions: int = Field(default=256, ge=1, le=100_000, description="play sessions at a time")
    session_seconds: float = Field(
        default=1800.0, gt=0, description="an unused play session is forgotten after"
    )

    wandb_base_url: str = Field(
        default="https://api.wandb.ai", description="Weights & Biases, or a server like it"
    )
    wandb_api_key: SecretStr | None = Field(default=None, description="its key; stays on the server")
    wandb_entity: str | None = Field(default=None, description="default entity")
    wandb_project: str | None = Field(default=None, description="default project")
    wandb_cache_seconds: float = Field(
        default=30.0, ge=0, le=86_400, description="how long its answers are kept"
    )
    wandb_timeout_seconds: float = Field(
        default=10.0, gt=0, le=300, description="how long it may take to answer"
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
        """The variables that are set, with what was chosen by hand laid over them (None: not chosen)."""
        environment = os.environ if environment is None else environment
        told: dict[str, Any] = {
            name: environment[variable_of(name)]
            for name in cls.model_fields
            if environment.get(variable_of(name), "").strip()
        }
        told |= {name: value for name, value in chosen.items() if value is not None}
        try:
            return cls(**told)
        except ValidationError as problem:
            first = problem.errors()[0]
            name = str(first["loc"][0]) if first["loc"] else "settings"
            shown = "" if name == "wandb_api_key" else f" = {told.get(name)!r}"
            raise ConfigError(f"{variable_of(name)}{shown}: {first['msg']}.") from None


def variable_of(name: str) -> str:
    return PREFIX + name.upper()
