; Each comparison, of -1 with 1: a bit a comparison, the first one lowest.
; ne, ugt, uge, slt, sle: 2 + 16 + 32 + 64 + 128.
; end: exit 242
define i32 @main() {
  %p = alloca i32
  store i32 -1, ptr %p
  %a = load i32, ptr %p
  %c0 = icmp eq i32 %a, 1
  %c1 = icmp ne i32 %a, 1
  %c2 = icmp ult i32 %a, 1
  %c3 = icmp ule i32 %a, 1
  %c4 = icmp ugt i32 %a, 1
  %c5 = icmp uge i32 %a, 1
  %c6 = icmp slt i32 %a, 1
  %c7 = icmp sle i32 %a, 1
  %c8 = icmp sgt i32 %a, 1
  %c9 = icmp sge i32 %a, 1
  %v0 = insertelement <10 x i1> poison, i1 %c0, i32 0
  %v1 = insertelement <10 x i1> %v0, i1 %c1, i32 1
  %v2 = insertelement <10 x i1> %v1, i1 %c2, i32 2
  %v3 = insertelement <10 x i1> %v2, i1 %c3, i32 3
  %v4 = insertelement <10 x i1> %v3, i1 %c4, i32 4
  %v5 = insertelement <10 x i1> %v4, i1 %c5, i32 5
  %v6 = insertelement <10 x i1> %v5, i1 %c6, i32 6
  %v7 = insertelement <10 x i1> %v6, i1 %c7, i32 7
  %v8 = insertelement <10 x i1> %v7, i1 %c8, i32 8
  %v9 = insertelement <10 x i1> %v8, i1 %c9, i32 9
  %bits = bitcast <10 x i1> %v9 to i10
  %r = zext i10 %bits to i32
  ret i32 %r
}
