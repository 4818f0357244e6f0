"""Players that search: they deal the unseen cards many times and look ahead in each world.

``pimc`` solves every world with all cards seen, ``rollout`` plays every world out by the
hand-written player or another agent, ``mixed`` plays out and solves, ``ismcts`` grows one tree over
all worlds. With ``+infer`` worlds count by how likely the hand-written player would have acted in
them as the other seats did. ``search`` plays the likeliest acts of a trained policy out, in worlds
that the policy itself weights.
"""
