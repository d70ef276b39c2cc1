//! The library agrees bit for bit with native code, made by clang for x86-64 and run on this processor.

mod machine;
mod operands;

use cleave_float::Rounding;
use cleave_float::{FBinOp, FPred, FUnOp, Float};
use machine::{Case, Library, check, check_with};
use operands::{KINDS, Operands, bits, integers, pairs, singles, triples};

fn llvm(k: Float) -> (&'static str, &'static str) {
    match k {
        Float::F32 => ("float", "f32"),
        Float::F64 => ("double", "f64"),
        Float::X80 => ("x86_fp80", "f80"),
    }
}

/// Loads of as many operands as the operation has, then `%r = ...` and the store.
fn body(ty: &str, result: &str, operands: usize, op: &str) -> String {
    let loads: String =
        ["a", "b", "c"][..operands].iter().map(|x| format!("  %{x} = load {ty}, ptr %p{x}\n")).collect();
    format!("{loads}  %r = {op}\n  store {result} %r, ptr %out\n  ret void\n")
}

fn is_nan(k: Float, a: u128) -> bool {
    let unordered = FPred { eq: false, gt: false, lt: false, uno: true };
    cleave_float::compare(unordered, k, a, a)
}

fn call(k: Float, name: &str, operands: usize) -> (String, String) {
    let (ty, suffix) = llvm(k);
    let types = vec![ty; operands].join(", ");
    let args: Vec<String> = ["a", "b", "c"][..operands].iter().map(|x| format!("{ty} %{x}")).collect();
    (
        format!("declare {ty} @llvm.{name}.{suffix}({types})"),
        body(ty, ty, operands, &format!("call {ty} @llvm.{name}.{suffix}({})", args.join(", "))),
    )
}

fn binary(op: FBinOp, k: Float, how: &str, n: usize) -> Case {
    let ty = llvm(k).0;
    let (declares, body) = match op {
        FBinOp::Add | FBinOp::Sub | FBinOp::Mul | FBinOp::Div | FBinOp::Rem => {
            (String::new(), body(ty, ty, 2, &format!("{how} {ty} %a, %b")))
        }
        _ => call(k, how, 2),
    };
    let ours = Box::new(move |[a, b, _]: [u128; 3]| cleave_float::binary(op, k, a, b));
    Case {
        name: format!("{how} {ty}"),
        declares,
        body,
        width: bits(k),
        ours,
        operands: pairs(k, n),
        attributes: "",
    }
}

#[test]
fn arithmetic_gives_the_bits_that_native_code_gives() {
    let ops = [
        (FBinOp::Add, "fadd"),
        (FBinOp::Sub, "fsub"),
        (FBinOp::Mul, "fmul"),
        (FBinOp::Div, "fdiv"),
        (FBinOp::Rem, "frem"),
        (FBinOp::CopySign, "copysign"),
    ];
    let cases: Vec<Case> =
        ops.iter().flat_map(|&(op, how)| KINDS.map(|k| binary(op, k, how, 20_000))).collect();
    check(cases);
}

#[test]
fn least_and_greatest_give_the_bits_that_native_code_gives() {
    let ops = [
        (FBinOp::MinNum, "minnum"),
        (FBinOp::MaxNum, "maxnum"),
        (FBinOp::Minimum, "minimum"),
        (FBinOp::Maximum, "maximum"),
    ];
    // clang 19 has no code for minimum and maximum in extended precision.
    let compiled = |op, k| k != Float::X80 || matches!(op, FBinOp::MinNum | FBinOp::MaxNum);
    let all = ops.iter().flat_map(|&(op, how)| KINDS.map(|k| (op, k, how)));
    let all = all.filter(|&(op, k, _)| compiled(op, k));
    check(all.map(|(op, k, how)| binary(op, k, how, 5_000)).collect());
}

