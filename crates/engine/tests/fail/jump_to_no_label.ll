; A computed jump to what is no label.
@somewhere = global ptr blockaddress(@main, %one)
define i32 @main() {
  store ptr null, ptr @somewhere
  %to = load ptr, ptr @somewhere
  indirectbr ptr %to, [label %one] ;~ ERROR bad-call
one:
  ret i32 1
}
