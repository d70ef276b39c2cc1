//! `cleave compare`: each difference between two versions is found, and equal ones are told to be equal.

use std::path::{Path, PathBuf};

use crate::session::compile;
use crate::support::{cleave, succeeded};

const OLD: &str = r#"
#include <stdlib.h>
#include <string.h>
struct out { int code; unsigned char top; };
struct list { int n; int *items; };
static int scale = 3;
int parse(const unsigned char *data, int n, struct out *out)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += data[i];
	out->code = sum > 100;
	out->top = n ? data[n - 1] : 0;
	return sum * scale;
}
char *find(const char *s, int c)
{
	for (;; s++) {
		if (*s == (char)c)
			return (char *)s;
		if (!*s)
			return 0;
	}
}
char *twice(const char *s)
{
	size_t n = strlen(s);
	char *r = malloc(2 * n + 1);
	memcpy(r, s, n);
	strcpy(r + n, s);
	return r;
}
double half(double x) { return x / 2; }
void sort(struct list *l)
{
	for (int i = 1; i < l->n; i++)
		for (int j = i; j && l->items[j - 1] > l->items[j]; j--) {
			int t = l->items[j];
			l->items[j] = l->items[j - 1];
			l->items[j - 1] = t;
		}
}
int sign(int x) { return x > 0 ? 5 : x < 0 ? -5 : 0; }
"#;

/// Changes, each with the functions that it alters: a text of the old version, and what stands there in the new one.
const ALTERED: [(&str, &str, &str); 8] = [
    ("parse(data[n], n <= 3, out)", "sum > 100", "sum >= 100"),
    ("parse(data[n], n <= 3, out)", "data[n - 1] : 0", "data[n - 1] : 1"),
    ("parse(data[n], n <= 3, out)", "scale = 3", "scale = 4"),
    ("find(s: string <= 3)", "return 0;\n\t}", "return (char *)s;\n\t}"),
    ("twice(s: string <= 2)", "strcpy(r + n, s)", "strcpy(r + n, n ? s + 1 : s)"),
    ("half", "x / 2", "x * 0.5 + 0.0"),
    ("sort(l, 0 <= l->n <= 2, l->items[l->n])", "[j - 1] > l->items[j]", "[j - 1] < l->items[j]"),
    ("sign", "5 : x < 0", "1 : x < 0"),
];

/// Changes that alter nothing.
const SAME: [(&str, &str, &str); 6] = [
    ("parse(data[n], n <= 3, out)", "sum > 100", "100 < sum"),
    ("find(s: string <= 3)", "*s == (char)c", "(char)c == *s"),
    ("twice(s: string <= 2)", "strcpy(r + n, s)", "memcpy(r + n, s, n + 1)"),
    ("half", "x / 2", "x * 0.5"),
    ("sort(l, 0 <= l->n <= 2, l->items[l->n])", "[j - 1] > l->items[j]", "[j] < l->items[j - 1]"),
    ("sign", "x > 0", "0 < x"),
];

fn versions(folder: &Path, old: &str, new: &str) -> [PathBuf; 2] {
    let files = [folder.join("old.c"), folder.join("new.c")];
    assert!(OLD.contains(old), "{old}");
    std::fs::write(&files[0], OLD).unwrap();
    std::fs::write(&files[1], OLD.replacen(old, new, 1)).unwrap();
    files
}

