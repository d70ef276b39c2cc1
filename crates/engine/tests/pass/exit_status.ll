; Of the result of main eight bits count.
; end: exit 3
define i32 @main() {
  %p = alloca i32
  store i32 259, ptr %p
  %r = load i32, ptr %p
  ret i32 %r
}
