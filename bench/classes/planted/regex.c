// planted: bad index; stdin 10
// A matcher for c . ^ $ * and classes; the pattern ends at a blank, the text follows.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 10 };
enum op { CHAR, ANY, SET, END };

struct node {
    unsigned char set[32];
    enum op op;
    int c;
    int star;
};

static int compile_set(struct node *n, const char **p) {
    memset(n->set, 0, sizeof n->set);
    while (**p && **p != ']') {
        unsigned char low = (unsigned char)*(*p)++, high = low;
        if (**p == '-' && (*p)[1] && (*p)[1] != ']') {
            high = (unsigned char)(*p)[1];
            *p += 2;
        }
        for (int c = low; c <= high; c++)
            n->set[c / 8] |= (unsigned char)(1 << c % 8);
    }
    if (!**p)
        return -1;
    (*p)++;
    return 0;
}

static int compile(struct node *out, const char *p) {
    int n = 0;
    while (*p) {
        if (*p == '*') {
            out[n - 1].star = 1; /* BUG */
            p++;
            continue;
        }
        struct node *m = &out[n++];
        if (n == NODES)
            return -1;
        m->star = 0;
        if (*p == '.') {
            m->op = ANY;
            p++;
        } else if (*p == '[') {
            p++;
            m->op = SET;
            if (compile_set(m, &p) < 0)
                return -1;
        } else {
            m->op = CHAR;
            m->c = *p++;
        }
    }
    out[n].op = END;
    return n;
}

static int one(const struct node *n, int c) {
    if (!c)
        return 0;
    if (n->op == SET)
        return n->set[(unsigned char)c / 8] >> (unsigned char)c % 8 & 1;
    return n->op == ANY || n->c == c;
}

static int here(const struct node *n, const char *text, int whole) {
    if (n->op == END)
        return !whole || !*text;
    if (n->star) {
        do {
            if (here(n + 1, text, whole))
                return 1;
        } while (one(n, *text++));
        return 0;
    }
    return one(n, *text) && here(n + 1, text + 1, whole);
}

int target(const unsigned char *data, size_t size) {
    char line[16];
    if (size >= sizeof line)
        return -1;
    memcpy(line, data, size);
    line[size] = 0;
    char *text = strchr(line, ' ');
    if (!text)
        return -1;
    *text++ = 0;
    char *pattern = line;
    int anchored = *pattern == '^';
    if (anchored)
        pattern++;
    size_t n = strlen(pattern);
    int whole = n && pattern[n - 1] == '$';
    if (whole)
        pattern[n - 1] = 0;
    struct node *node = malloc(NODES * sizeof *node);
    if (!node)
        return -1;
    int found = 0;
    if (compile(node, pattern) < 0)
        found = -1;
    else
        do
            found = here(node, text, whole);
        while (!found && !anchored && *text++);
    free(node);
    return found;
}

#define MAX 10
#include "harness.h"
