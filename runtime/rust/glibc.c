/* What std expects of glibc, on musl. */

/* Without a version std starts programs by fork and execve. */
const char *gnu_get_libc_version(void)
{
    return "";
}
