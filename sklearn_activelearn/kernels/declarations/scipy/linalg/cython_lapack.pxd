ctypedef double d

cdef void dpotrf(char *uplo, int *n, d *a, int *lda, int *info) noexcept nogil
cdef void dpotrs(
    char *uplo, int *n, int *nrhs, d *a, int *lda, d *b, int *ldb, int *info
) noexcept nogil
