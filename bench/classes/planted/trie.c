// planted: use after free; stdin 20
// Words in a trie: +word, -word, ?word; nodes that nothing needs are freed.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 4 };

struct node {
    struct node *child[LETTERS];
    int words;
    int ends;
    unsigned visits;
};

static struct node *new_node(void) {
    struct node *n = calloc(1, sizeof *n);
    if (!n)
        abort();
    return n;
}

static struct node *visit(struct node *n, int letter) {
    struct node *next = n->child[letter];
    if (next)
        next->visits++; /* BUG */
    return next;
}

static void free_all(struct node *n) {
    for (int i = 0; i < LETTERS; i++) {
        struct node *next = visit(n, i);
        if (next)
            free_all(next);
    }
    free(n);
}

static void add(struct node *n, const char *word) {
    for (; *word; word++) {
        struct node *next = visit(n, *word - 'a');
        if (!next)
            next = n->child[*word - 'a'] = new_node();
        n = next;
        n->words++;
    }
    n->ends++;
}

static int contains(struct node *n, const char *word) {
    for (; n && *word; word++)
        n = visit(n, *word - 'a');
    return n && n->ends > 0;
}

static void take(struct node *n, const char *word) {
    if (!*word) {
        n->ends--;
        return;
    }
    struct node *next = visit(n, *word - 'a');
    take(next, word + 1);
    if (--next->words > 0)
        return;
    free(next);
    if (!word[1])
        n->child[*word - 'a'] = NULL;
}

static int letters(const char *word) {
    int n = 0;
    for (; word[n]; n++)
        if (word[n] < 'a' || word[n] >= 'a' + LETTERS)
            return 0;
    return n;
}

int target(const unsigned char *data, size_t size) {
    char text[32];
    if (size >= sizeof text)
        return -1;
    memcpy(text, data, size);
    text[size] = 0;
    struct node *root = new_node();
    int found = 0;
    for (char *w = strtok(text, " \n"); w; w = strtok(NULL, " \n")) {
        if (letters(w + 1) < 3)
            continue;
        if (*w == '+')
            add(root, w + 1);
        else if (*w == '?')
            found += contains(root, w + 1);
        else if (*w == '-' && contains(root, w + 1))
            take(root, w + 1);
    }
    free_all(root);
    return found;
}

#define MAX 20
#include "harness.h"
