// planted: overflow; stdin 16
// A queue by priority (a binary heap): a byte is put in, 0 takes the least out.
#include <stddef.h>
#include <stdlib.h>

enum { ROOM = 6 };

struct queue {
    unsigned char *item;
    int count;
    int lost;
};

static void swap(unsigned char *a, unsigned char *b) {
    unsigned char c = *a;
    *a = *b;
    *b = c;
}

static int put(struct queue *q, unsigned char value) {
    if (q->count == ROOM) {
        q->lost++;
        return -1;
    }
    int i = q->count++;
    q->item[i] = value;
    while (i > 0 && q->item[(i - 1) / 2] > q->item[i]) {
        swap(&q->item[(i - 1) / 2], &q->item[i]);
        i = (i - 1) / 2;
    }
    return 0;
}

static int take(struct queue *q) {
    if (q->count == 0)
        return -1;
    int least = q->item[0];
    int last = q->count - 1;
    q->item[0] = q->item[last];
    int i = 0;
    for (;;) {
        int child = 2 * i + 1;
        if (child > last)
            break;
        if (child + 1 <= q->count && q->item[child + 1] < q->item[child]) /* BUG */
            child++;
        if (q->item[i] <= q->item[child])
            break;
        swap(&q->item[i], &q->item[child]);
        i = child;
    }
    q->count = last;
    return least;
}

int target(const unsigned char *data, size_t size) {
    struct queue q = {calloc(ROOM, 1), 0, 0};
    if (!q.item)
        return -1;
    int order = 0, previous = 0;
    for (size_t i = 0; i < size; i++) {
        if (data[i]) {
            put(&q, data[i]);
            previous = 0;
            continue;
        }
        int c = take(&q);
        if (c < 0)
            continue;
        order += c >= previous;
        previous = c;
    }
    free(q.item);
    return order - q.lost;
}

#define MAX 16
#include "harness.h"
