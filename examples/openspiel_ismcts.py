"""OpenSpiel's information-set tree search plays seats 0 and 2 against random players.

    pip install open-spiel && python examples/openspiel_ismcts.py --hands 100 --simulations 200

The search draws deals by `resample_from_infostate`, which knows what seats have shown.
"""

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from euchre_env import openspiel_game


def main(argv: list[str] | None = None) -> list[float]:
    """Play some hands and show the points of the seats."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hands", type=int, default=1)
    parser.add_argument("--simulations", type=int, default=8)
    args = parser.parse_args(argv)
    rng = np.random.RandomState(1)
    game = pyspiel.load_game(openspiel_game.NAME, {"ruleset": "stick"})
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    search = ISMCTSBot(game, evaluator, 2.0, args.simulations, random_state=rng)
    total = [0.0] * 4
    for _ in range(args.hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                action = rng.choice(outcomes, p=chances)
            elif state.current_player() in (0, 2):
                action = search.step(state)
            else:
                action = rng.choice(state.legal_actions())
            state.apply_action(int(action))
        total = [a + b for a, b in zip(total, state.returns(), strict=True)]
    print(f"points of the seats after {args.hands} hands: {total}")
    return total


if __name__ == "__main__":
    main()