#[test]
fn operations_of_one_operand_give_the_bits_that_native_code_gives() {
    let ops = [
        (FUnOp::Neg, "fneg"),
        (FUnOp::Abs, "fabs"),
        (FUnOp::Sqrt, "sqrt"),
        (FUnOp::Floor, "floor"),
        (FUnOp::Ceil, "ceil"),
        (FUnOp::Trunc, "trunc"),
        (FUnOp::Rint, "rint"),
        (FUnOp::Rint, "nearbyint"),
        (FUnOp::Round, "round"),
    ];
    let case = |op, how: &str, k| {
        let ty = llvm(k).0;
        let (declares, body) = match op {
            FUnOp::Neg => (String::new(), body(ty, ty, 1, &format!("fneg {ty} %a"))),
            _ => call(k, how, 1),
        };
        let ours = Box::new(move |[a, _, _]: [u128; 3]| cleave_float::unary(op, k, a));
        Case {
            name: format!("{how} {ty}"),
            declares,
            body,
            width: bits(k),
            ours,
            operands: singles(k, 20_000),
            attributes: "",
        }
    };
    let cases: Vec<Case> = ops.iter().flat_map(|&(op, how)| KINDS.map(|k| case(op, how, k))).collect();
    check(cases);
}

#[test]
fn multiply_and_add_rounds_once_or_twice_as_native_code_does() {
    let case = |fused, k| {
        let ty = llvm(k).0;
        let how = if fused { "fma" } else { "fmuladd" };
        let (declares, body) = call(k, how, 3);
        let mut operands = triples(k, 8_000);
        if fused {
            // The exponents decide if musl writes a pseudo-denormal addend anew.
            let written_anew = move |c: u128| k == Float::X80 && c >> 64 & 0x7fff == 0 && c >> 63 & 1 != 0;
            operands = Box::new(operands.filter(move |&[_, _, c]| !written_anew(c)));
        }
        let ours = Box::new(move |[a, b, c]: [u128; 3]| {
            let v = cleave_float::mul_add(fused, k, a, b, c);
            if fused { without_nans(k, v) } else { v }
        });
        let name = format!("{how} {ty}");
        let case = Case { name, declares, body, width: bits(k), ours, operands, attributes: "" };
        if fused { settled(k, case) } else { case }
    };
    let mut cases: Vec<Case> = KINDS.iter().flat_map(|&k| [case(false, k), case(true, k)]).collect();
    // musl's fmal does not always round correctly where the result is subnormal, and glibc's takes unnormals for
    // numbers.
    let numbers = |v: &[u128; 3]| !v.iter().any(|&v| is_nan(Float::X80, v));
    let mut rounded = case(true, Float::X80);
    rounded.operands = Box::new(rounded.operands.filter(numbers));
    let mut special = case(true, Float::X80);
    special.operands = Box::new(special.operands.filter(move |v| !numbers(v)));
    cases[5] = special;
    check(cases);
    check_with(Library::Host, vec![rounded]);
}

#[test]
fn all_sixteen_predicates_hold_as_in_native_code() {
    let names = [
        "false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt", "uge", "ult", "ule",
        "une", "true",
    ];
    let case = |k, n: usize| {
        let ty = llvm(k).0;
        let pred = FPred { eq: n & 1 != 0, gt: n & 2 != 0, lt: n & 4 != 0, uno: n & 8 != 0 };
        let ours = Box::new(move |[a, b, _]: [u128; 3]| cleave_float::compare(pred, k, a, b) as u128);
        let name = format!("fcmp {} {ty}", names[n]);
        let body = body(ty, "i1", 2, &format!("fcmp {} {ty} %a, %b", names[n]));
        Case {
            name,
            declares: String::new(),
            body,
            width: 1,
            ours,
            operands: pairs(k, 1_000),
            attributes: "",
        }
    };
    check(KINDS.iter().flat_map(|&k| (0..16).map(move |n| case(k, n))).collect());
}

