; A wide value goes around a loop.
; end: exit 16
define i32 @main() {
entry:
  br label %loop
loop:
  %a = phi i128 [ 1, %entry ], [ %b, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %b = mul i128 %a, 65536
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 5
  br i1 %more, label %loop, label %done
done:
  %high = lshr i128 %b, 76
  %r = trunc i128 %high to i32
  ret i32 %r
}
