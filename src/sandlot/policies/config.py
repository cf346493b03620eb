"""What a policy's network is built from: set by a training configuration, stored beside the weights."""

from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field


class Config(BaseModel):
    """A group of settings: frozen, of strict types, without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    def replace(self, **changes: object) -> Self:
        """A copy with some settings changed, checked like a new one."""
        return type(self)(**{**dict(self), **changes})


# Files and command lines give lists.
Layers = Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(strict=False)]
Names = Annotated[tuple[str, ...], Field(strict=False)]


class NetworkConfig(Config):
    """Network, action head and observation normalization of a policy."""

    hidden_sizes: Layers = (128, 128)  # units of each dense layer
    activation: str = "relu"  # relu or tanh
    recurrent_size: int = Field(default=0, ge=0)  # units of the GRU; 0 for none
    cnn: Literal["auto", "none"] = "auto"  # auto: convolutions for the pictures of an observation
    head: str = "auto"  # of continuous games: auto, table, gaussian or mixed
    squash: bool = False  # tanh over the numbers of a Gaussian head: what SAC and TD3 learn
    num_directions: int = Field(default=16, ge=1)  # of a table head
    normalize_observations: bool = True  # by running mean and standard deviation
    min_std: float = Field(default=0.0, ge=0)  # lower bound of the std that observations are divided by
    min_std_exempt: Names = ()  # fields of the observation without that lower bound
    masked_features: Names = ()  # fields that the network does not see: a field, or "asteroids.iron"
