; A local variable that is larger than the stack.
define i32 @main() {
  %n = call i32 @input32()
  %p = alloca [16777216 x i8] ;~ ERROR stack-overflow
  store i8 1, ptr %p
  ret i32 0
}