fn compared(options: &[&str], files: &[PathBuf], arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = cleave();
    command.current_dir(files[0].parent().unwrap()).arg("compare").args(options).args(files).args(arguments);
    let output = command.output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

#[test]
fn functions_that_differ_are_told_with_both_outcomes() {
    for (function, old, new) in ALTERED {
        let folder = tempfile::tempdir().unwrap();
        let files = versions(folder.path(), old, new);
        let (code, said) = compared(&["--entry-point", function], &files, &[]);
        assert!(code == Some(3) && said.contains("old and new differ"), "{function}, {new}: {said}");
        let outcome =
            |name: &str| said.lines().find(|line| line.trim().starts_with(name)).map(str::to_string);
        let [old, new] =
            ["old: ", "new: "].map(|name| outcome(name).map(|line| line.trim()[5..].to_string()));
        assert!(old.is_some() && old != new, "{function}: {said}");
    }
}

#[test]
fn functions_that_agree_are_told_to_agree() {
    for (function, old, new) in SAME {
        let folder = tempfile::tempdir().unwrap();
        let files = versions(folder.path(), old, new);
        let (code, said) = compared(&["--entry-point", function], &files, &[]);
        assert!(
            code == Some(0) && said.contains("old and new agree on all these inputs"),
            "{function}, {new}: {said}"
        );
    }
}

#[test]
fn a_relation_stands_in_the_place_of_equality() {
    let folder = tempfile::tempdir().unwrap();
    let files = versions(folder.path(), "5 : x < 0", "1 : x < 0");
    let relate = |relation: &str| compared(&["--entry-point", "sign", "--relate", relation], &files, &[]).1;
    assert!(relate("old.result < 0 <==> new.result < 0").contains("agree on all"));
    assert!(relate("old.result <= new.result").contains("old and new differ"));
    for (relation, why) in
        [("x == 1", "relates nothing"), ("old.y == 1", "neither the result nor a parameter")]
    {
        let said = relate(relation);
        assert!(said.contains(why), "{said}");
    }
    // The same source under other flags.
    let flags = ["--entry-point", "sign", "--old-flag=-O0", "--new-flag=-O2"];
    let (code, said) = compared(&flags, &[files[0].clone(), files[0].clone()], &[]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn a_bug_of_one_version_is_a_bug_and_no_difference() {
    let folder = tempfile::tempdir().unwrap();
    let files = versions(folder.path(), "i < n; i++)\n\t\tsum", "i <= n; i++)\n\t\tsum");
    let (code, said) = compared(&["--entry-point", "parse(data[n], n <= 3, out)"], &files, &[]);
    assert!(
        code == Some(3) && said.contains("new.c:11") && said.contains("1 bug ended before the comparison"),
        "{said}"
    );
}

#[test]
fn rust_is_compared_with_c() {
    let folder = tempfile::tempdir().unwrap();
    let [old, _] = versions(folder.path(), "5 : x < 0", "5 : x < 0");
    let rust = folder.path().join("new.rs");
    for (code, zero) in [(0, "0"), (3, "1")] {
        let text = format!(
            "#![crate_type = \"lib\"]\n#[no_mangle]\npub extern \"C\" fn sign(x: i32) -> i32 {{\n    match x {{ 0 => {zero}, x if x < 0 => -5, _ => 5 }}\n}}\n"
        );
        std::fs::write(&rust, text).unwrap();
        let (status, said) = compared(&["--entry-point", "sign"], &[old.clone(), rust.clone()], &[]);
        assert_eq!(status, Some(code), "{said}");
    }
}

const PROGRAM: &str = r#"
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	int c, n = 0;
	while ((c = getchar()) != EOF)
		if (c == '\n')
			n++;
	printf("%s:%d\n", argc > 1 ? argv[1] : "-", n);
	if (n == 2)
		fprintf(stderr, "two\n");
	return argc > 1 && !strcmp(argv[1], "-q") ? 2 : 0;
}
"#;

#[test]
fn programs_are_compared_by_status_output_and_errors() {
    let folder = tempfile::tempdir().unwrap();
    let built = |name: &str, old: &str, new: &str| {
        let (file, program) = (folder.path().join(format!("{name}.c")), folder.path().join(name));
        assert!(PROGRAM.contains(old), "{old}");
        std::fs::write(&file, PROGRAM.replace(old, new)).unwrap();
        succeeded(cleave().args(["cc", "-O1", "-o"]).arg(&program).arg(&file));
        program
    };
    let old = built("old", "two", "two");
    let arguments = ["--sym-arg", "2", "--sym-stdin", "2"];
    for (name, before, after, ignored, promise) in [
        ("status", "? 2 : 0", "? 3 : 0", "status", "old and new end alike"),
        ("stdout", "c == '\\n'", "c == '\\r'", "stdout", "old and new print the same"),
        ("stderr", "\"two\\n\"", "\"2\\n\"", "stderr", "old and new print the same to standard error"),
    ] {
        let files = [old.clone(), built(name, before, after)];
        let (code, said) = compared(&[], &files, &arguments);
        assert!(code == Some(3) && said.contains(&format!("not so: {promise}:")), "{name}: {said}");
        assert!(said.contains("  old: exit ") && said.contains("  new: exit "), "{name}: {said}");
        if name != "stdout" {
            let (code, said) = compared(&["--ignore", ignored], &files, &arguments);
            assert_eq!(code, Some(0), "{name}: {said}");
        }
    }
    let same = [old, built("same", "n++", "n = n + 1")];
    let (code, said) = compared(&[], &same, &arguments);
    assert!(code == Some(0) && said.contains("old and new agree on all these inputs"), "{said}");
}

/// Two versions that differ in the part `CHANGED` alone.
fn pair(folder: &Path, text: &str, old: &str, new: &str) -> [PathBuf; 2] {
    let files = [folder.join("old.c"), folder.join("new.c")];
    for (file, part) in files.iter().zip([old, new]) {
        std::fs::write(file, text.replace("CHANGED", part)).unwrap();
    }
    files
}

const RESULTS: &str = r#"
#include <stdlib.h>
#include <string.h>
struct header { int kind; char *name; };
typedef char *text;
typedef void *place;
typedef unsigned number;
int table[2] = { 1, 2 };
static int hidden(int x) { return CHANGED + x / 2; }
int uses_hidden(int x) { return hidden(x); }
const char *kind(const struct header *h) { return h->kind == 1 ? "one" : "other"; }
text copied(const struct header *h) { text r = malloc(4); if (r) strcpy(r, h->kind ? "yes" : "no"); return r; }
place fresh(int n) { return malloc(n & 15); }
int (*chosen(int x))(int) { return x ? hidden : uses_hidden; }
char *inside(struct header *h, char *name) { return h->kind ? name + 1 : (char *)h; }
int *of_table(int i) { return &table[i & 1]; }
int reads_table(int i) { return table[i & 1]; }
void moves(const char **p, int n) { *p = n > 5 + CHANGED ? *p + 1 : *p; }
int sum(const char *p, const char *end) { int s = 0; while (p < end) s += *p++; return s; }
number largest(int n) { return n == 3 ? -1u - CHANGED : 1; }
int stops(int n) { if (n == 5 + CHANGED) exit(3); return n; }
int stops_with(int n) { if (n == 5) exit(3 + CHANGED); return n; }
"#;

#[test]
fn both_programs_have_the_name_of_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let text = "#include <stdio.h>\n#include <string.h>\nint main(int n, char **v) {\n  if (strcmp(v[0], \"tool\")) return 9;\n\
                  \x20 fprintf(stderr, \"%s: %d\\n\", v[0], n);\n  return v[1][0] == 'x' ? CODE : 0;\n}\n";
    let [old, new] = ["old", "new"].map(|name| folder.path().join(name));
    for (place, code) in [(&old, "1"), (&new, "2")] {
        std::fs::create_dir(place).unwrap();
        compile(place, "tool", &text.replace("CODE", code), &[]);
    }
    let (code, said) = compared(&[], &[old.join("tool"), new.join("tool")], &["--sym-arg", "1"]);
    assert!(code == Some(3) && said.contains("old: exit 1") && !said.contains("exit 9"), "{said}");
    let (code, said) = compared(&[], &[old.join("tool"), old.join("tool")], &["--sym-arg", "1"]);
    assert!(code == Some(0) && said.contains("agree on all"), "{said}");
}

#[test]
fn results_of_all_kinds_are_compared_by_what_they_mean() {
    for function in [
        "hidden",
        "kind(h)",
        "copied(h)",
        "fresh",
        "chosen",
        "inside(h, name[2])",
        "of_table(table)",
        "reads_table(table)",
        "moves(p, p[0]: string <= 2)",
        "sum(end = p + 3, p[3])",
        "largest",
        "stops",
        "stops_with",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let files = pair(folder.path(), RESULTS, "0", "0");
        let (code, said) = compared(&["--unchecked", "--entry-point", function], &files, &[]);
        assert!(code == Some(0) && said.contains("agree on all these inputs"), "{function}: {said}");
    }
    for (function, told) in [
        ("hidden", "new: returns "),
        ("moves(p, p[0]: string <= 2)", "the same to p"),
        ("largest", "old: returns 4294967295"),
        ("stops", "old: exits with status 3"),
        ("stops_with", "new: exits with status 4"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let files = pair(folder.path(), RESULTS, "0", "1");
        let (code, said) = compared(&["--unchecked", "--entry-point", function], &files, &[]);
        assert!(code == Some(3) && said.contains(told), "{function}: {said}");
    }
    for (function, old, new) in [
        ("kind(h)", "\"other\"", "\"others\""),
        ("inside(h, name[2])", "name + 1", "name + 2"),
        ("inside(h, name[2])", "(char *)h", "\"\""),
        ("of_table(table)", "&table[i & 1]", "&table[0]"),
        ("reads_table(table)", "return table[i & 1]", "return table[1]"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let text = RESULTS.replace("CHANGED", "0");
        let files = pair(folder.path(), &text, "", "");
        std::fs::write(&files[1], text.replacen(old, new, 1)).unwrap();
        let (code, said) = compared(&["--unchecked", "--entry-point", function], &files, &[]);
        assert!(code == Some(3) && said.contains("old and new differ"), "{function}, {new}: {said}");
    }
}

#[test]
fn versions_are_not_told_to_agree_where_something_was_not_compared() {
    let folder = tempfile::tempdir().unwrap();
    let text = "int elsewhere(int);\nint f(int x) { if (x == 1) return 1 / (x - 1); return CHANGED; }\n";
    let files = pair(folder.path(), text, "0", "x == 2 ? elsewhere(x) : 0");
    let (code, said) = compared(&["--entry-point", "f"], &files, &[]);
    assert!(
        code == Some(3) && said.contains("no difference so far, and not all is explored; 1 bug"),
        "{said}"
    );
    let files = pair(folder.path(), text, "0", "1");
    let (_, said) = compared(&["--entry-point", "f(x < 0, x > 3)"], &files, &[]);
    assert!(said.contains("nothing is compared: no input fulfils the contract"), "{said}");
}
