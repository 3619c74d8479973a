/* Products of rows with many weight vectors, with the bits of `dot` for each.
 *
 * The vectors for CSR rows are stored feature by feature: weight j of vector k is
 * w[j * n_together + k].
 */
#ifndef SKLEARN_ACTIVELEARN_BATCHED_PASS_H
#define SKLEARN_ACTIVELEARN_BATCHED_PASS_H

#include "_kernels.h"

#define AL_LANES 12 /* vectors summed side by side; n_together is a multiple of it */
#define AL_EACH(l, N) for (int l = 0; l < AL_LANES / N; l++)
#define AL_APART(j) c[j] * X->n_together
/* In front of the first feature are the steps that wait to be made, and in front of the
 * steps the scales of the row. */
#define AL_IN_FRONT 2
#define AL_STEP(w) ((w) - X->n_together)
#define AL_SCALE(w) ((w) - 2 * X->n_together)

/* The products of row i with all vectors, in vectors V of N numbers, and the sum of
 * its squares. */
#define AL_ALL(NAME, T, I, V, N, TARGET)                                       \
    TARGET static void al_all_##NAME(const al_rows *X, ptrdiff_t i,            \
                                     const double *restrict w,                 \
                                     double *restrict out,                     \
                                     double *restrict squares) {               \
        AL_CSR_ROW(T, I)                                                       \
        double b[4] = {0}, rest_squares = 0;                                   \
        ptrdiff_t m = 0;                                                       \
        for (; m + 4 <= n; m += 4)                                             \
            for (int s = 0; s < 4; s++) {                                      \
                const double v = x[m + s];                                     \
                b[s] += v * v;                                                 \
            }                                                                  \
        for (; m < n; m++) {                                                   \
            const double v = x[m];                                             \
            rest_squares += v * v;                                             \
        }                                                                      \
        AL_TREE(b, 4)                                                          \
        *squares = b[0] + rest_squares;                                        \
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

/* Add row i to each vector for which a step waits. A step of 0 among others in V changes
 * nothing: weights start at 0, and no sum gives a negative 0. */
#define AL_ADD_ALL(NAME, T, I, V, N, TARGET)                                   \
    TARGET static void al_add_all_##NAME(const al_rows *X, ptrdiff_t i,        \
                                         double *restrict w) {                 \
        AL_CSR_ROW(T, I)                                                       \
        for (ptrdiff_t k = 0; k < X->n_together; k += N) {                     \
            V *step = (V *)(AL_STEP(w) + k), *scale = (V *)(AL_SCALE(w) + k);  \
            int waits = 0;                                                     \
            for (int l = 0; l < N; l++) waits |= AL_STEP(w)[k + l] != 0;       \
            if (!waits) continue;                                              \
            const V a = *step, b = *scale;                                     \
            for (ptrdiff_t j = 0; j < n; j++)                                  \
                *(V *)(w + AL_APART(j) + k) += a * (b * x[j]);                 \
            *step = *scale = (V){0};                                           \
        }                                                                      \
    }

