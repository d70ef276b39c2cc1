//! Nanoseconds an operation takes, of each kind: `cargo run --release -p cleave-float --example speed`.

use std::hint::black_box;
use std::time::Instant;

use cleave_float::{FBinOp, FPred, FUnOp, Float};
use cleave_float::{binary, binary64, compare, convert, from_int, mul_add, to_int, unary};

/// A name, and the operation on the operands.
fn time(name: &str, values: &[u128], op: impl Fn(u128, u128) -> u128) {
    let rounds = 500;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        let start = Instant::now();
        for _ in 0..rounds {
            for pair in values.windows(2) {
                black_box(op(black_box(pair[0]), black_box(pair[1])));
            }
        }
        best = best.min(start.elapsed().as_nanos() as f64);
    }
    println!("{name:24} {:7.1} ns", best / (rounds * (values.len() - 1)) as f64);
}

fn main() {
    let less = FPred { eq: false, gt: false, lt: true, uno: false };
    let doubles: Vec<u128> = (1..1000u32).map(|i| (f64::from(i) * 1.37 - 400.0).to_bits() as u128).collect();
    for k in [Float::F32, Float::F64, Float::X80] {
        let values: Vec<u128> = doubles.iter().map(|&v| convert(Float::F64, k, v)).collect();
        for op in [FBinOp::Add, FBinOp::Mul, FBinOp::Div, FBinOp::Rem, FBinOp::MinNum] {
            time(&format!("{k:?} {op:?}"), &values, |a, b| binary(black_box(op), k, a, b));
        }
        for op in [FUnOp::Neg, FUnOp::Sqrt, FUnOp::Floor, FUnOp::Round] {
            time(&format!("{k:?} {op:?}"), &values, |a, _| unary(black_box(op), k, a));
        }
        time(&format!("{k:?} fused"), &values, |a, b| mul_add(true, k, a, b, a));
        time(&format!("{k:?} compare"), &values, |a, b| compare(black_box(less), k, a, b) as u128);
        time(&format!("{k:?} to F64"), &values, |a, _| convert(k, Float::F64, a));
        time(&format!("{k:?} from F64"), &doubles, |a, _| convert(Float::F64, k, a));
        for w in [32, 64, 128] {
            time(&format!("{k:?} to i{w}"), &values, |a, _| to_int(true, k, black_box(w), a));
            time(&format!("{k:?} from i{w}"), &doubles, |a, _| from_int(true, black_box(w), k, a));
        }
    }
    time("binary64 Add", &doubles, |a, b| binary64(FBinOp::Add, a as u64, b as u64) as u128);
}
