// Wide characters: literals, wcs functions, conversion from and to UTF-8, classification in the C locale.
//
// cleave: expect paths=1
// cleave: exit 0
#include <stdio.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

int main(void) {
  wchar_t text[32] = L"wide";
  wcscat(text, L" text");
  printf("%zu %d %d %ld\n", wcslen(text), wcscmp(text, L"wide") > 0, wcscmp(L"a", L"b") < 0, (long)(wcschr(text, L't') - text));
  char narrow[32];
  size_t n = wcstombs(narrow, text, sizeof narrow);
  printf("%zu %s\n", n, narrow);
  wchar_t back[32];
  n = mbstowcs(back, "narrow", 32);
  printf("%zu %d\n", n, wcscmp(back, L"narrow"));
  printf("%d %d %lc\n", iswalpha(L'x') != 0, iswdigit(L'x') != 0, (wint_t)towupper(L'q'));
  mbstate_t state = {0};
  wchar_t one;
  n = mbrtowc(&one, "z", 1, &state);
  printf("%zu %d\n", n, one == L'z');
  printf("%ls %ld\n", L"from wide", wcstol(L"-77", NULL, 10));
  wchar_t out[16];
  int k = swprintf(out, 16, L"%d|%ls", 5, L"x");
  printf("%d %ls\n", k, out);
  return 0;
}
