//! The text of a floating-point number as musl's `printf` makes it: a port of `fmt_fp` (musl 1.2.3, src/stdio/vfprintf.c) to numbers
//! of 80 bits that are known. Rounding is to nearest. It keeps musl's blocks of nine digits, because each is one write to the
//! stream's buffer. `cli/tests/printed_numbers.rs` holds it against the native library.

/// One conversion of a format, as musl's `printf_core` has read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The flags, a bit for each: that of a character is its distance from a blank.
    pub flags: u32,
    /// The least characters.
    pub width: u32,
    /// The precision; negative where the format has none.
    pub precision: i32,
    /// The letter: one of `aefgAEFG`.
    pub letter: u8,
}

const ALTERNATE: u32 = 1 << (b'#' - b' ');
const ZEROS: u32 = 1 << (b'0' - b' ');
const LEFT: u32 = 1 << (b'-' - b' ');
const BLANK: u32 = 1;
const PLUS: u32 = 1 << (b'+' - b' ');

/// The value of a block of nine decimal digits is below this.
const BLOCK: u32 = 1_000_000_000;
/// Bits of the mantissa of a number of 80 bits.
const MANTISSA: i32 = 64;
/// The largest exponent of such a number.
const MAX_EXPONENT: i32 = 16384;
/// Blocks that a number can take, as in musl.
const BLOCKS: usize = ((MANTISSA + 28) / 29 + 1 + (MAX_EXPONENT + MANTISSA + 28 + 8) / 9) as usize;

/// The written bytes, one write after the other.
type Writes = Vec<Vec<u8>>;

/// The text of a number, given by its mantissa and by its sign and exponent: the writes to the stream that musl makes.
pub fn text(mantissa: u64, sign_exponent: u16, how: Conversion) -> Writes {
    let lower = how.letter & 32;
    let sign: &[u8] = match how.flags {
        _ if sign_exponent >> 15 != 0 => b"-",
        flags if flags & PLUS != 0 => b"+",
        flags if flags & BLANK != 0 => b" ",
        _ => b"",
    };
    let exponent = i32::from(sign_exponent & 0x7fff);
    // A pattern without its integer bit is no number, unless its exponent is zero.
    let is_number = exponent == 0 || mantissa >> 63 != 0;
    if exponent == 0x7fff || !is_number {
        let infinite = exponent == 0x7fff && mantissa == 1 << 63;
        let name: &[u8] = match (infinite, lower != 0) {
            (true, true) => b"inf",
            (true, false) => b"INF",
            (false, true) => b"nan",
            (false, false) => b"NAN",
        };
        let mut out = Vec::new();
        let len = 3 + sign.len() as i64;
        pad(&mut out, b' ', i64::from(how.width), len, how.flags & !ZEROS);
        put(&mut out, sign);
        put(&mut out, name);
        pad(&mut out, b' ', i64::from(how.width), len, how.flags ^ LEFT);
        return out;
    }
    let leading = if mantissa == 0 { 0 } else { mantissa.leading_zeros() };
    let number = Number {
        mantissa: mantissa << leading,
        exponent: if mantissa == 0 { 0 } else { exponent.max(1) - 16383 - leading as i32 },
    };
    if how.letter | 32 == b'a' { number.hexadecimal(sign, how) } else { number.decimal(sign, how) }
}

/// `mantissa / 2^63 * 2^exponent`; the mantissa's highest bit is set unless it is zero.
#[derive(Clone, Copy)]
struct Number {
    mantissa: u64,
    exponent: i32,
}

/// One write, unless it is of nothing.
fn put(out: &mut Writes, text: &[u8]) {
    if !text.is_empty() {
        out.push(text.to_vec());
    }
}

/// musl's `pad`: up to `width` from `len` on, 256 characters at once.
fn pad(out: &mut Writes, c: u8, width: i64, len: i64, flags: u32) {
    if flags & (LEFT | ZEROS) != 0 {
        return;
    }
    let mut left = width - len;
    while left > 0 {
        let now = left.min(256);
        out.push(vec![c; now as usize]);
        left -= now;
    }
}

/// The exponent with its letter and sign, of at least `least` digits.
fn exponent_text(letter: u8, exponent: i32, least: usize) -> Vec<u8> {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{}{sign}{:0least$}", char::from(letter), exponent.unsigned_abs()).into_bytes()
}

