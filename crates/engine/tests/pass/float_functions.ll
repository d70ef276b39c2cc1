; Rounding, roots, signs, and a product and sum that are rounded once.
; end: exit 19
define i32 @main() {
  %p = alloca double
  store double -2.5, ptr %p
  %a = load double, ptr %p
  %f = call double @llvm.floor.f64(double %a)                   ; -3
  %c = call double @llvm.ceil.f64(double %a)                    ; -2
  %e = call double @llvm.rint.f64(double %a)                    ; -2
  %b = call double @llvm.fabs.f64(double %a)                    ; 2.5
  %q = call double @llvm.sqrt.f64(double 81.0)                  ; 9
  %s = call double @llvm.copysign.f64(double 1.0, double %a)    ; -1
  %m = call double @llvm.fma.f64(double %b, double 4.0, double %q)   ; 19
  %n = call double @llvm.maxnum.f64(double %f, double %c)       ; -2
  %t = fsub double %n, %e                                       ; 0
  %u = fadd double %m, %t
  %v = fadd double %u, %s                                       ; 18
  %w = fsub double %v, %s                                       ; 19
  %r = fptosi double %w to i32
  ret i32 %r
}
declare double @llvm.floor.f64(double)
declare double @llvm.ceil.f64(double)
declare double @llvm.rint.f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.maxnum.f64(double, double)
