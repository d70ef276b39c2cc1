//@ requires \valid_read(data + (0..n-1)) && n <= 5;
//@ requires \valid(out + (0..9));
/* Run lengths: pairs of a count and a byte; the number of bytes. */
int runs(const unsigned char *data, unsigned long n, unsigned char *out)
{
	int size = 0;
	for (unsigned long i = 0; i < n;) {
		unsigned long end = i + 1;
		while (end < n && data[end] == data[i])
			end++;
		out[size++] = end - i;
		out[size++] = data[i];
		i = end;
	}
	return size;
}
