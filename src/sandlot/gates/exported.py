"""Is an exported policy as good as the one it was made from? The same answers, and no worse in play."""

from __future__ import annotations

from ..errors import SpecMismatch
from ..evaluate.players import open_checkpoint
from ..policies.compare import Parity, compare
from .regression import Progress, Question
from .regression import compare as compare_play
from .sides import PlayedSide
from .verdict import Check, Number, Verdict, make_verdict
from .worker import Request

GATE = "export"
LEAST_AGREEMENT = 0.99  # share of observations with the same likeliest action


def judge_export(
    checkpoint: str,
    exported: str,
    question: Question,
    agreement: float = LEAST_AGREEMENT,
    request: Request | None = None,
    progress: Progress | None = None,
) -> Verdict:
    """A checkpoint and its exported file: agreement on observations of its own play, then paired play."""
    request = request or Request()
    original, file = open_checkpoint(checkpoint, request.runs), open_checkpoint(exported, request.runs)
    role = next(iter(file.policies))
    if file.spec.game != original.spec.game or role not in original.policies:
        raise SpecMismatch(
            f"{exported} plays {role} of {file.spec.game}; {original.name} plays "
            f"{', '.join(original.policies)} of {original.spec.game}. Export the policy that you compare "
            "with."
        )
    if file.spec.interface_hash != original.spec.interface_hash:
        raise SpecMismatch(f"{exported} was made for other observations or actions. Export it again.")
    found = compare(original.policies[role], file.policies[role])  # type: ignore[arg-type]
    with (
        PlayedSide(Request(**{**request.to_json(), "policy": checkpoint})) as one,
        PlayedSide(Request(**{**request.to_json(), "policy": exported})) as two,
    ):
        one.groups = [key for key in one.groups if key[0] == role]
        played = compare_play(one, two, question, progress)
    checks = [_agreement(found, agreement), *played.checks]
    kept = {name: getattr(played, name) for name in KEPT}
    return make_verdict(GATE, checks, **kept)


KEPT = ("notes", "baseline", "current", "pairs", "looks", "worst", "curves", "command", "seconds")


def _agreement(found: Parity, wanted: float) -> Check:
    good = found.greedy_agreement >= wanted
    text = f"the same likeliest action on {100 * found.greedy_agreement:.2f} % of {found.rows:,} observations"
    return Check(
        name="agreement",
        result="pass" if good else "fail",
        sentence=f"{text}; at least {100 * wanted:g} % expected.",
        better="higher",
        test="agreement",
        current=Number(value=found.greedy_agreement),
        limit=wanted,
        samples=found.rows,
    )
