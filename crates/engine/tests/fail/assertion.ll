; A failed assertion, with its text.
; end: exit 0
@text = constant [6 x i8] c"x < 9\00"
@file = constant [4 x i8] c"f.c\00"
define i32 @main() {
  %x = call i8 @input8()
  %c = icmp ult i8 %x, 9
  br i1 %c, label %done, label %bad
bad:
  call void @__assert_fail(ptr @text, ptr @file, i32 3, ptr @file) ;~ ERROR assertion
  unreachable
done:
  ret i32 0
}
declare void @__assert_fail(ptr, ptr, i32, ptr)
