; Arithmetic that tells whether it overflowed: the wrapped result and a bit.
; end: exit 111
define i32 @main() {
  %p = alloca i8
  store i8 100, ptr %p
  %a = load i8, ptr %p
  %s = call { i8, i1 } @llvm.sadd.with.overflow.i8(i8 %a, i8 100)   ; -56, 1
  %u = call { i8, i1 } @llvm.uadd.with.overflow.i8(i8 %a, i8 100)   ; 200, 0
  %d = call { i8, i1 } @llvm.usub.with.overflow.i8(i8 %a, i8 101)   ; -1, 1
  %m = call { i8, i1 } @llvm.smul.with.overflow.i8(i8 %a, i8 2)     ; -56, 1
  %s1 = extractvalue { i8, i1 } %s, 1
  %u1 = extractvalue { i8, i1 } %u, 1
  %d1 = extractvalue { i8, i1 } %d, 1
  %m1 = extractvalue { i8, i1 } %m, 1
  %v = extractvalue { i8, i1 } %d, 0
  %x = xor i8 %v, -112                                              ; 111
  %c1 = and i1 %s1, %d1
  %c2 = and i1 %c1, %m1
  %c3 = xor i1 %u1, true
  %c4 = and i1 %c2, %c3
  %y = zext i8 %x to i32
  %r = select i1 %c4, i32 %y, i32 0
  ret i32 %r
}
declare { i8, i1 } @llvm.sadd.with.overflow.i8(i8, i8)
declare { i8, i1 } @llvm.uadd.with.overflow.i8(i8, i8)
declare { i8, i1 } @llvm.usub.with.overflow.i8(i8, i8)
declare { i8, i1 } @llvm.smul.with.overflow.i8(i8, i8)
