# Uniform numbers that need no state.

from libc.stdint cimport uint64_t


cdef inline double uniform(uint64_t seed, uint64_t t) noexcept nogil:
    """The t-th number in [0, 1) of a generator.

    The output function of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) at its
    t-th state: there is nothing to store but the seed and t.
    """
    cdef uint64_t z = seed + (t + 1) * <uint64_t> 0x9E3779B97F4A7C15
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return (z ^ (z >> 31)) / 2048 * (1.0 / 9007199254740992.0)