impl Number {
    fn hexadecimal(self, sign: &[u8], how: Conversion) -> Writes {
        let Conversion { flags, width, precision, letter } = how;
        let lower = letter & 32;
        let mut y = u128::from(self.mantissa);
        if (0..MANTISSA / 4 - 1).contains(&precision) {
            // All digits of 4 bits that are not shown, and the three bits in front of the first one's end.
            let bits = 4 * (MANTISSA / 4 - 1 - precision) + 3;
            let (whole, rest, half) = (y >> bits, y & ((1 << bits) - 1), 1 << (bits - 1));
            let up = rest > half || rest == half && whole & 1 != 0;
            y = (whole + u128::from(up)) << bits;
        }
        let exponent = exponent_text(letter + (b'p' - b'a'), self.exponent, 1);
        let mut digits = Vec::new();
        loop {
            digits.push(b"0123456789ABCDEF"[(y >> 63) as usize] | lower);
            y = (y & ((1 << 63) - 1)) << 4;
            if digits.len() == 1 && (y != 0 || precision > 0 || flags & ALTERNATE != 0) {
                digits.push(b'.');
            }
            if y == 0 {
                break;
            }
        }
        let (shown, precision) = (digits.len() as i64, i64::from(precision));
        let len = exponent.len() as i64
            + if precision != 0 && shown - 2 < precision { precision + 2 } else { shown };
        let prefix = [sign, if lower != 0 { b"0x" } else { b"0X" }].concat();
        let (width, all) = (i64::from(width), prefix.len() as i64 + len);
        let mut out = Vec::new();
        pad(&mut out, b' ', width, all, flags);
        put(&mut out, &prefix);
        pad(&mut out, b'0', width, all, flags ^ ZEROS);
        put(&mut out, &digits);
        pad(&mut out, b'0', len - exponent.len() as i64 - shown, 0, 0);
        put(&mut out, &exponent);
        pad(&mut out, b' ', width, all, flags ^ LEFT);
        out
    }

    fn decimal(self, sign: &[u8], how: Conversion) -> Writes {
        let Conversion { flags, width, letter, .. } = how;
        let mut precision = if how.precision < 0 { 6 } else { i64::from(how.precision) };
        let mut letter = letter;
        let mut digits = Digits::of(self, letter | 32 == b'f', precision);
        digits.round(letter, precision);
        let exponent = digits.exponent;
        if letter | 32 == b'g' {
            precision = precision.max(1);
            if precision > exponent && exponent >= -4 {
                letter -= 1;
                precision -= exponent + 1;
            } else {
                letter -= 2;
                precision -= 1;
            }
            if flags & ALTERNATE == 0 {
                let shown = digits.behind_point() + if letter | 32 == b'f' { 0 } else { exponent };
                precision = precision.min((shown - digits.trailing_zeros()).max(0));
            }
        }
        let point = precision > 0 || flags & ALTERNATE != 0;
        let mut len = 1 + precision + i64::from(point);
        let mut behind = Vec::new();
        if letter | 32 == b'f' {
            len += exponent.max(0);
        } else {
            behind = exponent_text(letter, exponent as i32, 2);
            len += behind.len() as i64;
        }
        let (width, all) = (i64::from(width), sign.len() as i64 + len);
        let mut out = Vec::new();
        pad(&mut out, b' ', width, all, flags);
        put(&mut out, sign);
        pad(&mut out, b'0', width, all, flags ^ ZEROS);
        if letter | 32 == b'f' {
            digits.fixed(&mut out, precision, point);
        } else {
            digits.scientific(&mut out, precision, point);
            put(&mut out, &behind);
        }
        pad(&mut out, b' ', width, all, flags ^ LEFT);
        out
    }
}

/// The decimal digits of a number in blocks of nine: `first..end` of `blocks`, of which `units` is the last in front of the point.
struct Digits {
    blocks: Vec<u32>,
    first: usize,
    end: usize,
    units: usize,
    /// Exponent of the first digit that is not zero, as a power of ten.
    exponent: i64,
}

impl Digits {
    /// All digits, or as many as a precision needs; `fixed` if that counts from the point.
    fn of(number: Number, fixed: bool, precision: i64) -> Digits {
        let mut scale = number.exponent;
        // A whole number of 29 bits, and its fraction in units of 2^-35.
        let mut rest = u128::from(number.mantissa);
        if rest != 0 {
            scale -= 28;
        }
        let start = if scale < 0 { 0 } else { BLOCKS - MANTISSA as usize - 1 };
        let mut digits =
            Digits { blocks: vec![0; BLOCKS + 1], first: start, end: start, units: start, exponent: 0 };
        loop {
            digits.blocks[digits.end] = (rest >> 35) as u32;
            digits.end += 1;
            rest = (rest & ((1 << 35) - 1)) * u128::from(BLOCK);
            if rest == 0 {
                break;
            }
        }
        while scale > 0 {
            let shift = scale.min(29);
            digits.double(shift as u32);
            scale -= shift;
        }
        let needed = 1 + (precision + i64::from(MANTISSA / 3) + 8) / 9;
        while scale < 0 {
            let shift = (-scale).min(9);
            digits.halve(shift as u32);
            let from = if fixed { digits.units } else { digits.first };
            if digits.end as i64 - from as i64 > needed {
                digits.end = from + needed as usize;
            }
            scale += shift;
        }
        digits.find_exponent();
        digits
    }

