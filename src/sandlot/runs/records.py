"""The records in a run's files, each with its schema version.

    run.json            RunRecord        status and counters
    state.json          Commit           the last commit point
    windows.jsonl       WindowRow        one per window
    replays/*.jsonl.gz  ReplayHeader, ReplayEnd (the first and the last line)
    replay index        IndexEntry       one per replay
    frames              Frame            what the API and the page read

A record of another schema is refused. Within a schema, unknown keys of run.json are kept, so
that a note added by hand survives.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, ValidationError

from ..errors import Damaged, NewerSchema

ActionEncoding = Literal["int8", "int16", "q127", "float32"]
# interrupted: run.json says running, but no process holds the run: it was killed, or the machine stopped
Status = Literal["running", "completed", "failed", "stopped", "interrupted"]

# JSON numbers lose digits beyond 2**53 in a browser, and a seed has 64 bits: it travels as text.
Seed = Annotated[int, Field(ge=0, lt=1 << 64), PlainSerializer(str, return_type=str)]
Count = Annotated[int, Field(ge=0)]
Window = Annotated[int, Field(ge=0)]


class Record(BaseModel):
    """Base of all records: frozen, validated, versioned."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
    schema_version: int = 1

    def to_json(self) -> dict[str, Any]:
        """The record as plain JSON values."""
        return self.model_dump(mode="json")


R = TypeVar("R", bound=Record)


def parse(kind: type[R], value: Any, what: str) -> R:
    """Validate a parsed JSON value; `what` names its file in the error."""
    if not isinstance(value, Mapping):
        raise Damaged(f"{what} holds {type(value).__name__}, expected an object. Restore it from a copy.")
    known = kind.model_fields["schema_version"].default
    found = value.get("schema_version")
    if isinstance(found, int) and found > known:
        raise NewerSchema(what, found, known)
    if type(found) is int and 0 < found < known:
        raise Damaged(
            f"{what} has schema version {found}, this version reads {known}. Open it with the Sandlot that "
            "wrote it."
        )
    if found != known:
        raise Damaged(f"{what} has schema version {found!r}, expected {known}. Is it a file of Sandlot?")
    try:
        return kind.model_validate(value)
    except ValidationError as problem:
        first = problem.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the record"
        raise Damaged(f"{what} is not valid at {place}: {first['msg']}. Restore it from a copy.") from None


class Resume(BaseModel):
    """One resumption of a run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    at: str
    window_id: Window | None  # the last committed window; None: there was none


class RunRecord(Record):
    """run.json. All paths are relative to the run folder. An env step is one `step()` of one world.

    Schema 1 counted env steps in ticks; schema 2 called `trainer_info` facts.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    schema_version: int = 3

    run_id: str
    status: Status = "running"
    game: str
    trainer_backend: str
    seed: Seed = 0
    target_env_steps: Count | None = None  # None: trained by the clock
    window_env_steps: int = Field(gt=0)
    env_steps_total: Count = 0  # so far, summed over worlds
    ticks_total: Count = 0  # simulated time of those steps; a step lasts one tick or more
    episodes_total: Count = 0
    windows_emitted: Count = 0
    checkpoints_written: Count = 0
    latest_window: Window | None = None
    latest_checkpoint: str | None = None
    latest_replay: str | None = None
    metrics_windows_path: str
    metrics_episodes_path: str
    checkpoints_dir: str
    replays_dir: str
    replay_index_path: str
    config_path: str
    wandb_run_url: str | None = None
    # a key of the brief; PufferLib 3.0.23 has no Constellation to ask for one
    constellation_url: str | None = None
    info_metric_keys: list[str] = []
    versions: dict[str, str] = {}  # sandlot, engine, game, python, torch, …
    spec_hash: str | None = None
    retention: dict[str, Count] = {}  # which checkpoints stay: the fields of Retention
    trainer_info: dict[str, Any] = {}  # device, worlds, threads, engine
    resumes: list[Resume] = []  # each time it was taken up again, the newest last
    started_at: str
    updated_at: str
    finished_at: str | None = None
    error: str | None = None


class WindowRow(Record):
    """One line of windows.jsonl: the fixed fields, then any number of metrics by name.

    An env step is one `step()` of one world; schema 1 counted them in ticks. Outcomes come from episodes that
    ended in the window; with none, return_mean is 0 and every other outcome null.
    """

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False)
    schema_version: int = 2

    run_id: str
    window_id: Window
    window_complete: bool
    env_steps_start: Count
    env_steps_end: Count
    env_steps_in_window: Count
    env_steps_total: Count
    ticks_in_window: Count
    ticks_total: Count
    episodes_completed: Count
    episodes_total: Count
    terminated_episodes: Count
    truncated_episodes: Count
    reward_sum: float  # this and the next three: in a game of several roles, of the first one that learns;
    reward_mean: float  # per env step
    return_mean: float  # per episode
    return_median: float | None  # each role's are {role}_return_mean and {role}_return_median
    invalid_action_rate: float  # share of env steps

    @property
    def metrics(self) -> dict[str, Any]:
        """Everything besides the fixed fields: the game's metrics and rates, and the trainer's."""
        return dict(self.model_extra or {})

    def with_metrics(self, **metrics: float | str | None) -> "WindowRow":
        """The row with a trainer's own metrics (losses, speeds, ratings) added."""
        return WindowRow.model_validate(self.model_dump() | metrics)


