/* The gain of a label, summed over nodes of a graph; see _gains.pyx.
 *
 * Where it can, the compiler makes copies for longer vectors. All copies give the same
 * bits, because a node always adds to the same sum.
 */
#ifndef SKLEARN_ACTIVELEARN_GAINS_H
#define SKLEARN_ACTIVELEARN_GAINS_H

#include <stddef.h>

#include "_restrict.h"

#ifdef __GNUC__
#define AL_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define AL_ALWAYS_INLINE static inline
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__gnu_linux__)
#define AL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define AL_CLONES
#endif

#define AL_TOGETHER 16 /* nodes taken together */
#define AL_EACH_NODE for (int i = 0; i < n; i++)

#define AL_GAINS(T)                                                            \
    /* Add the gain at n nodes; it is 0 where no label changes the class. */   \
    AL_ALWAYS_INLINE void al_add_gains_##T(                                    \
        const T *restrict share, const T *restrict columns,                    \
        const T *restrict top, const T *restrict margin, const T *restrict own, \
        ptrdiff_t n_free, ptrdiff_t n_classes, int n, double *restrict sums) { \
        T best[AL_TOGETHER], gain[AL_TOGETHER];                                \
        int is_any = 0;                                                        \
        AL_EACH_NODE is_any |= 2 * share[i] > margin[i];                       \
        if (!is_any) return;                                                   \
        AL_EACH_NODE best[i] = -1; /* no rest is less */                       \
        AL_EACH_NODE gain[i] = -top[i];                                        \
        /* classes without the candidate's share in them; its label gets it all */ \
        for (ptrdiff_t c = 0; c < n_classes; c++)                              \
            AL_EACH_NODE {                                                     \
                const T rest = columns[c * n_free + i] - share[i] * own[c];    \
                best[i] = rest > best[i] ? rest : best[i];                     \
            }                                                                  \
        for (ptrdiff_t c = 0; c < n_classes; c++)                              \
            AL_EACH_NODE {                                                     \
                const T rest = columns[c * n_free + i] - share[i] * own[c];    \
                const T given = rest + share[i];                               \
                gain[i] += own[c] * (given > best[i] ? given : best[i]);       \
            }                                                                  \
        AL_EACH_NODE gain[i] = 2 * share[i] > margin[i] ? gain[i] : 0;         \
        AL_EACH_NODE sums[i] += gain[i];                                       \
    }                                                                          \
    AL_CLONES static void al_gains_##T(                                        \
        const T *restrict share, const T *restrict columns,                    \
        const T *restrict top, const T *restrict margin, const T *restrict own, \
        ptrdiff_t n_free, ptrdiff_t n_classes, ptrdiff_t j, ptrdiff_t end,     \
        double *restrict sums) {                                               \
        for (; j + AL_TOGETHER <= end; j += AL_TOGETHER)                       \
            al_add_gains_##T(share + j, columns + j, top + j, margin + j, own, \
                             n_free, n_classes, AL_TOGETHER, sums);            \
        if (j < end)                                                           \
            al_add_gains_##T(share + j, columns + j, top + j, margin + j, own, \
                             n_free, n_classes, (int)(end - j), sums);         \
    }

AL_GAINS(float)
AL_GAINS(double)

#endif
