//! The C of a comparison: a `main` that calls two versions of one function on the same inputs, and asserts that they agree.

use std::fmt::Write as _;

use crate::entries::contract::{Contract, Item};
use crate::entries::harness::{DECLARATIONS, Harness, Inputs, call, declared, quoted, variable};
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
    let _ = write!(text, "\nint main(void)\n{{\n{inputs}");
    let objects = copies(signature, contract, &mut text)?;
    text.push_str(&call(signature, name, RESULT));
    let mut for_new = signature.clone();
    for parameter in for_new.parameters.iter_mut().filter(|parameter| is_copied(parameter)) {
        parameter.name = new_of(&parameter.name);
    }
    text.push_str(&call(&for_new, NEW, NEW_RESULT));
    restore(&objects, &mut text);
    let relations = relations
        .iter()
        .map(|relation| Relation::read(relation, signature))
        .collect::<Result<Vec<_>, _>>()?;
    let is_related =
        |what: &str| relations.iter().any(|relation| relation.speaks_of.iter().any(|name| name == what));
    let shown = shown(signature, &objects);
    let mut check = |condition: &str, told: &str| {
        let _ = write!(
            text,
            "\tif (!({condition})) {{\n\t\tif (klee_is_replay()) {{\n{shown}\t\t}}\n\t\tcleave_breach({}, {}, 1, {});\n\t}}\n",
            quoted(told),
            quoted("comparison"),
            quoted(name)
        );
    };
    for relation in &relations {
        check(&relation.condition, &relation.text);
    }
    if let Some(kind) = signature.result.filter(|_| !is_related("result")) {
        check(&same_result(kind, &objects), "old and new return the same");
    }
    for Object { place, old, new, size, is_written, is_pointer, .. } in &objects {
        if *is_written && !is_related(place) {
            let condition = match is_pointer {
                true => format!(
                    "!{old} || ({})",
                    same_pointer([&format!("*{old}"), &format!("*{new}")], false, &objects)
                ),
                false => format!("cleave_same((void *){old}, (void *){new}, {size})"),
            };
            check(&condition, &format!("old and new write the same to {place}"));
        }
    }
    text.push_str("\treturn 0;\n}\n");
    Ok(Harness { text, guesses })
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
    let mut objects = Vec::new();
    let named = |place: &str| contract.given.iter().any(|item| item.place() == Some(place));
    let unnamed = signature.parameters.iter().filter(|p| is_copied(p) && !named(&p.name));
    let unnamed: Vec<Item> =
        unnamed.map(|p| Item::Object { place: p.name.clone(), count: None, nullable: true }).collect();
    for parameter in signature.parameters.iter().filter(|parameter| is_copied(parameter)) {
        let Parameter { name, ty, .. } = parameter;
        let _ = writeln!(text, "\t{} = {name};", declared(ty, &new_of(name)));
    }
    for item in contract.given.iter().chain(&unnamed) {
        let (place, size) = match item {
            Item::Object { place, count: Some(count), .. } => {
                (place, format!("({}) * sizeof *{place}", logic::condition(count, 0)?.text))
            }
            Item::Object { place, count: None, .. } => (place, format!("sizeof *{place}")),
            Item::Text { place, .. } => (place, format!("{} + 1", variable(place, "length"))),
            _ => continue,
        };
        let parameter = signature.parameters.iter().find(|parameter| parameter.name == *place);
        let is_nested = !is_name(place);
        if !is_nested && !parameter.is_some_and(is_copied) {
            continue;
        }
        if is_nested && matches!(item, Item::Object { count: None, .. }) {
            continue; // a value in an object that is copied whole
        }
        // The length of a string that may be missing is known where it is there.
        let size = match item {
            Item::Text { nullable: true, .. } => format!("{place} ? __builtin_strlen({place}) + 1 : 0"),
            _ => format!("{place} ? {size} : 0"),
        };
        let (mut old, mut new, size_of) = (place.clone(), new_of(place), variable(place, "size"));
        let _ = writeln!(text, "\t__SIZE_TYPE__ {size_of} = {size};");
        let _ = writeln!(text, "\tif ({place})\n\t\t*(void **)&{new} = cleave_copy({place}, {size_of});");
        if is_nested {
            // The versions may let the structure point elsewhere.
            for (side, pointer) in [("old", &mut old), ("new", &mut new)] {
                let kept = variable(place, &format!("kept_{side}"));
                let _ = writeln!(text, "\tvoid *{kept} = (void *){pointer};");
                *pointer = kept;
            }
        }
        let is_pointer = matches!(item, Item::Object { count: None, .. })
            && parameter.is_some_and(|parameter| parameter.ty.matches('*').count() > 1);
        let is_written = parameter.is_none_or(|parameter| !parameter.ty.trim_start().starts_with("const "));
        let is_text = matches!(item, Item::Text { .. });
        objects.push(Object {
            place: place.clone(),
            old,
            new,
            size: size_of,
            is_written,
            is_pointer,
            is_text,
        });
    }
    Ok(objects)
}

