// planted: overflow; stdin 16
// A checker of JSON with a stack of what is open.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { DEPTH = 5 };

struct reader {
    const char *at;
    int depth;
};

static void blanks(struct reader *r) {
    while (*r->at == ' ' || *r->at == '\n' || *r->at == '\t' || *r->at == '\r')
        r->at++;
}

static int literal(struct reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->at, word, n) != 0)
        return 0;
    r->at += n;
    return 1;
}

static int string(struct reader *r) {
    if (*r->at != '"')
        return 0;
    r->at++;
    while (*r->at && *r->at != '"') {
        if (*r->at == '\\') {
            r->at++;
            if (!*r->at || !strchr("\"\\/bfnrt", *r->at))
                return 0;
        }
        r->at++;
    }
    return *r->at++ == '"';
}

static int number(struct reader *r) {
    if (*r->at == '-')
        r->at++;
    if (!isdigit((unsigned char)*r->at))
        return 0;
    while (isdigit((unsigned char)*r->at))
        r->at++;
    return 1;
}

static int scalar(struct reader *r) {
    if (*r->at == '"')
        return string(r);
    if (isalpha((unsigned char)*r->at))
        return literal(r, "true") || literal(r, "false") || literal(r, "null");
    return number(r);
}

/* Reads one value; open arrays and objects are on the stack. */
static int value(struct reader *r) {
    char open[DEPTH];
    for (;;) {
        blanks(r);
        if (r->depth > 0 && open[r->depth - 1] == '{') {
            if (!string(r))
                return -1;
            blanks(r);
            if (*r->at++ != ':')
                return -1;
            blanks(r);
        }
        if (*r->at == '[' || *r->at == '{') {
            open[r->depth++] = *r->at++; /* BUG */
            continue;
        }
        if (!scalar(r))
            return -1;
        for (;;) {
            blanks(r);
            if (r->depth == 0)
                return 0;
            char c = *r->at;
            if (c == ',')
                break;
            if (c != (open[r->depth - 1] == '[' ? ']' : '}'))
                return -1;
            r->at++;
            r->depth--;
        }
        r->at++;
    }
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    struct reader r = {text, 0};
    if (value(&r) < 0)
        return -1;
    blanks(&r);
    return *r.at == 0;
}

#define MAX 16
#include "harness.h"
