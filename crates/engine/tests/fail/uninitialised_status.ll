; A program whose exit status nobody has set.
define i32 @main() {
  %p = alloca i32
  %v = load i32, ptr %p
  ret i32 %v ;~ ERROR uninitialised
}
