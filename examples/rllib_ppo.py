"""RLlib: PPO with action masks, one policy for all four seats by self-play.

    pip install "ray[rllib]" torch && python examples/rllib_ppo.py --iterations 10

RLlib wants versions of its own: docs/interop.md names those that this was run with.
"""

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from euchre_env.wrappers import rllib_env


def configuration(batch: int) -> PPOConfig:
    """PPO on the game, in this process alone."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64]}
    )
    return (
        PPOConfig()
        # RLlib's check of environments plays actions at random and does not look at masks.
        .environment("euchre", env_config={"ruleset": "stick"}, disable_env_checking=True)
        .env_runners(num_env_runners=0)
        .multi_agent(policies={"seat"}, policy_mapping_fn=lambda *_args, **_more: "seat")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"seat": module}))
        .training(train_batch_size=batch, minibatch_size=64, num_epochs=1, gamma=1.0)
    )


def main(argv: list[str] | None = None) -> int:
    """Train a little; returns the number of decisions learned from."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=1)
    parser.add_argument("--batch", type=int, default=256, help="decisions of an iteration")
    args = parser.parse_args(argv)
    register_env("euchre", rllib_env)
    ray.init(num_cpus=1, include_dashboard=False, logging_level="ERROR", log_to_driver=False)
    algorithm = configuration(args.batch).build_algo()
    for _ in range(args.iterations):
        result = algorithm.train()["env_runners"]
    print(f"{result['num_env_steps_sampled_lifetime']:.0f} decisions, points a hand:")
    print({agent: round(float(r), 2) for agent, r in result["agent_episode_returns_mean"].items()})
    ray.shutdown()
    return int(result["num_env_steps_sampled_lifetime"])


if __name__ == "__main__":
    main()
