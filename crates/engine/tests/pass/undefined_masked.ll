; Bits that an operation hides are not used.
; end: exit 7
define i32 @main() {
  %p = alloca i32
  %v = load i32, ptr %p
  %none = and i32 %v, 0
  %all = or i32 %v, -1
  %s = add i32 %none, %all
  %r = add i32 %s, 8
  ret i32 %r
}
