define i32 @swapped(ptr %p, i32 %v) {
  %a = atomicrmw xchg ptr %p, i32 %v seq_cst
  %b = atomicrmw umax ptr %p, i32 %a monotonic
  fence acquire
  %c = load atomic i32, ptr %p acquire, align 4
  ret i32 %b
}
define i1 @exchanged(ptr %p, i8 %old, i8 %new) {
  %a = cmpxchg ptr %p, i8 %old, i8 %new acq_rel monotonic
  %b = extractvalue { i8, i1 } %a, 1
  ret i1 %b
}
