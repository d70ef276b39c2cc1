; Comparisons and distances of pointers, and addresses as numbers.
; end: exit 15
@a = global [4 x i32] zeroinitializer, align 16
@b = global [4 x i32] zeroinitializer, align 16
@place = global ptr null
define i32 @main() {
  store ptr @a, ptr @place
  %p = load ptr, ptr @place
  %q = getelementptr i32, ptr %p, i64 3
  %less = icmp ult ptr %p, %q        ; 1
  %x = ptrtoint ptr %q to i64
  %y = ptrtoint ptr %p to i64
  %d = sub i64 %x, %y                ; 12
  %low = and i64 %y, 15              ; 0
  %other = icmp eq ptr %p, @b
  br i1 %other, label %same, label %apart
same:
  ret i32 1
apart:
  %n = zext i1 %less to i64
  %sum = add i64 %d, %n
  %all = add i64 %sum, %low          ; 13
  %r = trunc i64 %all to i32
  %same.object = icmp ule ptr %q, %p ; 0
  br i1 %same.object, label %same, label %end
end:
  %end.r = add i32 %r, 2
  ret i32 %end.r
}
