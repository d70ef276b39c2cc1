// planted: uninitialised value; stdin 12
// A cache of three entries, the least recently used goes: p puts, g gets, d deletes.
#include <stddef.h>
#include <stdlib.h>

enum { ROOM = 3 };

struct entry {
    struct entry *newer;
    struct entry *older;
    char key;
    int uses;
};

struct cache {
    struct entry *newest;
    struct entry *oldest;
    int count;
    int hits;
};

static struct entry *find(struct cache *c, char key) {
    for (struct entry *e = c->newest; e; e = e->older)
        if (e->key == key)
            return e;
    return NULL;
}

static void unlink_entry(struct cache *c, struct entry *e) {
    if (e == c->newest)
        c->newest = e->older;
    else
        e->newer->older = e->older;
    if (e == c->oldest) {
        c->oldest = e->newer;
        c->oldest->older = NULL; /* BUG */
    } else {
        e->older->newer = e->newer;
    }
    c->count--;
}

static void link_entry(struct cache *c, struct entry *e) {
    e->older = c->newest;
    if (c->newest)
        c->newest->newer = e;
    else
        c->oldest = e;
    c->newest = e;
    c->count++;
}

static void put(struct cache *c, char key) {
    struct entry *e = find(c, key);
    if (e) {
        e->uses = 0;
        return;
    }
    if (c->count == ROOM) {
        e = c->oldest;
        unlink_entry(c, e);
    } else {
        e = malloc(sizeof *e);
        if (!e)
            abort();
    }
    e->key = key;
    e->uses = 0;
    link_entry(c, e);
}

static void get(struct cache *c, char key) {
    struct entry *e = find(c, key);
    if (!e)
        return;
    c->hits++;
    e->uses++;
    unlink_entry(c, e);
    link_entry(c, e);
}

static void take(struct cache *c, char key) {
    struct entry *e = find(c, key);
    if (!e)
        return;
    unlink_entry(c, e);
    free(e);
}

int target(const unsigned char *data, size_t size) {
    struct cache c = {NULL, NULL, 0, 0};
    for (size_t i = 0; i + 1 < size; i += 2) {
        if (data[i] == 'p')
            put(&c, (char)data[i + 1]);
        else if (data[i] == 'g')
            get(&c, (char)data[i + 1]);
        else if (data[i] == 'd')
            take(&c, (char)data[i + 1]);
    }
    while (c.newest) {
        struct entry *e = c.newest;
        c.newest = e->older;
        free(e);
    }
    return c.hits;
}

#define MAX 12
#include "harness.h"
