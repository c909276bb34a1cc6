# SPDX-License-Identifier: Apache-2.0
"""Notices that a reference draws random numbers. Its results are then others than a kernel's, whoever is right."""
import random
import sys

from assay_call import Mismatch

SEED = 0x5EED0A55  # none that somebody writes
ADVICE = ("it draws random numbers, which a kernel draws otherwise, so no result of it is right; give it a seed of its own "
          "(torch.manual_seed(1) in it), make them an input, or say with 'random' and 'accept' what may be drawn")


def torch_states(torch):
    states = [torch.get_rng_state()]
    if "cuda" in vars(torch) and torch.cuda.is_initialized():
        states += [torch.cuda.get_rng_state(i) for i in range(torch.cuda.device_count())]
    return states


class Seeded:
    """Generators have SEED. Unless it may draw, a function that asked one for a number and gave it no seed of its own is refused at the
    end, and so is one that made a generator of NumPy's without a seed.
    """

    def __init__(self, may_draw):
        self.may_draw = may_draw
        self.torch, self.numpy = sys.modules.get("torch"), sys.modules.get("numpy")
        self.own_seeds, self.fresh, self.before = set(), False, []

    def _note(self, owner, name, function):
        self.before.append((owner, name, getattr(owner, name)))
        setattr(owner, name, function)

    def _seeding(self, owner, word):
        seed = owner.seed

        def noted(*args, **kwargs):
            self.own_seeds.add(word)
            return seed(*args, **kwargs)
        self._note(owner, "seed", noted)

    def __enter__(self):
        random.seed(SEED)
        self._seeding(random, "random")
        self.states = {"random": random.getstate()}
        if self.numpy:
            self.numpy.random.seed(SEED)
            self.states["numpy"] = self.numpy_state()
            self._seeding(self.numpy.random, "numpy")
            make = self.numpy.random.default_rng

            def default_rng(seed=None):
                self.fresh = self.fresh or seed is None
                return make(SEED if seed is None else seed)
            self._note(self.numpy.random, "default_rng", default_rng)
        if self.torch:
            self.torch.manual_seed(SEED)
            self.states["torch"] = torch_states(self.torch)
        return self

    def numpy_state(self):
        _, words, place, has_normal, normal = self.numpy.random.get_state()
        return words.tobytes(), place, has_normal, normal

    def moved(self):
        found = self.fresh or ("random" not in self.own_seeds and random.getstate() != self.states["random"])
        if self.numpy and not found:
            found = "numpy" not in self.own_seeds and self.numpy_state() != self.states["numpy"]
        if self.torch and not found and self.torch.initial_seed() == SEED:
            found = not all(self.torch.equal(a, b) for a, b in zip(self.states["torch"], torch_states(self.torch)))
        return found

    def __exit__(self, kind, error, trace):
        for owner, name, function in reversed(self.before):
            setattr(owner, name, function)
        if kind is None and not self.may_draw and self.moved():
            raise Mismatch(ADVICE)
