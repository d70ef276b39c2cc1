//! Common parts of the tests of machines that join: a NATS server, a coordinator, members, all of this machine.

use std::cell::Cell;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use cleave_campaign::Store;
use serde_json::Value;

use crate::session::{account, cleave, command, digests, path_text, soon, succeeded};

pub const CLEAVE: &str = env!("CARGO_BIN_EXE_cleave");

/// A NATS server of this test alone.
pub struct Server {
    pub port: u16,
    child: Child,
}

impl Server {
    pub fn new() -> Server {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Server { port, child: Server::started(port) }
    }

    pub fn started(port: u16) -> Child {
        let start = |program: &str| {
            let mut command = Command::new(program);
            command.args(["-a", "127.0.0.1", "-p", &port.to_string()]);
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()
        };
        // Debian has it where only root looks.
        let child = start("nats-server").or_else(|_| start("/usr/sbin/nats-server"));
        let child =
            child.expect("these tests need the package nats-server: scripts/setup.sh tests installs it");
        soon("the server", || TcpStream::connect(("127.0.0.1", port)).ok());
        child
    }

    pub fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn restart(&mut self) {
        self.stop();
        std::thread::sleep(Duration::from_millis(300));
        self.child = Server::started(self.port);
    }

    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A process that does not outlive its test.
pub struct Process(pub Option<Child>);

impl Process {
    pub fn new(command: &mut Command) -> Process {
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Process(Some(command.spawn().unwrap()))
    }

    pub fn signal(&self, name: &str) {
        let pid = self.0.as_ref().unwrap().id().to_string();
        assert!(Command::new("kill").args([name, &pid]).status().unwrap().success());
    }

    /// Its end and what it said.
    #[track_caller]
    pub fn output(mut self) -> Output {
        let start = Instant::now();
        while !self.has_ended() {
            assert!(start.elapsed() < Duration::from_secs(120), "a process does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        self.0.take().unwrap().wait_with_output().unwrap()
    }

    pub fn has_ended(&mut self) -> bool {
        self.0.as_mut().unwrap().try_wait().unwrap().is_some()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

pub fn key(folder: &Path, name: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, format!("{name} 0123456789abcdef\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

/// Common parts of the tests of a cluster.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub server: Server,
    pub key: PathBuf,
    /// Number of folders in which nodes keep their paths.
    pub stores: Cell<usize>,
}

impl Place {
    pub fn new() -> Place {
        let folder = tempfile::tempdir().unwrap();
        let key = key(folder.path(), "key");
        Place { folder, server: Server::new(), key, stores: Cell::new(0) }
    }

    pub fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// `cleave COMMAND ... --cluster`; it is not the tests' usual command, as a signal is to reach it.
    pub fn coordinator(&self, command: &str, options: &[&str]) -> Process {
        let mut process = Command::new(CLEAVE);
        process
            .args([command, "--cluster", &self.server.url(), "--cluster-key"])
            .arg(&self.key)
            .args(options);
        Process::new(&mut process)
    }

    pub fn run(&self, directory: &Path, program: &Path) -> Process {
        let options = ["--write-tests", "no", "--output-dir", path_text(directory), path_text(program)];
        self.coordinator("run", &options)
    }

    pub fn join_with(&self, key: &Path, options: &[&str]) -> Process {
        let mut process = Command::new(CLEAVE);
        process.args(["join", &self.server.url(), "--cluster-key"]).arg(key).args(options);
        self.stores.set(self.stores.get() + 1);
        process.arg("--store").arg(self.store(self.stores.get()));
        Process::new(&mut process)
    }

    /// The folder of the node that joined as the how many-th.
    pub fn store(&self, n: usize) -> PathBuf {
        self.at(&format!("store{n}"))
    }

    /// Brings the paths of a run home.
    #[track_caller]
    pub fn gather(&self, directory: &Path) {
        let mut command = vec!["gather".into(), directory.as_os_str().to_owned()];
        for n in (1..=self.stores.get()).filter(|n| self.store(*n).is_dir()) {
            command.extend(["--from".into(), self.store(n).into_os_string()]);
        }
        succeeded(&cleave(command));
    }

    /// The run is whole: it has these paths, each once.
    #[track_caller]
    pub fn is_whole(&self, directory: &Path, paths: usize) {
        self.gather(directory);
        assert_eq!(digests(directory).len(), paths);
        let account = account(directory);
        let once = (&account["doubled"], &account["open_regions"], &account["each_once"]);
        assert_eq!(once, (&0.into(), &0.into(), &true.into()), "{account}");
    }

    pub fn join(&self, workers: u32) -> Process {
        self.join_with(&self.key, &["--any-program", "--workers", &workers.to_string()])
    }
}

/// `cleave cluster status`, with this key.
pub fn asked(place: &Place, key: &Path, json: bool) -> Output {
    let mut command = command();
    command.args(["cluster", "status", &place.server.url(), "--cluster-key"]).arg(key);
    command.args(json.then_some("--json")).output().unwrap()
}

/// Number of members that have reported paths.
pub fn working(place: &Place) -> usize {
    let output = asked(place, &place.key, true);
    let status: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let members = status["members"].as_array().into_iter().flatten();
    members.filter(|member| member["paths"].as_u64() > Some(0)).count()
}

/// Paths are recorded.
pub fn has_paths(directory: &Path) -> bool {
    let account = Store::read(directory).and_then(|store| store.account());
    account.is_ok_and(|account| account.paths.ended() > 100)
}
