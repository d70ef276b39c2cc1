; A read at a place that depends on an input is no decision as long as it stays inside.
; end: exit 1
@squares = constant [4 x i32] [i32 0, i32 1, i32 4, i32 9]
define i32 @main() {
  %x = call i8 @input8()
  %i = and i8 %x, 3
  %n = zext i8 %i to i64
  %p = getelementptr [4 x i32], ptr @squares, i64 0, i64 %n
  %v = load i32, ptr %p
  %w = mul i64 %n, %n
  %u = trunc i64 %w to i32
  %same = icmp eq i32 %u, %v
  %r = zext i1 %same to i32
  ret i32 %r
}
