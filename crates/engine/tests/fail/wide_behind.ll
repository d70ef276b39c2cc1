; A wide value of which the high half is behind the object.
define i32 @main() {
  %p = alloca i64
  store i64 1, ptr %p
  store i128 1, ptr %p ;~ ERROR out-of-bounds
  ret i32 0
}
