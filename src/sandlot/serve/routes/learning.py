"""How play changed over a run: the same seeds at every stage, with what was measured there."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from ...runs.learning import Learning, LearningReplay, LearningResult
from ..context import RunDep
from ..errors import error_responses

router = APIRouter(prefix="/api/runs/{run_id}", tags=["replays"])


class StageReplay(LearningReplay):
    """A match of a stage; the same place in every stage's list is the same seed."""

    url: str = Field(description="its file, as of every replay")


class Stage(BaseModel):
    """The policies at one moment of training."""

    window_id: int | None = Field(description="null: before the first step")
    env_steps_total: int
    trained_s: float | None = Field(description="seconds of training; null where the run does not say")
    episodes: int = Field(description="held-out matches behind each share")
    results: list[LearningResult] = Field(description="most telling first, with 95 % intervals")
    replays: list[StageReplay]


class LearningHistory(BaseModel):
    """Every stage of a training, from before the first step to the end."""

    run_id: str | None = Field(description="null for what ships with Sandlot")
    game: str
    count: int
    stages: list[Stage]


@router.get("/learning", responses=error_responses(404, 409, 422))
def get_learning(run: RunDep) -> LearningHistory:
    """The same seeds before training and at every evaluated checkpoint; empty until one was evaluated."""
    name = run.paths.folder.name
    return history(Learning.of(run.paths), run.record.game, f"/api/runs/{name}/replays/{{}}/file", name)


def history(learning: Learning, game: str, url: str, run_id: str | None = None) -> LearningHistory:
    """The stages with the addresses of their replays. url: has {} in place of a replay's id."""
    stages = [
        Stage(
            **row.model_dump(include=set(Stage.model_fields) - {"replays"}),
            replays=[StageReplay(**one.model_dump(), url=url.format(one.replay_id)) for one in row.replays],
        )
        for row in learning.stages()
    ]
    return LearningHistory(run_id=run_id, game=game, count=len(stages), stages=stages)
