//! How the calls of many languages are written that delete, execute, evaluate, send or reveal. Not here: who looks for
//! them (see `code`), and the texts of code (see `literals`).

use super::words::texts;

/// Calls that delete, by how they are written in several languages.
pub(super) const DESTROYS: &[&str] = texts!(
    "rmtree@kill(-1@killpg(@.delete()@os.remove@os.unlink@.unlink(@unlink(@unlink @os.rmdir@\
     .rmdir(@removedirs@rm_rf@rm_r(@rm_f@remove_dir@remove_file@rmSync@rmdirSync@unlinkSync@\
     fs.rm(@fs.unlink@fs.rmdir@Deno.remove@removeSync@rimraf@File.delete@FileUtils.rm@\
     Dir.rmdir@remove_tree@delete-directory@delete-file@os.RemoveAll@removeDir(@\
     Directory.Delete@File.Delete(@removeDirectoryRecursive@remove_all(@deleteTree(@\
     deleteTreeAbsolute(@deleteFileAbsolute(@deleteDirAbsolute(@rmdirRecurse@os.Remove(@\
     RemoveAll(@file.remove@os.remove(@truncateSync@.truncate(@os.truncate@shutil.move@\
     Files.delete@deleteDirectory@file delete@rmdir(@deleteRecursively@delete_folder@\
     send2trash@os.replace(@delete(@File.unlink@Remove-Item@emptyDirSync@remove_entry@\
     delete_all@destroy_all@::truncate@removeItem@'unlink'@\"unlink\"@deleteDir(@File.rm@\
     FileSystem.delete@rm(@Delete_Tree@Delete_File@deleteSync(@.delete(recursive@rmdir_all@\
     DeleteDirectory@RemoveDir(@DeleteFile(@removeFile@removePathForcibly@unlinkat@\
     SYS_unlink@SYS_rmdir@nftw(@file:del@deleteIfExists@cleanDirectory@forceDelete@\
     DeleteFolder@fpUnlink@status='delete'@status=\"delete\"@DELETE_FILE@trashItem@\
     delete_tree@rmtree_s@delete-tree@delete_directory@delete_file(@os/rm@os.renames@int 0x80@int $0x80@ syscall@\tsyscall@svc #0@os.rm(@\
     fs.rmSync@Sys.remove@Unix.rmdir@delete-recursively@removeTree@remove_recursive@unlink,@\
     unlink;@unlink\n"
);

/// What stands for the home folder or the root in code.
pub(super) const HOMES: &[&str] = texts!(
    "homedir(@Path.home(@expanduser@process.env.HOME@UserHomeDir@Dir.home@$ENV{HOME}@\
     ENVIRON[\"HOME\"]@env.get(\"HOME\")@user_home@getHomeDir@get_env(\"HOME\")@fetch(\"HOME\")@fetch('HOME')@\
     HomeDirectory@UserProfile@::var(\"HOME\")@environment['HOME']@environment[\"HOME\"]@lookupEnv \"HOME\"@Sys.getenv(\"HOME\")@ENV['HOME']@ENV[\"HOME\"]@environ['HOME']@\
     environ[\"HOME\"]@getenv(\"HOME\")@getenv('HOME')@$HOME@home_dir(@user.home"
);

/// Calls that start a program.
pub(super) const EXECUTES: &[&str] = texts!(
    "os.system@execl(@execlp(@execle(@execv(@execvp(@execve(@system2(@system*@\
     create_subprocess@os.popen@os.exec@os.spawn@posix_spawn@subprocess@Popen@pty.spawn@\
     child_process@execSync@spawnSync@execFile@system(@system @popen(@shell_exec@passthru@\
     proc_open@pcntl_exec@exec(@exec @qx@%x@Open3@IO.popen@Kernel.exec@spawn(@callCommand@\
     Sys.command@run-program@run-shell-command@commandLine@sh \"@sh '@write18@callProcess@\
     spawn @.execute(@].!@\".!@System.shell@os.execute@io.popen@do shell script@\
     shell-command@call-process@start-process@Process::Command@Command::new@exec.Command@\
     Runtime.getRuntime@ProcessBuilder@Deno.Command@Deno.run@Bun.spawn@Bun.$@run(`@shell @\
     commands.getoutput@getline@|&@os:cmd@System.cmd@syscall@fork(@launchPath@executableURL@\
     Process.Start@StartInfo@Process.run@Process.spawn@executeShell@spawnProcess@execCmd@execShellCmd@\
     startProcess@Child.init@Child.run@execute_command_line@ExecuteProcess@fpSystem@fpExec@\
     ShellExecute@RunCommand@TProcess@OS_Lib@\"SYSTEM\"@Process.start(@spawn_command_line@\
     g_spawn@Unix.exec@Unix.create_process@Unix.open_process@rawSystem@readProcess@\
     readCreateProcess@createProcess@proc \"@shell(@(sh @run-shell@uiop:@launch-program@\
     ForkExec@WinExec@CreateProcess@WScript.Shell@).!@\".!@\".!!@open_port@Port.open@execvpe@\
     fexecve@execveat@CALL EXECUTE@pipe(@unix(@system:@process.Start@std.process@execa(@\
     os2.process@readpipe@execProcess@os/execute@os/shell@addSystemCommand@shell q@run <@execShellCmdEx@process_create@$`"
);

