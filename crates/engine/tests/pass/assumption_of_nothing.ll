; A path that contradicts an assumption ends there, and the others go on.
; end: assumed-away
; end: exit 3
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp ugt i8 %x, 250
  br i1 %c, label %high, label %low
high:
  %d = icmp ult i8 %x, 9
  %v = zext i1 %d to i64
  call void @klee_assume(i64 %v)
  ret i32 4
low:
  ret i32 3
}
