"""Plays random hands and prints a digest of each: `python -m tests.digest SEED RULESETS HANDS`.

Run compiled and with NUMBA_DISABLE_JIT=1 it has to print the same lines. Each digest is a chain
over the steps of a hand: record, legal set, observations and masks of all seats, both frames.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from typing import Any

import numpy as np

from euchre_env import _jit, cards, encoding, kernels, rules
from euchre_env.actions import count_actions
from euchre_env.batch import BatchEnv
from euchre_env.ruleset import Ruleset
from euchre_env.testing import random_ruleset


def words_of(s: Any) -> bytes:
    """The record without its padding."""
    return b"".join(np.asarray(s[name]).tobytes() for name in rules.STATE.names)


def seen_by(s: Any, r: Any, ruleset: Ruleset, viewer: int) -> bytes:
    blank = encoding.blank_observations(ruleset)[0]
    scratch = rules.new_states(1)
    parts = []
    for absolute in (False, True):
        out = np.zeros(encoding.observation_size(ruleset), np.uint8)
        encoding.encode(s, r, blank, viewer, absolute, scratch, out)
        hidden = np.zeros(encoding.hidden_size(ruleset), np.uint8)
        encoding.encode_hidden(s, r, viewer, absolute, hidden)
        parts += [out.tobytes(), hidden.tobytes()]
    cleared = rules.new_states(1)
    cleared[0] = s
    rules.hide(cleared[0], r, viewer)
    bits = range(32 if ruleset.is_wide else 25)
    where = [int(rules.card_location(cleared[0], viewer, bit)) for bit in bits]
    return b"".join([*parts, words_of(cleared[0]), bytes(where)])


def masks_of(s: Any, legal: int, actions: int) -> bytes:
    words, masks = kernels.mask_arrays(1, actions)
    parts = []
    for absolute in (False, True):
        kernels.write_mask(np.int64(legal), np.int64(s.frame), absolute, words, 0)
        if actions > rules.N_ACTIONS:
            kernels.write_low_mask(np.int64(legal), np.int64(s.frame), absolute, words, 0)
        parts.append(masks.tobytes())
    return b"".join(parts)


def play(ruleset: Ruleset, seed: int, hands: int, rng: random.Random) -> dict[str, Any]:
    """Digests of some hands in a row of one match, and the last points."""
    r, actions = ruleset.record()[0], count_actions(ruleset)
    s, deck = rules.new_states(1)[0], np.zeros(cards.WIDE_DECK, np.int8)
    s.rng = kernels.seed_of(np.uint64(seed), np.uint64(1))
    kernels.start_episode(s, r, -1, deck)
    chain, digests, points = hashlib.sha256(), [], []
    for _ in range(hands):
        while True:
            legal = int(rules.legal(s, r))
            chain.update(words_of(s) + masks_of(s, legal, actions) + legal.to_bytes(8, "little"))
            anyone = rng.randrange(ruleset.players)
            viewers = (anyone, int(s.turn)) if legal else (anyone,)
            for viewer in viewers:
                chain.update(seen_by(s, r, ruleset, viewer))
            digests.append(chain.hexdigest()[:8])
            if not legal:
                break
            choices = [a for a in range(actions) if legal >> a & 1]
            n = rng.randrange(len(choices))
            assert int(kernels.nth_action(np.int64(legal), n)) == choices[n]
            rules.apply(s, r, choices[n])
        points.append([int(p) for p in s.points])
        if s.match_winner != rules.UNDECIDED:
            break
        kernels.shuffle(s, r, deck)
        rules.next_hand(s, r, deck)
    return {"ruleset": repr(ruleset), "digests": digests, "points": points}


def wide_batch(seed: int, steps: int) -> list[str]:
    """The same of a batch in which one rule set has cards below nine."""
    return batch(seed, steps, (Ruleset(), Ruleset.preset("euchre32"), Ruleset(lowest_rank=8)))


def conversions(rng: random.Random) -> str:
    """A digest of sets of cards converted between frames."""
    found = []
    for _ in range(200):
        mask, frame = np.int64(rng.getrandbits(25)), rng.randrange(5)
        natural = cards.to_natural(mask, frame)
        found += [int(natural), int(cards.from_natural(mask, frame)), int(cards.popcount(mask))]
    return hashlib.sha256(str(found).encode()).hexdigest()


def batch(
    seed: int,
    steps: int,
    rulesets: tuple[Ruleset, ...] = (Ruleset(), Ruleset.stick(), Ruleset.british()),
) -> list[str]:
    """Digests of batches stepped in each mode by the environment's own random actions."""
    found = []
    for mode in range(8):
        env = BatchEnv(
            4,
            list(rulesets),
            episode="game" if mode & 1 else "hand",
            frame="absolute" if mode & 2 else "trump",
            skip_forced=bool(mode & 4),
            hidden=True,
            seed=seed,
        )
        env.reset()
        chain = hashlib.sha256()
        for _ in range(steps):
            rewards, done = env.step(env.random_actions())
            for array in (env.observation, env.hidden, env.action_mask, env.actor, rewards, done):
                chain.update(np.ascontiguousarray(array).tobytes())
        found.append(chain.hexdigest()[:8])
    return found


def main(seed: int, rulesets: int, hands: int) -> None:
    rng = random.Random(seed)
    print(json.dumps({"compiled": _jit.COMPILED}))
    print(json.dumps({"conversions": conversions(rng)}))
    print(json.dumps({"batch": batch(seed, 60)}))
    print(json.dumps({"wide batch": wide_batch(seed, 40)}))
    for k in range(rulesets):
        print(json.dumps(play(random_ruleset(rng, k % 4 == 3, k % 4 == 1), seed + k, hands, rng)))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
