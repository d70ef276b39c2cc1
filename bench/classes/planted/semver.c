// planted: signed overflow; stdin 24
// Compares two versions like 1.2.3-rc.1, with a blank between them.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct version {
    int part[3];
    const char *pre;
    int pre_length;
};

static int numeric(const char *s, int n) {
    for (int i = 0; i < n; i++)
        if (!isdigit((unsigned char)s[i]))
            return 0;
    return n > 0;
}

static int value(const char *s, int n) {
    int v = 0;
    for (int i = 0; i < n; i++)
        v = 10 * v + (s[i] - '0'); /* BUG */
    return v;
}

static const char *parse(const char *s, struct version *v) {
    for (int i = 0; i < 3; i++) {
        int n = 0;
        while (isdigit((unsigned char)s[n]))
            n++;
        if (n == 0 || n > 6 || (n > 1 && s[0] == '0'))
            return NULL;
        v->part[i] = value(s, n);
        s += n;
        if (i < 2 && *s++ != '.')
            return NULL;
    }
    v->pre = s;
    v->pre_length = 0;
    if (*s == '-') {
        v->pre = ++s;
        while (isalnum((unsigned char)*s) || *s == '.' || *s == '-')
            s++;
        v->pre_length = (int)(s - v->pre);
        if (v->pre_length == 0)
            return NULL;
    }
    return s;
}

static int identifier(const struct version *v, int from) {
    int n = from;
    while (n < v->pre_length && v->pre[n] != '.')
        n++;
    return n - from;
}

static int compare(const struct version *a, const struct version *b) {
    for (int i = 0; i < 3; i++)
        if (a->part[i] != b->part[i])
            return a->part[i] < b->part[i] ? -1 : 1;
    if (!a->pre_length || !b->pre_length)
        return !a->pre_length - !b->pre_length;
    int i = 0, j = 0;
    while (i < a->pre_length && j < b->pre_length) {
        int m = identifier(a, i), n = identifier(b, j);
        const char *p = a->pre + i, *q = b->pre + j;
        int c;
        if (numeric(p, m) && numeric(q, n))
            c = value(p, m) - value(q, n);
        else if (m == n)
            c = memcmp(p, q, (size_t)m);
        else
            c = m - n;
        if (c)
            return c;
        i += m + 1;
        j += n + 1;
    }
    return (i < a->pre_length) - (j < b->pre_length);
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    struct version a, b;
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    const char *s = parse(text, &a);
    if (!s || *s++ != ' ')
        return -2;
    s = parse(s, &b);
    if (!s || *s)
        return -2;
    return compare(&a, &b);
}

#define MAX 24
#include "harness.h"
