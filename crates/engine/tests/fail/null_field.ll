; A write to a field of what null points to.
define i32 @main() {
  %p = alloca ptr
  store ptr null, ptr %p
  %q = load ptr, ptr %p
  %field = getelementptr { i64, i64 }, ptr %q, i64 0, i32 1
  store i64 1, ptr %field ;~ ERROR null-pointer
  ret i32 0
}
