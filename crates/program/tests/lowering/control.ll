define i32 @swap(i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %b, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %j = add i32 %i, 1
  %c = icmp ult i32 %j, %n
  br i1 %c, label %loop, label %done
done:
  %r = sub i32 %a, %b
  ret i32 %r
}
define i32 @shifted(i32 %n) {
entry:
  br label %loop
loop:
  %a = phi i32 [ 1, %entry ], [ %n, %loop ]
  %b = phi i32 [ 2, %entry ], [ %a, %loop ]
  %c = phi i32 [ 3, %entry ], [ %b, %loop ]
  %d = icmp eq i32 %c, %n
  br i1 %d, label %done, label %loop
done:
  ret i32 %c
}
define i32 @switch(i8 %x) {
entry:
  switch i8 %x, label %other [
    i8 1, label %same
    i8 -1, label %same
    i8 65, label %done
  ]
same:
  br label %done
other:
  unreachable
done:
  %r = phi i32 [ 10, %same ], [ 20, %entry ]
  ret i32 %r
}
define i32 @condition_used_twice(i32 %x) {
entry:
  %c = icmp sgt i32 %x, 5
  br i1 %c, label %then, label %done
then:
  br label %done
done:
  %z = zext i1 %c to i32
  ret i32 %z
}
define i32 @computed_goto(i1 %c) {
entry:
  %to = select i1 %c, ptr blockaddress(@computed_goto, %one), ptr blockaddress(@computed_goto, %two)
  indirectbr ptr %to, [label %one, label %two]
one:
  ret i32 1
two:
  ret i32 2
}
define void @never_reached() {
  ret void
island:
  br label %island
}
