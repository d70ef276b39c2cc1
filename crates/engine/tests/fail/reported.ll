; An error function of the competition on software verification.
define i32 @main() {
  call void @reach_error() ;~ ERROR reported
  ret i32 0
}
declare void @reach_error()
