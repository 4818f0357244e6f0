"""Learning: advantages, the critic, the losses and their gradients, and the slow policy."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np
import pytest
import torch

from agents.network import PolicyValueNet, masked
from agents.training.config import CriticConfig, PPOConfig
from agents.training.critic import Critic
from agents.training.ppo import FIGURES, Batch, Learner, Locations, advantages, losses
from agents.training.rollout import Decisions, Workers, pieces
from euchre_env.encoding import HIDDEN_LAYOUT, HIDDEN_SIZE, LAYOUT
from tests.small_runs import collect, small_net

OWN, ALL = CriticConfig(), CriticConfig(sees="all", hidden=(16,))
TRUTH = dataclasses.replace(ALL, double_dummy=True)


def learner_of(
    net: PolicyValueNet,
    config: PPOConfig | None = None,
    critic: CriticConfig = OWN,
    threads: int = 1,
) -> Learner:
    return Learner(net, config or PPOConfig(), critic, 1, Workers(threads))


# --- advantages --------------------------------------------------------------------------------


def a_hand() -> Decisions:
    """Hand 0: seat 1 decides three times, seats 0, 2, 3 once. Hand 1: seat 2 decides once.

    Team 0 loses two points in hand 0 and wins four in hand 1.
    """
    hand = np.array([0, 1, 0, 0, 0, 0, 0])
    seat = np.array([1, 2, 2, 1, 0, 3, 1])
    n = len(hand)
    points = np.array([[-2, 2, -2, 2], [4, -4, 4, -4]], np.float32)
    return Decisions(
        observation=torch.zeros(n, 1, dtype=torch.uint8),
        action_mask=torch.ones(n, 38, dtype=torch.int8),
        action=torch.zeros(n, dtype=torch.int64),
        log_prob=torch.zeros(n),
        value=torch.tensor([0.5, 1.0, -0.25, 0.75, -0.5, 0.0, 0.25]),
        hidden=torch.zeros(n, HIDDEN_SIZE, dtype=torch.uint8),
        double_dummy=torch.zeros(n),
        hand=hand,
        seat=seat,
        steps=[slice(0, 2), slice(2, 3), slice(3, 4), slice(4, 5), slice(5, 6), slice(6, 7)],
        reward=points / 2,
        points=points,
        finals=np.zeros(2),
        which=np.zeros(2, np.int16),
        opponent=np.full(2, -1),
        side=np.zeros(2, np.int64),
        swapped=np.zeros(n, np.bool_),
    )


def test_advantages_of_four_seats_by_hand() -> None:
    # Results: 1 for seats 1 and 3 of hand 0, -1 for seats 0 and 2, and 2 for seat 2 of hand 1.
    last = 1 - 0.25
    middle = (0.25 - 0.75) + 0.5 * last
    first = (0.75 - 0.5) + 0.5 * middle
    expected = [first, 2 - 1.0, -1 + 0.25, middle, -1 + 0.5, 1 - 0.0, last]
    hand = a_hand()
    assert np.allclose(advantages(hand, hand.value.numpy(), 0.5, False), expected)


def test_advantages_along_the_whole_hand_by_hand() -> None:
    # In the eyes of team 0 the values of hand 0 are -.5, -.25, -.75, -.5, 0, -.25, the result -1,
    # and so the surprises .25, -.5, .25, .5, -.25, -.75.
    expected = [-0.0859375, 1.0, -0.328125, -0.34375, 0.1875, 0.625, 0.75]
    hand = a_hand()
    assert advantages(hand, hand.value.numpy(), 0.5, True).tolist() == expected


@pytest.mark.parametrize("gae_lambda", [0.0, 1.0])
def test_advantages_at_the_ends_of_lambda(gae_lambda: float) -> None:
    hand = a_hand()
    value = hand.value.numpy()
    result = hand.points[hand.hand, hand.seat] / 2
    following = np.array([0.75, 2, -1, 0.25, -1, 1, 1])
    expected = result - value if gae_lambda else following - value
    assert np.allclose(advantages(hand, value, gae_lambda, False), expected)
    # Along the hand, what follows is the next seat's, with the sign of the team.
    following = np.array([0.25, 2, -0.75, 0.5, 0.0, 0.25, 1])
    expected = result - value if gae_lambda else following - value
    assert np.allclose(advantages(hand, value, gae_lambda, True), expected)


# --- the critic --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def solved() -> Decisions:
    """Decisions with their double-dummy values."""
    return collect(300, solve=True)


def without_correction(learner: Learner) -> None:
    assert learner.critic is not None
    torch.nn.init.zeros_(learner.critic.value.weight)


@pytest.mark.parametrize("sees", ["own", "all"])
def test_the_potential_telescopes(sees: str, solved: Decisions) -> None:
    critic = dataclasses.replace(TRUTH, sees=sees, gae_lambda=1.0)
    learner = learner_of(small_net(), critic=critic)
    without_correction(learner)
    batch, _ = learner._batch(solved)
    result = torch.from_numpy(solved.points[solved.hand, solved.seat]) / 2
    gained = result - solved.double_dummy / 2
    assert torch.allclose(batch.target, result, atol=1e-6)
    assert torch.allclose(
        batch.advantage, (gained - gained.mean()) / gained.std(correction=0), atol=1e-5
    )


def test_the_double_dummy_value_explains_results_before_anything_is_learnt(
    solved: Decisions,
) -> None:
    explained = []
    for critic in (ALL, TRUTH):
        learner = learner_of(small_net(), critic=critic)
        without_correction(learner)
        explained.append(learner._batch(solved)[1]["train/explained_variance"])
    assert explained[0] == pytest.approx(0, abs=1e-3) and explained[1] > 0.3


def inputs(decisions: Decisions) -> tuple[torch.Tensor, ...]:
    return decisions.observation, decisions.hidden, decisions.double_dummy


def test_who_sees_all_reads_the_hidden_cards_and_the_true_value(solved: Decisions) -> None:
    critic = Critic(ALL, small_net().blocks, 1)
    observation, hidden, value = inputs(solved)
    before = critic(observation, hidden, value)
    assert before.shape == (len(solved),) and before.dtype == torch.float32
    for name in HIDDEN_LAYOUT:
        other = hidden.clone()
        other[:, HIDDEN_LAYOUT[name].slice] = 0
        assert not torch.equal(critic(observation, other, value), before), name
    assert not torch.equal(critic(observation, hidden, value + 1), before)


def test_who_sees_its_own_reads_no_hidden_card(solved: Decisions) -> None:
    own = dataclasses.replace(TRUTH, sees="own")
    critic = Critic(own, small_net().blocks, 1)
    observation, hidden, value = inputs(solved)
    before = critic(observation, hidden, value)
    assert torch.equal(critic(observation, 1 - hidden, value + 1), before)
    other = observation.clone()
    other[:, LAYOUT["hand"].slice] = 0
    assert not torch.equal(critic(other, hidden, value), before)


def test_the_policys_own_value_serves_who_sees_its_own_alone() -> None:
    assert learner_of(small_net()).critic is None
    assert learner_of(small_net(), critic=dataclasses.replace(TRUTH, sees="own")).critic is not None


@pytest.mark.parametrize("critic", [ALL, TRUTH])
def test_the_critic_learns(critic: CriticConfig, solved: Decisions) -> None:
    critic = dataclasses.replace(critic, rate=5e-3, epochs=4, gae_lambda=1.0)
    learner = learner_of(small_net(), PPOConfig(rate=0.0, minibatch=256, epochs=1), critic)
    found = [learner.learn(solved, i, 0.0) for i in range(8)]
    assert found[-1]["train/critic_loss"] < 0.8 * found[0]["train/critic_loss"]
    first, last = (f["train/explained_variance"] for f in (found[0], found[-1]))
    assert last > first + 0.15


def test_a_critic_does_not_change_the_networks_shape_or_its_inputs(solved: Decisions) -> None:
    net = small_net()
    learner = learner_of(net, critic=TRUTH)
    learner.learn(solved, 0, 0.0)
    assert net.shape == small_net().shape
    # What the policy says has no way from the hidden cards: it is a function of what was seen.
    twin = PolicyValueNet(**net.shape)
    twin.load_state_dict(net.state_dict())
    assert torch.equal(twin(solved.observation)[0], net(solved.observation)[0])


# --- the losses --------------------------------------------------------------------------------


def batch_of(decisions: Decisions, **changes: Any) -> Batch:
    """A batch without anything to be learnt, but for the changes."""
    n = len(decisions)
    plain = {
        "log_prob": decisions.log_prob,
        "advantage": torch.zeros(n),
        "target": decisions.value.clone(),
        "slow": torch.zeros(n, 0),
    }
    columns = ("observation", "action_mask", "action", "hidden", "double_dummy")
    return Batch(**(plain | changes), **{name: getattr(decisions, name) for name in columns})


def a_batch(advantage: float, change: float) -> tuple[PolicyValueNet, Batch]:
    """A batch whose probabilities have grown by exp(change) since they were collected."""
    decisions = collect(20)
    batch = batch_of(
        decisions,
        log_prob=decisions.log_prob - change,
        advantage=torch.full((len(decisions),), advantage),
    )
    return small_net(), batch


@pytest.mark.parametrize(
    ("advantage", "change", "pulls"),
    [(1, 0, True), (1, 0.5, False), (1, -0.5, True), (-1, 0.5, True), (-1, -0.5, False)],
)
def test_the_ratio_is_clipped_where_it_went_too_far(
    advantage: float, change: float, pulls: bool
) -> None:
    net, batch = a_batch(advantage, change)
    loss, found = losses(net, batch, PPOConfig(value_weight=0), 0.0)
    (gradient,) = torch.autograd.grad(loss, [net.policy.weight])
    assert (float(gradient.abs().sum()) > 1e-6) is pulls
    shares = dict(zip(FIGURES, (found.sum(0) / len(batch.action)).tolist()))
    assert shares["clipped"] == (0 if change == 0 else 1)
    assert shares["kl"] == pytest.approx(np.exp(change) - 1 - change, abs=1e-4)
    assert shares["entropy"] > 0.5


def test_figures_are_by_phase() -> None:
    net, batch = a_batch(1, 0)
    _, found = losses(net, batch, PPOConfig(), 0.0)
    phases = batch.observation[:, LAYOUT["phase"].slice].sum(0)
    phases = torch.cat([phases, torch.zeros(5)])  # those of other games and house rules
    assert found[:, FIGURES.index("decisions")].tolist() == phases.tolist()
    assert (found[phases == 0] == 0).all() and (phases > 0).sum() > 2


def policy_gradient(net: PolicyValueNet, batch: Batch, config: PPOConfig) -> float:
    loss, _ = losses(net, batch, config, 0.0)
    (gradient,) = torch.autograd.grad(loss, [net.policy.weight])
    return float(gradient.abs().max())


def log_probs(net: PolicyValueNet, decisions: Decisions) -> torch.Tensor:
    with torch.no_grad():
        return masked(net(decisions.observation)[0], decisions.action_mask).log_softmax(1)


def sharpened(net: PolicyValueNet) -> PolicyValueNet:
    """A copy with other and stronger preferences."""
    other = copy.deepcopy(net)
    generator = torch.Generator().manual_seed(7)
    with torch.no_grad():
        other.policy.weight.copy_(torch.randn(other.policy.weight.shape, generator=generator))
    return other


def test_the_magnet_pulls_only_where_policies_differ() -> None:
    decisions, net = collect(50), small_net()
    config = PPOConfig(average=0.9, magnet=1.0)
    same = batch_of(decisions, slow=log_probs(net, decisions))
    assert policy_gradient(net, same, config) < 1e-4
    other = batch_of(decisions, slow=log_probs(sharpened(net), decisions))
    assert policy_gradient(net, other, config) > 1
    _, found = losses(net, other, config, 0.0)
    p, q = log_probs(net, decisions), log_probs(sharpened(net), decisions)
    expected = torch.nn.functional.kl_div(q, p, reduction="sum", log_target=True)
    assert float(found.sum(0)[FIGURES.index("slow_kl")]) == pytest.approx(float(expected), rel=1e-4)


def test_a_strong_magnet_brings_the_policy_back() -> None:
    decisions, last = collect(200), {}
    for magnet in (0.0, 10.0):
        net = small_net()
        config = PPOConfig(rate=0.02, minibatch=256, entropy=0, average=1.0, magnet=magnet)
        learner = learner_of(net, config)
        net.load_state_dict(sharpened(net).state_dict())
        before = distance(net, learner.slow, decisions)
        for iteration in range(6):
            learner.learn(decisions, 10**9 + iteration, 0.0)  # late, so that the slow one rests
        last[magnet] = distance(net, learner.slow, decisions) / before
    assert last[10.0] < 0.3 and last[10.0] < 0.5 * last[0.0]


def distance(net: PolicyValueNet, slow: PolicyValueNet, decisions: Decisions) -> float:
    """KL(policy || slow), the mean over decisions."""
    p, q = log_probs(net, decisions), log_probs(slow, decisions)
    return float((p.exp() * (p - q)).sum(1).mean())


# --- where the cards are -----------------------------------------------------------------------


def places(*seats: int) -> torch.Tensor:
    """What a critic sees of as many cards, at left, partner, right or nobody (0 to 3)."""
    hidden = torch.zeros(1, HIDDEN_SIZE, dtype=torch.uint8)
    for card, seat in enumerate(seats):
        hidden[0, 25 + 25 * seat + card] = 1
    return hidden


def test_the_loss_of_locations_literally() -> None:
    head = Locations(4, seed=1)
    with torch.no_grad():
        head.head.weight.zero_()
        assert float(head(torch.ones(1, 4), places(0, 1, 2, 3))) == pytest.approx(np.log(4))
        head.head.bias.view(4, 25)[0] = float(np.log(7))  # 7 / 10 for the left, 1 / 10 for others
        assert float(head(torch.ones(1, 4), places(0, 0))) == pytest.approx(-np.log(0.7))
        assert float(head(torch.ones(1, 4), places(3))) == pytest.approx(-np.log(0.1))
        mean = -(np.log(0.7) + np.log(0.1)) / 2
        assert float(head(torch.ones(1, 4), places(0, 2))) == pytest.approx(mean)
        two = head(torch.ones(2, 4), torch.cat([places(0), places(1, 1)]))
        assert float(two) == pytest.approx(-np.log(0.7) - np.log(0.1))
    assert HIDDEN_LAYOUT["all_hands"].shape == (4, 25) and HIDDEN_LAYOUT["kitty"].start == 100


def test_ones_own_hand_and_the_discard_are_not_asked_for() -> None:
    head, inside = Locations(4, seed=1), torch.ones(1, 4)
    hidden = places(0, 1)
    before = head(inside, hidden)
    hidden[0, :25] = 1
    hidden[0, HIDDEN_LAYOUT["discard"].slice] = 1
    assert torch.equal(head(inside, hidden), before)


def location_loss(learner: Learner, decisions: Decisions) -> float:
    assert learner.locations is not None
    with torch.no_grad():
        inside = learner.net.features(decisions.observation)
        return float(learner.locations(inside, decisions.hidden)) / len(decisions)


def test_where_cards_are_is_learnt_and_shapes_the_hidden_layers() -> None:
    other = collect(200, seed=2)
    config = PPOConfig(rate=5e-3, entropy=0, minibatch=256, epochs=1, locations=3.0)
    learner = learner_of(PolicyValueNet([32], seed=1), config)
    before = location_loss(learner, other)
    assert before == pytest.approx(np.log(4), abs=0.1)
    for iteration in range(8):
        learner.learn(collect(400, iteration=iteration), iteration, 0.0)
    assert location_loss(learner, other) < before - 0.02
    assert learner_of(small_net(), dataclasses.replace(config, locations=0.0)).locations is None


def test_the_head_has_nothing_but_the_policys_features() -> None:
    decisions, net = collect(50), small_net()
    config = PPOConfig(locations=1.0)
    learner = learner_of(net, config)
    assert learner.locations is not None and learner.locations.head.in_features == 16
    batch = batch_of(decisions)
    with_it, figures = losses(net, batch, config, 0.0, learner.locations)
    without, same = losses(net, batch, config, 0.0)
    inside = net.features(decisions.observation)
    assert torch.allclose(with_it - without, learner.locations(inside, decisions.hidden))
    assert torch.equal(figures, same)
    (gradient,) = torch.autograd.grad(with_it - without, [net.first.weight])
    assert gradient.abs().max() > 0


# --- learning ----------------------------------------------------------------------------------


@pytest.mark.parametrize("locations", [0.0, 0.5])
def test_a_minibatch_has_the_gradient_of_its_mean_loss(locations: float) -> None:
    decisions, net = collect(400), small_net()
    config = PPOConfig(minibatch=1 << 20, epochs=1, max_grad_norm=1e6, locations=locations)
    learner = learner_of(net, config)
    batch, _ = learner._batch(decisions)
    loss, _ = losses(net, batch, config, config.entropy, learner.locations)
    expected = torch.autograd.grad(loss / len(decisions), list(net.parameters()))
    learner.learn(decisions, 0, 0.0)
    assert len(pieces(0, len(decisions))) > 1
    for gradient, parameter in zip(expected, net.parameters()):
        assert parameter.grad is not None
        assert torch.allclose(gradient, parameter.grad, atol=1e-6)


def test_a_long_gradient_is_scaled_down() -> None:
    decisions, net = collect(50), small_net()
    learner = learner_of(net, PPOConfig(minibatch=1 << 20, epochs=1, max_grad_norm=1e-3))
    said = learner.learn(decisions, 0, 0.0)
    length = sum(float(p.grad.square().sum()) for p in net.parameters() if p.grad is not None)
    assert length**0.5 == pytest.approx(1e-3, rel=1e-3) and said["train/gradient_norm"] > 1e-2


@pytest.mark.parametrize("critic", [OWN, TRUTH])
def test_learning_does_not_depend_on_threads(critic: CriticConfig) -> None:
    decisions = collect(400, solve=True)
    config = PPOConfig(minibatch=3000, average=0.9, magnet=0.1, locations=0.1)
    found = []
    for threads in (1, 2):
        learner = learner_of(small_net(), config, critic, threads)
        found.append([learner.learn(decisions, i, 0.0) for i in range(2)])
        found.append(learner.net.state_dict())
    assert found[0] == found[2]
    for name, value in found[1].items():
        assert torch.equal(value, found[3][name]), name


def test_rate_and_entropy_fall_linearly() -> None:
    decisions = collect(20)
    learner = learner_of(small_net())
    half = learner.learn(decisions, 5, 0.5)
    assert half["train/rate"] == pytest.approx(5e-4)
    assert half["train/entropy_weight"] == pytest.approx(0.0055)


def test_the_slow_policy_is_the_average_of_the_weights() -> None:
    decisions, net = collect(50), small_net()
    learner = learner_of(net, PPOConfig(rate=0.01, average=0.8))
    for iteration, decay in ((0, 0.1), (1, 2 / 11), (1000, 0.8)):  # quicker at first
        before = {n: p.detach().clone() for n, p in learner.slow.named_parameters()}
        learner.learn(decisions, iteration, 0.0)
        now = dict(net.named_parameters())
        for name, slow in learner.slow.named_parameters():
            expected = decay * before[name] + (1 - decay) * now[name]
            assert torch.allclose(slow, expected, atol=1e-6), (iteration, name)
            assert not torch.equal(slow, now[name])
    assert learner_of(net).slow is net


def test_it_learns_what_is_rewarded_at_once() -> None:
    # A reward for the lowest legal action, and for nothing else.
    decisions = collect(300)
    net = PolicyValueNet([32], seed=1)
    learner = learner_of(net, PPOConfig(rate=3e-3, minibatch=512))
    lowest = decisions.action_mask.argmax(1)
    before = chance_of(net, decisions, lowest)
    for iteration in range(10):
        draw = np.random.default_rng(iteration).random((len(decisions), 1))
        logits = masked(net(decisions.observation)[0], decisions.action_mask)
        below = logits.softmax(1).cumsum(1).detach().numpy()
        action = torch.from_numpy((below <= draw * below[:, -1:]).sum(1))
        log_prob = logits.log_softmax(1).gather(1, action[:, None]).squeeze(1).detach()
        won = torch.where(action == lowest, 1, -1).numpy() * np.where(decisions.seat % 2, -1, 1)
        n = len(action)
        one_step = dataclasses.replace(
            decisions,
            action=action,
            log_prob=log_prob,
            value=torch.zeros(n),
            hand=np.arange(n),
            steps=[slice(0, n)],
            reward=np.outer(won, [1, -1, 1, -1]).astype(np.float32),
        )
        learner.learn(one_step, iteration, 0.0)
    assert before < 0.4 and chance_of(net, decisions, lowest) > 0.8


def chance_of(net: PolicyValueNet, decisions: Decisions, action: torch.Tensor) -> float:
    """The mean probability of an action for each decision."""
    return float(log_probs(net, decisions).exp().gather(1, action[:, None]).mean())
