// planted: overflow; stdin 16
// A stack machine: push, arithmetic, copies, jumps, calls, at most 64 steps.
#include <stddef.h>

enum { STACK = 8, CALLS = 3, STEPS = 64 };
enum op { HALT, PUSH, ADD, MULTIPLY, DROP, PICK, JUMP, CALL, RETURN, IF };

struct machine {
    const unsigned char *code;
    size_t size;
    size_t at;
    int depth;
    int calls;
};

static int next(struct machine *m) {
    return m->at < m->size ? m->code[m->at++] : -1;
}

static int step(struct machine *m, unsigned *stack, size_t *back) {
    int op = next(m), a;
    switch (op) {
    case PUSH:
        a = next(m);
        if (a < 0 || m->depth == STACK)
            return -1;
        stack[m->depth++] = (unsigned)a;
        return 1;
    case ADD: case MULTIPLY:
        if (m->depth < 2)
            return -1;
        m->depth--;
        if (op == ADD)
            stack[m->depth - 1] += stack[m->depth];
        else
            stack[m->depth - 1] *= stack[m->depth];
        return 1;
    case DROP:
        if (m->depth < 1)
            return -1;
        m->depth--;
        return 1;
    case PICK:
        if (m->depth < 1 || m->depth == STACK)
            return -1;
        stack[m->depth] = stack[m->depth - 1];
        m->depth++;
        return 1;
    case JUMP: case IF:
        a = next(m);
        if (a < 0 || (size_t)a > m->size)
            return -1;
        if (op == IF) {
            if (m->depth < 1)
                return -1;
            if (stack[--m->depth] != 0)
                return 1;
        }
        m->at = (size_t)a;
        return 1;
    case CALL:
        a = next(m);
        if (a < 0 || (size_t)a > m->size || m->calls > CALLS)
            return -1;
        back[m->calls++] = m->at; /* BUG */
        m->at = (size_t)a;
        return 1;
    case RETURN:
        if (m->calls < 1)
            return -1;
        m->at = back[--m->calls];
        return 1;
    default:
        return op == HALT ? 0 : -1;
    }
}

int target(const unsigned char *data, size_t size) {
    struct machine m = {data, size, 0, 0, 0};
    unsigned stack[STACK] = {0};
    size_t back[CALLS] = {0};
    if (size < 2)
        return -1;
    for (int i = 0; i < STEPS; i++) {
        int code = step(&m, stack, back);
        if (code <= 0)
            return code < 0 || m.depth == 0 ? -1 : (int)(stack[m.depth - 1] & 0xff);
    }
    return -2;
}

#define MAX 16
#include "harness.h"