/// Pointers inside of objects that still point to their copies are made equal, so that their bytes compare as equal.
fn restore(objects: &[Object], text: &mut String) {
    for Object { place, old, new, .. } in objects.iter().filter(|object| !is_name(&object.place)) {
        let of_new = new_of(place);
        let _ = writeln!(
            text,
            "\tif ((void *){place} == {old} && (void *){of_new} == {new})\n\t\t*(void **)&{of_new} = {old};"
        );
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
        TypeKind::Other => format!("cleave_same((void *)&{RESULT}, (void *)&{NEW_RESULT}, sizeof {RESULT})"),
        TypeKind::Function => format!("!{RESULT} == !{NEW_RESULT}"),
        TypeKind::Pointer | TypeKind::Characters => {
            same_pointer([RESULT, NEW_RESULT], kind == TypeKind::Characters, objects)
        }
    }
}

/// That two pointers are both null, or at the same place in the same argument. Characters are the same text instead, if all arguments are texts:
/// then one text may be in a new object, and a place in an argument is the same if the rest of the text is.
fn same_pointer([old, new]: [&str; 2], is_text: bool, objects: &[Object]) -> String {
    let mut arguments = objects.iter().filter(|object| is_name(&object.place));
    let same: Vec<String> = if is_text && arguments.clone().all(|object| object.is_text || object.is_pointer)
    {
        vec![format!("cleave_same_text((const char *){old}, (const char *){new})")]
    } else {
        let place = |object: &Object| {
            format!(
                "(const char *){old} - (const char *){} == (const char *){new} - (const char *){}",
                object.old, object.new
            )
        };
        arguments.by_ref().map(place).collect()
    };
    if same.is_empty() {
        return format!("!{old} == !{new}");
    }
    format!("{old} ? {new} && ({}) : !{new}", same.join(" || "))
}

/// Statements that print what both versions did.
fn shown(signature: &Signature, objects: &[Object]) -> String {
    let mut text = String::new();
    for (version, result) in [("old", RESULT), ("new", NEW_RESULT)] {
        let returned = match signature.result {
            None => format!("cleave_print(\"{version}: returns\");"),
            Some(TypeKind::Integer) => {
                format!("cleave_print(\"{version}: returns %lld\", (long long){result});")
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
            Some(TypeKind::Other) => format!(
                "cleave_print(\"{version}: returns\"); cleave_print_bytes(\"bytes\", (void *)&{result}, sizeof {result});"
            ),
        };
        let _ = writeln!(text, "\t\t\t{returned}");
        for Object { place, old, new, size, .. } in objects.iter().filter(|object| object.is_written) {
            let pointer = if version == "old" { old } else { new };
            let _ = writeln!(text, "\t\t\tcleave_print_bytes({}, (void *){pointer}, {size});", quoted(place));
        }
        let _ = writeln!(text, "\t\t\tcleave_print(\"\\n\");");
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
