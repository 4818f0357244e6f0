"""Tianshou: four DQN learners, one for each seat, on PettingZooEnv with masks.

    pip install tianshou && python examples/tianshou_dqn.py --steps 100000

Tianshou keeps one row for each decision with the rewards of all four seats, and the hand's points
come with the last one. A horizon as long as a hand carries them to every seat's decisions; with
Tianshou's default of one step only the seat that acts last would ever learn of them.
"""

import argparse

from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from euchre_env import euchre_v0

HORIZON = 40  # more decisions than a hand has


def learner(env: PettingZooEnv) -> DQN:
    """One seat's DQN."""
    size, actions = env.observation_space["observation"].shape, env.action_space.n
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=size, action_shape=actions, hidden_sizes=(64,)),
        action_space=env.action_space,
        eps_training=0.1,
    )
    optim = AdamOptimizerFactory(lr=1e-3)
    return DQN(policy=policy, optim=optim, gamma=1.0, n_step_return_horizon=HORIZON)


def main(argv: list[str] | None = None) -> int:
    """Collect and learn; returns the number of hands that ended."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200, help="decisions to collect")
    args = parser.parse_args(argv)
    env = PettingZooEnv(euchre_v0.env(ruleset="stick"))
    algorithm = MultiAgentOffPolicyAlgorithm(algorithms=[learner(env) for _ in range(4)], env=env)
    games = DummyVectorEnv([lambda: PettingZooEnv(euchre_v0.env(ruleset="stick"))] * 2)
    buffer = VectorReplayBuffer(20_000, 2)
    collector = Collector(algorithm, games, buffer, exploration_noise=True)
    collector.reset()
    with policy_within_training_step(algorithm.policy):
        collected = collector.collect(n_step=args.steps)
        algorithm.update(buffer, sample_size=64)
    print(f"{collected.n_collected_episodes} hands, {len(buffer)} decisions, one update")
    return int(collected.n_collected_episodes)


if __name__ == "__main__":
    main()
