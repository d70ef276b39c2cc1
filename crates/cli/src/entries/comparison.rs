//! The C of a comparison: a `main` that calls two versions of one function on the same inputs, and asserts that they agree.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::entries::contract::{Contract, Item};
use crate::entries::harness::{DECLARATIONS, Harness, Inputs, call_expression, declared, quoted, variable};
use crate::entries::logic::{self, RESULT};
use crate::entries::signature::{Parameter, Signature, TypeKind};
use crate::entries::tokens::{is_name, words};
use crate::programs::build::Other;

/// The names of the new version and of its result in the C that is made.
const NEW: &str = "cleave_new_version";
const NEW_RESULT: &str = "cleave_new_result";

/// Functions that a comparison calls beside those of a harness, by names that no source has.
const MORE_DECLARATIONS: &str = "\
unsigned klee_is_replay(void);
int cleave_print(const char *format, ...) __asm__(\"printf\");
void *cleave_allocate_copy(__SIZE_TYPE__ size) __asm__(\"malloc\");
int cleave_flush(void *file) __asm__(\"fflush\");
int cleave_setjmp(void *) __asm__(\"setjmp\") __attribute__((returns_twice));
_Noreturn void cleave_longjmp(void *, int) __asm__(\"longjmp\");
static unsigned long long cleave_out[64];
static volatile int cleave_status;
/* In the place of exit in both versions: it ends the version that calls it. */
_Noreturn void cleave_exit(int status)
{
	cleave_status = status & 255;
	cleave_longjmp(cleave_out, 1);
}
static void *cleave_copy(const void *object, __SIZE_TYPE__ size)
{
	void *copy = cleave_allocate_copy(size);
	klee_assume(copy != 0);
	return __builtin_memcpy(copy, object, size);
}
/* All bytes are compared in one condition. */
static int cleave_same(const unsigned char *a, const unsigned char *b, __SIZE_TYPE__ size)
{
	unsigned char different = 0;
	for (__SIZE_TYPE__ k = 0; k < size; k++)
		different |= a[k] ^ b[k];
	return !different;
}
/* True of a pointer into an object, or right behind it. */
static int cleave_in(const void *pointer, const void *object, __SIZE_TYPE__ size)
{
	return object && (__UINTPTR_TYPE__)pointer - (__UINTPTR_TYPE__)object <= size;
}
static int cleave_same_text(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (!*a)
			return 1;
	return 0;
}
static void cleave_print_bytes(const char *name, const unsigned char *bytes, __SIZE_TYPE__ size)
{
	cleave_print(\", %s =\", name);
	for (__SIZE_TYPE__ k = 0; k < size && k < 64; k++)
		cleave_print(\" %02x\", bytes[k]);
	cleave_print(size > 64 ? \" ...\" : size ? \"\" : \" nothing\");
}
";

/// An object that both versions have a copy of.
struct Object {
    place: String,
    /// The old version's pointer to it, and the new version's pointer to its copy, as C.
    old: String,
    new: String,
    /// The variable with its size in bytes.
    size: String,
    /// The versions may write it.
    is_written: bool,
    /// It is one pointer.
    is_pointer: bool,
    /// It ends with a zero.
    is_text: bool,
}

/// The comparison of a function, as `signature` has it, with the version whose names have [`Other::PREFIX`]. `relations` stand in the place of
/// what they speak of.
///
/// # Errors
/// A sentence about an item or a relation that does not fit.
pub fn of_versions(
    signature: &Signature,
    contract: &Contract,
    relations: &[String],
) -> Result<Harness, String> {
    let mut maker = Inputs::new(signature, contract);
    maker.make()?;
    let Inputs { text: inputs, guesses, .. } = maker;
    let mut text = [DECLARATIONS, MORE_DECLARATIONS].concat();
    let (name, prefix) = (&signature.name, Other::PREFIX);
    let _ = writeln!(text, "extern __typeof__({name}) {NEW} __asm__(\"{prefix}{name}\");");
    for variable in variables(signature, contract) {
        let _ = writeln!(
            text,
            "extern __typeof__({variable}) {} __asm__(\"{prefix}{variable}\") __attribute__((weak));",
            new_of(&variable)
        );
    }
    let _ = write!(text, "\nint main(void)\n{{\n{inputs}");
    let objects = copies(signature, contract, &mut text)?;
    text.push_str(&until_it_ends("old", signature, name, RESULT));
    let mut for_new = signature.clone();
    for parameter in for_new.parameters.iter_mut().filter(|parameter| is_copied(parameter)) {
        parameter.name = new_of(&parameter.name);
    }
    text.push_str(&until_it_ends("new", &for_new, NEW, NEW_RESULT));
    let relations = relations
        .iter()
        .map(|relation| Relation::read(relation, signature))
        .collect::<Result<Vec<_>, _>>()?;
    let is_related =
        |what: &str| relations.iter().any(|relation| relation.speaks_of.iter().any(|name| name == what));
    let shown = shown(signature, &objects);
    let check = |condition: &str, told: &str| {
        format!(
            "\tif (!({condition})) {{\n\t\tif (klee_is_replay()) {{\n{shown}\t\t}}\n\t\tcleave_breach({}, {}, 1, {});\n\t}}\n",
            quoted(told),
            quoted("comparison"),
            quoted(name)
        )
    };
    text.push_str(&check("cleave_old_ends == cleave_new_ends", "old and new end alike"));
    text.push_str("\tif (cleave_old_ends >= 0)\n\t\treturn 0;\n");
    restore(&objects, &mut text);
    for relation in &relations {
        text.push_str(&check(&relation.condition, &relation.text));
    }
    if let Some(kind) = signature.result.filter(|_| !is_related("result")) {
        text.push_str(&check(&same_result(kind, &objects), "old and new return the same"));
    }
    for object in objects.iter().filter(|object| object.is_written && !is_related(&object.place)) {
        let told = format!("old and new write the same to {}", object.place);
        text.push_str(&check(&same_object(object, &objects), &told));
    }
    text.push_str("\treturn 0;\n}\n");
    Ok(Harness { text, guesses })
}

/// A call of one version, which may end by `exit` instead.
fn until_it_ends(version: &str, signature: &Signature, function: &str, result: &str) -> String {
    let call = call_expression(signature, function);
    let (declaration, assigned) = match signature.result {
        None => (String::new(), String::new()),
        Some(_) => (format!("\t__typeof_unqual__({call}) {result};\n"), format!("{result} = ")),
    };
    format!(
        "{declaration}\tint cleave_{version}_ends = -1;\n\tif (!cleave_setjmp(cleave_out))\n\t\t{assigned}{call};\n\telse\n\t\tcleave_{version}_ends = cleave_status;\n"
    )
}

/// Global variables that a contract speaks of: both versions begin with the same values of them.
fn variables(signature: &Signature, contract: &Contract) -> BTreeSet<String> {
    let root = |item: &Item| words(item.place()?).ok()?.first().cloned();
    let is_variable = |name: &String| signature.parameters.iter().all(|parameter| parameter.name != *name);
    contract.given.iter().filter_map(root).filter(is_variable).collect()
}

/// Names of the new version that the comparison uses, although they may be `static` there.
pub fn shared(signature: &Signature, contract: &Contract) -> Vec<String> {
    std::iter::once(signature.name.clone()).chain(variables(signature, contract)).collect()
}

fn is_copied(parameter: &Parameter) -> bool {
    matches!(parameter.kind, TypeKind::Pointer | TypeKind::Characters)
}

/// The new version's name of a place: its root is another variable.
fn new_of(place: &str) -> String {
    let root = place.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(place.len());
    format!("{}{}", variable(&place[..root], "new"), &place[root..])
}

/// Writes copies of all objects, for the new version.
fn copies(signature: &Signature, contract: &Contract, text: &mut String) -> Result<Vec<Object>, String> {
    for variable in variables(signature, contract) {
        let new = new_of(&variable);
        let _ = writeln!(
            text,
            "\tif (&{new})\n\t\t__builtin_memcpy((void *)&{new}, (void *)&{variable}, sizeof {variable});"
        );
    }
    for parameter in signature.parameters.iter().filter(|parameter| is_copied(parameter)) {
        let Parameter { name, ty, .. } = parameter;
        let _ = writeln!(text, "\t{} = {name};", declared(ty, &new_of(name)));
    }
    let named = |place: &str| contract.given.iter().any(|item| item.place() == Some(place));
    let unnamed = signature.parameters.iter().filter(|p| is_copied(p) && !named(&p.name));
    let unnamed: Vec<Item> =
        unnamed.map(|p| Item::Object { place: p.name.clone(), count: None, nullable: true }).collect();
    let mut items: Vec<&Item> = contract.given.iter().chain(&unnamed).collect();
    // What points to an object comes before what the object points to.
    items.sort_by_key(|item| item.place().map_or(0, str::len));
    let mut objects = Vec::new();
    for item in items {
        objects.extend(copy(item, signature, text)?);
    }
    for item in &contract.given {
        if let Item::Fixed { place, value } = item {
            fixed(place, value, signature, contract, text)?;
        }
    }
    Ok(objects)
}

/// Writes the copy of the object of an item, if it is one.
fn copy(item: &Item, signature: &Signature, text: &mut String) -> Result<Option<Object>, String> {
    let (place, size) = match item {
        Item::Object { place, count: Some(count), .. } => {
            (place, format!("({}) * sizeof *{place}", logic::condition(count, 0)?.text))
        }
        Item::Object { place, count: None, .. } => (place, format!("sizeof *{place}")),
        Item::Text { place, .. } => (place, format!("{} + 1", variable(place, "length"))),
        Item::Fixed { .. } | Item::Assumed(_) => return Ok(None),
    };
    let parameter = signature.parameters.iter().find(|parameter| parameter.name == *place);
    let is_value = matches!(item, Item::Object { count: None, nullable: false, .. });
    let (new, size_of) = (new_of(place), variable(place, "size"));
    let object = |old: String, new: String| Object {
        place: place.clone(),
        old,
        new,
        size: size_of.clone(),
        is_written: parameter.is_none_or(|parameter| !points_to_constant(&parameter.ty)),
        is_pointer: matches!(item, Item::Object { count: None, .. })
            && parameter.is_some_and(|parameter| parameter.ty.matches('*').count() > 1),
        is_text: matches!(item, Item::Text { .. }),
    };
    if parameter.is_none() && is_name(place) && is_value {
        let _ = writeln!(text, "\t__SIZE_TYPE__ {size_of} = &{new} ? sizeof {place} : 0;");
        return Ok(Some(object(format!("((char *)&{place})"), format!("((char *)&{new})"))));
    }
    // A value in an object that is copied whole, or of a parameter.
    if parameter.is_none() && is_value || parameter.is_some_and(|parameter| !is_copied(parameter)) {
        return Ok(None);
    }
    // The length of a string that may be missing is known where it is there.
    let size = match item {
        Item::Text { nullable: true, .. } => format!("{place} ? __builtin_strlen({place}) + 1 : 0"),
        _ => format!("{place} ? {size} : 0"),
    };
    let _ = writeln!(text, "\t__SIZE_TYPE__ {size_of} = {size};");
    let _ = writeln!(text, "\tif ({place})\n\t\t*(void **)&{new} = cleave_copy({place}, {size_of});");
    if parameter.is_some() {
        return Ok(Some(object(place.clone(), new)));
    }
    // The versions may let the structure or the variable point elsewhere.
    let kept = ["kept_old", "kept_new"].map(|side| variable(place, side));
    let _ = writeln!(text, "\tvoid *{} = (void *){place};", kept[0]);
    let _ = writeln!(text, "\tvoid *{} = (void *){new};", kept[1]);
    let [old, new] = kept;
    Ok(Some(object(old, new)))
}

/// Writes the new version's value of a place that has a fixed one: it may depend on where the copies are.
fn fixed(
    place: &str,
    value: &str,
    signature: &Signature,
    contract: &Contract,
    text: &mut String,
) -> Result<(), String> {
    let copied = signature.parameters.iter().filter(|parameter| is_copied(parameter));
    let mut names: BTreeSet<String> = copied.map(|parameter| parameter.name.clone()).collect();
    let variables = variables(signature, contract);
    let root = words(place)?.first().cloned().unwrap_or_default();
    if !names.contains(&root) && !variables.contains(&root) {
        return Ok(());
    }
    names.extend(variables.iter().cloned());
    let value = words(&logic::condition(value, 0)?.text)?;
    let is_member =
        |n: usize| n.checked_sub(1).is_some_and(|before| ["->", "."].contains(&value[before].as_str()));
    let of_new = |(n, word): (usize, &String)| match names.contains(word) && !is_member(n) {
        true => new_of(word),
        false => word.clone(),
    };
    let value: Vec<String> = value.iter().enumerate().map(of_new).collect();
    let is_there =
        if variables.contains(&root) { format!("if (&{}) ", new_of(&root)) } else { String::new() };
    let _ = writeln!(text, "\t{is_there}{} = {};", new_of(place), value.join(" "));
    Ok(())
}

/// Returns true if nothing is written through a pointer of this type: what it points to is constant.
fn points_to_constant(ty: &str) -> bool {
    let Some(inner) = ty.trim_end().strip_suffix('*') else { return false };
    let inner = inner.trim();
    let is_word = |word: &str| word == "const";
    inner.ends_with("const") || !inner.contains('*') && inner.split_whitespace().any(is_word)
}

/// Pointers inside of objects that mean the same in both versions are made equal, so that the bytes of the objects compare as equal.
fn restore(objects: &[Object], text: &mut String) {
    let is_compared_itself = |place: &str| {
        objects.iter().any(|object| object.is_pointer && place.starts_with(&format!("{}[", object.place)))
    };
    for Object { place, .. } in objects.iter().filter(|object| !is_name(&object.place)) {
        if is_compared_itself(place) {
            continue;
        }
        let of_new = new_of(place);
        let same = same_pointer([place, &of_new], false, objects);
        let _ = writeln!(text, "\tif ({same})\n\t\t*(void **)&{of_new} = (void *){place};");
    }
}

/// That both versions left the same in an object.
fn same_object(object: &Object, objects: &[Object]) -> String {
    let Object { old, new, size, .. } = object;
    match object.is_pointer {
        true => {
            format!("!{old} || ({})", same_pointer([&format!("*{old}"), &format!("*{new}")], false, objects))
        }
        false => format!("cleave_same((void *){old}, (void *){new}, {size})"),
    }
}

/// That both results mean the same: numbers are equal, pointers are both null or at the same place in the same argument, texts are equal.
fn same_result(kind: TypeKind, objects: &[Object]) -> String {
    match kind {
        TypeKind::Integer => format!("{RESULT} == {NEW_RESULT}"),
        TypeKind::Float => format!(
            "{RESULT} == {NEW_RESULT} ? !__builtin_signbit({RESULT}) == !__builtin_signbit({NEW_RESULT}) \
             : {RESULT} != {RESULT} && {NEW_RESULT} != {NEW_RESULT}"
        ),
        TypeKind::Other | TypeKind::Text | TypeKind::Elements => {
            format!("cleave_same((void *)&{RESULT}, (void *)&{NEW_RESULT}, sizeof {RESULT})")
        }
        TypeKind::Function => format!("!{RESULT} == !{NEW_RESULT}"),
        TypeKind::Pointer | TypeKind::Characters => {
            same_pointer([RESULT, NEW_RESULT], kind == TypeKind::Characters, objects)
        }
    }
}

/// That two pointers are both null, or at the same place in the same object of the arguments. Characters are the same text instead, if all
/// arguments are texts: then one text may be in a new object, and a place in an argument is the same if the rest of the text is. Pointers to
/// other objects are alike, if they are characters with the same text.
fn same_pointer([old, new]: [&str; 2], is_text: bool, objects: &[Object]) -> String {
    let mut arguments = objects.iter().filter(|object| is_name(&object.place));
    let text = format!("cleave_same_text((const char *){old}, (const char *){new})");
    if is_text && arguments.all(|object| object.is_text || object.is_pointer) {
        return format!("{old} ? {new} && {text} : !{new}");
    }
    let of_new = |object: &Object| format!("cleave_in((void *){new}, {}, {})", object.new, object.size);
    let elsewhere: Vec<String> = objects.iter().map(|object| format!("!{}", of_new(object))).collect();
    let mut same = elsewhere.into_iter().chain(is_text.then_some(text)).collect::<Vec<_>>().join(" && ");
    if same.is_empty() {
        same = "1".into();
    }
    for object in objects.iter().rev() {
        same = format!(
            "cleave_in((void *){old}, {0}, {1}) ? {2} && (const char *){old} - (const char *){0} == (const char *){new} - (const char *){3} : ({same})",
            object.old,
            object.size,
            of_new(object),
            object.new
        );
    }
    format!("{old} ? {new} && ({same}) : !{new}")
}

/// Statements that print what both versions did.
fn shown(signature: &Signature, objects: &[Object]) -> String {
    let mut text = String::new();
    for (version, result) in [("old", RESULT), ("new", NEW_RESULT)] {
        let _ = writeln!(
            text,
            "\t\t\tif (cleave_{version}_ends >= 0)\n\t\t\t\tcleave_print(\"{version}: exits with status %d\", cleave_{version}_ends);\n\t\t\telse {{"
        );
        let returned = match signature.result {
            None => format!("cleave_print(\"{version}: returns\");"),
            Some(TypeKind::Integer) => {
                format!(
                    "cleave_print((__typeof__({result}))-1 > 0 ? \"{version}: returns %llu\" : \"{version}: returns %lld\", (long long){result});"
                )
            }
            Some(TypeKind::Characters) => {
                format!(
                    "cleave_print({result} ? \"{version}: returns \\\"%s\\\"\" : \"{version}: returns null\", {result});"
                )
            }
            Some(TypeKind::Pointer | TypeKind::Function) => {
                let first = objects.iter().find(|object| is_name(&object.place));
                let base = first.map(|object| if version == "old" { &object.place } else { &object.new });
                match (base, first) {
                    (Some(base), Some(object)) => format!(
                        "if ({result}) cleave_print(\"{version}: returns {} + %lld\", (long long)((const char *){result} - (const char *){base})); \
                         else cleave_print(\"{version}: returns null\");",
                        object.place
                    ),
                    _ => format!(
                        "cleave_print({result} ? \"{version}: returns a pointer\" : \"{version}: returns null\");"
                    ),
                }
            }
            Some(TypeKind::Float) => format!("cleave_print(\"{version}: returns %a\", (double){result});"),
            Some(TypeKind::Other | TypeKind::Text | TypeKind::Elements) => format!(
                "cleave_print(\"{version}: returns\"); cleave_print_bytes(\"bytes\", (void *)&{result}, sizeof {result});"
            ),
        };
        let _ = writeln!(text, "\t\t\t{returned}");
        for Object { place, old, new, size, .. } in objects.iter().filter(|object| object.is_written) {
            let pointer = if version == "old" { old } else { new };
            let _ = writeln!(text, "\t\t\tcleave_print_bytes({}, (void *){pointer}, {size});", quoted(place));
        }
        let _ = writeln!(text, "\t\t\t}}\n\t\t\tcleave_print(\"\\n\");");
    }
    let _ = writeln!(text, "\t\t\tcleave_flush(0);");
    text
}

/// A condition of `--relate`.
struct Relation {
    text: String,
    condition: String,
    /// The result or the parameters that it speaks of.
    speaks_of: Vec<String>,
}

impl Relation {
    fn read(text: &str, signature: &Signature) -> Result<Relation, String> {
        let all = words(text)?;
        let (mut out, mut speaks_of, mut at) = (Vec::new(), Vec::new(), 0);
        while at < all.len() {
            let side = match (&all[at..], at.checked_sub(1).map(|before| all[before].as_str())) {
                ([side, dot, _, ..], before) if dot == "." && before != Some(".") && before != Some("->") => {
                    side.as_str()
                }
                _ => "",
            };
            if side != "old" && side != "new" {
                out.push(all[at].clone());
                at += 1;
                continue;
            }
            let name = &all[at + 2];
            let parameter = signature.parameters.iter().find(|parameter| parameter.name == *name);
            let named = match (parameter, side) {
                _ if name == "result" && signature.result.is_none() => {
                    return Err(format!("`{text}` speaks of a result, and `{}` has none", signature.name));
                }
                (_, "old") if name == "result" => RESULT.to_string(),
                (_, _) if name == "result" => NEW_RESULT.to_string(),
                (Some(parameter), "new") if is_copied(parameter) => new_of(name),
                (Some(_), _) => name.clone(),
                (None, _) => {
                    return Err(format!(
                        "`{text}` speaks of `{side}.{name}`, which is neither the result nor a parameter"
                    ));
                }
            };
            out.push(named);
            speaks_of.push(name.clone());
            at += 3;
        }
        if speaks_of.is_empty() {
            return Err(format!(
                "`{text}` relates nothing; write old.result, new.result, or old and new with a parameter"
            ));
        }
        let condition = logic::condition(&out.join(" "), 0)?;
        if !condition.old.is_empty() {
            return Err(format!("`{text}` speaks of values before the call, which are the same for both"));
        }
        Ok(Relation { text: text.into(), condition: condition.text, speaks_of })
    }
}
