; A switch on an input: a path for each target, however many cases lead there, and one for the default.
; end: exit 10
; end: exit 20
; end: exit 30
define i32 @main() {
  %x = call i8 @input8()
  switch i8 %x, label %other [
    i8 1, label %ten
    i8 2, label %ten
    i8 3, label %ten
    i8 -1, label %twenty
  ]
ten:
  ret i32 10
twenty:
  ret i32 20
other:
  ret i32 30
}