#[test]
fn conversions_between_kinds_give_the_bits_that_native_code_gives() {
    let case = |from, to| {
        let (a, b) = (llvm(from).0, llvm(to).0);
        let how = if bits(from) > bits(to) { "fptrunc" } else { "fpext" };
        let ours = Box::new(move |[a, _, _]: [u128; 3]| cleave_float::convert(from, to, a));
        let body = body(a, b, 1, &format!("{how} {a} %a to {b}"));
        let mut operands = singles(from, 20_000);
        if bits(from) > bits(to) {
            // Values about the narrower kind's halves, its least and greatest numbers.
            let half =
                1u128 << (if from == Float::X80 { 63 } else { 52 } - if to == Float::F32 { 24 } else { 53 });
            let about = singles(to, 5_000).flat_map(move |[v, ..]| {
                let wide = cleave_float::convert(to, from, v);
                [wide, wide ^ half, wide ^ half ^ 1, wide ^ (half - 1)].map(|v| [v, 0, 0])
            });
            operands = Box::new(operands.chain(about));
        }
        Case {
            name: format!("{how} {a} to {b}"),
            declares: String::new(),
            body,
            width: bits(to),
            ours,
            operands,
            attributes: "",
        }
    };
    use Float::{F32, F64, X80};
    let all = [(F32, F64), (F32, X80), (F64, X80), (F64, F32), (X80, F32), (X80, F64)];
    check(all.map(|(from, to)| case(from, to)).into());
}

fn to_int(signed: bool, from: Float, w: u8) -> Case {
    let (ty, how) = (llvm(from).0, if signed { "fptosi" } else { "fptoui" });
    let ours = Box::new(move |[a, _, _]: [u128; 3]| cleave_float::to_int(signed, from, w, a));
    let body = body(ty, &format!("i{w}"), 1, &format!("{how} {ty} %a to i{w}"));
    let name = format!("{how} {ty} to i{w}");
    Case {
        name,
        declares: String::new(),
        body,
        width: w as u32,
        ours,
        operands: singles(from, 3_000),
        attributes: "",
    }
}

#[test]
fn integers_from_floats_are_truncated_and_out_of_range_are_as_in_native_code() {
    let mut cases = Vec::new();
    for from in KINDS {
        for w in [1, 7, 8, 9, 15, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65, 96, 127, 128] {
            cases.extend([to_int(true, from, w), to_int(false, from, w)]);
        }
    }
    check(cases);
}

#[test]
fn floats_from_integers_are_rounded_to_even_as_in_native_code() {
    let case = |signed, w: u8, to| {
        let (ty, how) = (llvm(to).0, if signed { "sitofp" } else { "uitofp" });
        let ours = Box::new(move |[a, _, _]: [u128; 3]| cleave_float::from_int(signed, w, to, a));
        let body = body(&format!("i{w}"), ty, 1, &format!("{how} i{w} %a to {ty}"));
        let name = format!("{how} i{w} to {ty}");
        let operands = integers(w as u32, 1_000);
        Case { name, declares: String::new(), body, width: bits(to), ours, operands, attributes: "" }
    };
    let mut cases = Vec::new();
    for to in KINDS {
        for w in [1, 7, 8, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128] {
            cases.extend([case(true, w, to), case(false, w, to)]);
        }
    }
    check(cases);
}

