; A funnel shift takes its amount modulo the width.
; end: exit 45
define i32 @main() {
  %p = alloca i8
  store i8 18, ptr %p                                      ; 12
  %a = load i8, ptr %p
  %l = call i8 @llvm.fshl.i8(i8 %a, i8 -48, i8 12)         ; 12:d0 left by 4: 2d
  %r = call i8 @llvm.fshr.i8(i8 %a, i8 -48, i8 4)          ; right by 4: 2d
  %same = icmp eq i8 %l, %r
  %v = zext i8 %l to i32
  %x = select i1 %same, i32 %v, i32 0
  ret i32 %x
}
declare i8 @llvm.fshl.i8(i8, i8, i8)
declare i8 @llvm.fshr.i8(i8, i8, i8)
