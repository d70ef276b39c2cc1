//! Functions with contracts: their inputs, their promises, calls of them inside of a program, contracts in the place of code, harnesses.

use std::path::{Path, PathBuf};

use crate::support::{cleave, succeeded};

const SOURCE: &str = r#"
#include <stddef.h>
#include <klee/klee.h>
struct header { int version; unsigned len; };
static int table[4];
int parse(const unsigned char *data, size_t n, struct header *out)
{
	if (n < 2 || data[0] != 'H')
		return -1;
	out->version = data[1];
	out->len = data[n - 1] + table[0];
	return 0;
}
/* Reads one byte too many. */
int beyond(const unsigned char *data, int n) { return n ? data[n] : 0; }
size_t length(const char *s)
{
	size_t n = 0;
	while (s[n])
		n++;
	return n;
}
struct buffer { int used; char *bytes; };
int last(struct buffer *b) { return b->used ? b->bytes[b->used - 1] : -1; }
int compare(int a, int b) { return a < b ? -1 : a > b; }
int ordered(int a, int (*by)(int, int)) { return by(a, 3); }

//@ requires \valid_read(a + (0..n-1)) && 0 < n <= 4;
//@ ensures \forall integer i; 0 <= i < n ==> \result >= a[i];
//@ ensures \exists integer i; 0 <= i < n && \result == a[i];
//@ assigns \nothing;
int maximum(const int *a, int n)
{
	int m = a[0];
	for (int i = 1; i < n; i++)
		if (a[i] > m)
			m = a[i];
	return m;
}
/*@ requires \valid(p) && *p < 1000;
  @ ensures *p == \old(*p) + 1 && \result == \old(*p);
  @ assigns *p; */
static int next(int *p) { return (*p)++; }
//@ ensures \result == (n & 7);
int wrong(int n) { return n == 1029 ? 0 : n & 7; }
//@ requires \valid(a + (0..3));
//@ assigns a[0..1];
void writes(int *a, int k) { a[k & 3] = 1; }

int main(void)
{
	int a[4], n, p = 3, x;
	klee_make_symbolic(a, sizeof a, "a");
	klee_make_symbolic(&n, sizeof n, "n");
	klee_make_symbolic(&x, sizeof x, "x");
	if (n > 2 && maximum(a, n) < a[1])
		return 77;
	next(&p);
	if (x > 1020 && x < 1030)
		return wrong(x);
	return p;
}
//@ requires \valid(out);
void ends(int *out, const char *data, size_t n) { *out = n ? data[n - 1] : 0; }
"#;

fn source(folder: &Path) -> PathBuf {
    let file = folder.join("lib.c");
    std::fs::write(&file, SOURCE).unwrap();
    file
}

/// Explores with these options; the last lines and the run directory. The run has to end by itself.
fn explored(file: &Path, options: &[&str]) -> (String, PathBuf) {
    let run = file.with_extension(format!("run{}", options.concat().len()));
    let _ = std::fs::remove_dir_all(&run);
    let mut command = cleave();
    command.args(["run", "--output-dir"]).arg(&run).args(options).arg(file);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains("is explored") || said.contains("are explored"), "{said}");
    (said, run)
}

/// As [`explored`], and each test does natively what was foretold.
fn judged(file: &Path, options: &[&str]) -> String {
    let (said, run) = explored(file, options);
    let replayed = succeeded(cleave().arg("replay").arg(file).arg(run));
    let told = String::from_utf8_lossy(&replayed.stdout).into_owned();
    assert!(!told.contains("differ") && !told.contains("could not"), "{told}");
    said
}

