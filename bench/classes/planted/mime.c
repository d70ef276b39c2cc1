// planted: overflow; stdin 40
// Header lines of mail: names without regard to case, parameters of a type.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { BOUNDARY = 8 };

struct mail {
    int encoding;
    int parts;
    char type[16];
};

static int same(const char *a, const char *b) {
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b)) {
        a++;
        b++;
    }
    return tolower((unsigned char)*a) == tolower((unsigned char)*b);
}

static char *trim(char *s) {
    s += strspn(s, " \t");
    char *end = s + strlen(s);
    while (end > s && isspace((unsigned char)end[-1]))
        *--end = 0;
    return s;
}

static int content_type(struct mail *m, char *boundary, char *value) {
    char *rest = strchr(value, ';');
    if (rest)
        *rest++ = 0;
    value = trim(value);
    if (!strchr(value, '/') || strlen(value) >= sizeof m->type)
        return -1;
    strcpy(m->type, value);
    if (!rest)
        return 0;
    rest = trim(rest);
    char *equals = strchr(rest, '=');
    if (!equals)
        return -1;
    *equals++ = 0;
    if (same(rest, "boundary")) {
        size_t i = 0;
        for (; equals[i]; i++)
            boundary[i] = equals[i]; /* BUG */
        m->parts = 1;
    }
    return 0;
}

static int header(struct mail *m, char *boundary, char *line) {
    char *colon = strchr(line, ':');
    if (!colon)
        return -1;
    *colon = 0;
    char *value = trim(colon + 1);
    if (same(line, "Content-Type"))
        return content_type(m, boundary, value);
    if (same(line, "Content-Transfer-Encoding"))
        m->encoding = same(value, "base64") ? 2 : 1;
    return 0;
}

int target(const unsigned char *data, size_t size) {
    struct mail m = {0};
    char boundary[BOUNDARY] = "";
    char text[48];
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    char *line = text;
    while (*line) {
        char *end = strchr(line, '\n');
        if (!end)
            return -1;
        *end = 0;
        if (*line == 0)
            break;
        if (header(&m, boundary, line) < 0)
            return -1;
        line = end + 1;
    }
    return m.parts + m.encoding + boundary[0];
}

#define MAX 40
#include "harness.h"
