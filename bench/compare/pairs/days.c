//@ requires 1 <= month <= 12 && 1 <= day <= 31 && 1896 <= year <= 1904;
/* Days since the first of March of the year 0, by counting leap years. */
int days(int year, int month, int day)
{
	static const short before[] = { 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275 };
	int y = month < 3 ? year - 1 : year;
	int leaps = (y >= 0 ? y / 4 : -((3 - y) / 4)) - (y >= 0 ? y / 100 : -((99 - y) / 100)) + (y >= 0 ? y / 400 : -((399 - y) / 400));
	return y * 365 + leaps + before[month - 1] + day - 1;
}
