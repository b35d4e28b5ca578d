//! The folder `schemas/` and the list in the programs agree.

use std::collections::BTreeSet;

use crate::tree::files;

#[test]
fn every_schema_file_is_registered() {
    let files = files();
    let names = files.iter().filter_map(|file| {
        let name = file.path.strip_prefix("schemas/")?.strip_suffix(".json")?;
        (!name.contains('/')).then(|| name.trim_end_matches(".schema"))
    });
    let registered = contract::schema::ALL.iter().map(|schema| schema.name);
    assert_eq!(names.collect::<BTreeSet<_>>(), registered.collect::<BTreeSet<_>>());
}
