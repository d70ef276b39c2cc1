// planted: use after free; stdin 14
// S-expressions: a tree of pairs; (quote x) becomes x.
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char atom;
    struct node *first;
    struct node *next;
};

static const char *at;
static int failed;

static struct node *new_node(char atom) {
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    n->atom = atom;
    return n;
}

static void free_tree(struct node *n) {
    while (n) {
        struct node *next = n->next;
        free_tree(n->first);
        free(n);
        n = next;
    }
}

static void blanks(void) {
    while (isspace((unsigned char)*at))
        at++;
}

static struct node *read_node(int depth) {
    blanks();
    if (*at == '(') {
        at++;
        struct node *list = new_node('(');
        struct node **end = &list->first;
        blanks();
        int quoted = depth == 0 && strncmp(at, "quote", 5) == 0;
        if (quoted)
            at += 5;
        for (;;) {
            blanks();
            if (*at == ')' || failed)
                break;
            if (!*at || depth > 6) {
                failed = 1;
                break;
            }
            *end = read_node(depth + 1);
            end = &(*end)->next;
        }
        if (*at == ')')
            at++;
        if (quoted) {
            struct node *inner = list->first;
            free(list);
            if (!inner && !failed)
                return list;
            return inner ? inner : new_node('?');
        }
        return list;
    }
    char c = *at;
    while (isalnum((unsigned char)*at))
        at++;
    if (!isalnum((unsigned char)c)) {
        failed = 1;
        c = '?';
    }
    return new_node(c);
}

static int count(const struct node *n) {
    int sum = 0;
    for (; n; n = n->next)
        sum += 1 + count(n->first); /* BUG */
    return sum;
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    if (size == 0 || size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    at = text;
    failed = 0;
    struct node *tree = read_node(0);
    int n = count(tree);
    free_tree(tree);
    return failed ? -1 : n;
}

#define MAX 14
#include "harness.h"
