# SPDX-License-Identifier: Apache-2.0
"""Which cases of a test in Python a run takes: seed and sample, as choice.h has them."""
import hashlib
import os
import random


def seed_of(words):
    """The seed given, that of all tests of this run, or one by chance."""
    given = words[0] if words else os.environ.get("GPUPRIM_CHECK_SEED")
    return random.SystemRandom().randrange(2**32) if given is None else int(given)


def sample_of(arguments):
    """One case in so many."""
    given = (word[9:] for word in arguments if word.startswith("--sample="))
    return int(os.environ.get("GPUPRIM_CHECK_SAMPLE") or next(given, 1))


def is_drawn(name, seed, sample):
    """Of `sample` seeds in a row, from a multiple of it, each draws other cases, and together all."""
    deal = hashlib.sha256(f"{seed // sample} {name}".encode()).digest()
    return int.from_bytes(deal[:8], "little") % sample == seed % sample
