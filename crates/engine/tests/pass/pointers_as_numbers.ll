; Addresses are numbers: differences within an object, comparisons with null.
; end: exit 24
define i32 @main() {
  %p = alloca [8 x i64]
  %q = getelementptr i64, ptr %p, i64 3
  %a = ptrtoint ptr %p to i64
  %b = ptrtoint ptr %q to i64
  %d = sub i64 %b, %a
  %back = inttoptr i64 %b to ptr
  store i64 %d, ptr %back
  %v = load i64, ptr %q
  %null = icmp eq ptr %q, null
  %t = trunc i64 %v to i32
  %r = select i1 %null, i32 0, i32 %t
  ret i32 %r
}
