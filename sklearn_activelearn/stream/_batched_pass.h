/* Products of CSR rows with weight vectors that are kept together, feature by feature:
 * weight j of vector k is w[j * n_together + k].
 *
 * Each has the bits of the `dot` of that row and that vector.
 */
#ifndef SKLEARN_ACTIVELEARN_BATCHED_PASS_H
#define SKLEARN_ACTIVELEARN_BATCHED_PASS_H

#include "_kernels.h"

#define AL_LANES 4 /* vectors summed side by side; n_together is a multiple of it */
#define AL_EACH(l, N) for (int l = 0; l < AL_LANES / N; l++)
#define AL_APART(j) c[j] * X->n_together

/* The products of row i with all vectors, in vectors V of N numbers. */
#define AL_ALL(NAME, T, I, V, N, TARGET)                                       \
    TARGET static void al_all_##NAME(const al_rows *X, ptrdiff_t i,            \
                                     const double *restrict w,                 \
                                     double *restrict out) {                   \
        AL_CSR_ROW(T, I)                                                       \
        for (ptrdiff_t k = 0; k < X->n_together; k += AL_LANES) {              \
            V a[4][AL_LANES / N] = {{{0}}}, rest[AL_LANES / N] = {{0}};        \
            ptrdiff_t j = 0;                                                   \
            for (; j + 4 <= n; j += 4)                                         \
                for (int s = 0; s < 4; s++) {                                  \
                    const double v = x[j + s];                                 \
                    const V *u = (const V *)(w + AL_APART(j + s) + k);         \
                    AL_EACH(l, N) a[s][l] += v * u[l];                         \
                }                                                              \
            for (; j < n; j++) {                                               \
                const double v = x[j];                                         \
                const V *u = (const V *)(w + AL_APART(j) + k);                 \
                AL_EACH(l, N) rest[l] += v * u[l];                             \
            }                                                                  \
            AL_EACH(l, N) {                                                    \
                const V sum = (a[0][l] + a[2][l]) + (a[1][l] + a[3][l]);       \
                *(V *)(out + k + N * l) = sum + rest[l];                       \
            }                                                                  \
        }                                                                      \
    }

#if defined(__GNUC__) && defined(__x86_64__)
#define AL_ALL_WIDTHS(NAME, T, I)                                              \
    AL_ALL(NAME##_2, T, I, al_double2, 2, )                                    \
    AL_ALL(NAME##_4, T, I, al_double4, 4, __attribute__((target("avx2"))))
#define AL_USE_ALL(all, NAME)                                                  \
    (*all = widest >= 4 && __builtin_cpu_supports("avx2") ? al_all_##NAME##_4  \
                                                          : al_all_##NAME##_2)
#else
#define AL_ALL_WIDTHS(NAME, T, I) AL_ALL(NAME##_1, T, I, double, 1, )
#define AL_USE_ALL(all, NAME) (*all = al_all_##NAME##_1)
#endif

/* The same rows for a learner that has one of the vectors. */
#define AL_TOGETHER(NAME, T, I)                                                \
    AL_CSR(NAME, T, I, AL_APART)                                               \
    static void al_add_##NAME(const al_rows *X, ptrdiff_t i, double a,         \
                              double scale, double *restrict w) {              \
        AL_CSR_ROW(T, I)                                                       \
        for (ptrdiff_t j = 0; j < n; j++)                                      \
            w[AL_APART(j)] += a * (scale * x[j]);                              \
    }                                                                          \
    AL_ALL_WIDTHS(NAME, T, I)
#define AL_USE_TOGETHER(X, all, NAME)                                          \
    (AL_USE_PRODUCTS(X, NAME), (X)->add = al_add_##NAME, AL_USE_ALL(all, NAME))

AL_TOGETHER(f64_i32, double, int32_t)
AL_TOGETHER(f64_i64, double, int64_t)
AL_TOGETHER(f32_i32, float, int32_t)
AL_TOGETHER(f32_i64, float, int64_t)

typedef void (*al_all)(const al_rows *X, ptrdiff_t i, const double *w, double *out);

/* Have CSR rows see weights that are kept together, and find their `all`; `widest`:
 * most numbers in a vector. */
static void al_keep_together(al_rows *X, ptrdiff_t n_together, int value_size,
                             int index_size, int widest, al_all *all) {
    (void)widest;
    X->n_together = n_together;
    if (value_size == 8 && index_size == 4) AL_USE_TOGETHER(X, all, f64_i32);
    else if (value_size == 8) AL_USE_TOGETHER(X, all, f64_i64);
    else if (index_size == 4) AL_USE_TOGETHER(X, all, f32_i32);
    else AL_USE_TOGETHER(X, all, f32_i64);
}

#endif
