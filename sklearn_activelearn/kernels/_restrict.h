/* C99's `restrict`, which Microsoft's compiler spells in another way. */
#ifndef SKLEARN_ACTIVELEARN_RESTRICT_H
#define SKLEARN_ACTIVELEARN_RESTRICT_H

#ifdef _MSC_VER
#define restrict __restrict
#endif

#endif
