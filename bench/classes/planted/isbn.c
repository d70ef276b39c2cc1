// planted: bad index; stdin 14
// ISBN-10 with hyphens; the group of a valid one is looked up.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const group[9] = {
    "English", "English", "French", "German", "Japanese", "Russian", "Iran", "China", "India",
};

static int digits_of(const char *s, int *digit) {
    int n = 0, hyphen = 1;
    for (; *s; s++) {
        if (*s == '-') {
            if (hyphen)
                return -1;
            hyphen = 1;
            continue;
        }
        hyphen = 0;
        if (n == 10)
            return -1;
        if (isdigit((unsigned char)*s))
            digit[n++] = *s - '0';
        else if ((*s == 'X' || *s == 'x') && n == 9)
            digit[n++] = 10;
        else
            return -1;
    }
    return hyphen ? -1 : n;
}

static int valid(const int *digit) {
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += (10 - i) * digit[i];
    return sum % 11 == 0;
}

static int lookup(const int *digit) {
    const char *name = group[digit[0]]; /* BUG */
    return (int)strlen(name);
}

int target(const unsigned char *data, size_t size) {
    char text[16];
    int digit[10];
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    text[strcspn(text, "\r\n")] = 0;
    int n = digits_of(text, digit);
    if (n != 10)
        return -1;
    if (!valid(digit))
        return -2;
    return lookup(digit);
}

#define MAX 14
#include "harness.h"
