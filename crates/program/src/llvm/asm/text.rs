//! The text of inline assembly, in AT&T's syntax, taken apart: statements, and their operands.

/// An operand of an instruction as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    /// `$5`
    Immediate(i64),
    /// `%eax`: number of the machine's register, bits, and true if it is the second byte (`%ah`).
    Register { number: usize, bits: u8, high: bool },
    /// An operand of the whole, by number, with the letter that says which part of it.
    Operand(usize, Option<char>),
    /// `8(%rax,%rbx,4)`, or an operand in memory and a distance.
    Memory { distance: i64, base: Option<Box<Written>>, index: Option<Box<Written>>, scale: u8 },
    /// A label: its name, and for a number true if it is the next one (`1f`), false if the last (`1b`).
    Label(String, Option<bool>),
}

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Statement {
    /// `1:`
    Label(String),
    /// Prefixes, mnemonic, operands: sources first.
    Instruction { prefixes: Vec<String>, name: String, operands: Vec<Written> },
}

/// Marks an operand of the whole in text: `\x01NUMBER:LETTER\x02`.
const OPEN: char = '\u{1}';
const CLOSE: char = '\u{2}';

/// The names of the registers, by the machine's number: 64, 32, 16 and 8 bits.
const REGISTERS: [[&str; 4]; 16] = [
    ["rax", "eax", "ax", "al"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rbx", "ebx", "bx", "bl"],
    ["rsp", "esp", "sp", "spl"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["r8", "r8d", "r8w", "r8b"],
    ["r9", "r9d", "r9w", "r9b"],
    ["r10", "r10d", "r10w", "r10b"],
    ["r11", "r11d", "r11w", "r11b"],
    ["r12", "r12d", "r12w", "r12b"],
    ["r13", "r13d", "r13w", "r13b"],
    ["r14", "r14d", "r14w", "r14b"],
    ["r15", "r15d", "r15w", "r15b"],
];

/// A register by its name: number, bits, second byte.
pub(super) fn register(name: &str) -> Option<(usize, u8, bool)> {
    if let Some(number) = ["ah", "ch", "dh", "bh"].iter().position(|n| *n == name) {
        return Some((number, 8, true));
    }
    REGISTERS.iter().enumerate().find_map(|(number, names)| {
        let k = names.iter().position(|n| *n == name)?;
        Some((number, [64, 32, 16, 8][k], false))
    })
}

/// A template without its comments: `/* */`, and from `//` or `#` to the end of the line.
pub(super) fn without_comments(template: &str) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some(start) = rest.find(['/', '#']) {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        let end = match rest.as_bytes() {
            [b'/', b'*', ..] => rest[2..].find("*/").map_or(rest.len(), |end| end + 4),
            [b'/', b'/', ..] | [b'#', ..] => rest.find('\n').unwrap_or(rest.len()),
            _ => {
                out.push('/');
                1
            }
        };
        rest = &rest[end..];
    }
    out + rest
}

/// The statements of a template as LLVM keeps it: `$0` and `${0:w}` are operands, `$$` is a dollar.
pub(super) fn statements(template: &str) -> Option<Vec<Statement>> {
    let text = marked(&without_comments(template))?;
    let mut out = Vec::new();
    let mut prefixes = Vec::new();
    for line in text.lines() {
        for part in line.split(';') {
            let mut part = part.trim();
            while let Some((label, rest)) = part.split_once(':').filter(|(l, _)| is_name(l.trim())) {
                out.push(Statement::Label(label.trim().to_string()));
                part = rest.trim();
            }
            loop {
                let (word, rest) = part.split_once(char::is_whitespace).unwrap_or((part, ""));
                let rest = rest.trim();
                if word.is_empty() || (prefixes.is_empty() && aligns(word, rest)) {
                    break;
                }
                if ["lock", "rep", "repe", "repz", "repne", "repnz", "notrack"].contains(&word) {
                    prefixes.push(word.to_string());
                    part = rest;
                    continue;
                }
                let operands = split(rest).into_iter().map(|o| written(o.trim())).collect::<Option<_>>()?;
                let (prefixes, name) = (std::mem::take(&mut prefixes), word.to_ascii_lowercase());
                out.push(Statement::Instruction { prefixes, name, operands });
                break;
            }
        }
    }
    // `rep; nop` waits.
    if !prefixes.is_empty() { None } else { Some(out) }
}

/// Returns true if it only aligns the code that follows (`.p2align 4,,15`): the gap is filled with `nop`. Another filling would
/// be executed.
fn aligns(word: &str, operands: &str) -> bool {
    let operands: Vec<&str> = operands.split(',').map(str::trim).collect();
    [".p2align", ".balign", ".align"].contains(&word)
        && operands.len() <= 3
        && number(operands[0]).is_some()
        && operands.get(1).is_none_or(|filling| filling.is_empty() || number(filling) == Some(0x90))
        && operands.get(2).is_none_or(|most| number(most).is_some())
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.'))
}

/// The template with its operands marked, and of alternatives that of AT&T.
fn marked(template: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = template.chars().peekable();
    let (mut inside, mut skipping) = (false, false);
    while let Some(c) = rest.next() {
        if c != '$' {
            if !skipping {
                out.push(c);
            }
            continue;
        }
        let mut push = |text: &str| {
            if !skipping {
                out.push_str(text);
            }
        };
        match rest.next()? {
            '$' => push("$"),
            '(' => inside = true,
            '|' if inside => skipping = true,
            ')' if inside => (inside, skipping) = (false, false),
            '{' => {
                let body: String = rest.by_ref().take_while(|c| *c != '}').collect();
                push(&format!("{OPEN}{body}{CLOSE}"));
            }
            digit if digit.is_ascii_digit() => {
                let mut number = digit.to_string();
                while let Some(next) = rest.next_if(char::is_ascii_digit) {
                    number.push(next);
                }
                push(&format!("{OPEN}{number}{CLOSE}"));
            }
            _ => return None,
        }
    }
    (!inside).then_some(out)
}

/// The operands between commas that stand in no parentheses.
fn split(text: &str) -> Vec<&str> {
    let (mut out, mut depth, mut start) = (Vec::new(), 0, 0);
    for (i, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                out.push(&text[start..i]);
                start = i + 1;
            }
            _ => {}
        }
    }
    if !text[start..].trim().is_empty() {
        out.push(&text[start..]);
    }
    out
}

