// planted: division by zero; stdin 16
// The five fields of a line of crontab: *, numbers, ranges, lists, steps.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct field {
    int low;
    int high;
    unsigned long long set;
};

static const int lowest[5] = {0, 0, 1, 1, 0};
static const int highest[5] = {59, 23, 31, 12, 6};

static int number(const char **at, int *out) {
    if (!isdigit((unsigned char)**at))
        return -1;
    int n = 0;
    while (isdigit((unsigned char)**at)) {
        n = n * 10 + *(*at)++ - '0';
        if (n > 99)
            return -1;
    }
    *out = n;
    return 0;
}

static int field(const char *at, struct field *f) {
    for (;;) {
        int from = f->low, to = f->high, step = 1;
        if (*at == '*') {
            at++;
        } else {
            if (number(&at, &from) < 0)
                return -1;
            to = from;
            if (*at == '-') {
                at++;
                if (number(&at, &to) < 0)
                    return -1;
            }
        }
        if (*at == '/') {
            at++;
            if (number(&at, &step) < 0)
                return -1;
        }
        if (from < f->low || to > f->high || from > to)
            return -1;
        for (int i = from; i <= to; i++)
            if ((i - from) % step == 0) /* BUG */
                f->set |= 1ull << i;
        if (*at != ',')
            return *at ? -1 : 0;
        at++;
    }
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    struct field fields[5];
    int n = 0;
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    char *word[6];
    for (char *w = strtok(text, " \t\n"); w && n < 6; w = strtok(NULL, " \t\n"))
        word[n++] = w;
    if (n != 5)
        return -1;
    for (int i = 0; i < 5; i++) {
        fields[i] = (struct field){lowest[i], highest[i], 0};
        if (field(word[i], &fields[i]) < 0)
            return -1;
    }
    return (int)(fields[0].set & 0xff);
}

#define MAX 16
#include "harness.h"
