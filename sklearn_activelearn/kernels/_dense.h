/* Products with a dense row, in vectors of AL_WIDTH numbers; included for each width.
 *
 * Element j goes to accumulator j modulo 16. The accumulators are added up in a tree,
 * 16 to 8 to 4 to 2 to 1, and what is left after the last whole block joins it where it
 * fits: 8 elements if there are as many, then 4, 2 and 1.
 *
 * While one part of the rows is read, the memory is told of a later one: processors
 * stop looking ahead by themselves at the end of a page, and where the loop goes
 * another way than they guessed.
 */
#if AL_WIDTH == 8
#define AL_TARGET __attribute__((target("avx512f")))
#define AL_TOGETHER 4 /* weight vectors that the registers have room for */
#elif AL_WIDTH == 4
#define AL_TARGET __attribute__((target("avx2")))
#define AL_TOGETHER 2
#else
#define AL_TARGET
#define AL_TOGETHER 1
#endif

#define AL_NAME(f, T) AL_NAME_OF(f, T, AL_WIDTH)
#define AL_NAME_OF(f, T, N) AL_PASTE(f, T, N)
#define AL_PASTE(f, T, N) f##_##T##_##N
#define AL_VECTOR(N) AL_VECTOR_OF(N)
#define AL_READ(T, N, p) AL_READ_OF(T, N, p)

/* Add the next N elements, times N elements of each of P operands, to P sums. */
#define AL_JOIN(T, N, P, OPERAND, sums)                                        \
    {                                                                          \
        const AL_VECTOR(N) v = AL_READ(T, N, x + j);                           \
        for (int p = 0; p < P; p++) sums[p] += v * OPERAND(N, p);              \
        j += N;                                                                \
    }

/* Make P sums of N numbers of as many of 2 N, and let the remainder join. */
#define AL_HALVE(T, N, P, OPERAND, from, sums)                                 \
    AL_VECTOR(N) sums[P];                                                      \
    for (int p = 0; p < P; p++) {                                              \
        const __typeof__(from[p]) whole = from[p];                             \
        AL_VECTOR(N) halves[2];                                                \
        memcpy(halves, &whole, sizeof halves);                                 \
        sums[p] = halves[0] + halves[1];                                       \
    }                                                                          \
    if (n & N) AL_JOIN(T, N, P, OPERAND, sums)

#if AL_WIDTH == 8
#define AL_NARROW(T, P, OPERAND)                                               \
    AL_HALVE(T, 4, P, OPERAND, s[0], s4)                                       \
    AL_HALVE(T, 2, P, OPERAND, s4, s2)                                         \
    AL_HALVE(T, 1, P, OPERAND, s2, s1)
#elif AL_WIDTH == 4
#define AL_NARROW(T, P, OPERAND)                                               \
    AL_HALVE(T, 2, P, OPERAND, s[0], s2)                                       \
    AL_HALVE(T, 1, P, OPERAND, s2, s1)
#elif AL_WIDTH == 2
#define AL_NARROW(T, P, OPERAND) AL_HALVE(T, 1, P, OPERAND, s[0], s1)
#else
#define AL_NARROW(T, P, OPERAND) const double *s1 = s[0];
#endif

/* The products of a row of n values with P operands. */
#define AL_PRODUCTS(NAME, T, P, OPERAND)                                       \
    AL_TARGET AL_INLINE void AL_NAME(NAME, T)(                                 \
        const T *restrict x, ptrdiff_t n, ptrdiff_t ahead,                     \
        const double *restrict w, ptrdiff_t stride, double *restrict out) {    \
        AL_VECTOR(AL_WIDTH) s[16 / AL_WIDTH][P];                               \
        ptrdiff_t j = 0;                                                       \
        (void)stride;                                                          \
        memset(s, 0, sizeof s);                                                \
        while (j + 16 <= n) {                                                  \
            for (size_t b = 0; b < 16 * sizeof(T); b += 64)                    \
                AL_PREFETCH((uintptr_t)(x + j) + ahead + b);                   \
            for (int k = 0; k < 16 / AL_WIDTH; k++)                            \
                AL_JOIN(T, AL_WIDTH, P, OPERAND, s[k])                         \
        }                                                                      \
        for (int h = 8 / AL_WIDTH; h > 0; h /= 2) {                            \
            for (int k = 0; k < h; k++)                                        \
                for (int p = 0; p < P; p++) s[k][p] += s[k + h][p];            \
            if (n & (h * AL_WIDTH))                                            \
                for (int k = 0; k < h; k++)                                    \
                    AL_JOIN(T, AL_WIDTH, P, OPERAND, s[k])                     \
        }                                                                      \
        AL_NARROW(T, P, OPERAND)                                               \
        for (int p = 0; p < P; p++) out[p] = s1[p];                            \
    }

#define AL_WEIGHTS(N, p) AL_READ(double, N, w + p * stride + j)
#define AL_WEIGHTS_AND_ROW(N, p) (p ? v : AL_READ(double, N, w + j))

#define AL_DENSE(T)                                                            \
    AL_PRODUCTS(al_product, T, 1, AL_WEIGHTS)                                  \
    AL_PRODUCTS(al_product_and_square, T, 2, AL_WEIGHTS_AND_ROW)               \
    AL_PRODUCTS(al_products, T, AL_TOGETHER, AL_WEIGHTS)                       \
    AL_TARGET static double AL_NAME(al_dot, T)(                                \
        const al_rows *X, ptrdiff_t i, const double *w) {                      \
        AL_DENSE_ROW(T)                                                        \
        double out;                                                            \
        AL_NAME(al_product, T)(x, n, X->ahead, w, 0, &out);                    \
        return out;                                                            \
    }                                                                          \
    AL_TARGET static double AL_NAME(al_dots, T)(                               \
        const al_rows *X, ptrdiff_t i, const double *w, double *squares) {     \
        AL_DENSE_ROW(T)                                                        \
        double out[2];                                                         \
        AL_NAME(al_product_and_square, T)(x, n, X->ahead, w, 0, out);          \
        *squares = out[1];                                                     \
        return out[0];                                                         \
    }                                                                          \
    AL_TARGET static void AL_NAME(al_dot4, T)(                                 \
        const al_rows *X, ptrdiff_t i, const double *w, ptrdiff_t stride,      \
        double *out) {                                                         \
        AL_DENSE_ROW(T)                                                        \
        for (int k = 0; k < 4; k += AL_TOGETHER)                               \
            AL_NAME(al_products, T)(x, n, X->ahead, w + k * stride, stride,    \
                                    out + k);                                  \
    }

AL_DENSE(double)
AL_DENSE(float)

#undef AL_WIDTH
#undef AL_TARGET
#undef AL_TOGETHER
#undef AL_NAME
#undef AL_NAME_OF
#undef AL_PASTE
#undef AL_VECTOR
#undef AL_READ
#undef AL_JOIN
#undef AL_HALVE
#undef AL_NARROW
#undef AL_PRODUCTS
#undef AL_WEIGHTS
#undef AL_WEIGHTS_AND_ROW
#undef AL_DENSE
