//@ requires \valid_read(data + (0..n-1)) && n <= 4;
/* Counts the characters of UTF-8; -1 where it is none. */
int utf8_length(const unsigned char *data, unsigned long n)
{
	int count = 0;
	for (unsigned long i = 0; i < n; count++) {
		unsigned char c = data[i];
		unsigned more = c < 0x80 ? 0 : c >= 0xc2 && c < 0xe0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 9;
		if (more == 9 || i + more >= n)
			return -1;
		for (unsigned k = 1; k <= more; k++)
			if ((data[i + k] & 0xc0) != 0x80)
				return -1;
		if ((c == 0xe0 && data[i + 1] < 0xa0) || (c == 0xed && data[i + 1] >= 0xa0) ||
		    (c == 0xf0 && data[i + 1] < 0x90) || (c == 0xf4 && data[i + 1] >= 0x90))
			return -1;
		i += more + 1;
	}
	return count;
}
