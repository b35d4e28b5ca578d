//! Calls that code does not name: found by a text, in a library, by reflection, or in code that is decoded first. What
//! they are is worked out where it can be; where it cannot, the texts of the code count as what is called.
//! Not here: calls by their names (see `calls`).

use super::code::Evidence;
use super::literals::joined;
use super::words::texts;
use crate::rules::execution;
use crate::shell::Walker;

/// How languages find a call by something else than its name.
const INDIRECT: &[&str] = texts!(
    "getattr(@__getattribute__@__dict__[@__builtins__@__subclasses__@globals()[@vars(@\
     import_module(@__import__(@sys.modules[@attrgetter(@methodcaller(@ctypes@CDLL@cffi@\
     runpy.@process.binding@process.dlopen@mainModule@constructor(@constructor.constructor@\
     Reflect.@globalThis[@global[@_load(@createRequire@](@.send(@.send @public_send@__send__@\
     .method(@const_get@Fiddle@&{@&$@->can(@->$@*{@call_user_func@array_map(@array_walk(@\
     ReflectionFunction@FFI::@_G[@loadlib@ffi.C@ffi.load@ffi.cdef@do.call(@match.fun(@ccall(@\
     getfield(@getproperty(@dlopen@dlsym@##@asm@syscall@int 0x80@svc #0@GetProcAddress@\
     LoadLibrary@DllImport@LibraryImport@Class.forName@getMethod(@getDeclaredMethod(@\
     MethodHandle@Linker.nativeLinker@.invoke(@Activator.Create@Assembly.Load@GetMethod(@\
     InvokeMember(@NSClassFromString@NSSelectorFromString@performSelector@reflect.ValueOf@\
     MethodByName(@plugin.Open@linkname@libloading@libc::@extern \"C\"@foreign import@\
     importc@external @callproc@apply(@funcall@intern @find-symbol@resolve @\
     foreign-procedure@foreign-func"
);

/// Names of calls that are dangerous where a text picks the call.
const PICKED: &[&str] = texts!(
    "remove@unlink@unlinkSync@rmtree@rmdir@removedirs@system@popen@Popen@subprocess@\
     child_process@exec@execv@execve@execvp@execSync@execFile@execFileSync@spawn@spawnSync@\
     posix_spawn@fork_exec@startfile@passthru@shell_exec@proc_open@chmod@chmodSync@rename@\
     renameSync@rmSync@rmdirSync@rm@rm_rf@rm_r@remove_tree@eval@writeFileSync@truncate@\
     delete@RemoveAll@remove_dir_all@deleteRecursively@delete_all@os.system@os.remove@\
     os.execute@io.popen@execute"
);

/// How far behind an evaluation is looked for what it evaluates, in bytes.
const NEARBY: usize = 96;

/// Whether code finds a call by something else than its name.
pub(super) fn is_indirect(code: &str) -> bool {
    INDIRECT.iter().any(|mark| code.contains(mark))
}

impl Walker<'_> {
    /// Notes calls whose names code puts together, turns around or picks out of a table.
    pub(super) fn hidden_calls(&mut self, code: &str, texts: &[String], evidence: Evidence) {
        let picked = |text: &str| PICKED.contains(&text);
        // Whoever puts such a name together hides it.
        let made = joined(code);
        let mut made = made.iter().filter(|text| !code.contains(&format!("{text}(")));
        if let Some(name) = made.find(|text| !texts.contains(*text) && picked(text)) {
            self.found(&execution::CODE_EXECUTES, &format!("{name}, put together"));
        }
        let turns = ["[::-1]", "reverse", "strrev", "rev("].iter().any(|call| code.contains(call));
        let turned = |text: &&String| picked(&text.chars().rev().collect::<String>());
        if let Some(name) = texts.iter().filter(|_| turns).find(turned) {
            self.found(&execution::CODE_EXECUTES, &format!("{name}, turned around"));
        }
        let picks: &[&str] = match evidence {
            Evidence::Enough => &[
                "getattr(",
                "](",
                ".send(",
                "__send__",
                "__getattribute__(",
                "__dict__[",
                ".public_send(",
                ".method(",
                "call_user_func",
                "array_map(",
                "methodcaller(",
                "attrgetter(",
                "do.call(",
                "->can(",
                "Reflect.get",
            ],
            // In a program a table of calls is ordinary, one of the system's calls is not.
            Evidence::Required | Evidence::Together => &[
                "getattr(os",
                "getattr(shutil",
                "getattr(subprocess",
                "getattr(__import__",
                "os.__dict__",
                "vars(os",
                "Kernel.send(",
                "Kernel.public_send",
                "FileUtils.send(",
                "call_user_func('",
                "call_user_func(\"",
                "array_map('",
                "array_map(\"",
                "Reflect.get(fs",
                "require('child_process')[",
                "require(\"child_process\")[",
                "require('fs')[",
                "require(\"fs\")[",
            ],
        };
        let symbols = code.split(':').skip(1).map(|rest| {
            let end = rest.find(|each: char| !each.is_alphanumeric() && each != '_');
            &rest[..end.unwrap_or(rest.len())]
        });
        let named = || texts.iter().map(String::as_str).chain(symbols.clone()).any(picked);
        let picks = picks.iter().any(|call| code.contains(call));
        let calls = picks || evidence == Evidence::Enough && calls_a_variable(code);
        if calls && named() {
            self.found(&execution::CODE_EXECUTES, "a call that a text picks");
        }
        let bracketed = |text: &&String| {
            matches!(
                text.as_str(),
                "system" | "popen" | "execSync" | "spawnSync" | "rmSync" | "shell_exec"
            ) && [format!("[\"{text}\"]"), format!("['{text}']")]
                .iter()
                .any(|name| code.contains(name))
        };
        if evidence == Evidence::Enough && texts.iter().any(|text| bracketed(&text)) {
            self.found(&execution::CODE_EXECUTES, "a call that a text picks");
        }
    }
}

/// PHP and Perl call what a variable names.
fn calls_a_variable(code: &str) -> bool {
    code.match_indices('$').any(|(at, _)| {
        let rest = code[at + 1..]
            .trim_start_matches(|each: char| each.is_ascii_alphanumeric() || each == '_');
        rest.len() < code.len() - at - 1 && rest.starts_with('(')
    })
}

/// Whether code evaluates what it decodes, or fetches, in one statement.
pub(super) fn evaluates_unseen(code: &str, sources: &[&[&str]]) -> bool {
    const EVALUATES: &[&str] =
        &["eval(", "exec(", "eval ", "instance_eval", "Function(", "vm.runIn", "loadstring("];
    EVALUATES.iter().flat_map(|call| code.match_indices(call)).any(|(at, call)| {
        // `pattern.exec(` is no evaluation.
        let own = !code[..at].ends_with(|each: char| each == '.' || each.is_alphanumeric());
        let end = code.len().min(at + call.len() + NEARBY);
        let near = String::from_utf8_lossy(&code.as_bytes()[at..end]);
        let near = near.lines().next().unwrap_or_default();
        own && sources.iter().any(|table| table.iter().any(|source| near.contains(source)))
    })
}
