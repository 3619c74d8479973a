/* By how much the pulls of rows differ from what they would be if linear. */
#ifndef SKLEARN_ACTIVELEARN_PULLS_H
#define SKLEARN_ACTIVELEARN_PULLS_H

#include <math.h>
#include <stddef.h>

#include "_restrict.h"

/* The clone for the processor is chosen when the module is loaded, which takes glibc. */
#if defined(__GNUC__) && defined(__x86_64__) && defined(__GLIBC__)
#define AL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define AL_CLONES
#endif

/* h = pull - y / (1 + odds exp(y d)) - s d, where margins move by d, at most AL_FAR.
 * odds: exp(y z) of the margins z before; y is 0 for rows that take no part. The
 * exponential is the 32nd power of a polynomial, in vectors; its relative error is less
 * than 2e-7 at the ends and 1e-12 for |d| < 4. */
#define AL_FAR 16.0

AL_CLONES
static void al_bent_pulls(ptrdiff_t n, const double *restrict y,
                          const double *restrict odds, const double *restrict pull,
                          const double *restrict s, const double *restrict d,
                          double *restrict h) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double t = y[k] * d[k] / 32;
        double e = 1 + t * (1.0 / 8);
        e = 1 + t * (1.0 / 7) * e;
        e = 1 + t * (1.0 / 6) * e;
        e = 1 + t * (1.0 / 5) * e;
        e = 1 + t * (1.0 / 4) * e;
        e = 1 + t * (1.0 / 3) * e;
        e = 1 + t * (1.0 / 2) * e;
        e = 1 + t * e;
        e *= e, e *= e, e *= e, e *= e, e *= e;
        h[k] = pull[k] - y[k] / (1 + odds[k] * e) - s[k] * d[k];
    }
}

/* Put the new numbers in place of the old; return how far the farthest moves, and how
 * large the largest is. */
AL_CLONES
static double al_moved(ptrdiff_t n, const double *restrict new, double *restrict old,
                       double *far) {
    double moved[8] = {0}, large[8] = {0};
    ptrdiff_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int l = 0; l < 8; l++) {
            const double a = fabs(new[k + l] - old[k + l]), b = fabs(new[k + l]);
            moved[l] = a > moved[l] ? a : moved[l];
            large[l] = b > large[l] ? b : large[l];
            old[k + l] = new[k + l];
        }
    for (; k < n; k++) {
        const double a = fabs(new[k] - old[k]), b = fabs(new[k]);
        moved[0] = a > moved[0] ? a : moved[0];
        large[0] = b > large[0] ? b : large[0];
        old[k] = new[k];
    }
    for (int l = 1; l < 8; l++) {
        moved[0] = moved[l] > moved[0] ? moved[l] : moved[0];
        large[0] = large[l] > large[0] ? large[l] : large[0];
    }
    *far = large[0];
    return moved[0];
}

#endif
