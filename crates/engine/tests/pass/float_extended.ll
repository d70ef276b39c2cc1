; x87 numbers have 64 bits of precision: 2^60 + 1 is exact.
; end: exit 1
define i32 @main() {
  %p = alloca x86_fp80
  store x86_fp80 0xK403B8000000000000000, ptr %p   ; 2^60
  %a = load x86_fp80, ptr %p
  %b = fadd x86_fp80 %a, 0xK3FFF8000000000000000   ; 1
  %c = fsub x86_fp80 %b, %a
  %r = fptosi x86_fp80 %c to i32
  ret i32 %r
}
