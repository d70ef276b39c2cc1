// Numbers with check digits: Luhn, ISBN-10 and Verhoeff's tables. Weighted sums of digits, and a group given by a table.
#include <klee/klee.h>

enum { LENGTH = 9 };

static const unsigned char product[10][10] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4, 0, 6, 7, 8, 9, 5}, {2, 3, 4, 0, 1, 7, 8, 9, 5, 6}, {3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
    {4, 0, 1, 2, 3, 9, 5, 6, 7, 8}, {5, 9, 8, 7, 6, 0, 4, 3, 2, 1}, {6, 5, 9, 8, 7, 1, 0, 4, 3, 2}, {7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
    {8, 7, 6, 5, 9, 3, 2, 1, 0, 4}, {9, 8, 7, 6, 5, 4, 3, 2, 1, 0}};

static int luhn(const char *digits) {
  int sum = 0;
  for (int i = 0; i < LENGTH; i++) {
    int digit = digits[i] - '0';
    if (i % 2 == 0) digit = digit > 4 ? 2 * digit - 9 : 2 * digit;
    sum += digit;
  }
  return sum % 10 == 0;
}

static int weighted(const char *digits) {
  int sum = 0;
  for (int i = 0; i < LENGTH; i++) sum += (LENGTH - i) * (digits[i] - '0');
  return sum % 11 == 0;
}

static int verhoeff(const char *digits) {
  int check = 0;
  for (int i = 0; i < LENGTH; i++) check = product[check][digits[i] - '0'];
  return check == 0;
}

int main(void) {
  char digits[LENGTH];
  klee_make_symbolic(digits, sizeof digits, "digits");
  for (int i = 0; i < LENGTH; i++) {
    if (digits[i] < '0' || digits[i] > '9') return 1;
  }
  return 2 + (luhn(digits) ? 4 : 0) + (weighted(digits) ? 2 : 0) + verhoeff(digits);
}
