; Poison in the arm that is not chosen does no harm.
; end: exit 6
define i32 @main() {
  %p = alloca i1
  store i1 true, ptr %p
  %c = load i1, ptr %p
  %v = select i1 %c, i32 6, i32 poison
  ret i32 %v
}
