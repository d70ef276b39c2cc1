; A read where no object is.
define i32 @main() {
  %p = alloca i64
  store i64 70368744177665, ptr %p
  %a = load i64, ptr %p
  %q = inttoptr i64 %a to ptr
  %v = load i8, ptr %q ;~ ERROR wild-pointer
  ret i32 0
}
