/* Products of a CSR row with many weight vectors, which are kept feature by feature:
 * weight j of vector k is w[j * stride + k].
 *
 * Each has the bits of the `dot` of that row and that vector.
 */
#ifndef SKLEARN_ACTIVELEARN_FLEET_H
#define SKLEARN_ACTIVELEARN_FLEET_H

#include "_kernels.h"

#define AL_LANES 8 /* vectors summed side by side; `stride` is a multiple of it */

typedef struct al_across {
    /* the products of row i with `stride` vectors */
    void (*products)(const al_rows *X, ptrdiff_t i, const double *w,
                     ptrdiff_t stride, double *out);
    /* copies the weights of one vector at the columns of row i to where they are
     * kept feature by feature */
    void (*copy)(const al_rows *X, ptrdiff_t i, const double *w, double *to,
                 ptrdiff_t stride);
} al_across;

#define AL_EACH(l, N) for (int l = 0; l < AL_LANES / N; l++)

#define AL_PRODUCTS(NAME, T, I, V, N, TARGET)                                  \
    TARGET static void al_products_##NAME(                                     \
        const al_rows *X, ptrdiff_t i, const double *restrict w,               \
        ptrdiff_t stride, double *restrict out) {                              \
        AL_CSR_ROW(T, I)                                                       \
        for (ptrdiff_t k = 0; k < stride; k += AL_LANES) {                     \
            V a[4][AL_LANES / N] = {{{0}}}, rest[AL_LANES / N] = {{0}};        \
            ptrdiff_t j = 0;                                                   \
            for (; j + 4 <= n; j += 4)                                         \
                for (int s = 0; s < 4; s++) {                                  \
                    const double v = x[j + s];                                 \
                    const V *u = (const V *)(w + c[j + s] * stride + k);       \
                    AL_EACH(l, N) a[s][l] += v * u[l];                         \
                }                                                              \
            for (; j < n; j++) {                                               \
                const double v = x[j];                                         \
                const V *u = (const V *)(w + c[j] * stride + k);               \
                AL_EACH(l, N) rest[l] += v * u[l];                             \
            }                                                                  \
            AL_EACH(l, N) {                                                    \
                const V sum = (a[0][l] + a[2][l]) + (a[1][l] + a[3][l]);       \
                *(V *)(out + k + N * l) = sum + rest[l];                       \
            }                                                                  \
        }                                                                      \
    }

#define AL_COPY(NAME, T, I)                                                    \
    static void al_copy_##NAME(const al_rows *X, ptrdiff_t i,                  \
                               const double *restrict w, double *restrict to,  \
                               ptrdiff_t stride) {                             \
        AL_CSR_ROW(T, I)                                                       \
        (void)x;                                                               \
        for (ptrdiff_t j = 0; j < n; j++) to[c[j] * stride] = w[c[j]];         \
    }

#define AL_KINDS(V, N, WIDTH, TARGET)                                          \
    AL_PRODUCTS(f64_i32##WIDTH, double, int32_t, V, N, TARGET)                 \
    AL_PRODUCTS(f64_i64##WIDTH, double, int64_t, V, N, TARGET)                 \
    AL_PRODUCTS(f32_i32##WIDTH, float, int32_t, V, N, TARGET)                  \
    AL_PRODUCTS(f32_i64##WIDTH, float, int64_t, V, N, TARGET)

#define AL_USE_KIND(KERNELS, KIND, WIDTH)                                      \
    ((KERNELS)->products = al_products_##KIND##WIDTH,                          \
     (KERNELS)->copy = al_copy_##KIND)

#define AL_USE_WIDTH(KERNELS, VALUE_SIZE, INDEX_SIZE, WIDTH)                   \
    if (VALUE_SIZE == 8 && INDEX_SIZE == 4) AL_USE_KIND(KERNELS, f64_i32, WIDTH); \
    else if (VALUE_SIZE == 8) AL_USE_KIND(KERNELS, f64_i64, WIDTH);            \
    else if (INDEX_SIZE == 4) AL_USE_KIND(KERNELS, f32_i32, WIDTH);            \
    else AL_USE_KIND(KERNELS, f32_i64, WIDTH);

AL_COPY(f64_i32, double, int32_t)
AL_COPY(f64_i64, double, int64_t)
AL_COPY(f32_i32, float, int32_t)
AL_COPY(f32_i64, float, int64_t)

#ifdef __GNUC__
AL_KINDS(al_double2, 2, , )
#else
AL_KINDS(double, 1, , )
#endif
#if defined(__GNUC__) && defined(__x86_64__)
AL_KINDS(al_double4, 4, _avx2, __attribute__((target("avx2"))))
#endif

static void al_across_init(al_across *kernels, int value_size, int index_size) {
#if defined(__GNUC__) && defined(__x86_64__)
    if (AL_HAS_AVX2) {
        AL_USE_WIDTH(kernels, value_size, index_size, _avx2)
        return;
    }
#endif
    AL_USE_WIDTH(kernels, value_size, index_size, )
}

#endif
