//@ requires \valid_read(text + (0..n-1)) && n <= 4;
//@ requires \valid(out + (0..1));
/* Decodes pairs of hexadecimal digits; the number of bytes, or -1. */
int hex(const unsigned char *text, unsigned long n, unsigned char *out)
{
	if (n % 2)
		return -1;
	for (unsigned long i = 0; i < n; i++) {
		unsigned char c = text[i], low = c | 32;
		int digit = c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
		if (digit < 0)
			return -1;
		out[i / 2] = i % 2 ? out[i / 2] << 4 | digit : digit;
	}
	return n / 2;
}
