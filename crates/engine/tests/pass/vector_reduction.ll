; All lanes of a vector put together.
; end: exit 38
@four = global <4 x i32> <i32 1, i32 2, i32 3, i32 4>
define i32 @main() {
  %a = load <4 x i32>, ptr @four
  %s = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %a)     ; 10
  %m = call i32 @llvm.vector.reduce.mul.v4i32(<4 x i32> %a)     ; 24
  %g = call i32 @llvm.vector.reduce.smax.v4i32(<4 x i32> %a)    ; 4
  %t = add i32 %s, %m
  %r = add i32 %t, %g
  ret i32 %r
}
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.mul.v4i32(<4 x i32>)
declare i32 @llvm.vector.reduce.smax.v4i32(<4 x i32>)
