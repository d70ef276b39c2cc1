; A copy of more than the source has.
define i32 @main() {
  %p = call ptr @calloc(i64 1, i64 8)
  %q = alloca [16 x i8]
  %r = call ptr @memcpy(ptr %q, ptr %p, i64 9) ;~ ERROR out-of-bounds
  ret i32 0
}
declare ptr @memcpy(ptr, ptr, i64)