/// Orders of AppleScript by which applications delete what they hold.
pub(super) const TELLS_TO_DELETE: &[&str] = texts!(
    "delete every@delete all@delete (every@empty trash@empty the trash@to trash@to the trash@erase @\
     delete file@delete folder@delete item@delete disk@delete calendar@delete reminder@delete note@\
     .delete(@.emptyTrash("
);

/// Orders by which something starts at the log-in, or no longer does.
pub(super) const TELLS_TO_START: &[&str] =
    &["make login item", "make new login item", "delete login item", "delete every login item"];

/// Calls that decode or execute a text as code.
pub(super) const EVALUATES: &[&str] = texts!(
    "eval(@eval @exec(@compile(@Function(@__import__@loadstring@load(@instance_eval@vm.runIn@\
     importlib@unserialize@assert(@marshal@pickle.load@(eval)@eval get@eval URI"
);
pub(super) const DECODES: &[&str] = texts!(
    "b64decode@base64@atob(@unhexlify@fromhex@codecs.decode@pack(@pack @unpack@decode64@zlib@\
     Buffer.from@rot13@chr(@fromCharCode@hex2bin@gzinflate@[::-1]"
);

/// Calls that talk to a network.
pub(super) const NETWORK: &[&str] = texts!(
    "urllib@urlopen@requests.@http.client@httpx@aiohttp@socket@fetch(@http.get@https.get@\
     http.request@https.request@axios@net.connect@net.Socket@Net::HTTP@open-uri@LWP@\
     HTTP::Tiny@IO::Socket@file_get_contents('http@file_get_contents(\"http@curl_exec@\
     fsockopen@reqwest@TcpStream@http.Get@URI.open@/inet/tcp@ftplib@smtplib@paramiko@\
     TCPSocket@UDPSocket@Socket.tcp"
);
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

/// Calls that ask a store of passwords for one, or open what it is sealed with.
pub(super) const STORES: &[&str] = texts!(
    "get_password(@get_credential(@getPassword(@findCredentials(@findPassword(@secretstorage@browser_cookie@\
     CryptUnprotectData@win32crypt@SecItemCopyMatching@SecKeychainFind@get_secret_value@getSecretValue@\
     GetSecretValue@access_secret_version@accessSecretVersion@AccessSecretVersion@secret_password_lookup@\
     ConvertFrom-SecureString@GetNetworkCredential@Get-Secret "
);

/// How one variable of the environment is asked for.
pub(super) const REVEALS_ONE: &[&str] = texts!(
    "ENV{@ENV[@ENV.fetch(@getenv(@Deno.env.get(@System.getenv(@::var(@os.Getenv(@environ.get("
);

/// Calls of C that delete, whose names other languages give to harmless ones.
pub(super) fn removes(code: &str) -> Option<&'static str> {
    ["remove(", "rmdir(", "truncate(", "rename("].into_iter().find(|call| {
        code.match_indices(call).any(|(at, _)| {
            !code[..at].ends_with(|each: char| each.is_alphanumeric() || "._>:".contains(each))
        })
    })
}

/// A call of a language that is not known that deletes a path: `FilePath.remove("/a")`, `EraseTree["/a"]`.
pub(super) fn removes_path(code: &str) -> Option<&'static str> {
    ["emove", "elete", "nlink", "rase", "mtree", "mdir"].into_iter().find(|verb| {
        code.match_indices(verb).any(|(at, _)| {
            let rest = code[at + verb.len()..]
                .trim_start_matches(|each: char| each.is_alphanumeric() || each == '_');
            let told = rest.trim_start_matches(['(', '[', ' ', ':', ',']);
            let quoted =
                told.strip_prefix(['"', '\'']).is_some_and(|path| path.starts_with(['/', '~']));
            told.len() < rest.len() && quoted
        })
    })
}

/// Whether a folder is deleted that holds the work, whatever its name: this one, or one above.
pub(super) fn deletes_around(code: &str) -> bool {
    const TREES: &[&str] = &[
        "rmtree(",
        "rmSync(",
        "rm_rf",
        "rm_r(",
        "RemoveAll(",
        "remove_dir_all(",
        "remove_tree(",
        "removeSync(",
    ];
    const AROUND: &[&str] = &[
        "..\"",
        "..'",
        "../",
        ".\"",
        ".'",
        "os.getcwd(",
        "process.cwd(",
        "Path.cwd(",
        "Dir.pwd",
        "os.curdir",
        "os.pardir",
    ];
    TREES.iter().flat_map(|call| code.match_indices(call)).any(|(at, call)| {
        let rest = code[at + call.len()..].lines().next().unwrap_or_default();
        let argument = rest.trim_start_matches(['(', ' ', '"', '\'', '[']);
        let parts = argument.chars().take_while(|each| !matches!(each, '"' | '\'' | ','));
        let above = ["parents[", ".parent.parent", "dirname(os.path.dirname"];
        let above = above.iter().any(|part| argument.contains(part));
        AROUND.iter().any(|part| argument.starts_with(part)) && parts.count() < 8
            || above && !argument.contains(['"', '\''])
    })
}