class Commit(Record):
    """state.json: the last commit point. What was appended after it is cut away on resume."""

    schema_version: int = 2

    run_id: str
    window_id: Window
    checkpoint: str
    files: dict[str, str]  # the checkpoint and whatever else belongs to it: path → sha256
    lines: dict[str, Count]  # bytes of each growing file at this point
    best_window: Window | None = None  # set when this very commit is the best so far
    best_value: float | None = None
    record: dict[str, Any]  # the fields of run.json that belong to this point
    trainer: dict[str, Any]  # whatever the trainer needs beside the checkpoint; JSON
    created_at: str
    digest: str = ""  # SHA-256 of all the rest: a resume must not go on from changed numbers

    def signed(self) -> "Commit":
        """The same with its digest."""
        return self.model_copy(update={"digest": self.own_digest()})

    def own_digest(self) -> str:
        """SHA-256 of all other fields."""
        rest = self.model_copy(update={"digest": ""}).to_json()
        return hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()


class RoleBest(Record):
    """The window of a role's weights in best.pt, and their value in its evaluation."""

    window_id: Window
    value: float


class Best(Record):
    """best.json: what best.pt holds. Roles may come from different windows; `window_id` is the newest.

    `value` is of the seeds on which it was chosen among others, so it owes some of it to luck; `report` is
    of seeds on which nothing was chosen, and is what to tell others. Null until it has been measured. Its
    `value` is the same measure: for two rated roles the mean of their ratings less the lead of one of them.
    """

    window_id: Window
    value: float | None
    report: dict[str, Any] | None = None
    checkpoint_sha256: str
    created_at: str
    roles: dict[str, RoleBest] = {}  # by role, in a game of several roles


NATIVE = "native"


class ReplayHeader(Record):
    """First line of a replay: what was played. Seed, config and actions rebuild the episode, if the native
    engine played it; what was played elsewhere is kept as frames."""

    kind: Literal["header"] = "header"
    replay_id: str
    game: str
    game_version: str
    played_in: str = Field(default=NATIVE, pattern="^[a-z][a-z0-9_]{0,31}$")  # native, godot or gym
    # Spec.stored of a game that has to be opened to be described; in the file, and in nothing made from it
    spec: dict[str, Any] | None = Field(default=None, exclude=True)
    engine: str  # the build that recorded; any build of the same game_version replays it
    spec_hash: str
    config: dict[str, Any]
    seed: Seed
    agents: list[str]  # the role of each agent at the start
    policies: dict[str, str]  # name of the policy that played each role
    scored_agent: Count = 0  # whose return the catalogue shows
    action_encoding: ActionEncoding
    action_shape: list[Count]  # [steps, agents] or [steps, agents, size]
    run_id: str | None = None
    window_id: Window | None = None
    checkpoint_path: str | None = None
    checkpoint_env_steps_total: Count | None = None
    trainer_backend: str | None = None
    tags: list[str] = []
    created_at: str

    @property
    def replayable(self) -> bool:
        """Whether playing the actions again gives the same episode, bit by bit."""
        return self.played_in == NATIVE


class ReplayEnd(Record):
    """Last line of a replay: its result, which `verify` must reproduce."""

    kind: Literal["end"] = "end"
    steps: Count
    ticks: Count
    returns: list[float]  # an agent: the sum of its rewards, added up in float64
    terminated: bool
    truncated: bool
    episode: dict[str, Any]  # the game's own sums; empty when the recording stopped before the end


class IndexEntry(Record):
    """One row of the replay catalogue."""

    run_id: str
    window_id: Window
    replay_id: str
    replay_path: str
    checkpoint_path: str | None = None
    tags: list[str] = []
    trainer_backend: str | None = None
    return_total: float
    steps: Count
    measures: dict[str, float] = {}  # the single numbers of its episode, by the game's names
    terminated: bool
    truncated: bool
    checkpoint_env_steps_total: Count | None = None
    created_at: str
    seed: Seed
    engine_version: str
    config_hash: str
    policy_name: str


class Frame(Record):
    """One step of a replay, by name. With several agents, action and reward have one entry per agent."""

    frame_index: Count
    t: Count  # ticks elapsed after the step
    dt: int = Field(gt=0)  # ticks of the step
    action: int | list[int] | list[float] | list[list[float]]
    reward: float | list[float]
    terminated: bool
    truncated: bool
    render_state: dict[str, Any]
    events: list[dict[str, Any]]
    info: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The frame as plain JSON values; without `info` where there is none."""
        return self.model_dump(mode="json", exclude={"info"} if self.info is None else None)
