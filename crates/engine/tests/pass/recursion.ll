; A function that calls itself: each call has registers of its own.
; end: exit 120
define i32 @factorial(i32 %n) {
  %end = icmp eq i32 %n, 0
  br i1 %end, label %done, label %more
more:
  %less = sub i32 %n, 1
  %rest = call i32 @factorial(i32 %less)
  %r = mul i32 %n, %rest
  ret i32 %r
done:
  ret i32 1
}
define i32 @main() {
  %r = call i32 @factorial(i32 5)
  ret i32 %r
}
