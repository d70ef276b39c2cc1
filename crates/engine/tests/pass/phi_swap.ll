; Phis take their values all at once: two values change places at each turn.
; end: exit 21
define i32 @main() {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %more = icmp ult i32 %j, 4
  br i1 %more, label %loop, label %done
done:
  %ten = mul i32 %a, 10
  %r = add i32 %ten, %b
  ret i32 %r
}
