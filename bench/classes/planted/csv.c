// planted: bad index; stdin 12
// CSV with quotes: the widest field of each column.
#include <stddef.h>

enum { COLUMNS = 4 };

struct table {
    int rows;
    int column;
    int length;
};

static void end_field(struct table *t, int *widest) {
    if (t->column <= COLUMNS) {
        if (widest[t->column] < t->length) /* BUG */
            widest[t->column] = t->length;
    }
    t->column++;
    t->length = 0;
}

static void end_row(struct table *t, int *widest) {
    end_field(t, widest);
    t->rows++;
    t->column = 0;
}

int target(const unsigned char *data, size_t size) {
    struct table t = {0, 0, 0};
    int widest[COLUMNS] = {0};
    int quoted = 0;
    for (size_t i = 0; i < size; i++) {
        int c = data[i];
        if (quoted) {
            if (c != '"') {
                t.length++;
            } else if (i + 1 < size && data[i + 1] == '"') {
                t.length++;
                i++;
            } else {
                quoted = 0;
            }
        } else if (c == '"') {
            quoted = 1;
        } else if (c == ',') {
            end_field(&t, widest);
        } else if (c == '\n') {
            end_row(&t, widest);
        } else if (c != '\r') {
            t.length++;
        }
    }
    if (t.length || t.column)
        end_row(&t, widest);
    int sum = 0;
    for (int i = 0; i < COLUMNS; i++)
        sum += widest[i];
    return t.rows * 100 + sum;
}

#define MAX 12
#include "harness.h"
