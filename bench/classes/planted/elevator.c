// planted: failed assertion; stdin 12
// An elevator: calls at floors, a door, a fire key to be turned; each tick is one byte.
#include <assert.h>
#include <stddef.h>

enum { FLOORS = 5 };
enum state { IDLE, UP, DOWN, OPEN, FIRE };

struct elevator {
    enum state state;
    int floor;
    int open;
    int timer;
    int turned;
    unsigned calls;
};

static void decide(struct elevator *e) {
    if (!e->calls) {
        e->state = IDLE;
    } else if (e->calls >> e->floor & 1) {
        e->calls &= ~(1u << e->floor);
        e->state = OPEN;
        e->open = 1;
        e->timer = 2;
    } else {
        e->state = e->calls >> e->floor ? UP : DOWN;
    }
}

static void move(struct elevator *e, int by) {
    assert(!e->open && e->floor + by >= 0 && e->floor + by < FLOORS); /* BUG */
    e->floor += by;
}

static void tick(struct elevator *e) {
    switch (e->state) {
    case IDLE:
        decide(e);
        break;
    case UP:
        move(e, 1);
        decide(e);
        break;
    case DOWN:
        move(e, -1);
        decide(e);
        break;
    case OPEN:
        if (--e->timer == 0) {
            e->open = 0;
            decide(e);
        }
        break;
    case FIRE:
        e->calls = 0;
        if (e->floor > 0)
            move(e, -1);
        else
            e->open = 1;
        break;
    }
}

static void key(struct elevator *e, int c) {
    if (c == 'K') {
        e->turned++;
        return;
    }
    if (c >= '0' && c < '0' + FLOORS) {
        if (e->state != FIRE)
            e->calls |= 1u << (c - '0');
    } else if (c == 'o') {
        if (e->state == OPEN)
            e->timer = 8;
        else if (e->state == IDLE) {
            e->open = 1;
            e->timer = 3;
            e->state = OPEN;
        }
    } else if (c == 'c') {
        if (e->state == OPEN)
            e->timer = 1;
    } else if (c == 'F') {
        if (e->turned == 3 && (e->state != OPEN || e->timer > 2))
            e->state = FIRE;
    } else if (c == 'R' && e->state == FIRE && e->floor == 0) {
        e->open = 0;
        e->state = IDLE;
    }
    e->turned = 0;
}

int target(const unsigned char *data, size_t size) {
    struct elevator e = {IDLE, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < size; i++) {
        key(&e, data[i]);
        tick(&e);
    }
    return e.floor * 10 + (int)e.state;
}

#define MAX 12
#include "harness.h"
