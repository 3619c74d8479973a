/* Products with rows read in place: dense or CSR, float or double values,
 * int32 or int64 indices. Sums are always double.
 *
 * Each reduction keeps a fixed number of accumulators, element j going to
 * accumulator j modulo that number, so the vector unit can be used without
 * -ffast-math and every vector width gives the same bits (with contraction to
 * fused multiply-add switched off).
 */
#ifndef SKLEARN_ACTIVELEARN_KERNELS_H
#define SKLEARN_ACTIVELEARN_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "_rows.h"

#ifdef _MSC_VER
#define restrict __restrict
#endif

#define AL_DENSE_ROW(T)                                                        \
    const ptrdiff_t n = X->n_features;                                         \
    const T *restrict x = (const T *)X->values + i * n;

#define AL_CSR_ROW(T, I)                                                       \
    const I *restrict ptr = (const I *)X->indptr;                              \
    const ptrdiff_t n = (ptrdiff_t)(ptr[i + 1] - ptr[i]);                      \
    const T *restrict x = (const T *)X->values + ptr[i];                       \
    const I *restrict c = (const I *)X->indices + ptr[i];                      \
    (void)c;

/* Every cache line of some bytes, at most 8 kB of them. */
static inline void al_fetch_bytes(const void *start, ptrdiff_t n) {
#ifdef __GNUC__
    for (ptrdiff_t j = 0; j < n && j < 8192; j += 64)
        __builtin_prefetch((const char *)start + j);
#endif
}

#define AL_TREE(acc, width)                                                    \
    for (int h = width / 2; h > 0; h /= 2)                                     \
        for (int k = 0; k < h; k++) acc[k] += acc[k + h];

/* Dense products: 8 accumulators, held in vectors V of N numbers. What is left
 * after the last whole block is summed on its own: adding it to the
 * accumulators would force them through memory. */
#define AL_DENSE(NAME, T, V, N, LOAD, LOAD_W, TARGET)                          \
    TARGET static double al_dot_##NAME(const al_rows *X, ptrdiff_t i,          \
                                       const double *restrict w) {             \
        AL_DENSE_ROW(T)                                                        \
        V s[8 / N] = {{0}};                                                    \
        double a[8], rest = 0;                                                 \
        ptrdiff_t j = 0;                                                       \
        for (; j + 8 <= n; j += 8)                                             \
            for (int k = 0; k < 8 / N; k++)                                    \
                s[k] += LOAD(x + j + N * k) * LOAD_W(w + j + N * k);           \
        for (; j < n; j++) rest += (double)x[j] * w[j];                        \
        memcpy(a, s, sizeof a);                                                \
        AL_TREE(a, 8)                                                          \
        return a[0] + rest;                                                    \
    }                                                                          \
    TARGET static double al_dots_##NAME(const al_rows *X, ptrdiff_t i,         \
                                        const double *restrict w,              \
                                        double *squares) {                     \
        AL_DENSE_ROW(T)                                                        \
        V s[8 / N] = {{0}}, q[8 / N] = {{0}};                                  \
        double a[8], b[8], rest = 0, rest_squares = 0;                         \
        ptrdiff_t j = 0;                                                       \
        for (; j + 8 <= n; j += 8)                                             \
            for (int k = 0; k < 8 / N; k++) {                                  \
                const V v = LOAD(x + j + N * k);                               \
                s[k] += v * LOAD_W(w + j + N * k);                             \
                q[k] += v * v;                                                 \
            }                                                                  \
        for (; j < n; j++) {                                                   \
            rest += (double)x[j] * w[j];                                       \
            rest_squares += (double)x[j] * (double)x[j];                       \
        }                                                                      \
        memcpy(a, s, sizeof a);                                                \
        memcpy(b, q, sizeof b);                                                \
        AL_TREE(a, 8)                                                          \
        AL_TREE(b, 8)                                                          \
        *squares = b[0] + rest_squares;                                        \
        return a[0] + rest;                                                    \
    }

