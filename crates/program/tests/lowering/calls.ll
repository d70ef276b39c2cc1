%big = type { [3 x i64] }
declare void @nowhere(i32)
declare ptr @malloc(i64)
declare i64 @strlen(ptr)
define i32 @variadic(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %list)
  %v = va_arg ptr %list, i32
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %v
}
define i32 @caller(ptr %b, i128 %w, double %d) {
  %a = call i32 (i32, ...) @variadic(i32 1, i8 2, i128 %w, double %d, ptr byval(%big) align 16 %b)
  ret i32 %a
}
define i64 @pointer(ptr %f, i128 %w) {
  %a = call { i64, i8 } %f(i128 %w, i64 -1)
  %b = extractvalue { i64, i8 } %a, 0
  %c = call i64 (ptr, ...) %f(ptr null, i64 %b)
  ret i64 %c
}
define void @by_value(ptr byval(%big) %p) {
  call void @by_value(ptr byval(%big) %p)
  ret void
}
define ptr @builtins(i64 %n) {
  %p = call ptr @malloc(i64 %n)
  call void @nowhere(i32 1)
  ret ptr %p
}
define i64 @unknown(ptr %p) {
  %n = call i64 @strlen(ptr %p)
  ret i64 %n
}
define i32 @three(i32 %a, i64 %b, i32 %c) {
  ret i32 %c
}
define i32 @prototypes() {
  %too_many = call i32 @three(i32 1, i64 2, i32 3, i32 4)
  call i8 @three(i32 1, i64 2, i32 3)
  %too_few = call i32 @three(i32 1, i64 2)
  ret i32 %too_few
}
define i32 @another_width() {
  %r = call i32 @three(i64 1, i64 2, i32 3)
  ret i32 %r
}
define i64 @another_result() {
  %r = call i64 @three(i32 1, i64 2, i32 3)
  ret i64 %r
}
define void @another_malloc() {
  call void @malloc()
  ret void
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
