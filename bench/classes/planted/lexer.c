// planted: bad index; stdin 16
// A lexer for a small language, with keywords, numbers, strings, comments.
#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum kind { END, NAME, KEYWORD, NUMBER, STRING, SIGN, BAD };

struct lexer {
    const char *at;
    int line;
    int counts[7];
};

static const char *const keywords[] = {"if", "else", "while", "return"};
static const char simple[] = "n\nt\tr\r0\0";
static const int8_t hex_value[55] = {
    ['0' - '0'] = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ['A' - '0'] = 10, 11, 12, 13, 14, 15,
    ['a' - '0'] = 10, 11, 12, 13, 14, 15,
};

static int escape(struct lexer *l) {
    int c = *l->at;
    if (!c)
        return -1;
    l->at++;
    if (c == 'x') {
        int value = 0;
        for (int i = 0; i < 2; i++) {
            if (!isgraph((unsigned char)*l->at))
                return -1;
            value = value * 16 + hex_value[*l->at - '0']; /* BUG */
            l->at++;
        }
        return value;
    }
    const char *s = strchr(simple, c);
    return s ? s[1] : c;
}

static enum kind string(struct lexer *l) {
    while (*l->at && *l->at != '"') {
        if (*l->at++ == '\\' && escape(l) < 0)
            return BAD;
    }
    if (!*l->at)
        return BAD;
    l->at++;
    return STRING;
}

static enum kind word(struct lexer *l) {
    const char *begin = l->at;
    while (isalnum((unsigned char)*l->at) || *l->at == '_')
        l->at++;
    size_t n = (size_t)(l->at - begin);
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strlen(keywords[i]) == n && strncmp(keywords[i], begin, n) == 0)
            return KEYWORD;
    return NAME;
}

static enum kind next(struct lexer *l) {
    for (;;) {
        if (isspace((unsigned char)*l->at)) {
            l->line += *l->at++ == '\n';
        } else if (*l->at == '#') {
            while (*l->at && *l->at != '\n')
                l->at++;
        } else {
            break;
        }
    }
    int c = (unsigned char)*l->at;
    if (!c)
        return END;
    if (isalpha(c) || c == '_')
        return word(l);
    if (isdigit(c)) {
        while (isdigit((unsigned char)*l->at))
            l->at++;
        return NUMBER;
    }
    l->at++;
    if (c == '"')
        return string(l);
    return strchr("+-*/=<>!;(){}", c) ? SIGN : BAD;
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    struct lexer l = {text, 1, {0}};
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    for (;;) {
        enum kind k = next(&l);
        l.counts[k]++;
        if (k == END || k == BAD)
            return l.counts[NAME] * 10 + l.line;
    }
}

#define MAX 16
#include "harness.h"
