; A write at a place that depends on an input changes that place and no other.
; end: exit 1
; end: exit 2
define i32 @main() {
  %p = alloca [4 x i8]
  store i32 0, ptr %p
  %x = call i8 @input8()
  %i = and i8 %x, 3
  %n = zext i8 %i to i64
  %q = getelementptr [4 x i8], ptr %p, i64 0, i64 %n
  store i8 1, ptr %q
  %first = load i8, ptr %p
  %c = icmp eq i8 %first, 1
  br i1 %c, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
