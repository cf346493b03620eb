"""A student is taught with these numbers, inherits what need not be learned, and is judged by agreement."""

import numpy as np
import pytest
import torch

from sandlot.errors import ConfigError
from sandlot.policies import Policy, distill
from sandlot.policies.compare import Trajectory
from sandlot.policies.config import NetworkConfig
from sandlot.policies.distill import agreement, check_hidden_sizes
from sandlot.worlds import load_spec

TAG = load_spec("tag")


def policy(head="table", **shape) -> Policy:
    made = Policy(TAG, "seeker", NetworkConfig(hidden_sizes=(8,), head=head, **shape), seed=3)
    if made.normalizer is not None:
        made.normalizer.update(np.random.default_rng(0).normal(1, 2, (64, TAG.observation_size)))
    return made


def test_a_student_is_taught_with_these_numbers():
    names = ("WORLDS", "STEPS", "EPOCHS", "MINIBATCH", "CLOSE", "MAX_UNITS", "MAX_LAYERS")
    assert {name: getattr(distill, name) for name in names} == {
        "WORLDS": 64,
        "STEPS": 64,
        "EPOCHS": 6,
        "MINIBATCH": 16,
        "CLOSE": 0.1,
        "MAX_UNITS": 4096,
        "MAX_LAYERS": 8,
    }


@pytest.mark.parametrize("hidden", [(1,), (4096,), (2,) * 8])
def test_a_student_at_the_limit_of_its_size_is_taken(hidden):
    assert check_hidden_sizes(hidden) == hidden


@pytest.mark.parametrize("hidden", [(), (0,), (4097,), (2,) * 9, (8, 0)])
def test_a_student_beyond_it_is_refused(hidden):
    with pytest.raises(ConfigError, match="1 to 8 layers of 1 to 4096 units"):
        check_hidden_sizes(hidden)


def test_fewer_than_one_round_is_refused():
    with pytest.raises(ConfigError, match="rounds = 0: expected at least 1"):
        distill.distill(policy(), (4,), rounds=0)


@pytest.fixture
def small(monkeypatch):
    """Rounds so small that they take no time; the numbers of every optimiser step are kept."""
    for name, value in (("WORLDS", 4), ("STEPS", 4), ("EPOCHS", 2), ("MINIBATCH", 2)):
        monkeypatch.setattr(distill, name, value)
    rates, step = [], torch.optim.Adam.step

    def stepping(optimiser, *given):
        norm = sum(
            float(w.grad.square().sum())
            for g in optimiser.param_groups
            for w in g["params"]
            if w.grad is not None
        )
        rates.append((optimiser.param_groups[0]["lr"], norm**0.5))
        return step(optimiser, *given)

    monkeypatch.setattr(torch.optim.Adam, "step", stepping)
    return rates


def test_the_learning_rate_falls_along_a_cosine_and_gradients_are_cut_at_one(small):
    reported = []
    teacher = policy("gaussian")
    teacher.network.last.weight.data *= 1e4  # far from what any student begins with
    distill.distill(teacher, (4,), rounds=3, on_round=lambda done, of: reported.append((done, of)))
    passes = 3 * 2
    expected = [1e-4 + (2e-3 - 1e-4) * (1 + np.cos(np.pi * p / passes)) / 2 for p in range(passes)]
    assert [rate for rate, _ in small[::2]] == pytest.approx(expected, rel=1e-3), "two minibatches a pass"
    assert len(small) == passes * 2 and max(norm for _, norm in small) <= 1.0 + 1e-3
    assert max(norm for _, norm in small) > 0.9, "else nothing had to be cut"
    assert reported == [(1, 3), (2, 3), (3, 3)]


def test_teacher_and_student_move_in_turns_each_round_from_a_seed_of_its_own(small, monkeypatch):
    actors, seeds, play = [], [], distill.record_trajectory

    def watched(teacher, worlds, steps, seed, opponents, actor=None):
        actors.append("teacher" if actor is teacher else "student" if actor else "nobody else")
        seeds.append(seed)
        return play(teacher, worlds, steps, seed, opponents, actor)

    monkeypatch.setattr(distill, "record_trajectory", watched)
    _, lesson = distill.distill(policy(), (4,), rounds=4)
    assert actors == ["teacher", "student", "teacher", "student", "nobody else"]
    assert len(set(seeds)) == 5 and lesson.rows == 4 * 4 * 4


@pytest.mark.parametrize(("memory", "hidden", "has"), [(0, (4,), 0), (3, (4,), 3), (12, (4, 6), 6)])
def test_a_student_has_no_more_memory_than_its_teacher_or_its_layers(small, memory, hidden, has):
    student, lesson = distill.distill(policy(recurrent_size=memory), hidden, rounds=1)
    assert student.config.recurrent_size == has and lesson.hidden == hidden
    assert lesson.parameters == sum(p.numel() for p in student.parameters())


