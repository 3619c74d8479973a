/* How the loops see the rows of a matrix, dense or CSR, of any type. */
#ifndef SKLEARN_ACTIVELEARN_ROWS_H
#define SKLEARN_ACTIVELEARN_ROWS_H

#include <stddef.h>
#include <stdint.h>

typedef struct al_rows {
    const void *values, *indices, *indptr; /* indices, indptr: CSR only */
    ptrdiff_t n_features;
    ptrdiff_t ahead; /* bytes that dense products fetch ahead; 0 if rows jump */
    ptrdiff_t n_together; /* weight vectors kept feature by feature, see stream/_batched_pass.h */
    /* w . row */
    double (*dot)(const struct al_rows *X, ptrdiff_t i, const double *w);
    /* w . row, and row . row in *squares, in one pass */
    double (*dots)(const struct al_rows *X, ptrdiff_t i, const double *w,
                   double *squares);
    /* w . row for the four vectors that begin at w, w + stride, ..., to out */
    void (*dot4)(const struct al_rows *X, ptrdiff_t i, const double *w,
                 ptrdiff_t stride, double *out);
    /* tell the memory that the row will be needed soon */
    void (*fetch)(const struct al_rows *X, ptrdiff_t i);
    /* the rest is needed for few rows only: w += a (scale row); sum of (row / scale)^2;
     * largest |value| */
    void (*add)(const struct al_rows *X, ptrdiff_t i, double a, double scale,
                double *w);
    double (*squares)(const struct al_rows *X, ptrdiff_t i, double scale);
    double (*largest)(const struct al_rows *X, ptrdiff_t i);
    /* the values that are not 0, times scale, and their columns, to where there is
     * room for a whole row (or to NULL); returns how many */
    ptrdiff_t (*list)(const struct al_rows *X, ptrdiff_t i, double scale,
                      double *values, int64_t *columns);
    /* what a row is recognised by: its values other than 0 */
    uint64_t (*hash)(const struct al_rows *X, ptrdiff_t i);
} al_rows;

#endif
