// planted: use after free; stdin 24
// AT commands: dial, repeat, hang up, registers, reset.
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 16 };

struct modem {
    int registers[REGISTERS];
    char *last;
    const char *repeat;
    int connected;
    int echo;
};

static void hang_up(struct modem *m) {
    m->connected = 0;
}

static int dial(struct modem *m, const char *number) {
    int sum = 0;
    for (; *number; number++) { /* BUG */
        if (!isdigit((unsigned char)*number) && !strchr("*#,", *number))
            return -1;
        sum += *number;
    }
    m->connected = 1;
    return sum;
}

static int set_register(struct modem *m, const char *s) {
    char *end;
    long number = strtol(s, &end, 10);
    if (end == s || number < 0 || number >= REGISTERS)
        return -1;
    if (*end == '?')
        return end[1] ? -1 : m->registers[number];
    if (*end != '=')
        return -1;
    m->registers[number] = (int)(strtol(end + 1, NULL, 10) & 0xff);
    return 0;
}

static int reset(struct modem *m) {
    memset(m->registers, 0, sizeof m->registers);
    hang_up(m);
    free(m->last);
    m->last = NULL;
    return 0;
}

static int command(struct modem *m, const char *s) {
    switch (toupper((unsigned char)*s)) {
    case 'D':
        if (m->connected)
            return -1;
        if (s[1] == 'L' && !s[2])
            return m->repeat ? dial(m, m->repeat) : -1;
        if (!s[1])
            return -1;
        free(m->last);
        m->last = malloc(strlen(s));
        if (!m->last)
            return -1;
        strcpy(m->last, s + 1);
        m->repeat = m->last;
        return dial(m, m->last);
    case 'H':
        hang_up(m);
        return 0;
    case 'S':
        return set_register(m, s + 1);
    case 'E':
        m->echo = s[1] == '1';
        return 0;
    case 'Z':
        if (s[1])
            return -1;
        return reset(m);
    default:
        return -1;
    }
}

int target(const unsigned char *data, size_t size) {
    struct modem m = {.connected = 0};
    char text[32];
    int ok = 0;
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    for (char *line = strtok(text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        if (strncmp(line, "AT", 2) != 0 && strncmp(line, "at", 2) != 0)
            break;
        if (command(&m, line + 2) >= 0)
            ok++;
    }
    free(m.last);
    return ok;
}

#define MAX 24
#include "harness.h"
