; The one signed quotient that does not fit; and by zero.
; end: exit 7
define i32 @main() {
  %x = call i8 @input8()
  %q = sdiv i8 -128, %x ;~ ERROR division x2
  ret i32 7
}
