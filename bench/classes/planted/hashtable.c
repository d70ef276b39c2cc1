// planted: bad index; stdin 40
// A table of slots with open addressing: +key value, -key, ?key; removed slots stay marked.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { SLOTS = 8, FULL = 4 };
enum state { EMPTY, USED, REMOVED };

struct slot {
    enum state state;
    char key;
    char value;
};

struct table {
    int used;
    int found;
    int refused;
};

static unsigned hash(char key) {
    return (unsigned char)key * 5u % SLOTS;
}

/* The slot of a key or, if it is not there, -1. */
static int find(const struct slot *slot, char key) {
    unsigned i = hash(key);
    for (int n = 0; n < SLOTS; n++) {
        if (slot[i].state == EMPTY)
            return -1;
        if (slot[i].state == USED && slot[i].key == key)
            return (int)i;
        i = (i + 1) % SLOTS;
    }
    return -1;
}

/* The first slot that was never used; there is one as the table is never full. */
static int free_slot(const struct slot *slot, char key) {
    unsigned i = hash(key);
    for (int n = 0; n < SLOTS; n++) {
        if (slot[i].state == EMPTY)
            return (int)i;
        i = (i + 1) % SLOTS;
    }
    return -1;
}

static void insert(struct table *t, struct slot *slot, char key, char value) {
    int i = find(slot, key);
    if (i >= 0) {
        slot[i].value = value;
        return;
    }
    if (t->used == FULL) {
        t->refused++;
        return;
    }
    i = free_slot(slot, key);
    slot[i].state = USED; /* BUG */
    slot[i].key = key;
    slot[i].value = value;
    t->used++;
}

static void take(struct table *t, struct slot *slot, char key) {
    int i = find(slot, key);
    if (i < 0)
        return;
    slot[i].state = REMOVED;
    t->used--;
}

int target(const unsigned char *data, size_t size) {
    struct table t = {0, 0, 0};
    struct slot slot[SLOTS];
    memset(slot, 0, sizeof slot);
    size_t i = 0;
    while (i + 1 < size) {
        char c = (char)data[i], key = (char)data[i + 1];
        i += 2;
        if (!isalnum((unsigned char)key))
            return -1;
        if (c == '+' && i < size)
            insert(&t, slot, key, (char)data[i++]);
        else if (c == '-')
            take(&t, slot, key);
        else if (c == '?')
            t.found += find(slot, key) >= 0;
        else
            return -1;
    }
    return t.found * 100 + t.used;
}

#define MAX 40
#include "harness.h"
