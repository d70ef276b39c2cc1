//! Answers that the model gives in the place of Linux or the machine are counted by name and reported.

use std::process::Command;

use serde_json::Value;

const PROGRAM: &str = "#include <fenv.h>
#include <klee/klee.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cpuid.h>
int main(void) {
  unsigned a = 0, b = 0, c = 0, d = 0;
  char which;
  klee_make_symbolic(&which, 1, \"which\");
  switch (which) {
  case 1:
    return fetestexcept(FE_ALL_EXCEPT) != 0;
  case 2:
    return socket(AF_NETLINK, SOCK_RAW, 0) != -1;
  case 3:
    return malloc((size_t)17 << 30) != 0;
  case 4:
    return !__get_cpuid(1, &a, &b, &c, &d) || !(d & bit_SSE2) || c;
  case 5:
    return execl(\"/no/such/program\", \"program\", (char *)0) != -1;
  case 6:
    return socket(AF_PACKET, SOCK_RAW, 0) != -1 || socket(AF_NETLINK, SOCK_DGRAM, 0) != -1;
  case 7:
    return malloc((size_t)-100) != 0 || fesetround(FE_TONEAREST) != 0;
  case 8:
    return open(\"/dev/null\", O_RDONLY) != -1;
  case 9: {
    struct stat status;
    return stat(\"/proc/self/status\", &status) == 0 || stat(\"/proc/1\", &status) == 0;
  }
  case 10:
    return open(\"/device\", O_RDONLY) != -1 || chdir(\"/\") || open(\"dev/stdin\", O_RDONLY) != -1;
  }
  return 0;
}
";

fn cleave(command: &str) -> Command {
    let mut cleave = Command::new(env!("CARGO_BIN_EXE_cleave"));
    cleave.arg(command);
    cleave
}

#[track_caller]
fn said(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_the_model_answers_by_itself_is_counted_by_name_for_each_path() {
    let scratch = tempfile::tempdir().unwrap();
    let source = scratch.path().join("asks.c");
    std::fs::write(&source, PROGRAM).unwrap();
    for mode in ["symbolic", "concolic"] {
        let run = scratch.path().join(mode);
        let mut command = cleave("run");
        command.args(["--workers", "2", "--mode", mode, "--output-dir"]).arg(&run).arg(&source);
        let told = said(&mut command);
        let account: Value = serde_json::from_str(&said(cleave("stats").arg("--json").arg(&run))).unwrap();
        assert_eq!(account["paths"]["completed"], 11, "{account}");
        let expected = serde_json::json!({
            "cpuid knows no extension of x86-64": 1,
            "execve fails (ENOENT)": 1,
            "fetestexcept knows of no exception (0)": 1,
            "malloc of an object of more than 16 GiB fails (NULL)": 1,
            "no /dev/null": 1,
            "no /proc": 1,
            "no dev/stdin": 1,
            "socket fails (EPERM)": 2,
        });
        assert_eq!(account["made_up"], expected, "{mode}");
        assert!(told.contains("2 paths: socket fails (EPERM)"), "{told}");
        let listed = said(cleave("list").arg("--json").arg(&run));
        for line in listed.lines().filter(|l| l.contains("\"record\":\"test\"")) {
            assert!(line.contains("\"exit_status\":0"), "{line}");
        }
    }
}