/// An operation in a directed rounding mode: a call of one of LLVM's constrained intrinsics, which are not moved across the
/// calls that set the mode and take it back.
fn directed(
    mode: Rounding,
    (name, from, to): (&str, &str, &str),
    width: u32,
    operands: Operands,
    ours: impl Fn([u128; 3]) -> u128 + 'static,
) -> Case {
    let n = match name {
        "fma" => 3,
        "fadd" | "fsub" | "fmul" | "fdiv" => 2,
        _ => 1,
    };
    let names = ["a", "b", "c"];
    let suffix = |ty: &str| match ty {
        "float" => "f32".to_string(),
        "double" => "f64".to_string(),
        "x86_fp80" => "f80".to_string(),
        integer => integer.to_string(),
    };
    let overload = if from == to { suffix(to) } else { format!("{}.{}", suffix(to), suffix(from)) };
    let function = format!("@llvm.experimental.constrained.{name}.{overload}");
    let types = vec![from; n].join(", ");
    let args: Vec<String> = names[..n].iter().map(|x| format!("{from} %{x}")).collect();
    // An operation that truncates has no rounding mode.
    let (metadata, how) = match name.starts_with("fpto") {
        true => ("metadata", ""),
        false => ("metadata, metadata", "metadata !\"round.dynamic\", "),
    };
    let declares = format!("declare {to} {function}({types}, {metadata})\ndeclare i32 @fesetround(i32)");
    let loads: String = names[..n].iter().map(|x| format!("  %{x} = load {from}, ptr %p{x}\n")).collect();
    let set = |mode: u64| format!("  call i32 @fesetround(i32 {}) strictfp\n", mode << 10);
    let body = format!(
        "{loads}{}  %r = call {to} {function}({}, {how}metadata !\"fpexcept.strict\") \
         strictfp\n{}  store {to} %r, ptr %out\n  ret void\n",
        set(mode.to_bits()),
        args.join(", "),
        set(0)
    );
    Case {
        name: format!("{name} {from} to {to} {mode:?}"),
        declares,
        body,
        width,
        ours: Box::new(ours),
        operands,
        attributes: "",
    }
}

const MODES: [Rounding; 3] = [Rounding::Down, Rounding::Up, Rounding::Zero];

#[test]
fn in_directed_modes_arithmetic_gives_the_bits_that_native_code_gives() {
    let ops = [(FBinOp::Add, "fadd"), (FBinOp::Sub, "fsub"), (FBinOp::Mul, "fmul"), (FBinOp::Div, "fdiv")];
    let mut cases = Vec::new();
    for mode in MODES {
        for k in KINDS {
            let ty = llvm(k).0;
            for (op, name) in ops {
                let ours = move |[a, b, _]: [u128; 3]| mode.binary(op, k, a, b);
                // Of two NaNs the first is chosen, and clang exchanges operands.
                let one_nan = move |v: &[u128; 3]| !is_nan(k, v[0]) || !is_nan(k, v[1]);
                let operands = Box::new(pairs(k, 6_000).filter(one_nan));
                cases.push(directed(mode, (name, ty, ty), bits(k), operands, ours));
            }
            let root = move |[a, _, _]: [u128; 3]| mode.unary(FUnOp::Sqrt, k, a);
            cases.push(directed(mode, ("sqrt", ty, ty), bits(k), singles(k, 10_000), root));
        }
    }
    check(cases);
}

#[test]
fn in_directed_modes_roundings_and_conversions_give_the_bits_that_native_code_gives() {
    use Float::{F32, F64, X80};
    let mut cases = Vec::new();
    for mode in MODES {
        for k in KINDS {
            let ty = llvm(k).0;
            let whole = move |[a, _, _]: [u128; 3]| mode.unary(FUnOp::Rint, k, a);
            cases.push(directed(mode, ("rint", ty, ty), bits(k), singles(k, 6_000), whole));
        }
        for (from, to) in [(F64, F32), (X80, F32), (X80, F64)] {
            let narrow = move |[a, _, _]: [u128; 3]| mode.convert(from, to, a);
            let what = ("fptrunc", llvm(from).0, llvm(to).0);
            cases.push(directed(mode, what, bits(to), singles(from, 20_000), narrow));
        }
        for k in KINDS {
            for w in [32, 64, 100, 128] {
                let ours = move |[a, _, _]: [u128; 3]| mode.from_int(true, w, k, a);
                let what = ("sitofp", &*format!("i{w}"), llvm(k).0);
                cases.push(directed(mode, what, bits(k), integers(w.into(), 2_000), ours));
                // Clang's code for zero is a difference, whose sign the mode turns.
                let some = Box::new(integers(w.into(), 2_000).filter(move |[a, ..]| w > 64 || *a != 0));
                let ours = move |[a, _, _]: [u128; 3]| mode.from_int(false, w, k, a);
                cases.push(directed(mode, ("uitofp", &*format!("i{w}"), llvm(k).0), bits(k), some, ours));
            }
            // Functions of libgcc, whose steps could round.
            for (name, signed) in [("fptosi", true), ("fptoui", false)] {
                let ours = move |[a, _, _]: [u128; 3]| cleave_float::to_int(signed, k, 128, a);
                cases.push(directed(mode, (name, llvm(k).0, "i128"), 128, singles(k, 6_000), ours));
            }
        }
    }
    check(cases);
}

