; Minimum, maximum, and arithmetic that stops at the limits.
; end: exit 46
define i32 @main() {
  %p = alloca i8
  store i8 100, ptr %p
  %a = load i8, ptr %p
  %s = call i8 @llvm.sadd.sat.i8(i8 %a, i8 100)    ; 127
  %u = call i8 @llvm.uadd.sat.i8(i8 %a, i8 -56)    ; 255
  %d = call i8 @llvm.usub.sat.i8(i8 %a, i8 101)    ; 0
  %h = call i8 @llvm.ushl.sat.i8(i8 %a, i8 2)      ; 255
  %m = call i8 @llvm.smin.i8(i8 %a, i8 -3)         ; -3
  %n = call i8 @llvm.umin.i8(i8 %a, i8 -3)         ; 100
  %t = add i8 %s, %u                               ; 126
  %v = add i8 %t, %d
  %w = add i8 %v, %h                               ; 125
  %x = add i8 %w, %m                               ; 122
  %y = xor i8 %x, %n                               ; 30
  %z = add i8 %y, 16
  %r = zext i8 %z to i32
  ret i32 %r
}
declare i8 @llvm.sadd.sat.i8(i8, i8)
declare i8 @llvm.uadd.sat.i8(i8, i8)
declare i8 @llvm.usub.sat.i8(i8, i8)
declare i8 @llvm.ushl.sat.i8(i8, i8)
declare i8 @llvm.smin.i8(i8, i8)
declare i8 @llvm.umin.i8(i8, i8)
