; A pointer to one of two objects: a path for each when it is used.
; end: exit 1
; end: exit 2
define i32 @main() {
  %a = alloca i32
  %b = alloca i32
  store i32 1, ptr %a
  store i32 2, ptr %b
  %x = call i8 @input8()
  %c = icmp eq i8 %x, 7
  %p = select i1 %c, ptr %a, ptr %b
  %r = load i32, ptr %p
  ret i32 %r
}
