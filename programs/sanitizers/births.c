// Wrong accesses and wrong frees of every kind of object: what is said names the object, where it was made, and where its
// life ended.
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define APART __attribute__((noinline)) static

static volatile char sink;
static char *volatile kept;
static char table[16];

APART char *make(size_t size)
{
	return malloc(size);
}

APART void drop(char *p)
{
	free(p); //~ ERROR ptr: is freed again
}

APART char *local(int deeper)
{
	char name[24];
	memset(name, deeper, sizeof name);
	kept = name;
	return kept;
}

APART void access_to(unsigned char k, volatile unsigned char *offset)
{
	char here[12];
	memset(here, 0, sizeof here);
	char *p = make(10);
	memset(p, 0, 10);
	switch (k) {
	case 1:
		kept = p;
		sink = kept[*offset + 10]; //~ ERROR ptr: at offset 10 of a heap object of 10 bytes, allocated in `make` (births.c:16)
		break;
	case 2:
		drop(p);
		sink = p[*offset + 2]; //~ ERROR ptr: at offset 2 of a heap object of 10 bytes, allocated in `make` (births.c:16) and freed in `drop` (births.c:21)
		break;
	case 3:
		kept = calloc(3, 5);
		kept = realloc(kept, 20);
		sink = kept[*offset + 20]; //~ ERROR ptr: of a heap object of 20 bytes, allocated in `access_to` (births.c:49)
		break;
	case 4:
		kept = here;
		sink = kept[*offset + 12]; //~ ERROR ptr: at offset 12 of a local object of 12 bytes of `access_to` (
		break;
	case 5:
		local(1);
		sink = kept[*offset + 3]; //~ ERROR ptr: at offset 3 of a local object of 24 bytes of `local` (births.c:24), which has returned in `local` (births.c:29)
		break;
	case 6:
		kept = strdup("four");
		sink = kept[*offset + 5]; //~ ERROR ptr: at offset 5 of a heap object of 5 bytes, allocated in `access_to` (births.c:61)
		break;
	case 7:
		kept = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		munmap(kept, 4096);
		sink = kept[*offset + 1]; //~ ERROR ptr: mapped in `access_to` (births.c:65) and unmapped in `access_to` (births.c:66)
		break;
	case 8:
		drop(p);
		drop(p);
		break;
	}
}

APART void released(unsigned char k, unsigned char any, char **argv)
{
	char here[12];
	char *p = make(10);
	memset(here, 0, sizeof here);
	switch (k) {
	case 11:
		kept = table;
		free(kept); //~ ERROR free: points to the global `table` of 16 bytes, which is not from malloc
		break;
	case 12:
		kept = table + 3;
		free(kept); //~ ERROR free: points to offset 3 of the global `table` of 16 bytes
		break;
	case 13:
		kept = here;
		free(kept); //~ ERROR free: points to a local object of 12 bytes of `released` (
		break;
	case 14:
		kept = p + 4;
		free(kept); //~ ERROR free: points to offset 4 of a heap object of 10 bytes, allocated in `make` (births.c:16)
		break;
	case 15:
		kept = argv[0];
		free(kept); //~ ERROR free: points to an argument or environment string
		break;
	case 16:
		kept = (char *)0x123;
		free(kept); //~ ERROR free: is 0x123, where no object is
		break;
	case 17:
		kept = (char *)(void *)make;
		free(kept); //~ ERROR free: points to the function `make`
		break;
	case 18:
		free(p);
		kept = p + 1;
		free(kept); //~ ERROR free: points to offset 1 of a heap object of 10 bytes, allocated in `make` (births.c:16) and freed in `released` (births.c:111)
		break;
	case 19:
		free(p);
		kept = p;
		free(kept); //~ ERROR ptr: is freed again
		break;
	case 20:
		if (any < 2)
			return;
		kept = p + any;
		free(kept); //~ ERROR free: points to a symbolic offset of a heap object of 10 bytes, allocated in `make` (births.c:16)
		break;
	case 21:
		free(p);
		kept = p;
		sink = kept[any & 7]; //~ ERROR ptr: at a symbolic offset of a heap object of 10 bytes, allocated in `make` (births.c:16) and freed in `released` (births.c:127)
		break;
	case 22:
		kept = p;
		sink = kept[any + 10]; //~ ERROR ptr: outside of a heap object of 10 bytes, allocated in `make` (births.c:16)
		break;
	case 23:
		free(p);
		kept = p;
		kept = realloc(kept, 4); //~ ERROR ptr: is freed again
		break;
	}
}

int main(int argc, char **argv)
{
	unsigned char k, any;
	volatile unsigned char offset = 0;
	klee_make_symbolic(&k, sizeof k, "k");
	klee_make_symbolic(&any, sizeof any, "any");
	access_to(k, &offset);
	released(k, any, argv);
	return 0;
}
