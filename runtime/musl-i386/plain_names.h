/* In front of the sources of musl that stand behind functions of ours: to those with times, its headers give other names on a machine
 * of 32 bits, which ours have. */
#include <features.h>
#undef __REDIR
#define __REDIR(function, other)
