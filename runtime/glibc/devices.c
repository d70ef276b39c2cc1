/* glibc's functions behind `major`, `minor` and `makedev`. */
#include <sys/types.h>
#include <sys/sysmacros.h>

unsigned gnu_dev_major(dev_t device)
{
	return major(device);
}

unsigned gnu_dev_minor(dev_t device)
{
	return minor(device);
}

dev_t gnu_dev_makedev(unsigned major, unsigned minor)
{
	return makedev(major, minor);
}
