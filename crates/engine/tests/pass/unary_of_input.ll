; A count of bits of an input: one path, the count known to lie within its limits.
; end: exit 8
define i32 @main() {
  %x = call i8 @input8()
  %front = call i8 @llvm.ctlz.i8(i8 %x, i1 false)
  %ok = icmp ule i8 %front, 8
  %r = select i1 %ok, i32 8, i32 9
  ret i32 %r
}
declare i8 @llvm.ctlz.i8(i8, i1)
