; klee_get_value gives one value of an input, the least; the path stays whole.
; end: exit 10
define i32 @main() {
  %x = call i32 @input32()
  %c = icmp uge i32 %x, 10
  %v = zext i1 %c to i64
  call void @klee_assume(i64 %v)
  %least = call i32 @klee_get_value_i32(i32 %x)
  ret i32 %least
}
declare i32 @klee_get_value_i32(i32)
