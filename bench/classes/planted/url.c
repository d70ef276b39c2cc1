// planted: signed overflow; stdin 24
// A URL: scheme, host, port, path, percent codes.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

struct url {
    char scheme[8];
    char host[16];
    int port;
    char path[16];
};

static const char *const schemes[] = {"telnet", "gopher", "https"};

static int known(const char *name) {
    for (int i = 0; i < 3; i++) {
        const char *s = schemes[i], *t = name;
        while (*s && *s == *t) {
            s++;
            t++;
        }
        if (*s == *t)
            return 1;
    }
    return 0;
}

static int hex(int c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c = tolower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int number(const char **at) {
    int n = 0;
    while (isdigit((unsigned char)**at)) {
        n = n * 10 + (**at - '0'); /* BUG */
        (*at)++;
    }
    return n;
}

static int unescape(char *to, size_t room, const char *from) {
    size_t n = 0;
    while (*from) {
        int c = (unsigned char)*from++;
        if (c == '%') {
            if (!from[0] || !from[1])
                return -1;
            int high = hex((unsigned char)from[0]), low = hex((unsigned char)from[1]);
            if (high < 0 || low < 0)
                return -1;
            c = high * 16 + low;
            from += 2;
        }
        if (n + 1 >= room)
            return -1;
        to[n++] = (char)c;
    }
    to[n] = 0;
    return (int)n;
}

static int parse(const char *text, struct url *u) {
    const char *colon = strstr(text, "://");
    if (!colon || colon == text || (size_t)(colon - text) >= sizeof u->scheme)
        return -1;
    size_t i = 0;
    for (const char *p = text; p < colon; p++) {
        if (!isalpha((unsigned char)*p))
            return -1;
        u->scheme[i++] = (char)tolower((unsigned char)*p);
    }
    u->scheme[i] = 0;
    if (!known(u->scheme))
        return -1;
    const char *host = colon + 3;
    size_t length = strcspn(host, ":/");
    if (length == 0 || length >= sizeof u->host)
        return -1;
    memcpy(u->host, host, length);
    u->host[length] = 0;
    const char *rest = host + length;
    u->port = u->scheme[0] == 'h' ? 443 : 23;
    if (*rest == ':') {
        rest++;
        u->port = number(&rest);
        if (u->port <= 0 || u->port > 65535)
            return -1;
    }
    if (*rest && *rest != '/')
        return -1;
    return unescape(u->path, sizeof u->path, rest);
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    struct url u;
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    if (parse(text, &u) < 0)
        return -1;
    return u.port;
}

#define MAX 24
#include "harness.h"
