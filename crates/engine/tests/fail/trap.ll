; A trap.
define i32 @main() {
  call void @llvm.trap() ;~ ERROR trap
  unreachable
}
declare void @llvm.trap()
