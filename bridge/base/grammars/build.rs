//! Rewrites each grammar's `parser.c` with its parse table compressed (see `src/lib.rs`), and compiles them.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use serde_json::Value;

/// The grammars' original crates. A crate's `parser.c` is in its folder `src`.
const CRATES: [&str; 3] = ["tree-sitter-c-sharp", "tree-sitter-kotlin-ng", "tree-sitter-swift"];

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/unpack.h");
    let packages = packages()?;
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?);
    let own = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("no CARGO_MANIFEST_DIR")?);
    for name in CRATES {
        let folder = packages.get(name).ok_or_else(|| format!("{name} is not in Cargo.lock"))?;
        let parser = folder.join("src/parser.c");
        println!("cargo:rerun-if-changed={}", parser.display());
        let packed = pack(&fs::read_to_string(&parser)?)
            .ok_or_else(|| format!("{}: its parse table has another form", parser.display()))?;
        let path = out.join(format!("{name}.c"));
        fs::write(&path, packed)?;
        cc::Build::new()
            .std("c11")
            .include(folder.join("src"))
            .include(own.join("src"))
            .warnings(false)
            .file(path)
            // Linked as a whole, before the original function of the same name is looked up.
            .link_lib_modifier("+whole-archive")
            .try_compile(&format!("packed-{name}"))?;
    }
    Ok(())
}

/// The source folders of the packages. Cargo gives a build script no information about a dependency's sources.
#[expect(clippy::disallowed_methods, reason = "`supervise` is for the processes of a program")]
fn packages() -> Outcome<HashMap<String, PathBuf>> {
    let cargo = env::var_os("CARGO").ok_or("CARGO is not set")?;
    let platform = env::var("TARGET")?;
    let metadata = |more: &[&str]| -> Outcome<Value> {
        let output = Command::new(&cargo)
            .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", &platform])
            .args(more)
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    };
    // A package that this build does not need may not be downloaded yet.
    let metadata = metadata(&["--offline"]).or_else(|_| metadata(&[]))?;
    if let Some(root) = metadata["workspace_root"].as_str() {
        println!("cargo:rerun-if-changed={root}/Cargo.lock");
    }
    let packages = metadata["packages"].as_array().ok_or("cargo metadata tells no packages")?;
    let folder = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_owned(), manifest.parent()?.to_owned()))
    };
    Ok(packages.iter().filter_map(folder).collect())
}

/// The text of a `parser.c` as tree-sitter's generator writes it, with its table compressed; `None` if the text has
/// another form.
fn pack(text: &str) -> Option<String> {
    const BEGIN: &str =
        "static const uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT] = {\n";
    const RETURN: &str = "  return &language;\n";
    let (head, rest) = text.split_once(BEGIN)?;
    let (rows, tail) = rest.split_once("\n};\n")?;
    let size = (number(head, "LARGE_STATE_COUNT")?, number(head, "SYMBOL_COUNT")?);
    let packed = lz4_flex::block::compress(&table(rows, &symbols(head)?, size)?);
    let mut made = head.to_owned();
    made.push_str("static uint16_t ts_parse_table[LARGE_STATE_COUNT][SYMBOL_COUNT];\n\n");
    made.push_str("static const unsigned char packed_parse_table[] = {\n");
    for line in packed.chunks(32) {
        line.iter().try_for_each(|byte| write!(made, "{byte},")).ok()?;
        made.push('\n');
    }
    made.push_str("};\n#include \"unpack.h\"\n");
    let (before, after) = tail.split_once(RETURN)?;
    made.extend([before, "  unpack_parse_table();\n", RETURN, after]);
    Some(made)
}

/// The numbers of the symbols, by name: the columns of the table, then aliases.
fn symbols(head: &str) -> Option<HashMap<&str, usize>> {
    let (_, rest) = head.split_once("enum ts_symbol_identifiers {\n")?;
    let (lines, _) = rest.split_once("};")?;
    let mut symbols = HashMap::from([("ts_builtin_sym_end", 0)]);
    for line in lines.lines() {
        let (name, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
        symbols.insert(name, number.parse().ok()?);
    }
    let count = number(head, "SYMBOL_COUNT")? + number(head, "ALIAS_COUNT")?;
    (symbols.len() == count).then_some(symbols)
}

/// The table in its memory layout: a row for each state, with a two-byte number for each column.
fn table(
    rows: &str,
    symbols: &HashMap<&str, usize>,
    (states, columns): (usize, usize),
) -> Option<Vec<u8>> {
    let mut table = vec![0; states * columns * 2];
    let mut state = states;
    for line in rows.lines() {
        if let Some(cell) = line.strip_prefix("    [") {
            let (symbol, value) = cell.split_once("] = ")?;
            let value = value.strip_suffix("),")?;
            let value = value.strip_prefix("ACTIONS(").or_else(|| value.strip_prefix("STATE("))?;
            let value: u16 = value.parse().ok()?;
            let column = symbols.get(symbol).filter(|&&column| column < columns)?;
            let at = (state * columns + column) * 2;
            table.get_mut(at..at + 2)?.copy_from_slice(&value.to_ne_bytes());
        } else if let Some(row) = line.strip_prefix("  [") {
            let row = row.strip_suffix("] = {")?;
            let row = row.strip_prefix("STATE(").map_or(row, |row| row.trim_end_matches(')'));
            state = row.parse().ok()?;
        } else if line != "  }," {
            return None;
        }
    }
    Some(table)
}

/// The value of `#define NAME`.
fn number(head: &str, name: &str) -> Option<usize> {
    let (_, rest) = head.split_once(&format!("#define {name} "))?;
    rest.lines().next()?.trim().parse().ok()
}
