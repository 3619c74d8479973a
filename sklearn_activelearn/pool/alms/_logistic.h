/* Rows of a logistic regression in vectors. Lengths `wide` are divided by 8, and what
 * is beyond the last row is 0. */
#ifndef SKLEARN_ACTIVELEARN_PULLS_H
#define SKLEARN_ACTIVELEARN_PULLS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_restrict.h"

/* The clone for the processor is chosen when the module is loaded, which takes glibc. */
#if defined(__GNUC__) && defined(__x86_64__) && defined(__GLIBC__)
#define AL_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define AL_CLONES
#endif

/* exp(x) with a relative error below 1e-13, in vectors; as for 700 if |x| is larger. */
static inline double al_exp(double x) {
    const double shift = 6755399441055744.0; /* 1.5 * 2^52: rounds to whole numbers */
    x = x > 700 ? 700 : x;
    x = x < -700 ? -700 : x;
    double whole = x * 1.4426950408889634 + shift;
    uint64_t bits;
    memcpy(&bits, &whole, sizeof bits);
    bits = (bits + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    whole -= shift;
    const double r = x - whole * 6.93147180369123816490e-01
                     - whole * 1.90821492927058770002e-10;
    double e = 1 + r * (1.0 / 11);
    e = 1 + r * (1.0 / 10) * e;
    e = 1 + r * (1.0 / 9) * e;
    e = 1 + r * (1.0 / 8) * e;
    e = 1 + r * (1.0 / 7) * e;
    e = 1 + r * (1.0 / 6) * e;
    e = 1 + r * (1.0 / 5) * e;
    e = 1 + r * (1.0 / 4) * e;
    e = 1 + r * (1.0 / 3) * e;
    e = 1 + r * (1.0 / 2) * e;
    e = 1 + r * e;
    return e * power;
}

/* log(1 + x) for x from 0 to 1 with a relative error below 1e-15, in vectors. For large x
 * it is log((1 + x) / root of 2) plus half of log 2. */
static inline double al_log1p(double x) {
    const double root = 1.4142135623730951, half = 0.34657359027997264;
    const int is_large = x > 0.41421356237309503;
    const double r = (is_large ? 1 + x - root : x) / (is_large ? 1 + x + root : 2 + x);
    const double r2 = r * r;
    double sum = 0;
    for (int k = 21; k > 0; k -= 2)
        sum = 1.0 / k + r2 * sum;
    return (is_large ? half : 0) + 2 * r * sum;
}

/* The sum of 8 numbers, and the largest of them. */
static inline double al_sum(const double *a) {
    return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

static inline double al_largest(const double *a) {
    double out = a[0];
    for (int l = 1; l < 8; l++)
        out = a[l] > out ? a[l] : out;
    return out;
}

/* odds = exp(y z). */
AL_CLONES
static inline void al_odds(ptrdiff_t n, const double *restrict y, const double *restrict z,
                    double *restrict odds) {
    for (ptrdiff_t k = 0; k < n; k++)
        odds[k] = al_exp(y[k] * z[k]);
}

/* Class probabilities of margins, the second class's after the first one's. */
AL_CLONES
static inline void al_probabilities(ptrdiff_t n, const double *restrict z,
                                    double *restrict out) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double t = al_exp(-fabs(z[k])), large = 1 / (1 + t), small = t * large;
        out[2 * k] = z[k] > 0 ? small : large;
        out[2 * k + 1] = z[k] > 0 ? large : small;
    }
}

/* Sum of the entropies of the class probabilities of margins. */
AL_CLONES
static inline double al_entropies(ptrdiff_t n, const double *restrict z) {
    double sum[8] = {0};
    ptrdiff_t k = 0;
    for (; k + 8 <= n; k += 8)
        for (int l = 0; l < 8; l++) {
            const double u = fabs(z[k + l]), t = al_exp(-u);
            sum[l] += al_log1p(t) + u * t / (1 + t);
        }
    double total = al_sum(sum);
    for (; k < n; k++) {
        const double u = fabs(z[k]), t = al_exp(-u);
        total += al_log1p(t) + u * t / (1 + t);
    }
    return total;
}

