/* `struct stat` as the engine's kernel has it, which is that of x86-64. */
struct kstat {
	unsigned long long st_dev, st_ino, st_nlink;
	unsigned st_mode, st_uid, st_gid, __pad;
	unsigned long long st_rdev;
	long long st_size, st_blksize, st_blocks;
	long long st_atime_sec, st_atime_nsec, st_mtime_sec, st_mtime_nsec, st_ctime_sec, st_ctime_nsec;
	long long __unused[3];
};