fn refused(file: &Path, options: &[&str]) -> String {
    let output =
        cleave().arg("run").args(options).arg(file).current_dir(file.parent().unwrap()).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{options:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_contract_says_what_belongs_together() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    let clean = |contract: &str, paths: u32| {
        let said = judged(&file, &["--entry-point", contract]);
        assert!(said.contains(" 0 failed") && said.contains(&format!("{paths} path")), "{contract}: {said}");
        assert!(said.contains(&format!("the inputs are those of {contract}")), "{said}");
    };
    clean("parse(data[n], n <= 64, out)", 3);
    clean("parse(data[n], 2 <= n <= 64, out)", 2);
    clean("length(s: string <= 3)", 4);
    clean("last(b, 0 <= b->used <= 8, b->bytes[b->used])", 2);
    clean("ordered(by = compare)", 2);
    // Without a bound, and with what is not so.
    let out = judged(&file, &["--entry-point", "beyond(data[n], n <= 8)"]);
    assert!(out.contains("out-of-bounds") && out.contains("lib.c:15"), "{out}");
    let null = judged(&file, &["--entry-point", "parse(data[n], n <= 4, out?)"]);
    assert!(null.contains("null-pointer") && null.contains("lib.c:10"), "{null}");
    // A variable is an input where the contract names it.
    let (_, run) = explored(&file, &["--entry-point", "parse(data[4], n = 4, out, table)"]);
    let test = std::fs::read(run.join("tests/test000001.ktest")).unwrap();
    assert!(test.windows(5).any(|bytes| bytes == b"table"));
}

#[test]
fn promises_are_checked_where_the_function_returns() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    for function in ["maximum", "next"] {
        let said = judged(&file, &["--entry-point", function]);
        assert!(said.contains(" 0 failed"), "{said}");
    }
    let wrong = judged(&file, &["--entry-point", "wrong"]);
    assert!(wrong.contains("ensures \\result == (n & 7)"), "{wrong}");
    let writes = judged(&file, &["--entry-point", "writes"]);
    assert!(writes.contains("assigns: a keeps its other bytes"), "{writes}");
    // The command line's items come on top of the comment's.
    let more = judged(&file, &["--entry-point", "wrong(n < 1000)"]);
    assert!(more.contains(" 0 failed"), "{more}");
    let allowed = judged(&file, &["--entry-point", "writes((k & 3) < 2)"]);
    assert!(allowed.contains(" 0 failed"), "{allowed}");
}

#[test]
fn calls_inside_of_a_program_keep_to_contracts() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    let plain = explored(&file, &[]).0;
    assert!(plain.contains("out-of-bounds"), "{plain}");
    let checked = judged(&file, &["--check-contracts"]);
    assert!(
        checked.contains("requires 0 < n <= 4") && checked.contains("ensures \\result == (n & 7)"),
        "{checked}"
    );
    assert!(!checked.contains("out-of-bounds") && checked.contains("2 bugs"), "{checked}");
    let used = judged(&file, &["--use-contract", "maximum", "--use-contract", "next"]);
    assert!(used.contains("requires 0 < n <= 4") && used.contains("1 bug"), "{used}");
    assert!(used.contains("the contracts of `maximum`, `next` stand in the place of code"), "{used}");
    // maximum(a, n) < a[1] is what the contract excludes.
    let listed = String::from_utf8(
        succeeded(cleave().arg("list").arg(explored(&file, &["--use-contract", "maximum"]).1)).stdout,
    )
    .unwrap();
    assert!(listed.lines().any(|line| line.contains("completed") && line.contains("  4  ")), "{listed}");
    assert!(!listed.lines().any(|line| line.contains("completed") && line.contains(" 77  ")), "{listed}");
}

#[test]
fn a_contract_that_does_not_fit_is_refused_in_a_sentence() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    for (options, why) in [
        (["--entry-point", "parse(data[n]"], "lacks a `)`"),
        (["--entry-point", "parse(data[])"], "how many elements"),
        (["--entry-point", "parse(n[3])"], "`n` is a pointer, and it is none"),
        (["--entry-point", "nowhere(n)"], "`nowhere` is defined nowhere"),
        (["--entry-point", "ordered(a)"], "`by = NAME`"),
        (["--entry-point", "wrong(\\fresh(n))"], "`\\fresh` is not known"),
        (["--use-contract", "length"], "no source in C has a function of this name below a comment"),
        (["--use-contract", "wrong"], "does not say what it writes"),
    ] {
        let told = refused(&file, &options);
        assert!(told.contains(why), "{options:?}: {told}");
    }
    let unnamed = cleave().args(["run", "--entry-point", "wrong(q < 3)"]).arg(&file).output().unwrap();
    let told = String::from_utf8(unnamed.stderr).unwrap();
    assert!(told.contains("undeclared identifier 'q'") && told.contains("mend the contract"), "{told}");
}

