; Conversions that stop at the least and the greatest integer; what is no number is 0.
; end: exit 127
define i32 @main() {
  %p = alloca double
  store double 1.0e300, ptr %p
  %big = load double, ptr %p
  %most = call i8 @llvm.fptosi.sat.i8.f64(double %big)            ; 127
  %minus = fneg double %big
  %none = call i32 @llvm.fptoui.sat.i32.f64(double %minus)        ; 0
  %nan = fsub double 0x7FF0000000000000, 0x7FF0000000000000
  %zero = call i128 @llvm.fptosi.sat.i128.f64(double %nan)        ; 0
  %least = call i7 @llvm.fptosi.sat.i7.f64(double -63.5)          ; -63
  %a = zext i8 %most to i32
  %b = trunc i128 %zero to i32
  %c = sext i7 %least to i32
  %d = add i32 %a, %b
  %e = add i32 %d, %none
  %f = add i32 %e, %c
  %r = add i32 %f, 63
  ret i32 %r
}
declare i8 @llvm.fptosi.sat.i8.f64(double)
declare i32 @llvm.fptoui.sat.i32.f64(double)
declare i128 @llvm.fptosi.sat.i128.f64(double)
declare i7 @llvm.fptosi.sat.i7.f64(double)
