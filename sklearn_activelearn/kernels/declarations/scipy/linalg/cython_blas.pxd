# The functions of scipy that compiled modules call, so that building needs no scipy. Names
# and types must be scipy's own: they are compared when the modules are imported.

ctypedef double d

cdef d ddot(int *n, d *dx, int *incx, d *dy, int *incy) noexcept nogil
cdef void dgemm(
    char *transa, char *transb, int *m, int *n, int *k, d *alpha, d *a, int *lda, d *b,
    int *ldb, d *beta, d *c, int *ldc
) noexcept nogil
cdef void dgemv(
    char *trans, int *m, int *n, d *alpha, d *a, int *lda, d *x, int *incx, d *beta,
    d *y, int *incy
) noexcept nogil
cdef void dsymv(
    char *uplo, int *n, d *alpha, d *a, int *lda, d *x, int *incx, d *beta, d *y,
    int *incy
) noexcept nogil
cdef void dsyr(
    char *uplo, int *n, d *alpha, d *x, int *incx, d *a, int *lda
) noexcept nogil
cdef void dsyrk(
    char *uplo, char *trans, int *n, int *k, d *alpha, d *a, int *lda, d *beta, d *c,
    int *ldc
) noexcept nogil
cdef void dtpsv(
    char *uplo, char *trans, char *diag, int *n, d *ap, d *x, int *incx
) noexcept nogil
cdef void dtrmm(
    char *side, char *uplo, char *transa, char *diag, int *m, int *n, d *alpha, d *a,
    int *lda, d *b, int *ldb
) noexcept nogil
cdef void dtrmv(
    char *uplo, char *trans, char *diag, int *n, d *a, int *lda, d *x, int *incx
) noexcept nogil
cdef void dtrsm(
    char *side, char *uplo, char *transa, char *diag, int *m, int *n, d *alpha, d *a,
    int *lda, d *b, int *ldb
) noexcept nogil
