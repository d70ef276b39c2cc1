// planted: bad index; stdin 28
// The request line of HTTP: a method, a path of segments, a version.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

enum { SEGMENTS = 4 };

struct request {
    int method;
    int minor;
    int count;
    const char *segment[SEGMENTS];
    int length[SEGMENTS];
};

static const char *const methods[] = {"GET", "HEAD", "POST", "PUT"};

static int find_method(const char *word, size_t length) {
    for (int i = 0; i < 4; i++)
        if (strlen(methods[i]) == length && memcmp(methods[i], word, length) == 0)
            return i;
    return -1;
}

static int split(const char *path, const char *end, const char **segment, int *length) {
    int count = 0;
    while (path < end) {
        if (*path != '/')
            return -1;
        const char *begin = ++path;
        while (path < end && *path != '/' && *path != '?')
            path++;
        if (path < end && *path == '?')
            return count;
        if (path == begin)
            continue;
        if (count > SEGMENTS)
            return -1;
        length[count] = (int)(path - begin); /* BUG */
        segment[count] = begin;
        count++;
    }
    return count;
}

static int parse(const char *line, struct request *r) {
    int length[SEGMENTS];
    const char *segment[SEGMENTS];
    const char *space = strchr(line, ' ');
    if (!space)
        return 400;
    r->method = find_method(line, (size_t)(space - line));
    if (r->method < 0)
        return 501;
    const char *path = space + 1;
    const char *end = strchr(path, ' ');
    if (!end || *path != '/')
        return 400;
    if (strncmp(end + 1, "HTTP/1.", 7) != 0 || !isdigit((unsigned char)end[8]))
        return 505;
    r->minor = end[8] - '0';
    r->count = split(path, end, segment, length);
    if (r->count < 0)
        return 414;
    for (int i = 0; i < r->count; i++) {
        r->segment[i] = segment[i];
        r->length[i] = length[i];
    }
    return 200;
}

int target(const unsigned char *data, size_t size) {
    char line[32];
    struct request r;
    if (size >= sizeof line)
        return -1;
    memcpy(line, data, size);
    line[size] = 0;
    char *cr = strstr(line, "\r\n");
    if (!cr)
        return -1;
    *cr = 0;
    return parse(line, &r);
}

#define MAX 28
#include "harness.h"