/* CSR products: 4 accumulators; the gather leaves nothing to vectorise. */
#define AL_CSR(NAME, T, I)                                                     \
    static double al_dot_##NAME(const al_rows *X, ptrdiff_t i,                 \
                                const double *restrict w) {                    \
        AL_CSR_ROW(T, I)                                                       \
        double a[4] = {0}, rest = 0;                                           \
        ptrdiff_t j = 0;                                                       \
        for (; j + 4 <= n; j += 4)                                             \
            for (int k = 0; k < 4; k++) a[k] += x[j + k] * w[c[j + k]];        \
        for (; j < n; j++) rest += x[j] * w[c[j]];                             \
        AL_TREE(a, 4)                                                          \
        return a[0] + rest;                                                    \
    }                                                                          \
    static double al_dots_##NAME(const al_rows *X, ptrdiff_t i,                \
                                 const double *restrict w, double *squares) {  \
        AL_CSR_ROW(T, I)                                                       \
        double a[4] = {0}, b[4] = {0}, rest = 0, rest_squares = 0;             \
        ptrdiff_t j = 0;                                                       \
        for (; j + 4 <= n; j += 4)                                             \
            for (int k = 0; k < 4; k++) {                                      \
                const double v = x[j + k];                                     \
                a[k] += v * w[c[j + k]];                                       \
                b[k] += v * v;                                                 \
            }                                                                  \
        for (; j < n; j++) {                                                   \
            const double v = x[j];                                             \
            rest += v * w[c[j]];                                               \
            rest_squares += v * v;                                             \
        }                                                                      \
        AL_TREE(a, 4)                                                          \
        AL_TREE(b, 4)                                                          \
        *squares = b[0] + rest_squares;                                        \
        return a[0] + rest;                                                    \
    }

/* A number that looks random for a value in a column, 0 for 0, one for all NaN: two
 * rounds of multiplying and folding the high bits down. */
static inline uint64_t al_scrambled(double value, uint64_t column) {
    uint64_t z;
    if (value != value) value = (double)NAN;
    memcpy(&z, &value, sizeof z);
    z = (z + (column + 1) * UINT64_C(0x9E3779B97F4A7C15)) *
        UINT64_C(0xFF51AFD7ED558CCD);
    z = (z ^ (z >> 32)) * UINT64_C(0xC4CEB9FE1A85EC53);
    return value == 0 ? 0 : z ^ (z >> 29);
}

#define AL_RARE(NAME, ROW, COLUMN, INDEX_SIZE, INDICES)                        \
    static void al_fetch_##NAME(const al_rows *X, ptrdiff_t i) {               \
        ROW al_fetch_bytes(x, n * (ptrdiff_t)sizeof *x);                       \
        al_fetch_bytes(INDICES, n * INDEX_SIZE);                               \
    }                                                                          \
    static void al_add_##NAME(const al_rows *X, ptrdiff_t i, double a,         \
                              double scale, double *restrict w) {              \
        ROW for (ptrdiff_t j = 0; j < n; j++)                                  \
            w[COLUMN] += a * (scale * x[j]);                                   \
    }                                                                          \
    static double al_squares_##NAME(const al_rows *X, ptrdiff_t i,             \
                                    double scale) {                            \
        ROW double s = 0;                                                      \
        for (ptrdiff_t j = 0; j < n; j++) s += (x[j] / scale) * (x[j] / scale); \
        return s;                                                              \
    }                                                                          \
    static double al_largest_##NAME(const al_rows *X, ptrdiff_t i) {           \
        ROW double m = 0;                                                      \
        for (ptrdiff_t j = 0; j < n; j++)                                      \
            if (fabs((double)x[j]) > m) m = fabs((double)x[j]);                \
        return m;                                                              \
    }                                                                          \
    static uint64_t al_hash_##NAME(const al_rows *X, ptrdiff_t i) {            \
        ROW uint64_t s = 0;                                                    \
        for (ptrdiff_t j = 0; j < n; j++)                                      \
            s += al_scrambled((double)x[j], (uint64_t)(COLUMN));               \
        return s;                                                              \
    }                                                                          \
    static uint64_t al_rounded_hash_##NAME(const al_rows *X, ptrdiff_t i) {    \
        ROW uint64_t s = 0;                                                    \
        for (ptrdiff_t j = 0; j < n; j++)                                      \
            s += al_scrambled((double)(float)x[j], (uint64_t)(COLUMN));        \
        return s;                                                              \
    }                                                                          \
    static ptrdiff_t al_list_##NAME(const al_rows *X, ptrdiff_t i,             \
                                    double scale, double *values,              \
                                    int64_t *columns) {                        \
        ROW ptrdiff_t m = 0;                                                   \
        for (ptrdiff_t j = 0; j < n; j++) {                                    \
            if (x[j] == 0) continue;                                           \
            if (values) values[m] = scale * x[j], columns[m] = COLUMN;         \
            m++;                                                               \
        }                                                                      \
        return m;                                                              \
    }

