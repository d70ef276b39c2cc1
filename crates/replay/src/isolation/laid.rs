//! Makes the files of a job in a folder of the machine, for runs without a sandbox. Sets permissions and times as far as a user
//! may.

use std::ffi::OsStr;
use std::fs::{File, FileTimes, Permissions};
use std::io::Result;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use cleave_linux::{Attributes, TreeNode};

use crate::Job;

/// Makes the files. The caller has checked the names.
pub(crate) fn lay_out(job: &Job, directory: &Path) -> Result<()> {
    for entry in &job.tree {
        let path = directory.join(OsStr::from_bytes(&entry.path));
        match &entry.node {
            TreeNode::Directory => std::fs::create_dir(&path)?,
            TreeNode::File(data) => std::fs::write(&path, data)?,
            TreeNode::Link(target) => std::os::unix::fs::symlink(OsStr::from_bytes(target), &path)?,
            TreeNode::Nothing => {}
        }
    }
    for (i, (name, data)) in job.files.iter().enumerate() {
        let path = directory.join(name);
        std::fs::write(&path, data)?;
        if let Some(attributes) = job.attributes.get(i) {
            set(&path, attributes)?;
        }
    }
    Ok(())
}

fn set(path: &Path, attributes: &Attributes) -> Result<()> {
    let [accessed, modified, _] = attributes.times.map(|(seconds, nanoseconds)| {
        UNIX_EPOCH + Duration::new(u64::try_from(seconds).unwrap_or(0), nanoseconds)
    });
    let file = File::options().write(true).open(path)?;
    file.set_times(FileTimes::new().set_accessed(accessed).set_modified(modified))?;
    file.set_permissions(Permissions::from_mode(attributes.mode))
}