#if defined(__GNUC__) && defined(__x86_64__)
#define AL_ALL_WIDTHS(NAME, T, I)                                              \
    AL_ALL(NAME##_2, T, I, al_double2, 2, )                                    \
    AL_ALL(NAME##_4, T, I, al_double4, 4, __attribute__((target("avx2"))))     \
    AL_ADD_ALL(NAME##_2, T, I, al_double2, 2, )                                \
    AL_ADD_ALL(NAME##_4, T, I, al_double4, 4, __attribute__((target("avx2"))))
#define AL_USE_ALL(all, add_all, NAME)                                         \
    if (widest >= 4 && __builtin_cpu_supports("avx2"))                         \
        *all = al_all_##NAME##_4, *add_all = al_add_all_##NAME##_4;            \
    else *all = al_all_##NAME##_2, *add_all = al_add_all_##NAME##_2;
#else
#define AL_ALL_WIDTHS(NAME, T, I)                                              \
    AL_ALL(NAME##_1, T, I, double, 1, )                                        \
    AL_ADD_ALL(NAME##_1, T, I, double, 1, )
#define AL_USE_ALL(all, add_all, NAME)                                         \
    *all = al_all_##NAME##_1, *add_all = al_add_all_##NAME##_1;
#endif

/* CSR rows for a learner that has one of the vectors: its step waits until `add_all`
 * makes the steps of all learners. */
#define AL_TOGETHER(NAME, T, I)                                                \
    AL_CSR(NAME, T, I, AL_APART)                                               \
    static void al_add_##NAME(const al_rows *X, ptrdiff_t i, double a,         \
                              double scale, double *restrict w) {              \
        (void)i;                                                               \
        *AL_STEP(w) = a;                                                       \
        *AL_SCALE(w) = scale;                                                  \
    }                                                                          \
    AL_ALL_WIDTHS(NAME, T, I)
#define AL_USE_TOGETHER(X, NAME)                                               \
    {                                                                          \
        AL_USE_PRODUCTS(X, NAME);                                              \
        X->add = al_add_##NAME;                                                \
        AL_USE_ALL(all, add_all, NAME)                                         \
    }

AL_TOGETHER(f64_i32, double, int32_t)
AL_TOGETHER(f64_i64, double, int64_t)
AL_TOGETHER(f32_i32, float, int32_t)
AL_TOGETHER(f32_i64, float, int64_t)

/* Products of AL_ROWS_AT_ONCE dense rows, given by number, with the four vectors that
 * begin at w, w + stride, ..., P vectors at a time. The products of a row begin `apart`
 * numbers after the products of the row before. Sums have the order of `_dense.h`. The
 * `later` rows are prefetched meanwhile, another part of them in each of `n_turns` calls,
 * so that the processor never waits for many lines at once. */
#define AL_ROWS_AT_ONCE 3
#define AL_KEEP(u) __asm__("" : "+v"(u)) /* in a register: read it once */
#define AL_EACH_ROW for (int r = 0; r < AL_ROWS_AT_ONCE; r++)
#define AL_MANY(T, V, N, P, TARGET)                                            \
    TARGET static void al_many_##T##_##N(                                      \
        const al_rows *X, const int64_t *rows, const int64_t *later,           \
        int turn, int n_turns, const double *restrict w, ptrdiff_t stride,     \
        double *restrict out, ptrdiff_t apart) {                               \
        const ptrdiff_t n = X->n_features;                                     \
        const T *x[AL_ROWS_AT_ONCE], *y[AL_ROWS_AT_ONCE];                      \
        AL_EACH_ROW x[r] = (const T *)X->values + rows[r] * n;                 \
        AL_EACH_ROW y[r] = (const T *)X->values + later[r] * n;                \
        for (ptrdiff_t j = 64 / sizeof(T) * turn; j < n;                       \
             j += 64 / sizeof(T) * n_turns)                                    \
            AL_EACH_ROW AL_PREFETCH(y[r] + j);                                 \
        for (int k = 0; k < 4; k += P, w += P * stride) {                      \
            V s[16 / N][P][AL_ROWS_AT_ONCE];                                   \
            ptrdiff_t j = 0;                                                   \
            memset(s, 0, sizeof s);                                            \
            while (j + 16 <= n)                                                \
                for (int b = 0; b < 16 / N; b++, j += N) {                     \
                    V v[AL_ROWS_AT_ONCE];                                      \
                    AL_EACH_ROW v[r] = AL_READ_OF(T, N, x[r] + j);             \
                    for (int p = 0; p < P; p++) {                              \
                        V u = AL_READ_OF(double, N, w + p * stride + j);       \
                        AL_KEEP(u);                                            \
                        AL_EACH_ROW s[b][p][r] += v[r] * u;                    \
                    }                                                          \
                }                                                              \
            for (int p = 0; p < P; p++)                                        \
                AL_EACH_ROW {                                                  \
                    double a[16];                                              \
                    ptrdiff_t i = j;                                           \
                    for (int b = 0; b < 16 / N; b++)                           \
                        memcpy(a + b * N, &s[b][p][r], sizeof s[b][p][r]);     \
                    for (int h = 8; h > 0; h /= 2) {                           \
                        for (int l = 0; l < h; l++) a[l] += a[l + h];          \
                        if (!(n & h)) continue;                                \
                        for (int l = 0; l < h; l++, i++)                       \
                            a[l] += x[r][i] * w[p * stride + i];               \
                    }                                                          \
                    out[r * apart + k + p] = a[0];                             \
                }                                                              \
        }                                                                      \
    }

typedef void (*al_many)(const al_rows *X, const int64_t *rows, const int64_t *later,
                        int turn, int n_turns, const double *w, ptrdiff_t stride,
                        double *out, ptrdiff_t apart);

#if defined(__GNUC__) && defined(__x86_64__)
AL_MANY(double, al_double8, 8, 4, __attribute__((target("avx512f"))))
AL_MANY(float, al_double8, 8, 4, __attribute__((target("avx512f"))))
AL_MANY(double, al_double4, 4, 1, __attribute__((target("avx2"))))
AL_MANY(float, al_double4, 4, 1, __attribute__((target("avx2"))))
#endif

/* The `al_many` with the longest vectors, at most `widest` numbers; NULL if none. */
static inline al_many al_find_many(int value_size, int widest) {
    (void)value_size, (void)widest;
#if defined(__GNUC__) && defined(__x86_64__)
    if (widest >= 8 && __builtin_cpu_supports("avx512f"))
        return value_size == 8 ? al_many_double_8 : al_many_float_8;
    if (widest >= 4 && __builtin_cpu_supports("avx2"))
        return value_size == 8 ? al_many_double_4 : al_many_float_4;
#endif
    return NULL;
}

typedef void (*al_all)(const al_rows *X, ptrdiff_t i, const double *w, double *out,
                       double *squares);
typedef void (*al_add_all)(const al_rows *X, ptrdiff_t i, double *w);

/* Make CSR rows read weights that are stored feature by feature, and find their `all` and
 * `add_all`; `widest`: largest vector length. */
static inline void al_keep_together(al_rows *X, ptrdiff_t n_together, int value_size,
                             int index_size, int widest, al_all *all,
                             al_add_all *add_all) {
    (void)widest;
    X->n_together = n_together;
    if (value_size == 8 && index_size == 4) AL_USE_TOGETHER(X, f64_i32)
    else if (value_size == 8) AL_USE_TOGETHER(X, f64_i64)
    else if (index_size == 4) AL_USE_TOGETHER(X, f32_i32)
    else AL_USE_TOGETHER(X, f32_i64)
}

#endif
