//! `--metrics`: the account of a run for Prometheus, while the run goes on.

use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;

use tiny_http::Server;

use crate::failure::Failure;
use crate::formats::exposition;
use crate::options::session::ExplorationOptions;
use crate::process::messages::note;
use crate::serving::http;
use crate::sessions::run_dir;

/// Content type of Prometheus' text format.
const KIND: &str = "text/plain; version=0.0.4; charset=utf-8";

/// More metrics: those of the members of a cluster.
pub type More = Box<dyn Fn() -> String + Send>;

/// Server for metrics before there is a run; `None` without `--metrics`.
pub struct Metrics(Option<Arc<Server>>);

/// Server for metrics of a run, which answers as long as this value lives.
pub struct Serving(Option<(Arc<Server>, JoinHandle<()>)>);

impl Metrics {
    /// Listens at the address of the options. Call it before anything else, so that no run is begun in vain.
    ///
    /// # Errors
    /// If the address is not available.
    pub fn listen(options: &ExplorationOptions) -> Result<Metrics, Failure> {
        let server = options.metrics.map(http::listen).transpose()?;
        Ok(Metrics(server.map(Arc::new)))
    }

    /// Answers with the account of the run in `directory`, and with `more`.
    ///
    /// # Errors
    /// If no thread can be started for it.
    pub fn serve(self, directory: &Path, more: Option<More>) -> Result<Serving, Failure> {
        let Some(server) = self.0 else { return Ok(Serving(None)) };
        let (own, directory) = (server.clone(), directory.to_path_buf());
        let answer = move |path: &str| match path {
            "/metrics" => {
                let account = run_dir::account(&directory);
                let account = account.map_err(|failure| (500, format!("{}\n", failure.sentence())))?;
                let mut text = exposition::of_account(&account);
                text.extend(more.iter().map(|more| more()));
                Ok((KIND, text))
            }
            _ => Err((404, "there is /metrics\n".into())),
        };
        let thread = std::thread::Builder::new().spawn(move || http::serve(&own, answer))?;
        note(format_args!("metrics: http://{}/metrics", server.server_addr()));
        Ok(Serving(Some((server, thread))))
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        if let Some((server, thread)) = self.0.take() {
            server.unblock();
            let _ = thread.join();
        }
    }
}
