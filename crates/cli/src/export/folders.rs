//! Puts a folder of tests in the place of an older one: files that are equal are left alone, and files of others stay.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use super::{make_folder, unwritable};
use crate::failure::Failure;

/// Puts what is in `from` into `to`. Of the folders with these names (`tests`) nothing else stays, and what `removed` tests have goes.
///
/// # Errors
/// Those of files.
pub(super) fn put_in_place(
    from: &Path,
    to: &Path,
    tests: &[&str],
    removed: &[String],
) -> Result<(), Failure> {
    make_folder(to)?;
    for entry in entries(to)? {
        let of =
            |name: &str| entry == name || entry.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
        let is_removed = removed.iter().any(|name| of(name)) && !tests.iter().any(|name| of(name));
        if is_removed {
            remove(&to.join(&entry))?;
        }
    }
    for entry in entries(from)? {
        put(&from.join(&entry), &to.join(&entry))?;
    }
    Ok(())
}

/// The names in a folder; those that are no text are nobody's tests.
fn entries(folder: &Path) -> Result<Vec<String>, Failure> {
    let list = fs::read_dir(folder).map_err(|e| unwritable(folder, &e))?;
    let mut names: Vec<String> =
        list.flatten().filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    Ok(names)
}

fn remove(path: &Path) -> Result<(), Failure> {
    let is_folder = fs::symlink_metadata(path).is_ok_and(|kind| kind.is_dir());
    let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    removed.or_else(|e| if e.kind() == ErrorKind::NotFound { Ok(()) } else { Err(unwritable(path, &e)) })
}

/// Makes `to` equal to `from`, with nothing else in it.
fn put(from: &Path, to: &Path) -> Result<(), Failure> {
    let kind = fs::symlink_metadata(from).map_err(|e| unwritable(from, &e))?;
    if kind.is_dir() {
        if !fs::symlink_metadata(to).is_ok_and(|there| there.is_dir()) {
            remove(to)?;
            make_folder(to)?;
        }
        for entry in entries(to)? {
            if fs::symlink_metadata(from.join(&entry)).is_err() {
                remove(&to.join(&entry))?;
            }
        }
        return entries(from)?.iter().try_for_each(|entry| put(&from.join(entry), &to.join(entry)));
    }
    if kind.is_symlink() {
        let target = fs::read_link(from).map_err(|e| unwritable(from, &e))?;
        if fs::read_link(to).is_ok_and(|there| there == target) {
            return Ok(());
        }
        remove(to)?;
        return std::os::unix::fs::symlink(&target, to).map_err(|e| unwritable(to, &e));
    }
    let bytes = fs::read(from).map_err(|e| unwritable(from, &e))?;
    let is_equal = fs::symlink_metadata(to)
        .is_ok_and(|there| there.is_file() && there.permissions() == kind.permissions())
        && fs::read(to).is_ok_and(|there| there == bytes);
    if is_equal {
        return Ok(());
    }
    remove(to)?;
    fs::copy(from, to).map(drop).map_err(|e| unwritable(to, &e))
}
