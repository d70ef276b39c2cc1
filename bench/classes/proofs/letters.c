// Counts how often each letter occurs in standard input, without regard to case, and finds the most frequent one.
// Holds: the counts add up to the letters that were read, and none is above that of the most frequent letter.
#include <assert.h>
#include <ctype.h>
#include <stdio.h>

static int counts[26];

static char most_frequent(void) {
  int best = 0;
  for (int i = 1; i < 26; i++)
    if (counts[i] > counts[best]) best = i;
  return 'a' + best;
}

int main(void) {
  int c, letters = 0, others = 0, read = 0, sum = 0;
  while ((c = getchar()) != EOF) {
    read++;
    if (isalpha(c)) {
      counts[tolower(c) - 'a']++;
      letters++;
    } else {
      others++;
    }
  }
  char best = most_frequent();
  assert(islower((unsigned char)best));
  for (int i = 0; i < 26; i++) {
    sum += counts[i];
    assert(counts[i] <= counts[best - 'a']);
  }
  assert(sum == letters && letters + others == read);
  assert(counts[best - 'a'] * 26 >= letters);
  return 0;
}
