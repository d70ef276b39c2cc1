; A switch on a known value is no decision.
; end: exit 3
define i32 @main() {
  %p = alloca i64
  store i64 4294967297, ptr %p
  %x = load i64, ptr %p
  switch i64 %x, label %other [
    i64 1, label %one
    i64 4294967297, label %big
  ]
one:
  ret i32 1
big:
  ret i32 3
other:
  ret i32 2
}
