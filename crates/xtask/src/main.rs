//! `cargo run -p xtask -- gen` writes what TypeScript shares with Rust; `gen --check` says whether it is current.

mod typescript;

use std::path::Path;
use std::process::ExitCode;

const USAGE: &str = "usage: cargo run -p xtask -- gen [--check]";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["gen"] => false,
        ["gen", "--check"] => true,
        _ => return fail(USAGE),
    };
    let kinds = limber_api::kinds::describe();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../npm/limber/src/generated");
    let files = [
        ("options.ts", typescript::options(&kinds)),
        ("channels.ts", typescript::channels(&kinds)),
        ("calls.ts", typescript::calls()),
    ];
    for (name, text) in files {
        let file = folder.join(name);
        let current = std::fs::read_to_string(&file).is_ok_and(|old| old == text);
        if current {
            continue;
        }
        if check {
            return fail(&format!("npm/limber/src/generated/{name} is not what the Rust structs say: npm run gen"));
        }
        if let Err(error) = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, text)) {
            return fail(&format!("{}: {error}", file.display()));
        }
        println!("npm/limber/src/generated/{name} written");
    }
    ExitCode::SUCCESS
}

fn fail(message: &str) -> ExitCode {
    eprintln!("{message}");
    ExitCode::FAILURE
}