@pytest.mark.parametrize("head", ["table", "gaussian", "mixed"])
def test_a_student_sees_and_spreads_as_its_teacher_does(small, head):
    teacher = policy(head)
    student = Policy(TAG, "seeker", NetworkConfig(hidden_sizes=(4,), head=head))
    for parameter in teacher.head.parameters():
        parameter.data += 0.3
    distill._copy_fixed_parts(student, teacher)
    rows = torch.rand(3, TAG.observation_size)
    assert torch.equal(student.normalize(rows), teacher.normalize(rows))
    for mine, theirs in zip(
        student.head.state_dict().values(), teacher.head.state_dict().values(), strict=True
    ):
        assert torch.equal(mine, theirs)


def test_distilling_copies_what_need_not_be_learned(small):
    """The normalizer has seen what the teacher saw, though the student saw next to nothing."""
    teacher = policy("gaussian")
    student, _ = distill.distill(teacher, (4,), rounds=1)
    rows = torch.rand(3, TAG.observation_size)
    assert torch.equal(student.normalize(rows), teacher.normalize(rows))


def constant(head, numbers):
    """A policy that answers these numbers whatever it sees."""
    made = policy(head, normalize_observations=False)
    made.network.last.weight.data.zero_()
    made.network.last.bias.data[: len(numbers)] = torch.tensor(numbers)
    return made


def play_of(steps=2, rows=3):
    seen = np.zeros((steps, rows, TAG.observation_size), np.float32)
    return Trajectory(seen, None, np.zeros((steps, rows), bool))


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        ([0.0, 0.0, 0.0], [0.09, -0.09, 0.0], 1.0),
        ([0.0, 0.0, 0.0], [0.11, 0.0, 0.0], 0.0),
        ([3.0, -3.0, 0.0], [1.0, -1.0, 0.0], 1.0),  # beyond the edge is the edge
        ([-3.0, 3.0, 0.0], [-1.0, 1.0, 0.0], 1.0),
        ([1.0, 1.0, 1.0], [3.0, 3.0, 3.0], 1.0),
        ([-1.0, -1.0, -1.0], [-3.0, -3.0, -3.0], 1.0),
    ],
)
def test_continuous_actions_agree_when_they_are_close(ours, theirs, agree):
    assert agreement(constant("gaussian", ours), constant("gaussian", theirs), play_of()) == agree


def test_discrete_actions_agree_when_they_are_the_same():
    assert agreement(constant("table", [0.0, 5.0]), constant("table", [0.0, 9.0]), play_of()) == 1.0
    assert agreement(constant("table", [0.0, 5.0]), constant("table", [5.0, 0.0]), play_of()) == 0.0


def test_memory_is_carried_through_a_play_and_forgotten_where_an_episode_ended():
    made = policy(recurrent_size=4)
    seen = np.random.default_rng(0).normal(size=(3, 2, TAG.observation_size)).astype(np.float32)
    ended = np.array([[True, True], [False, True], [False, False]])
    found = distill._all_outputs(made, Trajectory(seen, None, ended))
    state = None
    for t in range(3):
        if state is not None:
            state = state * torch.from_numpy(~ended[t])[:, None].float()
        with torch.no_grad():
            outputs, state = made.network(made.normalize(torch.from_numpy(seen[t])), state)
        assert torch.allclose(found[t], outputs, atol=1e-6)


@pytest.mark.parametrize("head", ["table", "gaussian", "mixed"])
def test_the_loss_is_the_distance_from_the_teachers_choices_and_a_tenth_of_that_from_its_value(head):
    student = policy(head)
    size = student.head.size
    found, wanted = torch.randn(2, 3, size + 1), torch.randn(2, 3, size + 1)
    loss = float(distill._loss(student, found, wanted, None))
    f, w = found.flatten(0, 1), wanted.flatten(0, 1)
    gap = (f[:, -1] - w[:, -1]).abs()
    value = torch.where(gap < 1, 0.5 * gap**2, gap - 0.5).mean()
    if head == "table":
        p, q = w[:, :-1].softmax(1), f[:, :-1].softmax(1)
        expected = (p * (p / q).log()).sum(1).mean()
    else:
        numbers = student.head.numbers if head == "mixed" else size
        gaussian = student.head.gaussian if head == "mixed" else student.head
        std = gaussian.clamped_log_std().detach().exp()
        expected = (((f - w)[:, :numbers] / std) ** 2).mean()
        if head == "mixed":
            chance, logit = w[:, numbers:size].sigmoid(), f[:, numbers:size]
            expected += -(chance * logit.sigmoid().log() + (1 - chance) * (-logit).sigmoid().log()).mean()
    assert loss == pytest.approx(float(expected + 0.1 * value), rel=1e-4)
