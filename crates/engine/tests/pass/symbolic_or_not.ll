; What depends on an input is symbolic; a copy of it that is decided is not.
; end: exit 1
; end: exit 2
define i32 @main() {
  %x = call i32 @input32()
  %is = call i32 @klee_is_symbolic(i64 7)
  %c = icmp eq i32 %x, 5
  br i1 %c, label %one, label %two
one:
  %s = add i32 %is, 1
  ret i32 %s
two:
  ret i32 2
}
declare i32 @klee_is_symbolic(i64)