#[test]
fn a_harness_is_a_program_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    for (function, contract) in [
        ("parse", "parse(data[n], n <= 16, out)"),
        ("length", "length(s: string <= 8)"),
        ("wrong(0 < n < 9)", "wrong(0 < n < 9)"),
    ] {
        let made = succeeded(cleave().args(["harness", function]).arg(&file));
        let text = String::from_utf8(made.stdout).unwrap();
        assert!(text.contains(contract), "{text}");
        let harness = folder.path().join("harness.c");
        std::fs::write(&harness, text).unwrap();
        let said = judged(&harness, &[]);
        assert!(said.contains(" 0 failed"), "{said}");
    }
}

#[test]
fn each_public_function_is_a_run_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    let run = folder.path().join("runs");
    let output =
        cleave().args(["run", "--each-function", "--output-dir"]).arg(&run).arg(&file).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    for line in [
        "parse(data[n], n <= 16, out): no bug, 3 paths",
        "beyond(data[n], n <= 16): BUGS, 2 paths",
        "length(s: string <= 8): no bug, 9 paths",
        "compare(): no bug, 2 paths",
        "wrong(): BUGS, 2 paths",
        // The comment says what `out` is; `data` and its size are guessed.
        "ends(out, data[n], n <= 16): no bug, 2 paths",
    ] {
        assert!(said.lines().any(|told| told == line), "{line}: {said}");
    }
    // `next` is `static`, and nothing says what `by` points to.
    assert!(!said.contains("next(") && said.contains("ordered(by = 0): BUGS"), "{said}");
    assert!(run.join("parse/summary.json").exists());
}

/// Contracts are read from C; a name alone may be that of a function of another language.
#[test]
fn a_name_alone_is_looked_for_in_all_languages_of_a_program() {
    let folder = tempfile::tempdir().unwrap();
    let (c, cxx) = (folder.path().join("a.c"), folder.path().join("b.cpp"));
    std::fs::write(&c, "int twice(int x) { return x + x; }\n").unwrap();
    std::fs::write(
        &cxx,
        "extern \"C\" int twice(int);\nextern \"C\" int sign(int x) { return x < 0 ? twice(0) : 1; }\n",
    )
    .unwrap();
    let run = |entry: &str| {
        let mut command = cleave();
        command.args(["run", "--unchecked", "--entry-point", entry, "--output-dir"]);
        command.arg(folder.path().join(format!("of {entry}"))).arg(&c).arg(&cxx).output().unwrap()
    };
    let output = run("sign");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && said.starts_with("2 paths"), "{said}");
    let output = run("nowhere");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && said.contains("`nowhere`"), "{said}");
}

/// Forms of C in which real libraries are written.
const FORMS: &str = r#"
int seven(const unsigned char *const p) { return p[0] == 7 ? 1 : 0; }
typedef int (*by)(int);
int called(int (*const f)(int), int x) { return f(x & 7); }
int twice(int x) { return 2 * x; }
int sum(const char *p, const char *end)
{
	int s = 0;
	while (p < end)
		s += *p++;
	return s;
}
int skipped(const char **p, int n) { int c = **p; ++*p; return c + (*p)[n - 2]; }
struct text { char *start, *end; };
int length(struct text *t) { return t->end - t->start; }
//@ requires n > 0;
//@ ensures n < 100 && n + 2147483000 > 0 ==> \result == n;
int same(int n) { return n; }
//@ requires a + b <= 9 && 0 <= a <= 9 && 0 <= b <= 9;
int added(int a, int b) { return a + b; }
int copied(int n, const int *from) { return from[n]; }
"#;

