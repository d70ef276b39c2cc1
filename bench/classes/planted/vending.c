// planted: failed assertion; stdin 12
// A vending machine: coins, choices, refunds, a key with a code for service.
#include <assert.h>
#include <stddef.h>

struct machine {
    int credit;
    int price[3];
    int stock[3];
    int paid;
    int bank;
    int service;
    int entered;
    int discount;
};

static const char code[] = "407";

static void insert(struct machine *m, int value) {
    if (m->credit + value <= 100) {
        m->credit += value;
        m->paid += value;
    }
}

static void refund(struct machine *m) {
    m->paid -= m->credit;
    m->credit = 0;
}

static void choose(struct machine *m, int slot) {
    if (m->stock[slot] == 0) {
        refund(m);
        return;
    }
    if (m->credit < m->price[slot] - m->discount)
        return;
    m->stock[slot]--;
    m->credit -= m->price[slot] - m->discount;
    m->bank += m->price[slot];
    refund(m);
}

static void serve(struct machine *m, int c) {
    switch (c) {
    case '+':
        for (int i = 0; i < 3; i++)
            m->stock[i] = 2;
        break;
    case '7':
        m->discount = 5;
        break;
    case '5':
        m->price[2] += 5;
        break;
    case 'K':
        m->service = 0;
        break;
    }
}

static void press(struct machine *m, int c) {
    if (m->service) {
        serve(m, c);
        return;
    }
    switch (c) {
    case 'N':
        insert(m, 5);
        break;
    case 'D':
        insert(m, 10);
        break;
    case 'Q':
        insert(m, 25);
        break;
    case 'A': case 'B': case 'C':
        choose(m, c - 'A');
        assert(m->paid == m->bank + m->credit); /* BUG */
        break;
    case 'R':
        refund(m);
        break;
    case 'K':
        m->entered = 0;
        break;
    case '0': case '4': case '7':
        if (c != code[m->entered])
            m->entered = 0;
        else if (code[++m->entered] == 0) {
            m->service = m->credit == 0;
            m->entered = 0;
        }
        break;
    }
}

int target(const unsigned char *data, size_t size) {
    struct machine m = {0, {50, 35, 75}, {2, 2, 2}, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < size; i++)
        press(&m, data[i]);
    return m.bank;
}

#define MAX 12
#include "harness.h"
