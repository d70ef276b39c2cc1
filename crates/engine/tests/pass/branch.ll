; A branch on an input: both directions are paths.
; end: exit 1
; end: exit 2
define i32 @main() {
  %x = call i8 @input8()
  %bit = trunc i8 %x to i1
  br i1 %bit, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