#[test]
fn contracts_fit_the_forms_of_real_code() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lib.c");
    std::fs::write(&file, FORMS).unwrap();
    for contract in [
        // The parameter itself is constant.
        "seven(p[1])",
        "called(f = twice)",
        // What a value or an object depends on comes first, wherever it stands.
        "sum(end = p + 3, p[3])",
        "length(t->end = t->start + 4, t->start[4], t)",
        // What a pointer in an argument points to.
        "skipped(p[0][n], p, 2 <= n <= 3)",
        "copied(from[n + 1], 0 <= n <= 3)",
        // What is guarded is evaluated only where it may be, and bounds come before sums.
        "same",
        "added",
    ] {
        let said = judged(&file, &["--entry-point", contract]);
        assert!(said.contains(" 0 failed"), "{contract}: {said}");
    }
    let beyond = judged(&file, &["--entry-point", "skipped(p[0][n - 1], p, 2 <= n <= 3)"]);
    assert!(beyond.contains("lib.c:13") && beyond.contains("1 bug"), "{beyond}");
}

#[test]
fn a_promise_that_overflows_is_told_at_its_own_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lib.c");
    std::fs::write(&file, "int g;\n//@ ensures \\result + 1 > n;\nint same(int n) { return n; }\n").unwrap();
    let said = judged(&file, &["--entry-point", "same"]);
    assert!(said.contains("lib.c:2: signed-integer-overflow"), "{said}");
}

#[test]
fn calls_are_checked_of_functions_behind_macros_and_with_old_definitions() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lib.c");
    let source = "#define API(type) __attribute__((noinline)) type\n\
                  //@ requires n < 3;\nAPI(int)\nlow(int n) { return n; }\n\
                  //@ requires b < 3;\nint old(a, b)\n\tint a;\n\tint b;\n{ return a + b; }\n\
                  //@ requires n < 3;\nint declared(int n);\nint declared(int n) { return n; }\n\
                  int main(void) { return low(3) || old(1, 4) || declared(9); }\n";
    std::fs::write(&file, source).unwrap();
    let (low, _) = explored(&file, &["--check-contracts"]);
    assert!(low.contains("requires n < 3") && low.contains("1 bug"), "{low}");
    std::fs::write(&file, source.replace("low(3) ||", "low(0) ||")).unwrap();
    let (old, _) = explored(&file, &["--check-contracts", "-Wno-deprecated-non-prototype"]);
    assert!(old.contains("requires b < 3") && old.contains("1 bug"), "{old}");
}

#[test]
fn a_test_of_a_function_without_a_contract_replays_by_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = source(folder.path());
    let (_, run) = explored(&file, &["--entry-point", "last"]);
    let replayed = succeeded(cleave().arg("replay").arg(&file).arg(run.join("tests/test000001.ktest")));
    let told = String::from_utf8_lossy(&replayed.stdout).into_owned();
    // The first test may end in a bug, of which nobody knows what it does natively.
    assert!(told.contains("1 test replayed") && !told.contains("differ"), "{told}");
}

#[test]
fn a_function_that_has_no_run_is_left_out_of_the_table() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lib.c");
    std::fs::write(
        &file,
        "struct hidden;\nint looks(struct hidden *p) { return !p; }\nint one(void) { return 1; }\n",
    )
    .unwrap();
    let mut command = cleave();
    command.args(["run", "--each-function", "--output-dir"]).arg(folder.path().join("runs")).arg(&file);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(said.contains("looks(p): left out: ") && said.contains("one(): no bug, 1 path"), "{said}");
    assert_eq!(output.status.code(), Some(4), "{said}");
}

