; A call of a function that is defined nowhere.
define i32 @main() {
  %r = call i32 @nowhere() ;~ ERROR unsupported
  ret i32 %r
}
declare i32 @nowhere()
