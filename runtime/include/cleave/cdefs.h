/* Macros with which glibc's headers declare, and which programs that were written for it use. musl has none of them. */
#ifndef CLEAVE_CDEFS_H
#define CLEAVE_CDEFS_H

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#define __THROW noexcept
#define __NTH(function) function noexcept
#else
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW __attribute__((__nothrow__))
#define __NTH(function) __attribute__((__nothrow__)) function
#endif
#define __THROWNL __THROW

#define __P(arguments) arguments
#define __PMT(arguments) arguments
#define __CONCAT(x, y) x##y
#define __STRING(x) #x
#define __ptr_t void *

#define __nonnull(parameters) __attribute__((__nonnull__ parameters))
#define __attribute_malloc__ __attribute__((__malloc__))
#define __attribute_pure__ __attribute__((__pure__))
#define __attribute_const__ __attribute__((__const__))
#define __attribute_used__ __attribute__((__used__))
#define __attribute_noinline__ __attribute__((__noinline__))
#define __attribute_deprecated__ __attribute__((__deprecated__))
#define __attribute_format_arg__(x) __attribute__((__format_arg__(x)))
#define __attribute_warn_unused_result__ __attribute__((__warn_unused_result__))
#define __wur
#define __glibc_likely(condition) __builtin_expect((condition), 1)
#define __glibc_unlikely(condition) __builtin_expect((condition), 0)
#undef __always_inline
#define __always_inline __inline __attribute__((__always_inline__))
#define __restrict_arr __restrict
#define __flexarr []

#endif
