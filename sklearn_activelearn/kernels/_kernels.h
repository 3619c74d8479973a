/* Products with rows read in place: dense or CSR, float or double values,
 * int32 or int64 indices. Sums are always double.
 *
 * Each reduction keeps a fixed number of accumulators and adds them up in a fixed
 * order, so the vector unit can be used without -ffast-math and every vector width
 * gives the same bits (with contraction to fused multiply-add switched off).
 */
#ifndef SKLEARN_ACTIVELEARN_KERNELS_H
#define SKLEARN_ACTIVELEARN_KERNELS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "_restrict.h"
#include "_rows.h"

#define AL_DENSE_ROW(T)                                                        \
    const ptrdiff_t n = X->n_features;                                         \
    const T *restrict x = (const T *)X->values + i * n;

#define AL_CSR_ROW(T, I)                                                       \
    const I *restrict ptr = (const I *)X->indptr;                              \
    const ptrdiff_t n = (ptrdiff_t)(ptr[i + 1] - ptr[i]);                      \
    const T *restrict x = (const T *)X->values + ptr[i];                       \
    const I *restrict c = (const I *)X->indices + ptr[i];                      \
    (void)c;

#ifdef __GNUC__
#define AL_PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define AL_PREFETCH(address) (void)(address)
#endif

/* Every cache line of some bytes, at most 8 kB of them. */
static inline void al_fetch_bytes(const void *start, ptrdiff_t n) {
    for (ptrdiff_t j = 0; j < n && j < 8192; j += 64)
        AL_PREFETCH((const char *)start + j);
}

#define AL_TREE(acc, width)                                                    \
    for (int h = width / 2; h > 0; h /= 2)                                     \
        for (int k = 0; k < h; k++) acc[k] += acc[k + h];

/* CSR products: 4 accumulators; the gather leaves nothing to vectorise. The weight of
 * element j is at AT(j). */
