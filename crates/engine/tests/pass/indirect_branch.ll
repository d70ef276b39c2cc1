; A jump to an address out of a table: a path a label.
; end: exit 1
; end: exit 2
@labels = constant [2 x ptr] [ptr blockaddress(@main, %one), ptr blockaddress(@main, %two)]
define i32 @main() {
  %x = call i8 @input8()
  %i = and i8 %x, 1
  %n = zext i8 %i to i64
  %p = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %n
  %to = load ptr, ptr %p
  indirectbr ptr %to, [label %one, label %two]
one:
  ret i32 1
two:
  ret i32 2
}
