; A wide value keeps its defined bits through a freeze.
; end: exit 9
define i32 @main() {
  %p = alloca i128
  store i64 9, ptr %p
  %v = load i128, ptr %p
  %f = freeze i128 %v
  %whole = icmp eq i128 %f, 9
  %r = select i1 %whole, i32 9, i32 0
  ret i32 %r
}
