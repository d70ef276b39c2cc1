; What is no number is unordered, and equal to nothing.
; end: exit 6
define i32 @main() {
  %p = alloca double
  store double 0x7FF8000000000000, ptr %p
  %nan = load double, ptr %p
  %a = fcmp oeq double %nan, %nan
  %b = fcmp uno double %nan, 1.0
  %c = fcmp une double %nan, %nan
  %d = fcmp olt double %nan, 1.0
  %a1 = zext i1 %a to i32
  %b1 = select i1 %b, i32 2, i32 0
  %c1 = select i1 %c, i32 4, i32 0
  %d1 = select i1 %d, i32 8, i32 0
  %s = add i32 %a1, %b1
  %t = add i32 %c1, %d1
  %r = add i32 %s, %t
  ret i32 %r
}
