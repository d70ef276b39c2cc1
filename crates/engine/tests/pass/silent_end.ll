; A silent end is no path.
; end: exit 3
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp ugt i8 %x, 250
  br i1 %c, label %high, label %low
high:
  call void @klee_silent_exit(i32 1)
  unreachable
low:
  ret i32 3
}
