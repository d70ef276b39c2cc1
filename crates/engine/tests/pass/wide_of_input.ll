; A decision about a wide value that depends on an input.
; end: exit 1
; end: exit 2
define i32 @main() {
  %x = call i64 @input64()
  %w = zext i64 %x to i128
  %s = mul i128 %w, %w
  %big = icmp ugt i128 %s, 1267650600228229401496703205376   ; 2^100
  br i1 %big, label %yes, label %no
yes:
  ret i32 1
no:
  ret i32 2
}