const CXX: &str = r#"
#include <span>
#include <string>
#include <string_view>
#include <vector>
namespace text {
//@ ensures 0 <= \result <= s.size();
int count(std::string_view s, char c)
{
	int n = 0;
	for (char x : s)
		n += x == c;
	return n;
}
/* Reads behind the end where there is no dot. */
char behind_dot(const std::string &s)
{
	const char *p = s.data();
	while (*p != '.')
		p++;
	return p[1];
}
int most(const std::vector<int> &v)
{
	int m = v[0];
	for (int x : v)
		if (x > m)
			m = x;
	return m;
}
//@ requires n <= 3;
//@ ensures out == (n > 0 && data[0] == 'x');
void marked(const char *data, unsigned n, bool &out) { out = n && data[0] == 'x'; }
class Counter {
	int steps = 1, seen = 0;
public:
	Counter() = default;
	Counter(int steps, int seen) : steps(steps), seen(seen) {}
	int add(std::string_view s);
	static int limit(int most, int n) noexcept { return n > most ? most : n; }
	std::string::size_type rest(unsigned n) const { return 12u / (n + seen); }
	int over(int a) { return a; }
	int over(int a, int b) { return a == 0 ? 0 : a > 0 ? 1 : b / (b - 3); }
};
int Counter::add(std::string_view s) { return seen += steps * (s.size() > 2 ? s[2] - '0' : 0); }
}
int overloaded(int a) { return a; }
int overloaded(std::string_view s) { return s.empty() ? 7 : 10 / (s[0] - 'a'); }
"#;

#[test]
fn functions_of_cxx_have_contracts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text.cpp");
    std::fs::write(&file, CXX).unwrap();
    // Lengths 0 to 3: each letter is the one that is counted or not.
    let said = judged(&file, &["--entry-point", "text::count(s: string <= 3, c = 'a')"]);
    assert!(said.contains(" 0 failed") && said.contains("the inputs are those of text::count("), "{said}");
    let (said, _) = explored(&file, &["--entry-point", "text::behind_dot(s: string <= 3)"]);
    assert!(said.contains("(out-of-bounds") || said.contains("(uninitialised"), "{said}");
    // An empty vector has no first element.
    let (said, _) = explored(&file, &["--entry-point", "text::most(v[0])"]);
    assert!(said.contains("1 bug"), "{said}");
    let said = judged(&file, &["--entry-point", "text::most(v[3])"]);
    assert!(said.contains(" 0 failed") && said.contains(" 0 bugs"), "{said}");
    let said = judged(&file, &["--entry-point", "text::marked(data[n])"]);
    assert!(said.contains(" 0 failed"), "{said}");
    // A method is called on an object: made by the usual constructor, or by the one of these arguments.
    for (entry, bug) in [
        ("text::Counter::add(s: string <= 3)", None),
        ("text::Counter::limit(most, 0 < n < 8)", None),
        ("text::Counter::rest(n)", Some("division")),
        ("text::Counter::over(a, b)", Some("division")),
        ("text::Counter::over(a > 0)", None),
        ("overloaded(s: string <= 1)", Some("division")),
    ] {
        let (said, _) = explored(&file, &["--entry-point", entry]);
        match bug {
            Some(bug) => assert!(said.contains(bug), "{entry}: {said}"),
            None => assert!(said.contains(" 0 bugs"), "{entry}: {said}"),
        }
    }
    let said = judged(&file, &["--entry-point", "text::Counter::rest(n <= 9, this = (2, 7))"]);
    assert!(said.contains(" 0 bugs"), "{said}");
    let refused = cleave()
        .args(["run", "--entry-point", "text::Counter::rest(n, this[2])"])
        .arg(&file)
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(told.contains("write `this = (ARGUMENTS)`"), "{told}");
    // A name with types is the name of one of two functions, as before.
    let (said, _) = explored(&file, &["--entry-point", "overloaded(int)"]);
    assert!(said.contains("1 path in") && said.contains(" 0 bugs"), "{said}");
    let made = succeeded(cleave().args(["harness", "text::count"]).arg(&file));
    let harness = folder.path().join("harness.cpp");
    std::fs::write(&harness, &made.stdout).unwrap();
    let (said, _) = explored(&harness, &[]);
    assert!(said.contains(" 0 failed"), "{said}");
}
