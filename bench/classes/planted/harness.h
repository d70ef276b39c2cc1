// The entry of a planted program: libFuzzer's, or a main that reads up to MAX bytes of standard input.
#include <stddef.h>
#include <unistd.h>

#ifdef FUZZER
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    target(data, size);
    return 0;
}
#else
int main(void) {
    unsigned char buffer[MAX];
    size_t n = 0;
    ssize_t got;
    while (n < MAX && (got = read(0, buffer + n, MAX - n)) > 0)
        n += (size_t)got;
    target(buffer, n);
    return 0;
}
#endif
