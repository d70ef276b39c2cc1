; Sums, products, quotients and remainders of doubles.
; end: exit 11
define i32 @main() {
  %p = alloca double
  store double 10.5, ptr %p
  %a = load double, ptr %p
  %s = fadd double %a, 3.0        ; 13.5
  %m = fmul double %s, 2.0        ; 27
  %d = fdiv double %m, 4.0        ; 6.75
  %f = frem double %m, 4.0        ; 3
  %t = fsub double %d, 0.75       ; 6
  %u = fadd double %t, %f         ; 9
  %n = fneg double %u
  %b = fsub double 2.0, %n        ; 11
  %r = fptosi double %b to i32
  ret i32 %r
}
