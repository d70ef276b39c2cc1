// planted: overflow; stdin 16
// An INI reader: sections in brackets, keys with values, comments.
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 8 };

struct config {
    char section[NAME];
    int keys;
    int sections;
    long sum;
};

static char *trim(char *s) {
    while (isspace((unsigned char)*s))
        s++;
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        end--;
    *end = 0;
    return s;
}

static void enter(char *section, const char *name, size_t length) {
    size_t i;
    for (i = 0; i < length; i++)
        section[i] = name[i];
    section[i] = 0; /* BUG */
}

static int read_line(struct config *c, char *section, char *line) {
    line = trim(line);
    if (*line == 0 || *line == ';' || *line == '#')
        return 0;
    if (*line == '[') {
        char *close = strchr(line, ']');
        if (!close || close == line + 1)
            return -1;
        size_t length = (size_t)(close - line) - 1;
        if (length > NAME)
            return -1;
        enter(section, line + 1, length);
        c->sections++;
        return 0;
    }
    char *equals = strchr(line, '=');
    if (!equals)
        return -1;
    *equals = 0;
    char *key = trim(line), *value = trim(equals + 1);
    if (*key == 0)
        return -1;
    c->keys++;
    c->sum += strtol(value, NULL, 0);
    return 0;
}

int target(const unsigned char *data, size_t size) {
    struct config c = {0};
    char section[NAME] = "";
    char *text = malloc(size + 1);
    if (!text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    int bad = 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (read_line(&c, section, line) < 0)
            bad++;
    free(text);
    return bad ? -bad : c.keys + c.sections + section[0];
}

#define MAX 16
#include "harness.h"
