// planted: overflow; stdin 20
// Telnet: commands behind IAC, options, subnegotiations that are collected.
#include <stddef.h>
#include <stdlib.h>

enum { IAC = 255, DONT = 254, DO = 253, WONT = 252, WILL = 251, SB = 250, SE = 240, ROOM = 8 };
enum mode { TEXT, COMMAND, OPTION, COLLECT, COLLECT_IAC };

struct session {
    enum mode mode;
    int verb;
    size_t used;
    unsigned char *buffer;
    int text;
    int width;
    unsigned char asked[32];
};

static void finish(struct session *s) {
    if (s->used >= 5 && s->buffer[0] == 31)
        s->width = s->buffer[1] << 8 | s->buffer[2];
    s->used = 0;
    s->mode = TEXT;
}

static void option(struct session *s, int c) {
    if (s->verb == DO || s->verb == WILL)
        s->asked[c / 8] |= (unsigned char)(1 << c % 8);
    else
        s->asked[c / 8] &= (unsigned char)~(1 << c % 8);
    s->mode = TEXT;
}

static void byte(struct session *s, int c) {
    switch (s->mode) {
    case TEXT:
        if (c == IAC)
            s->mode = COMMAND;
        else
            s->text++;
        break;
    case COMMAND:
        if (c >= WILL && c <= DONT) {
            s->verb = c;
            s->mode = OPTION;
        } else if (c == SB) {
            s->used = 0;
            s->mode = COLLECT;
        } else {
            s->text += c == IAC;
            s->mode = TEXT;
        }
        break;
    case OPTION:
        option(s, c);
        break;
    case COLLECT:
        if (c == IAC)
            s->mode = COLLECT_IAC;
        else if (s->used < ROOM)
            s->buffer[s->used++] = (unsigned char)c;
        break;
    case COLLECT_IAC:
        if (c == SE) {
            finish(s);
        } else if (c == IAC) {
            s->buffer[s->used++] = IAC; /* BUG */
            s->mode = COLLECT;
        } else {
            s->mode = TEXT;
        }
        break;
    }
}

int target(const unsigned char *data, size_t size) {
    struct session s = {.mode = TEXT};
    s.buffer = malloc(ROOM);
    if (!s.buffer)
        return -1;
    for (size_t i = 0; i < size; i++)
        byte(&s, data[i]);
    free(s.buffer);
    return s.text * 1000 + s.width + s.asked[0];
}

#define MAX 20
#include "harness.h"
