/* The beginning of a Rust program that has proofs: explores one of them, tells their names, or is the program itself. */
#include <stdio.h>
#include <string.h>

/* As `Proof` of the crate `cleave` has it. */
struct proof {
    const char *name;
    size_t length;
    void (*run)(void);
    unsigned char should_panic;
};

extern const struct proof __start_cleave_proofs[], __stop_cleave_proofs[];
/* What rustc has called `main`. */
int cleave_rust_main(int argc, char **argv, char **envp);

/* The name without that of its crate, as tests have it. */
static const char *inner(const struct proof *proof, size_t *length)
{
    const char *name = proof->name;
    *length = proof->length;
    for (size_t i = 0; i + 1 < proof->length; i++)
        if (name[i] == ':' && name[i + 1] == ':') {
            *length = proof->length - i - 2;
            return name + i + 2;
        }
    return name;
}

int main(int argc, char **argv, char **envp)
{
    if (argc == 2 && !strcmp(argv[1], "--cleave-proofs")) {
        for (const struct proof *proof = __start_cleave_proofs; proof < __stop_cleave_proofs; proof++) {
            size_t length;
            const char *name = inner(proof, &length);
            printf("%s %.*s\n", proof->should_panic ? "panics" : "holds", (int)length, name);
        }
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "--cleave-proof")) {
        for (const struct proof *proof = __start_cleave_proofs; proof < __stop_cleave_proofs; proof++) {
            size_t length;
            const char *name = inner(proof, &length);
            if (length == strlen(argv[2]) && !memcmp(name, argv[2], length)) {
                proof->run();
                return 0;
            }
        }
        fprintf(stderr, "there is no proof `%s`; --cleave-proofs lists them\n", argv[2]);
        return 2;
    }
    return cleave_rust_main(argc, argv, envp);
}
