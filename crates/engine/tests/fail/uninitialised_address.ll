; An access at an address that nobody has set.
define i32 @main() {
  %p = alloca ptr
  %q = load ptr, ptr %p
  store i32 1, ptr %q ;~ ERROR uninitialised
  ret i32 0
}
