; A remainder by a wide zero.
define i32 @main() {
  %p = alloca i128
  store i128 0, ptr %p
  %z = load i128, ptr %p
  %q = urem i128 5, %z ;~ ERROR division
  %r = trunc i128 %q to i32
  ret i32 %r
}
