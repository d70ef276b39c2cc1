// planted: double free; stdin 18
// Symbols in scopes: { and } for scopes, =name defines, @name makes it an alias of the outer one.
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = 6, DEPTH = 4 };

struct symbol {
    unsigned hash;
    char *name;
    int depth;
    int alias;
};

struct table {
    struct symbol symbol[SYMBOLS];
    int count;
    int depth;
};

static unsigned hash(const char *name) {
    unsigned h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static struct symbol *find(struct table *t, const char *name) {
    unsigned h = hash(name);
    for (int i = t->count - 1; i >= 0; i--)
        if (t->symbol[i].hash == h)
            return &t->symbol[i];
    return NULL;
}

static int define(struct table *t, const char *name) {
    struct symbol *s = find(t, name);
    if ((s && s->depth == t->depth) || t->count == SYMBOLS)
        return -1;
    char *copy = malloc(strlen(name) + 1);
    if (!copy)
        return -1;
    strcpy(copy, name);
    t->symbol[t->count++] = (struct symbol){hash(name), copy, t->depth, 0};
    return 0;
}

static int alias(struct table *t, const char *name) {
    struct symbol *s = find(t, name);
    if (!s || s->depth == t->depth || t->count == SYMBOLS)
        return -1;
    t->symbol[t->count++] = (struct symbol){s->hash, s->name, t->depth, !s->alias};
    return 0;
}

static void leave(struct table *t) {
    while (t->count > 0 && t->symbol[t->count - 1].depth == t->depth) {
        struct symbol *s = &t->symbol[--t->count];
        if (s->alias == 0)
            free(s->name); /* BUG */
    }
    t->depth--;
}

static size_t name_at(const char *p, char *name, size_t room) {
    size_t n = 0;
    while (isalpha((unsigned char)p[n]) && n + 1 < room) {
        name[n] = p[n];
        n++;
    }
    name[n] = 0;
    return n;
}

int target(const unsigned char *data, size_t size) {
    struct table t = {.count = 0, .depth = 0};
    char text[24], name[8];
    int defined = 0;
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    for (const char *p = text; *p;) {
        char c = *p++;
        size_t n = name_at(p, name, sizeof name);
        p += n;
        if (c == '{' && t.depth < DEPTH)
            t.depth++;
        else if (c == '}' && t.depth > 0)
            leave(&t);
        else if (c == '=' && n > 2)
            defined += define(&t, name) == 0;
        else if (c == '@' && n > 2)
            alias(&t, name);
        else
            break;
    }
    while (t.depth >= 0)
        leave(&t);
    return defined;
}

#define MAX 18
#include "harness.h"
