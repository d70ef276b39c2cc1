; Copies of memory; one that may overlap, and one that fills.
; end: exit 98
define i32 @main() {
  %p = alloca [8 x i8]
  call void @llvm.memset.p0.i64(ptr %p, i8 97, i64 8, i1 false)
  store i8 98, ptr %p
  %q = getelementptr i8, ptr %p, i64 1
  call void @llvm.memmove.p0.p0.i64(ptr %q, ptr %p, i64 7, i1 false)   ; bbaaaaaa
  %t = alloca [8 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %t, ptr %p, i64 8, i1 false)
  %u = getelementptr i8, ptr %t, i64 1
  %v = load i8, ptr %u
  %r = zext i8 %v to i32
  ret i32 %r
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
