define i32 @swapped(ptr %p, ptr %q, i32 %v) {
  %a = atomicrmw xchg ptr %p, i32 %v seq_cst
  %b = atomicrmw umax ptr %q, i32 %a monotonic
  ret i32 %b
}
define i32 @ordered(ptr %p, i32 %v) {
  store atomic i32 %v, ptr %p release, align 4
  fence acquire
  %a = load atomic i32, ptr %p acquire, align 4
  ret i32 %a
}
define { i8, i1 } @exchanged(ptr %p, i8 %old, i8 %new) {
  %a = cmpxchg ptr %p, i8 %old, i8 %new acq_rel monotonic
  ret { i8, i1 } %a
}
