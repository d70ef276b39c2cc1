; A recursion without end fills the stack.
define void @deeper() {
  call void @deeper() ;~ ERROR stack-overflow
  ret void
}
define i32 @main() {
  call void @deeper()
  ret i32 0
}
