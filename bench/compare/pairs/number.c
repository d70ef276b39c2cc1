//@ requires \valid_read(data + (0..n-1)) && n <= 4;
/* A decimal number with a sign; -1000000 where it is none. */
int number(const unsigned char *data, unsigned long n)
{
	unsigned long i = n > 0 && (data[0] == '-' || data[0] == '+');
	int value = 0;
	if (i == n)
		return -1000000;
	for (; i < n; i++) {
		if (data[i] < '0' || data[i] > '9')
			return -1000000;
		value = value * 10 + (data[i] - '0');
	}
	return data[0] == '-' ? -value : value;
}
