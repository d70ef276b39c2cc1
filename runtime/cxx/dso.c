// The name of the program as an object for __cxa_atexit, which crtbegin.o defines elsewhere.
__attribute__((visibility("hidden"))) void *__dso_handle = &__dso_handle;
