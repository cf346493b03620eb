"""Which window metrics say how well a game is played: those that its document ranks by."""

from ..worlds import games, known_spec


def result_metrics(game: str) -> tuple[str, ...]:
    """The first role's wins, or the headline and the flags that are good."""
    spec = known_spec(game)
    if spec is None:
        return ()
    if spec.outcome:
        return (f"{spec.role_names[0]}_win_rate",)
    return tuple(field.metric_as(field.alias or field.name) for field in spec.results)


def all_result_metrics() -> tuple[str, ...]:
    """Of every native game, each once."""
    return tuple(dict.fromkeys(name for game in games() for name in result_metrics(game)))
