; Whether an input is a number is one decision: its classes are intervals of bits.
; end: exit 1
; end: exit 2
define i32 @main() {
  %x = call i32 @input32()
  %f = bitcast i32 %x to float
  %nan = call i1 @llvm.is.fpclass.f32(float %f, i32 3)
  br i1 %nan, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
declare i1 @llvm.is.fpclass.f32(float, i32)
