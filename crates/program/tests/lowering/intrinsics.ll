define i32 @integers(i32 %x, i32 %y) {
  %a = call i32 @llvm.bswap.i32(i32 %x)
  %b = call i32 @llvm.ctlz.i32(i32 %a, i1 true)
  %c = call i32 @llvm.umin.i32(i32 %b, i32 %y)
  %d = call i32 @llvm.fshl.i32(i32 %c, i32 %x, i32 %y)
  %e = call i32 @llvm.ssub.sat.i32(i32 %d, i32 1)
  %f = call i32 @llvm.abs.i32(i32 %e, i1 false)
  ret i32 %f
}
define i1 @overflow(i32 %x, i65 %y) {
  %a = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %x, i32 3)
  %b = extractvalue { i32, i1 } %a, 1
  %c = call { i65, i1 } @llvm.uadd.with.overflow.i65(i65 %y, i65 1)
  %d = extractvalue { i65, i1 } %c, 1
  %e = or i1 %b, %d
  ret i1 %e
}
define i2 @three_way(i32 %x, i32 %y) {
  %a = call i2 @llvm.scmp.i2.i32(i32 %x, i32 %y)
  ret i2 %a
}
define void @memory(ptr %p, ptr %q, i32 %n, i8 %c) {
  call void @llvm.memcpy.p0.p0.i32(ptr %p, ptr %q, i32 %n, i1 false)
  call void @llvm.memset.p0.i64(ptr %p, i8 %c, i64 16, i1 false)
  call void @llvm.lifetime.end.p0(i64 8, ptr %p)
  ret void
}
define i64 @questions(ptr %p, i32 %x) {
  %a = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  %b = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 true, i1 true, i1 false)
  %c = call i32 @llvm.get.rounding()
  %d = zext i32 %c to i64
  %e = xor i64 %a, %b
  %f = xor i64 %e, %d
  ret i64 %f
}
define double @floats(double %x, float %y) {
  %a = fpext float %y to double
  %b = call double @llvm.fma.f64(double %x, double %a, double 1.0)
  %c = call double @llvm.sqrt.f64(double %b)
  %d = call double @llvm.experimental.constrained.fadd.f64(double %c, double %x, metadata !"round.dynamic", metadata !"fpexcept.strict")
  %e = fcmp ult double %d, %x
  %f = select i1 %e, double %d, double %x
  ret double %f
}
define i80 @extended(x86_fp80 %x) {
  %a = fneg x86_fp80 %x
  %b = fptosi x86_fp80 %a to i64
  %c = uitofp i64 %b to x86_fp80
  %d = bitcast x86_fp80 %c to i80
  ret i80 %d
}
define double @not_modelled(double %x) {
  %a = call double @llvm.pow.f64(double %x, double %x)
  ret double %a
}
define ptr @frame() {
  %a = call ptr @llvm.frameaddress.p0(i32 0)
  ret ptr %a
}
define void @ends() {
  call void @llvm.trap()
  unreachable
}
declare i32 @llvm.bswap.i32(i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @llvm.fshl.i32(i32, i32, i32)
declare i32 @llvm.ssub.sat.i32(i32, i32)
declare i32 @llvm.abs.i32(i32, i1)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32)
declare { i65, i1 } @llvm.uadd.with.overflow.i65(i65, i65)
declare i2 @llvm.scmp.i2.i32(i32, i32)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.lifetime.end.p0(i64, ptr)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare i32 @llvm.get.rounding()
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare double @llvm.pow.f64(double, double)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.trap()