/* Sum of log(1 + exp(-y (z + size * move))) over the rows that take part. */
AL_CLONES
static inline double al_loss(ptrdiff_t n, const double *restrict y,
                      const double *restrict takes_part, const double *restrict z,
                      const double *restrict move, double size,
                      double *restrict each) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double t = -y[k] * (z[k] + size * move[k]);
        each[k] = takes_part[k] * (al_log1p(al_exp(-fabs(t))) + (t > 0 ? t : 0));
    }
    double sum = 0;
    for (ptrdiff_t k = 0; k < n; k++)
        sum += each[k];
    return sum;
}

/* Pulls y / (1 + exp(y z)) and curvatures of rows, 0 for rows that do not take part. */
AL_CLONES
static inline void al_pulls(ptrdiff_t n, const double *restrict y,
                     const double *restrict takes_part, const double *restrict z,
                     double *restrict pull, double *restrict s) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double t = al_exp(-fabs(z[k])), p = 1 / (1 + t);
        pull[k] = takes_part[k] * y[k] * (y[k] * z[k] > 0 ? t : 1) * p;
        s[k] = takes_part[k] * t * p * p;
    }
}

/* Rows times the roots of their curvatures. */
AL_CLONES
static inline void al_scaled(ptrdiff_t n, ptrdiff_t q, const double *restrict A,
                      const double *restrict s, double *restrict scaled) {
    for (ptrdiff_t k = 0; k < n; k++) {
        const double root = sqrt(s[k]);
        for (ptrdiff_t c = k * q; c < (k + 1) * q; c++)
            scaled[c] = root * A[c];
    }
}

/* How far margins may move for `al_slopes`. */
#define AL_FAR 16.0

/* Where margins move by d and rows i and j are left out (j may be -1): by how much the
 * pulls differ from what they would be if linear, h = pull - y / (1 + odds exp(y d))
 * - s d, and in `slopes` d + g h for i, j and x, and the largest |d|.
 * odds: exp(y z) of the margins z before. The exponential is the 32nd power of a
 * polynomial; its relative error is less than 2e-7 at the ends and 1e-12 for |d| < 4. */
AL_CLONES
static inline void al_slopes(ptrdiff_t wide, const double *restrict y,
                      const double *restrict odds, const double *restrict pull,
                      const double *restrict s, ptrdiff_t i, ptrdiff_t j, ptrdiff_t x,
                      const double *restrict gi, const double *restrict gj,
                      const double *restrict gx, const double *restrict d,
                      double *restrict h, double *restrict slopes) {
    double far[8] = {0}, si[8] = {0}, sj[8] = {0}, sx[8] = {0};
    for (ptrdiff_t k = 0; k < wide; k += 8)
        for (int l = 0; l < 8; l++) {
            const double a = d[k + l], t = y[k + l] / 32 * a;
            double e = 1 + t * (1.0 / 8);
            e = 1 + t * (1.0 / 7) * e;
            e = 1 + t * (1.0 / 6) * e;
            e = 1 + t * (1.0 / 5) * e;
            e = 1 + t * (1.0 / 4) * e;
            e = 1 + t * (1.0 / 3) * e;
            e = 1 + t * (1.0 / 2) * e;
            e = 1 + t * e;
            e *= e, e *= e, e *= e, e *= e, e *= e;
            h[k + l] = pull[k + l] - y[k + l] / (1 + odds[k + l] * e) - s[k + l] * a;
            far[l] = fabs(a) > far[l] ? fabs(a) : far[l];
        }
    h[i] = pull[i] - s[i] * d[i];
    if (j >= 0)
        h[j] = pull[j] - s[j] * d[j];
    for (ptrdiff_t k = 0; k < wide; k += 8)
        for (int l = 0; l < 8; l++) {
            si[l] += gi[k + l] * h[k + l];
            sj[l] += gj[k + l] * h[k + l];
            sx[l] += gx[k + l] * h[k + l];
        }
    slopes[0] = d[i] + al_sum(si);
    slopes[1] = j >= 0 ? d[j] + al_sum(sj) : 0;
    slopes[2] = d[x] + al_sum(sx);
    slopes[3] = al_largest(far);
}