#define AL_CSR(NAME, T, I, AT)                                                 \
    static double al_dot_##NAME(const al_rows *X, ptrdiff_t i,                 \
                                const double *restrict w) {                    \
        AL_CSR_ROW(T, I)                                                       \
        double a[4] = {0}, rest = 0;                                           \
        ptrdiff_t j = 0;                                                       \
        for (; j + 4 <= n; j += 4)                                             \
            for (int k = 0; k < 4; k++) a[k] += x[j + k] * w[AT(j + k)];       \
        for (; j < n; j++) rest += x[j] * w[AT(j)];                            \
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
                a[k] += v * w[AT(j + k)];                                      \
                b[k] += v * v;                                                 \
            }                                                                  \
        for (; j < n; j++) {                                                   \
            const double v = x[j];                                             \
            rest += v * w[AT(j)];                                              \
            rest_squares += v * v;                                             \
        }                                                                      \
        AL_TREE(a, 4)                                                          \
        AL_TREE(b, 4)                                                          \
        *squares = b[0] + rest_squares;                                        \
        return a[0] + rest;                                                    \
    }                                                                          \
    static void al_dot4_##NAME(const al_rows *X, ptrdiff_t i, const double *w, \
                               ptrdiff_t stride, double *out) {                \
        for (int k = 0; k < 4; k++)                                            \
            out[k] = al_dot_##NAME(X, i, w + k * stride);                      \
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

/* Dense products: one number at a time, or vectors of 2, 4 or 8. */
#define AL_VECTOR_OF(N) al_double##N
#define AL_READ_OF(T, N, p) AL_READ_##T##N(p)
#define AL_READ_double1(p) (*(p))
#define AL_READ_float1(p) ((double)*(p))
typedef double al_double1;
#ifdef __GNUC__
#define AL_INLINE static inline __attribute__((always_inline))
#define AL_READ_double2(p) (*(const al_double2 *)(p))
#define AL_READ_double4(p) (*(const al_double4 *)(p))
#define AL_READ_double8(p) (*(const al_double8 *)(p))
#define AL_READ_float2(p) __builtin_convertvector(*(const al_float2 *)(p), al_double2)
#define AL_READ_float4(p) __builtin_convertvector(*(const al_float4 *)(p), al_double4)
#define AL_READ_float8(p) __builtin_convertvector(*(const al_float8 *)(p), al_double8)
typedef double al_double2 __attribute__((vector_size(16), aligned(8), may_alias));
typedef double al_double4 __attribute__((vector_size(32), aligned(8), may_alias));
typedef double al_double8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef float al_float2 __attribute__((vector_size(8), aligned(4), may_alias));
typedef float al_float4 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float al_float8 __attribute__((vector_size(32), aligned(4), may_alias));
#define AL_WIDTH 2
#else
#define AL_INLINE static inline
#define AL_WIDTH 1
#endif
#include "_dense.h"

#if defined(__GNUC__) && defined(__x86_64__)
#define AL_WIDTH 4
#include "_dense.h"
#define AL_WIDTH 8
#include "_dense.h"
#define AL_USE_DENSE(X, T, widest)                                             \
    if (widest >= 8 && __builtin_cpu_supports("avx512f"))                      \
        AL_USE_PRODUCTS(X, T##_8);                                             \
    else if (widest >= 4 && __builtin_cpu_supports("avx2"))                    \
        AL_USE_PRODUCTS(X, T##_4);                                             \
    else AL_USE_PRODUCTS(X, T##_2);
/* Processors of AMD read long rows of doubles faster in vectors of four: 12 to 15 % of a
 * pass from 784 numbers on, nothing at 700. Products with four weight vectors are slower. */
#define AL_USE_LONG(X, widest)                                                 \
    if (widest >= 8 && (X)->n_features >= 768 && __builtin_cpu_is("amd") &&    \
        __builtin_cpu_supports("avx2"))                                        \
        ((X)->dot = al_dot_double_4, (X)->dots = al_dots_double_4);
#elif defined(__GNUC__)
#define AL_USE_DENSE(X, T, widest) AL_USE_PRODUCTS(X, T##_2);
#define AL_USE_LONG(X, widest)
#else
#define AL_USE_DENSE(X, T, widest) AL_USE_PRODUCTS(X, T##_1);
#define AL_USE_LONG(X, widest)
#endif

#define AL_COLUMN(j) c[j]
AL_CSR(csr_f64_i32, double, int32_t, AL_COLUMN)
AL_CSR(csr_f64_i64, double, int64_t, AL_COLUMN)
AL_CSR(csr_f32_i32, float, int32_t, AL_COLUMN)
AL_CSR(csr_f32_i64, float, int64_t, AL_COLUMN)

AL_RARE(double, AL_DENSE_ROW(double), j, 0, x)
AL_RARE(float, AL_DENSE_ROW(float), j, 0, x)
AL_RARE(csr_f64_i32, AL_CSR_ROW(double, int32_t), c[j], 4, c)
AL_RARE(csr_f64_i64, AL_CSR_ROW(double, int64_t), c[j], 8, c)
AL_RARE(csr_f32_i32, AL_CSR_ROW(float, int32_t), c[j], 4, c)
AL_RARE(csr_f32_i64, AL_CSR_ROW(float, int64_t), c[j], 8, c)

#define AL_USE_PRODUCTS(X, NAME)                                               \
    ((X)->dot = al_dot_##NAME, (X)->dots = al_dots_##NAME,                     \
     (X)->dot4 = al_dot4_##NAME)
#define AL_USE_RARE(X, NAME)                                                   \
    ((X)->fetch = al_fetch_##NAME,                                             \
     (X)->add = al_add_##NAME, (X)->squares = al_squares_##NAME,               \
     (X)->largest = al_largest_##NAME, (X)->list = al_list_##NAME,             \
     (X)->hash = al_hash_##NAME)
#define AL_USE(X, NAME) (AL_USE_PRODUCTS(X, NAME), AL_USE_RARE(X, NAME))

/* Choose the functions for a matrix; `widest`: most numbers in a vector. */
static inline void al_rows_init(al_rows *X, int sparse, int value_size,
                                int index_size, int widest) {
    X->ahead = 2048;
    if (sparse && value_size == 8 && index_size == 4) AL_USE(X, csr_f64_i32);
    else if (sparse && value_size == 8) AL_USE(X, csr_f64_i64);
    else if (sparse && index_size == 4) AL_USE(X, csr_f32_i32);
    else if (sparse) AL_USE(X, csr_f32_i64);
    else if (value_size == 8) {
        AL_USE_RARE(X, double);
        AL_USE_DENSE(X, double, widest)
        AL_USE_LONG(X, widest)
    } else {
        AL_USE_RARE(X, float);
        AL_USE_DENSE(X, float, widest)
    }
}

#endif
