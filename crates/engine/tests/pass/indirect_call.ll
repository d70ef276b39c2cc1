; A call through a table of functions with an input as the index: a path a function.
; end: exit 13
; end: exit 30
@table = constant [2 x ptr] [ptr @plus, ptr @times]
define i32 @plus(i32 %a, i32 %b) {
  %r = add i32 %a, %b
  ret i32 %r
}
define i32 @times(i32 %a, i32 %b) {
  %r = mul i32 %a, %b
  ret i32 %r
}
define i32 @main() {
  %x = call i8 @input8()
  %i = and i8 %x, 1
  %n = zext i8 %i to i64
  %p = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
  %f = load ptr, ptr %p
  %r = call i32 %f(i32 3, i32 10)
  ret i32 %r
}