    /// Multiplies by a power of two.
    fn double(&mut self, shift: u32) {
        let mut carry = 0;
        for block in self.blocks[self.first..self.end].iter_mut().rev() {
            let x = (u64::from(*block) << shift) + carry;
            (*block, carry) = ((x % u64::from(BLOCK)) as u32, x / u64::from(BLOCK));
        }
        if carry != 0 {
            self.first -= 1;
            self.blocks[self.first] = carry as u32;
        }
        self.drop_zeros();
    }

    /// Divides by a power of two, at most 2^9, which divides a block's size.
    fn halve(&mut self, shift: u32) {
        let mut carry = 0;
        // Digits beyond the precision were dropped: that may be all of them.
        for block in &mut self.blocks[self.first..self.end.max(self.first)] {
            let rest = *block & ((1 << shift) - 1);
            *block = (*block >> shift) + carry;
            carry = (BLOCK >> shift) * rest;
        }
        if self.blocks[self.first] == 0 {
            self.first += 1;
        }
        if carry != 0 {
            self.blocks[self.end] = carry;
            self.end += 1;
        }
    }

    fn drop_zeros(&mut self) {
        while self.end > self.first && self.blocks[self.end - 1] == 0 {
            self.end -= 1;
        }
    }

    fn find_exponent(&mut self) {
        self.exponent = 0;
        if self.first < self.end {
            self.exponent = 9 * (self.units as i64 - self.first as i64);
            self.exponent += i64::from(self.blocks[self.first].checked_ilog10().unwrap_or(0));
        }
    }

    /// Rounds to the digits shown: to nearest, in doubt to an even digit.
    fn round(&mut self, letter: u8, precision: i64) {
        let mut shown = precision;
        if letter | 32 != b'f' {
            shown -= self.exponent;
        }
        if letter | 32 == b'g' && precision != 0 {
            shown -= 1;
        }
        if shown < self.behind_point() {
            let place = self.units as i64 + 1 + shown.div_euclid(9);
            let unit = 10_u32.pow(9 - shown.rem_euclid(9) as u32);
            self.round_block(place as usize, unit);
        }
        self.drop_zeros();
    }

    /// Rounds a block to multiples of `unit`, a power of ten up to a block's size, and drops the blocks behind it.
    fn round_block(&mut self, place: usize, unit: u32) {
        let rest = self.blocks[place] % unit;
        let last = place + 1 == self.end;
        if rest != 0 || !last {
            let odd = (self.blocks[place] / unit) & 1 != 0
                || unit == BLOCK && place > self.first && self.blocks[place - 1] & 1 != 0;
            let up = match rest.cmp(&(unit / 2)) {
                std::cmp::Ordering::Less => false,
                std::cmp::Ordering::Equal => !last || odd,
                std::cmp::Ordering::Greater => true,
            };
            self.blocks[place] -= rest;
            if up {
                let mut at = place;
                self.blocks[at] += unit;
                while self.blocks[at] >= BLOCK {
                    self.blocks[at] = 0;
                    at -= 1;
                    if at < self.first {
                        self.first = at;
                        self.blocks[at] = 0;
                    }
                    self.blocks[at] += 1;
                }
                self.find_exponent();
            }
        }
        self.end = self.end.min(place + 1);
    }

    /// Number of digits behind the point.
    fn behind_point(&self) -> i64 {
        9 * (self.end as i64 - self.units as i64 - 1)
    }

    /// Zeros at the end of the last block.
    fn trailing_zeros(&self) -> i64 {
        if self.end <= self.first || self.blocks[self.end - 1] == 0 {
            return 9;
        }
        let mut block = self.blocks[self.end - 1];
        let mut zeros = 0;
        while block.is_multiple_of(10) {
            block /= 10;
            zeros += 1;
        }
        zeros
    }

    fn fixed(&mut self, out: &mut Writes, mut precision: i64, point: bool) {
        let first = self.first.min(self.units);
        for at in first..=self.units {
            let block = self.blocks[at];
            put(out, if at == first { format!("{block}") } else { format!("{block:09}") }.as_bytes());
        }
        if point {
            put(out, b".");
        }
        let mut at = self.units + 1;
        while at < self.end && precision > 0 {
            let digits = format!("{:09}", self.blocks[at]);
            put(out, &digits.as_bytes()[..precision.min(9) as usize]);
            at += 1;
            precision -= 9;
        }
        pad(out, b'0', precision + 9, 9, 0);
    }

    fn scientific(&mut self, out: &mut Writes, mut precision: i64, point: bool) {
        self.end = self.end.max(self.first + 1);
        let mut at = self.first;
        while at < self.end && precision >= 0 {
            let mut digits = format!("{:09}", self.blocks[at]);
            if at == self.first {
                digits = self.blocks[at].to_string();
                put(out, &digits.as_bytes()[..1]);
                if point {
                    put(out, b".");
                }
                digits.remove(0);
            }
            put(out, &digits.as_bytes()[..precision.min(digits.len() as i64) as usize]);
            precision -= digits.len() as i64;
            at += 1;
        }
        pad(out, b'0', precision + 18, 18, 0);
    }
}
