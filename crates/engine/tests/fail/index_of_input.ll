; An index that an input chooses: inside of the object a path, outside of it a bug.
; end: exit 1
@four = global [4 x i32] [i32 1, i32 1, i32 1, i32 1]
define i32 @main() {
  %x = call i8 @input8()
  %n = zext i8 %x to i64
  %p = getelementptr [4 x i32], ptr @four, i64 0, i64 %n
  %v = load i32, ptr %p ;~ ERROR out-of-bounds
  ret i32 %v
}
