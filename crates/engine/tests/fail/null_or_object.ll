; A pointer that is null for some inputs.
; end: exit 3
define i32 @main() {
  %a = alloca i32
  store i32 3, ptr %a
  %x = call i8 @input8()
  %c = icmp eq i8 %x, 0
  %p = select i1 %c, ptr null, ptr %a
  %v = load i32, ptr %p ;~ ERROR null-pointer
  ret i32 %v
}
