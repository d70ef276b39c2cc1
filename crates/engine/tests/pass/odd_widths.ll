; Integers of 7 and 33 bits wrap where their width ends, and keep their value in memory.
; end: exit 23
define i32 @main() {
  %p = alloca i33
  store i33 8589934591, ptr %p   ; 2^33 - 1
  %a = load i33, ptr %p
  %b = add i33 %a, 6             ; 5
  %c = trunc i33 %b to i7
  %d = mul i7 %c, 30             ; 150 - 128 = 22
  %e = sext i7 %d to i32
  %high = icmp eq i33 %b, 5
  %one = zext i1 %high to i32
  %r = add i32 %e, %one
  ret i32 %r
}
