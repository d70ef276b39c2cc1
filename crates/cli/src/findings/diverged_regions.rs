//! Reports on regions whose tests took another way than before: `diverged-N.txt` in the run directory.

use std::path::{Path, PathBuf};

use cleave_campaign::{Campaign, Meta, StoredRegion};

use crate::failure::Failure;
use crate::sessions::saved::Saved;

/// The state of such regions in the database.
pub const DIVERGED: &str = "diverged";

/// Maximum number of files; `cleave list --json` has all.
const MOST: usize = 100;

/// The file of a region.
pub fn file(directory: &Path, region: u64) -> PathBuf {
    directory.join(format!("diverged-{region}.txt"))
}

/// Removes the files of before, and writes a file for each region that has diverged, up to a limit. Returns the first file.
pub fn write(campaign: &Campaign, saved: &Saved, directory: &Path) -> Result<Option<PathBuf>, Failure> {
    let meta = campaign.store().meta()?;
    remove_old(directory);
    let mut written = Vec::new();
    campaign.store().each_region::<Failure>(|region| {
        if region.state != DIVERGED || written.len() == MOST {
            return Ok(());
        }
        let path = file(directory, region.id);
        std::fs::write(&path, text(&meta, saved, &region)).map_err(|e| {
            Failure::new(format!(
                "cannot write {}: {e}; what it holds is in `cleave list --json`",
                path.display()
            ))
        })?;
        written.push(path);
        Ok(())
    })?;
    Ok(written.into_iter().next())
}

fn remove_old(directory: &Path) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let number = name.to_str().and_then(|n| n.strip_prefix("diverged-")?.strip_suffix(".txt"));
        if number.is_some_and(|n| n.parse::<u64>().is_ok()) {
            // One that stays is overwritten or out of date; neither is worth the end of a session.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

fn text(meta: &Meta, saved: &Saved, region: &StoredRegion) -> String {
    let own = env!("CARGO_PKG_VERSION");
    let arguments: Vec<String> = saved.arguments.iter().map(|a| a.escape_ascii().to_string()).collect();
    let advice = if meta.version == own {
        "Decisions depend on the program, its arguments and the test alone. If program.image is not the one that the run \
         began with,\nrestore it and resume the run. Else this is a bug of Cleave: please report it with this directory."
    } else {
        "The run was begun with another version of Cleave: finish it with that one, or start a new run."
    };
    format!(
        "Region {} was set aside as diverged: its test did not lead where it led when the region was made.\n\n\
         program    {}\n\
         code       {}\n\
         arguments  {}\n\
         version    {} began the run, this is {own}\n\
         region     {}\n\n\
         {}\n\
         {advice}\n",
        region.id,
        meta.program,
        meta.program_hash,
        arguments.join(" "),
        meta.version,
        region.region,
        region.reason.as_deref().unwrap_or("Nothing more is known."),
    )
}