/* d = a + b + c. */
AL_CLONES
static inline void al_add(ptrdiff_t wide, const double *restrict a, const double *restrict b,
                   const double *restrict c, double *restrict d) {
    for (ptrdiff_t k = 0; k < wide; k++)
        d[k] = a[k] + b[k] + c[k];
}

/* The sum of products. */
static inline double al_dot(ptrdiff_t wide, const double *restrict a,
                            const double *restrict b) {
    double sum[8] = {0};
    for (ptrdiff_t k = 0; k < wide; k += 8)
        for (int l = 0; l < 8; l++)
            sum[l] += a[k + l] * b[k + l];
    return al_sum(sum);
}

/* How many steps before are mixed with one. */
#define AL_PAST 3

/* Move a point u by a chord step, mixed with those before (Anderson 1965), the turn-th
 * from 0 on. p is the slope where the Hessian is I - si ei ei' - sj ej ej', and k are
 * the products of the e's. past: the last step and where it led, and AL_PAST times how
 * both changed. */
AL_CLONES
static inline void al_chord_step(ptrdiff_t wide, int turn, const double *restrict ei,
                          const double *restrict ej, double si, double sj, double kii,
                          double kij, double kjj, double *restrict p,
                          double *restrict past, double *restrict u) {
    double *restrict step = past, *restrict plain = past + wide;
    double *restrict changes = past + 2 * wide;
    const double own_i = 1 - si * kii, own_j = 1 - sj * kjj, both = si * sj * kij;
    const double det = own_i * own_j - both * kij;
    const double pi = al_dot(wide, ei, p), pj = al_dot(wide, ej, p);
    const double ai = (own_j * si * pi + both * pj) / det;
    const double aj = (own_i * sj * pj + both * pi) / det;
    double *restrict change = changes + 2 * wide * ((turn + AL_PAST - 1) % AL_PAST);
    for (ptrdiff_t c = 0; c < wide; c++) {
        const double now = -p[c] - ai * ei[c] - aj * ej[c];
        change[c] = now - step[c];
        change[wide + c] = u[c] + now - plain[c];
        step[c] = now;
        u[c] = plain[c] = u[c] + now;
    }
    const int n = turn < AL_PAST ? turn : AL_PAST;
    double a[AL_PAST][AL_PAST + 1];
    for (int row = 0; row < n; row++) {
        for (int col = 0; col < row; col++)
            a[row][col] = a[col][row];
        for (int col = row; col < n; col++)
            a[row][col] = al_dot(wide, changes + 2 * wide * row,
                                 changes + 2 * wide * col);
        a[row][n] = al_dot(wide, changes + 2 * wide * row, step);
    }
    for (int row = 0; row < n; row++) /* what is nearly a mix of others gets nothing */
        a[row][row] *= 1 + 1e-10;
    for (int row = 0; row < n; row++)
        for (int other = 0; other < n; other++) {
            if (other == row || !(a[row][row] > 0))
                continue;
            const double factor = a[other][row] / a[row][row];
            for (int col = row; col <= n; col++)
                a[other][col] -= factor * a[row][col];
        }
    for (int row = 0; row < n; row++) {
        const double mix = a[row][row] > 0 ? a[row][n] / a[row][row] : 0;
        for (ptrdiff_t c = 0; c < wide; c++)
            u[c] -= mix * changes[2 * wide * row + wide + c];
    }
}

#endif
