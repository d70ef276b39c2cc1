; A length below zero.
define i32 @main() {
  %p = alloca [8 x i8]
  %r = call ptr @memset(ptr %p, i32 0, i64 -1) ;~ ERROR bad-length
  ret i32 0
}
declare ptr @memset(ptr, i32, i64)
