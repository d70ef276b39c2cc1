// Dates: leap years, the day of the week, the number of days between two dates, and back from a number to a date.
// flags: -O0
#include <klee/klee.h>
#include <stdint.h>

struct date {
  uint16_t year;
  uint8_t month, day;
};

static const uint8_t days_of[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

static int leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

static int valid(const struct date *d) {
  if (d->year < 1900 || d->year > 2099 || d->month < 1 || d->month > 12 || d->day < 1) return 0;
  return d->day <= days_of[d->month - 1] + (d->month == 2 && leap(d->year));
}

static int number(const struct date *d) {
  int year = d->month < 3 ? d->year - 1 : d->year, month = d->month < 3 ? d->month + 9 : d->month - 3;
  return 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + d->day;
}

int main(void) {
  struct date from, to;
  klee_make_symbolic(&from, sizeof from, "from");
  klee_make_symbolic(&to, sizeof to, "to");
  if (!valid(&from) || !valid(&to)) return 1;
  int days = number(&to) - number(&from);
  if (days < 0) return 2;
  if (number(&from) % 7 == 2 && from.day == 13) return 3;  // a Friday, the 13th
  if (days == 10000) return 4;
  if (to.month == from.month && to.day == from.day && days > 365) return leap(to.year) ? 5 : 6;
  return days % 7 == 0 ? 7 : 0;
}
