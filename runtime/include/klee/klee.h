/* KLEE's intrinsics, under their own names, as Cleave provides them. */
#ifndef CLEAVE_KLEE_H
#define CLEAVE_KLEE_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes the bytes of an object symbolic: a new object of the test, under this name. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
/* A new symbolic int with begin <= result < end. */
int klee_range(int begin, int end, const char *name);
/* A new symbolic int. */
int klee_int(const char *name);
/* A new symbolic value below n. */
uintptr_t klee_choose(uintptr_t n);
/* Goes on only where the condition holds. */
void klee_assume(uintptr_t condition);
/* A wish for the test of the path; no constraint. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
/* Ends the path in a bug with this message; the suffix names its error file. */
_Noreturn void klee_report_error(const char *file, int line, const char *message, const char *suffix);
/* Ends the path, which is then no result. */
_Noreturn void klee_silent_exit(int status);
_Noreturn void klee_abort(void);
/* One value of the expression: here the least that the path allows. It adds no constraint. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
float klee_get_value_f(float expr);
double klee_get_value_d(double expr);
long klee_get_value_l(long expr);
long long klee_get_value_ll(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);
/* Whether the value depends on inputs. */
unsigned klee_is_symbolic(uintptr_t n);
/* The size of the object that an address lies in. */
size_t klee_get_obj_size(void *address);
/* The calling thread's errno. */
int klee_get_errno(void);
/* Prints the expression of a value as a note. */
void klee_print_expr(const char *message, ...);
void klee_warning(const char *message);
void klee_warning_once(const char *message);
/* Ends the path in a bug where the bytes are not all in one live object. */
void klee_check_memory_access(const void *address, size_t size);
/* Zero while the program is explored, one when a test is replayed. */
unsigned klee_is_replay(void);
/* Hints to KLEE that change nothing here: paths are never merged (a warning says so once a place), and every feasible one
 * is explored. */
void klee_open_merge(void);
void klee_close_merge(void);
void klee_set_forking(unsigned enable);
void klee_mark_global(void *object);
void klee_stack_trace(void);
void klee_print_range(const char *name, int value);
/* An object of zeros at an address of the program's choice, below 64 GiB, where no other is: at most one in a MiB. */
void klee_define_fixed_object(void *address, size_t size);

/* As assert, whatever NDEBUG says. */
#define klee_assert(expr) ((expr) ? (void)0 : __assert_fail(#expr, __FILE__, __LINE__, __func__))

#ifdef __cplusplus
}
#endif

#endif