/// A marked operand, and the text behind it.
fn mark(text: &str) -> Option<(Written, &str)> {
    let (body, rest) = text.strip_prefix(OPEN)?.split_once(CLOSE)?;
    let (number, letter) = match body.split_once(':') {
        None => (body, None),
        Some((number, letter)) => {
            let mut letters = letter.chars();
            let first = letters.next()?;
            (number, letters.next().is_none().then_some(Some(first))?)
        }
    };
    Some((Written::Operand(number.parse().ok()?, letter), rest))
}

fn number(text: &str) -> Option<i64> {
    let (negative, digits) = match text.trim().strip_prefix('-') {
        Some(rest) => (true, rest.trim()),
        None => (false, text.trim()),
    };
    let value = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    } as i64;
    Some(if negative { value.wrapping_neg() } else { value })
}

fn written(text: &str) -> Option<Written> {
    if let Some(immediate) = text.strip_prefix('$') {
        return number(immediate).map(Written::Immediate);
    }
    if let Some(name) = text.strip_prefix('%') {
        let (number, bits, high) = register(name)?;
        return Some(Written::Register { number, bits, high });
    }
    if let Some((operand, "")) = mark(text) {
        return Some(operand);
    }
    if let Some(inner) = text.strip_suffix(')') {
        let (distance, inner) = inner.split_once('(')?;
        let distance = if distance.trim().is_empty() { 0 } else { number(distance)? };
        let parts: Vec<&str> = inner.split(',').map(str::trim).collect();
        let part = |k: usize| -> Option<Option<Box<Written>>> {
            match parts.get(k) {
                None | Some(&"") => Some(None),
                Some(text) => Some(Some(Box::new(written(text)?))),
            }
        };
        let scale = parts.get(2).map_or(Some(1), |s| s.parse().ok())?;
        let fits = parts.len() <= 3 && matches!(scale, 1 | 2 | 4 | 8);
        return fits.then_some(Written::Memory { distance, base: part(0)?, index: part(1)?, scale });
    }
    if let Some(at) = text.find(OPEN) {
        // A distance before or behind an operand in memory.
        let (operand, behind) = mark(&text[at..])?;
        let distance = match (text[..at].trim(), behind.trim()) {
            ("", behind) => number(behind.strip_prefix('+').unwrap_or(behind))?,
            (before, "") => number(before.strip_suffix('+').unwrap_or(before))?,
            _ => return None,
        };
        return Some(Written::Memory { distance, base: Some(Box::new(operand)), index: None, scale: 0 });
    }
    if !is_name(text) {
        return None;
    }
    let (digits, way) = text.split_at(text.len() - 1);
    let numbered = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    Some(match way {
        "f" if numbered => Written::Label(digits.to_string(), Some(true)),
        "b" if numbered => Written::Label(digits.to_string(), Some(false)),
        _ => Written::Label(text.to_string(), None),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_taken_apart() {
        let all = statements("1: lock; xaddl $0, 8(${1:q},%rcx,4)\n\t jne 1b # again").unwrap();
        let Statement::Instruction { prefixes, name, operands } = &all[1] else { panic!("{all:?}") };
        assert_eq!(
            (all[0].clone(), &prefixes[..], &name[..]),
            (Statement::Label("1".into()), &["lock".into()][..], "xaddl")
        );
        let Written::Memory { distance: 8, base, index, scale: 4 } = &operands[1] else {
            panic!("{operands:?}")
        };
        assert_eq!(base.as_deref(), Some(&Written::Operand(1, Some('q'))));
        assert_eq!(index.as_deref(), Some(&Written::Register { number: 1, bits: 64, high: false }));
        let Statement::Instruction { operands, .. } = &all[2] else { panic!("{all:?}") };
        assert_eq!(operands[..], [Written::Label("1".into(), Some(false))]);
    }

    #[test]
    fn immediates_alternatives_and_distances_are_read() {
        let all = statements("add$(l$|$) $$-0x10, 4+$0").unwrap();
        let Statement::Instruction { name, operands, .. } = &all[0] else { panic!("{all:?}") };
        assert_eq!((&name[..], &operands[0]), ("addl", &Written::Immediate(-16)));
        assert!(matches!(operands[1], Written::Memory { distance: 4, scale: 0, .. }));
        assert!(statements("movl %fs:0, $0").is_none());
        assert!(statements("lock").is_none());
    }

    #[test]
    fn alignment_is_no_instruction() {
        assert_eq!(statements(".p2align 6").unwrap(), []);
        let all = statements("nop; .p2align 4,,15\n 1: .balign 16, 0x90; nop").unwrap();
        let names = |s: &Statement| match s {
            Statement::Label(name) => name.clone(),
            Statement::Instruction { name, .. } => name.clone(),
        };
        assert_eq!(all.iter().map(names).collect::<Vec<_>>(), ["nop", "1", "nop"]);
        // A trap in the gap would be executed.
        let gap = statements(".p2align 4, 0xcc").unwrap();
        assert!(matches!(&gap[..], [Statement::Instruction { name, .. }] if name == ".p2align"));
        assert!(statements(".p2align 4, x, y, z").is_none_or(|all| !all.is_empty()));
    }
}
