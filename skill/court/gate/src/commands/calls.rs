//! How dangerous calls are written in several languages, and the literals of a piece of code.

use crate::shell::UNKNOWN;

/// Calls that delete, by how they are written in several languages.
pub(super) const DESTROYS: &[&str] = &[
    "rmtree",
    "kill(-1",
    "killpg(",
    ".delete()",
    "os.remove",
    "os.unlink",
    ".unlink(",
    "unlink(",
    "unlink ",
    "os.rmdir",
    ".rmdir(",
    "removedirs",
    "rm_rf",
    "rm_r(",
    "rm_f",
    "remove_dir",
    "remove_file",
    "rmSync",
    "rmdirSync",
    "unlinkSync",
    "fs.rm(",
    "fs.unlink",
    "fs.rmdir",
    "Deno.remove",
    "removeSync",
    "rimraf",
    "File.delete",
    "FileUtils.rm",
    "Dir.rmdir",
    "remove_tree",
    "delete-directory",
    "delete-file",
    "os.RemoveAll",
    "removeDir(",
    "Directory.Delete",
    "File.Delete(",
    "removeDirectoryRecursive",
    "remove_all(",
    "deleteTree(",
    "deleteTreeAbsolute(",
    "deleteFileAbsolute(",
    "deleteDirAbsolute(",
    "rmdirRecurse",
    "os.Remove(",
    "RemoveAll(",
    "file.remove",
    "os.remove(",
    "truncateSync",
    ".truncate(",
    "os.truncate",
    "shutil.move",
    "Files.delete",
    "deleteDirectory",
    "file delete",
    "rmdir(",
    "deleteRecursively",
    "delete_folder",
    "send2trash",
    "os.replace(",
    "delete(",
    "File.unlink",
    "Remove-Item",
    "emptyDirSync",
    "remove_entry",
    "delete_all",
    "destroy_all",
    "::truncate",
    "removeItem",
    "'unlink'",
    "\"unlink\"",
    "deleteDir(",
    "File.rm",
    "FileSystem.delete",
    "rm(",
];

/// What stands for the home folder or the root in code.
pub(super) const HOMES: &[&str] = &[
    "homedir(",
    "Path.home(",
    "expanduser",
    "process.env.HOME",
    "UserHomeDir",
    "Dir.home",
    "$ENV{HOME}",
    "ENVIRON[\"HOME\"]",
    "Sys.getenv(\"HOME\")",
    "ENV['HOME']",
    "ENV[\"HOME\"]",
    "environ['HOME']",
    "environ[\"HOME\"]",
    "getenv(\"HOME\")",
    "getenv('HOME')",
    "$HOME",
    "home_dir(",
    "user.home",
];

/// Calls that start a program.
pub(super) const EXECUTES: &[&str] = &[
    "os.system",
    "execl(",
    "execlp(",
    "execle(",
    "execv(",
    "execvp(",
    "execve(",
    "system2(",
    "system*",
    "create_subprocess",
    "os.popen",
    "os.exec",
    "os.spawn",
    "posix_spawn",
    "subprocess",
    "Popen",
    "pty.spawn",
    "child_process",
    "execSync",
    "spawnSync",
    "execFile",
    "system(",
    "system ",
    "popen(",
    "shell_exec",
    "passthru",
    "proc_open",
    "pcntl_exec",
    "exec(",
    "exec ",
    "qx",
    "%x",
    "Open3",
    "IO.popen",
    "Kernel.exec",
    "spawn(",
    "callCommand",
    "Sys.command",
    "run-program",
    "run-shell-command",
    "commandLine",
    "sh \"",
    "sh '",
    "write18",
    "callProcess",
    "spawn ",
    ".execute(",
    "].!",
    "\".!",
    "System.shell",
    "os.execute",
    "io.popen",
    "do shell script",
    "shell-command",
    "call-process",
    "start-process",
    "Process::Command",
    "Command::new",
    "exec.Command",
    "Runtime.getRuntime",
    "ProcessBuilder",
    "Deno.Command",
    "Deno.run",
    "Bun.spawn",
    "Bun.$",
    "run(`",
    "shell ",
    "commands.getoutput",
    "getline",
    "|&",
    "os:cmd",
    "System.cmd",
    "syscall",
    "fork(",
    "launchPath",
    "executableURL",
    "Process.Start",
    "Process.run",
    "Process.spawn",
    "executeShell",
    "spawnProcess",
    "execCmd",
    "execShellCmd",
    "startProcess",
    "Child.init",
    "Child.run",
];

/// Calls that decode or execute a text as code.
pub(super) const EVALUATES: &[&str] = &[
    "eval(",
    "eval ",
    "exec(",
    "compile(",
    "Function(",
    "__import__",
    "loadstring",
    "load(",
    "instance_eval",
    "vm.runIn",
    "importlib",
    "unserialize",
    "assert(",
    "marshal",
    "pickle.load",
    "(eval)",
    "eval get",
    "eval URI",
];
pub(super) const DECODES: &[&str] = &[
    "b64decode",
    "base64",
    "atob(",
    "unhexlify",
    "fromhex",
    "codecs.decode",
    "pack(",
    "pack ",
    "unpack",
    "decode64",
    "zlib",
    "Buffer.from",
    "rot13",
    "chr(",
    "fromCharCode",
    "hex2bin",
    "gzinflate",
    "[::-1]",
];

