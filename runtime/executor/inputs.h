/* Inputs of an execution, as the program asks for them. */
#pragma once
#include "heap.h"

static const u8 *next_object(u32 *size)
{
	*size = 0;
	if (!own->objects)
		return 0;
	own->objects--;
	*size = *(const u32 *)own->object;
	const u8 *bytes = own->object + 4;
	own->object = bytes + ((*size + 3) & ~3u);
	return bytes;
}

void klee_make_symbolic(void *at, size_t n, const char *name)
{
	u32 size;
	const u8 *bytes = next_object(&size);
	CHECK(at, n);
	fill(at, 0, n);
	if (bytes)
		copy(at, bytes, size < n ? size : n);
}

void *cleave_sized_input(size_t size, size_t most, const char *name)
{
	void *at = allocated(size, 16);
	u32 there;
	const u8 *bytes = next_object(&there);
	if (at && bytes)
		copy(at, bytes, there < size ? there : size);
	return at;
}

void klee_assume(u64 holds)
{
	if (!holds)
		leave(EXCLUDED, 0, (u64)__builtin_frame_address(0));
}

void klee_prefer_cex(void *at, u64 holds) {}

void klee_silent_exit(int status)
{
	leave(EXCLUDED, 0, (u64)__builtin_frame_address(0));
}

/* Reads an input that becomes a file. Its length may be an input that follows. */
static void make_file(int has_length, u32 least)
{
	u32 size;
	struct file *file = &own->file[own->files++];
	file->bytes = next_object(&size);
	file->size = size;
	if (!has_length)
		return;
	u32 length = least;
	const u8 *bytes = next_object(&size);
	if (bytes && size == 4 && *(const u32 *)bytes > least)
		length = *(const u32 *)bytes;
	if (length < file->size)
		file->size = length;
}

/* Argument `index`, or what stands behind the last one. */
static const u32 *argument(long index)
{
	const u32 *at = own->environment + 7;
	for (u32 i = 0; i < own->environment[6] && i != index; i++)
		at += 6 + (at[5] + 3) / 4;
	return at;
}

/* Variable `index`, or what stands behind the last one. */
static const u32 *variable(long index)
{
	const u32 *at = argument(-1), count = *at++;
	for (u32 i = 0; i < count && i != index; i++)
		at += 1 + (at[0] + 3) / 4;
	return at;
}

/* Standard input stands first, but its bytes come last. */
void cleave_make_files(void)
{
	const u32 *environment = own->environment, *known = variable(-1);
	u32 count = environment[3];
	own->files = 1;
	for (u32 i = 0; i < count && i < MOST_FILES - 1; i++)
		make_file(environment[4], environment[5]);
	u32 files = own->files;
	own->files = 0;
	if (environment[0] == 1 || environment[0] == 2)
		make_file(environment[0] == 2, environment[1]);
	else if (environment[0] == 3)
		own->file[0] = (struct file){ (const u8 *)(known + 1), *known };
	own->files = files;
}

/* As runtime/start.c and runtime/fuzz.c ask. */
long cleave_env_get(long key, long index)
{
	switch (key) {
	case 0:
		return own->environment[6];
	case 1:
	case 2:
	case 3:
	case 4:
		return argument(index)[key - 1];
	case 5:
		return argument(index)[5];
	case 6:
		return *argument(-1);
	case 7:
		return *variable(index);
	case 8:
		return own->environment[2];
	case 9:
		return argument(index)[4];
	}
	return 0;
}

void cleave_env_copy(long index, u8 *to)
{
	const u32 *at = argument(index);
	copy(to, at + 6, at[5]);
	to[at[5]] = 0;
}

void cleave_env_copy_var(long index, u8 *to)
{
	const u32 *at = variable(index);
	copy(to, at + 1, *at);
	to[*at] = 0;
}
