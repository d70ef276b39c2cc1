; Whether a product of an input overflows is one decision.
; end: exit 0
; end: exit 1
define i32 @main() {
  %x = call i32 @input32()
  %m = call { i32, i1 } @llvm.umul.with.overflow.i32(i32 %x, i32 3)
  %over = extractvalue { i32, i1 } %m, 1
  br i1 %over, label %yes, label %no
yes:
  %least = icmp ugt i32 %x, 1431655765
  %r = zext i1 %least to i32
  ret i32 %r
no:
  ret i32 0
}
declare { i32, i1 } @llvm.umul.with.overflow.i32(i32, i32)