/// Calls that talk to a network.
pub(super) const NETWORK: &[&str] = &[
    "urllib",
    "urlopen",
    "requests.",
    "http.client",
    "httpx",
    "aiohttp",
    "socket",
    "fetch(",
    "http.get",
    "https.get",
    "http.request",
    "https.request",
    "axios",
    "net.connect",
    "net.Socket",
    "Net::HTTP",
    "open-uri",
    "LWP",
    "HTTP::Tiny",
    "IO::Socket",
    "file_get_contents('http",
    "file_get_contents(\"http",
    "curl_exec",
    "fsockopen",
    "reqwest",
    "TcpStream",
    "http.Get",
    "URI.open",
    "/inet/tcp",
    "ftplib",
    "smtplib",
    "paramiko",
    "TCPSocket",
    "UDPSocket",
    "Socket.tcp",
];
pub(super) const SENDS: &[&str] =
    &["post(", "POST", "put(", "data=", "send(", "sendall", "upload", "connect(("];

/// Words that reveal the environment.
pub(super) const REVEALS: &[&str] = &[
    "os.environ",
    "process.env",
    "ENV.to_h",
    "ENV.each",
    "%ENV",
    "getenv()",
    "$_ENV",
    "ENVIRON",
    "::vars()",
];

/// Whether a word reveals the environment as a whole, not one variable of it.
pub(super) fn reveals_all(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let rest = &code[at + word.len()..];
        let one = rest.starts_with('[')
            || rest.starts_with('.')
                && !rest.starts_with(".items")
                && !rest.starts_with(".values")
                && !rest.starts_with(".copy");
        let name: String = rest
            .chars()
            .take(40)
            .filter(|each| each.is_ascii_alphanumeric() || *each == '_')
            .collect();
        !one || crate::path::is_secret_word(name.split("get").last().unwrap_or_default())
    })
}

pub(super) fn is_path(text: &str) -> bool {
    let plain = !text.contains(['\n', ' ', '(', '<']) && text.len() < 512;
    plain
        && !text.contains("://")
        && (text.starts_with(['/', '~', '.']) || text.contains('/'))
        && !text.chars().all(|each| "/.".contains(each) && each == '.')
}

/// A pattern for names of files.
pub(super) fn is_pattern(text: &str) -> bool {
    text.len() < 64
        && text.contains('*')
        && text.chars().all(|each| each.is_ascii_alphanumeric() || "*?._-[]".contains(each))
}

/// The quoted texts of code, in order; in languages with backticks those too.
pub(super) fn literals(code: &str, language: &str) -> Vec<String> {
    let mut texts = Vec::new();
    let mut text = String::new();
    let mut open: Option<char> = None;
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match open {
            Some(quote) if character == quote => {
                open = None;
                if !text.is_empty() {
                    texts.push(std::mem::take(&mut text));
                }
            }
            Some(_) if character == '\\' => match characters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('x') => {
                    let digits: String = characters.by_ref().take(2).collect();
                    text.push(u8::from_str_radix(&digits, 16).map_or(UNKNOWN, char::from));
                }
                Some(other) => text.push(other),
                None => {}
            },
            Some(_) => text.push(character),
            None if character == '"' || (character == '`' && language != "text") => {
                open = Some(character)
            }
            // In Rust a quote is a lifetime or a character; in Lisp it quotes a form.
            None if character == '\''
                && !matches!(language, "rust" | "lisp" | "c" | "go" | "awk") =>
            {
                open = Some(character)
            }
            None => {}
        }
        if texts.len() > 256 {
            break;
        }
    }
    if open.is_some() && !text.is_empty() {
        texts.push(text);
    }
    let lists: &[&str] = match language {
        "ruby" => &["%w", "%W", "%i"],
        "perl" => &["qw"],
        _ => &[],
    };
    for (_, rest) in lists.iter().filter_map(|list| code.split_once(list)) {
        let close = match rest.chars().next() {
            Some('(') => ')',
            Some('[') => ']',
            Some('{') => '}',
            Some('/') => '/',
            _ => continue,
        };
        let words = rest[1..].split(close).next().unwrap_or_default().split_whitespace();
        texts.extend(words.take(16).map(str::to_owned));
    }
    texts
}

/// Texts that code puts together out of literals: `'sys'+'tem'`.
pub(super) fn joined(code: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for quote in ['\'', '"'] {
        for joiner in ["+", ".", "..", " ", "<>"] {
            let seam = format!("{quote}{joiner}{quote}");
            let spaced = format!("{quote} {joiner} {quote}");
            if !code.contains(&seam) && !code.contains(&spaced) {
                continue;
            }
            let plain = code.replace(&seam, "").replace(&spaced, "");
            let parts = plain.split(quote).skip(1).step_by(2).take(64);
            texts.extend(parts.map(str::to_owned));
        }
    }
    texts
}
