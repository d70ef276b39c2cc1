// Copies between places that overlap, and copies of the same shape between places that do not.
// cleave: flags -fno-builtin
#define _GNU_SOURCE
#include <klee/klee.h>
#include <string.h>
#include <wchar.h>

static volatile char sink;
static char *volatile where;

struct row {
	long values[4];
};

static void block(unsigned char k, char *text)
{
	switch (k) {
	case 0:
		memcpy(text, text + 3, 4); //~ ERROR ptr
		break;
	case 1:
		memcpy(text + 3, text, 4); //~ ERROR ptr
		break;
	case 2:
		mempcpy(text + 1, text, 2); //~ ERROR ptr
		break;
	case 3:
		memcpy(text, text + 4, 4);
		memcpy(text, text, 4);
		memmove(text + 1, text, 8);
		break;
	case 4: {
		struct row rows[2] = { { { 1, 2, 3, 4 } }, { { 5, 6, 7, 8 } } };
		struct row *volatile second = (struct row *)&rows[0].values[2];
		rows[0] = *second; //~ ERROR ptr
		sink = rows[0].values[0];
		break;
	}
	case 5: {
		struct row row = { { 1, 2, 3, 4 } };
		struct row *volatile same = &row;
		*same = row;
		sink = same->values[0];
		break;
	}
	case 6: {
		wchar_t wide[8] = L"abcdefg";
		wmemcpy(wide, wide + 4, 4);
		wmemcpy(wide + 3, wide, 4); //~ ERROR ptr
		break;
	}
	case 7: {
		wchar_t wide[12] = L"abcdefg";
		wcscpy(wide + 8, wide + 4);
		wcsncpy(wide, wide + 3, 3);
		wcscpy(wide, wide + 1); //~ ERROR ptr
		break;
	}
	case 8: {
		wchar_t wide[12] = L"abcdefg";
		wcsncpy(wide + 3, wide, 4); //~ ERROR ptr
		break;
	}
	case 9: {
		wchar_t wide[12] = L"abc";
		wcscat(wide, L"de");
		wcscat(wide, wide + 3); //~ ERROR ptr
		break;
	}
	}
}

static void string(unsigned char k, char *text)
{
	switch (k) {
	case 10:
		strcpy(text, text + 1); //~ ERROR ptr
		break;
	case 11:
		strcpy(text + 2, text); //~ ERROR ptr
		break;
	case 12:
		stpcpy(text, text); //~ ERROR ptr
		break;
	case 13:
		strncpy(text, text + 2, 3); //~ ERROR ptr
		break;
	case 14:
		strncpy(text, text + 2, 2);
		stpncpy(text + 2, text, 2);
		strcpy(text, text + 4);
		break;
	case 15:
		strcat(text, text); //~ ERROR ptr
		break;
	case 16:
		text[6] = 0;
		strcat(text + 3, text + 7);
		strcat(text, text + 6);
		strcat(text, text + 5); //~ ERROR ptr
		break;
	case 24:
		strlcpy(text, text + 4, 3);
		strlcpy(text + 8, text + 5, (size_t)-1);
		strlcpy(text + 2, text, 4); //~ ERROR ptr
		break;
	case 25:
		text[2] = 0;
		strlcat(text, text + 5, 12);
		strlcat(text, text + 3, 12); //~ ERROR ptr
		break;
	case 26:
		memccpy(text, text + 4, 'x', 4);
		memccpy(text + 1, text, 'e', 9);
		memccpy(text + 3, text, 'f', 9); //~ ERROR ptr
		break;
	case 17:
		text[2] = 0;
		strncat(text, text + 4, 1);
		strncat(text, text + 5, 2); //~ ERROR ptr
		break;
	case 18:
		text[2] = 0;
		text[7] = 0;
		strcat(text, text + 5);
		strncat(text + 6, text + 5, (size_t)-1); //~ ERROR ptr
		break;
	}
}

int main(void)
{
	unsigned char k, from, length;
	char text[12] = "abcdefg", name[8];
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&from, sizeof from, "from");
	where = text;
	block(k, where);
	string(k, where);
	if (k == 20) {
		// Only a string of three characters or more reaches the other.
		klee_make_symbolic(name, 4, "name");
		name[4] = 0;
		where = name;
		strcpy(where + 3, where); //~ ERROR ptr
	} else if (k == 21 && from < 8) {
		strncpy(where, where + from, 3); //~ ERROR ptr
	} else if (k == 22 && from > 2 && from < 8) {
		strncpy(where, where + from, 3);
	} else if (k == 23 && from < 6) {
		strncpy(where, where + 3, from); //~ ERROR ptr
	}
	sink = where[0];
	return 0;
}