/// Returns true if the processor has fused products.
fn has_fused() -> bool {
    std::fs::read_to_string("/proc/cpuinfo")
        .is_ok_and(|text| text.split_whitespace().any(|word| word == "fma"))
}

/// A number in place of each NaN: what a NaN's payload is depends on how the C library was compiled.
fn without_nans(k: Float, v: u128) -> u128 {
    if is_nan(k, v) { cleave_float::from_int(true, 8, k, 1) } else { v }
}

/// Likewise of what native code gives.
fn settled(k: Float, mut case: Case) -> Case {
    let ty = llvm(k).0;
    let one = if k == Float::X80 { "0xK3FFF8000000000000000" } else { "1.0" };
    let store = format!("%nan = fcmp uno {ty} %v, %v\n  %r = select i1 %nan, {ty} {one}, {ty} %v\n  store");
    case.body = case.body.replace("%r = call", "%v = call").replace("store", &store);
    case
}

#[test]
fn in_all_modes_fused_products_of_numbers_are_those_of_the_processor() {
    if !has_fused() {
        return;
    }
    let mut cases = Vec::new();
    for mode in [Rounding::Nearest].into_iter().chain(MODES) {
        for k in [Float::F32, Float::F64] {
            let ty = llvm(k).0;
            let ours = move |[a, b, c]: [u128; 3]| without_nans(k, mode.mul_add(true, k, a, b, c));
            // The C library adds a zero to a product that it has rounded.
            let numbers = move |v: &[u128; 3]| {
                v.iter().all(|&v| !is_nan(k, v)) && v[2] & (u128::MAX >> (129 - bits(k))) != 0
            };
            let operands = Box::new(triples(k, 8_000).filter(numbers));
            let mut case = directed(mode, ("fma", ty, ty), bits(k), operands, ours);
            case.attributes = "\"target-features\"=\"+fma\" strictfp";
            case.name = format!("fused {}", case.name);
            cases.push(settled(k, case));
        }
    }
    check(cases);
}

#[test]
fn in_directed_modes_fused_products_are_those_of_the_library() {
    let mut cases = Vec::new();
    for mode in MODES {
        for k in [Float::F32, Float::F64] {
            let ty = llvm(k).0;
            let ours = move |[a, b, c]: [u128; 3]| without_nans(k, mode.mul_add(true, k, a, b, c));
            let case = directed(mode, ("fma", ty, ty), bits(k), triples(k, 4_000), ours);
            cases.push(settled(k, case));
        }
    }
    check(cases);
    // musl's fmal does not always round subnormal results correctly.
    let extended = |mode: Rounding| {
        let k = Float::X80;
        let ours = move |[a, b, c]: [u128; 3]| without_nans(k, mode.mul_add(true, k, a, b, c));
        let numbers = |v: &[u128; 3]| v.iter().all(|&v| !is_nan(Float::X80, v));
        let operands = Box::new(triples(k, 4_000).filter(numbers));
        settled(k, directed(mode, ("fma", "x86_fp80", "x86_fp80"), 80, operands, ours))
    };
    check_with(Library::Host, MODES.map(extended).into());
}
