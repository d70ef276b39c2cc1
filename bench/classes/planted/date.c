// planted: bad index; stdin 10
// A date of the form 2024-02-29 becomes a number of days.
#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static int leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int digits(const char *s, int count) {
    int n = 0;
    for (int i = 0; i < count; i++) {
        if (!isdigit((unsigned char)s[i]))
            return -1;
        n = n * 10 + (s[i] - '0');
    }
    return n;
}

static int month_length(int year, int month) {
    int n = days[month - 1]; /* BUG */
    if (month == 2 && leap(year))
        n++;
    return n;
}

static long day_number(int year, int month, int day) {
    long n = day - 1;
    for (int m = 1; m < month; m++)
        n += month_length(year, m);
    for (int y = 1970; y < year; y++)
        n += leap(y) ? 366 : 365;
    return n;
}

static long parse(const char *text) {
    int year = digits(text, 4);
    if (year < 1970 || year > 2100 || text[4] != '-')
        return -1;
    int month = digits(text + 5, 2);
    if (month < 0 || month > 12 || text[7] != '-')
        return -1;
    int day = digits(text + 8, 2);
    if (day < 1 || day > month_length(year, month))
        return -1;
    return day_number(year, month, day);
}

int target(const unsigned char *data, size_t size) {
    char text[16];
    if (size != 10)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    return (int)parse(text);
}

#define MAX 10
#include "harness.h"