#define AL_PLAIN(p) ((double)*(p))
#ifdef __GNUC__
typedef double al_v2 __attribute__((vector_size(16), aligned(8), may_alias));
#define AL_V2_DOUBLE(p) (*(const al_v2 *)(p))
#define AL_V2_FLOAT(p) ((al_v2){(p)[0], (p)[1]})
AL_DENSE(f64, double, al_v2, 2, AL_V2_DOUBLE, AL_V2_DOUBLE, )
AL_DENSE(f32, float, al_v2, 2, AL_V2_FLOAT, AL_V2_DOUBLE, )
#else
AL_DENSE(f64, double, double, 1, AL_PLAIN, AL_PLAIN, )
AL_DENSE(f32, float, double, 1, AL_PLAIN, AL_PLAIN, )
#endif

/* The same with vectors of four numbers, where the processor has them. */
#if defined(__GNUC__) && defined(__x86_64__)
#define AL_HAS_AVX2 __builtin_cpu_supports("avx2")
typedef double al_v4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef float al_f4 __attribute__((vector_size(16), aligned(4), may_alias));
#define AL_V4_DOUBLE(p) (*(const al_v4 *)(p))
#define AL_V4_FLOAT(p) __builtin_convertvector(*(const al_f4 *)(p), al_v4)
AL_DENSE(f64_avx2, double, al_v4, 4, AL_V4_DOUBLE, AL_V4_DOUBLE,
         __attribute__((target("avx2"))))
AL_DENSE(f32_avx2, float, al_v4, 4, AL_V4_FLOAT, AL_V4_DOUBLE,
         __attribute__((target("avx2"))))
#else
#define AL_HAS_AVX2 0
#define al_dot_f64_avx2 al_dot_f64
#define al_dots_f64_avx2 al_dots_f64
#define al_dot_f32_avx2 al_dot_f32
#define al_dots_f32_avx2 al_dots_f32
#endif

AL_CSR(csr_f64_i32, double, int32_t)
AL_CSR(csr_f64_i64, double, int64_t)
AL_CSR(csr_f32_i32, float, int32_t)
AL_CSR(csr_f32_i64, float, int64_t)

AL_RARE(f64, AL_DENSE_ROW(double), j, 0, x)
AL_RARE(f32, AL_DENSE_ROW(float), j, 0, x)
AL_RARE(csr_f64_i32, AL_CSR_ROW(double, int32_t), c[j], 4, c)
AL_RARE(csr_f64_i64, AL_CSR_ROW(double, int64_t), c[j], 8, c)
AL_RARE(csr_f32_i32, AL_CSR_ROW(float, int32_t), c[j], 4, c)
AL_RARE(csr_f32_i64, AL_CSR_ROW(float, int64_t), c[j], 8, c)

#define AL_USE(X, NAME)                                                        \
    ((X)->dot = al_dot_##NAME, (X)->dots = al_dots_##NAME,                     \
     (X)->fetch = al_fetch_##NAME,                                             \
     (X)->add = al_add_##NAME, (X)->squares = al_squares_##NAME,               \
     (X)->largest = al_largest_##NAME, (X)->list = al_list_##NAME,             \
     (X)->hash = al_hash_##NAME, (X)->rounded_hash = al_rounded_hash_##NAME)

static void al_rows_init(al_rows *X, int sparse, int value_size, int index_size) {
    if (sparse && value_size == 8 && index_size == 4) AL_USE(X, csr_f64_i32);
    else if (sparse && value_size == 8) AL_USE(X, csr_f64_i64);
    else if (sparse && index_size == 4) AL_USE(X, csr_f32_i32);
    else if (sparse) AL_USE(X, csr_f32_i64);
    else if (value_size == 8) {
        AL_USE(X, f64);
        if (AL_HAS_AVX2) X->dot = al_dot_f64_avx2, X->dots = al_dots_f64_avx2;
    } else {
        AL_USE(X, f32);
        if (AL_HAS_AVX2) X->dot = al_dot_f32_avx2, X->dots = al_dots_f32_avx2;
    }
}

#endif
