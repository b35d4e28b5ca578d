//! Servers of mail, names and people, what keeps servers running, and stores of files and models: by the verbs that
//! their programs are given. Not here: services of the system (see `system`), databases, clusters.

use super::entry::When::{All, Always, Any, Not, Operand, Operands, Says, Verbs, Word};
use super::entry::{Case, Command, READS};
use super::words::words;
use crate::rules::{environment, execution, files, infrastructure, network};

const ASKS: &[Case] = &[Case(Word("--help --version"), READS)];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

pub(super) const COMMANDS: &[Command] = &[
    // Queues and settings of mail servers.
    Command::told(
        words!(
            "postsuper postconf postqueue postmap exim exim4 exiqgrep rspamadm opensmtpd smtpctl"
        ),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[
                    Word("-d -e -M* -X -P -# -I -r -f"),
                    Verbs("remove|pause|resume|schedule|discard *"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["-n", "-bp", "show queue"],
            &["-d ALL", "-Mrm x", "-e a=b", "remove all"],
            &[],
        ],
    ),
    // People and their keys.
    Command::told(
        words!(
            "kadmin kadmin.local smbpasswd pdbedit realm authselect samba-tool zmprov ipa adcli \
             dsconfigad"
        ),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[
                    Verbs(
                        "leave|join|select|delprinc|delete_principal|change_password|cpw|addprinc|\
                         ktadd|modify|ma|sp, ads|rpc leave|join, permit|deny, * delete|del|remove|\
                         setpassword|disable|demote, delete*|remove*|create*|rename*",
                    ),
                    Word("-x -d -e -n -remove -leave"),
                    Operand(1, "*-del *-disable *-mod *-add-member"),
                ]),
                &infrastructure::CLOUD,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["list", "user list", "current"],
            &["delprinc -force a", "-x a", "leave a.example", "user-del a", "user delete a"],
            &[],
        ],
    ),
    // A directory: what is in the file is done.
    Command::told(
        words!("ldapmodify ldapadd ldapmodrdn ldappasswd"),
        words!("-D -w -y -H -h -p -f -b"),
        &[ASKS, &[Case(Not(&Word("-n")), &infrastructure::CLOUD)], OTHER],
        [&["--help"], &["-n -f a.ldif"], &["-x -D cn=a -w b -f a.ldif", ""], &[]],
    ),
    // What keeps servers running, and the servers themselves.
    Command::told(
        words!(
            "rndc unbound-control pdnsutil monit forever s6-svc s6-rc svc haproxyctl varnishadm \
             passenger-config uwsgi gunicornc httpd.exe pumactl circusctl honcho-ctl dinitctl"
        ),
        words!("-k -s -c -T"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Operand(
                        2,
                        "stop* halt disable* unmonitor ban flush* delete* down shutdown quit \
                         reconfig kill* restart* delzone delcluster vcl.discard",
                    ),
                    Word("-d -x -D --stop"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["status", "summary", "list"],
            &["stop", "unmonitor all", "-x /service/db", "disable all X", "'ban' x", "flush"],
            &[],
        ],
    ),
    Command::told(
        words!("a2dissite a2dismod a2disconf a2ensite a2enmod a2enconf"),
        &[],
        &[ASKS, &[Case(Operands(1), &execution::SYSTEM)], OTHER],
        [&["--help"], &["-q"], &["000-default"], &[]],
    ),
    // Systems of images, and what they may go back to.
    Command::told(
        words!("ostree rpm-ostree transactional-update bootc nix-collect-garbage nvram snapper"),
        words!("-c --config"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Operand(
                        2,
                        "reset undeploy rollback cleanup rebase install uninstall override upgrade \
                         deploy switch delete undochange prune update",
                    ),
                    Word("-d --delete-old --delete-older-than -c -D"),
                    Operand(1, "*=*"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["status", "admin status", "-p", "list"],
            &["reset", "admin undeploy 0", "-d", "rollback last", "a=b"],
            &[],
        ],
    ),
    // Business systems.
    Command::told(
        words!("occ gitlab-rake gitlab-ctl gitlab-backup discourse metabase wp-cli drush"),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[
                    Operand(
                        1,
                        "*:cleanup* *cleanup:* *:delete* *:remove* *:reset* *:disable maintenance:mode \
                         remap stop restore reset-password reconfigure *:restore sql-drop sql:drop \
                         user-cancel user:cancel site-install cleanse",
                    ),
                    Word("--on force=yes"),
                ]),
                &infrastructure::CLOUD,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["status", "user:list", "cr"],
            &["gitlab:cleanup:repos", "maintenance:mode --on", "remap a b", "reset-password a"],
            &[],
        ],
    ),
    // Files that are kept in step with another machine.
    Command::told(
        words!(
            "unison nextcloudcmd owncloudcmd megarm mega-rm mega-put mega-sync seaf-cli insync dropbox"
        ),
        words!("-u -p -s"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Word("-force -batch -auto --force -f delete rm desync stop unlink exclude"),
                    All(&[Operands(2), Not(&Operand(1, "list status help filestatus"))]),
                ]),
                &network::SEND,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["status", "list a", "a.prf"],
            &["-batch -force a", "~/a https://a.example", "desync -d a", "-f /Root/a"],
            &[],
        ],
    ),
    // Volumes that machines share.
    Command::told(
        words!("rbd drbdadm drbdsetup gluster pvecm"),
        words!("-p --pool --image"),
        &[
            ASKS,
            &[Case(
                Operand(
                    2,
                    "rm remove purge down detach wipe-md invalidate disconnect secondary delnode stop \
                     delete reset expel",
                ),
                &infrastructure::CLOUD,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["ls", "status", "volume info"],
            &["rm pool/a", "down r0", "volume stop a", "snap purge a"],
            &[],
        ],
    ),
    // Servers of games: what is told is done to those who play there.
    Command::cases(
        words!("rcon rcon-cli mcrcon"),
        words!("-H -P -p --host --port --password"),
        &[
            ASKS,
            &[Case(
                Says("stop op deop ban ban-ip kick kill restart fill save-off whitelist shutdown"),
                &network::REMOTE,
            )],
            OTHER,
        ],
        [&["--help"], &["list", "-p a 'say hi'"], &["stop", "-p a 'op bob'"], &[]],
    ),
    // Models: to take one away costs a day of downloads, to push one publishes it.
    Command::told(
        words!("ollama lms"),
        &[],
        &[
            ASKS,
            &[Case(Verbs("push"), &infrastructure::PUBLISH)],
            &[Case(Verbs("rm|delete"), &files::DELETE_OUTSIDE)],
            OTHER,
        ],
        [&["--help"], &["list", "run a", "pull a"], &["push acme/a", "rm a"], &[]],
    ),
    // Certificates.
    Command::told(
        words!("acme.sh lego dehydrated step-ca"),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[
                    Word("--revoke --remove --uninstall --deactivate --signout -k"),
                    Operand(1, "revoke"),
                ]),
                &infrastructure::CLOUD,
            )],
            OTHER,
        ],
        [&["--help"], &["--list", "--issue -d a.example"], &["--revoke -d a", "revoke"], &[]],
    ),
    // Screens and what is typed there.
    Command::told(
        words!("xhost xset xinput setxkbmap xrandr wlr-randr"),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[Word("+ +* -dpms disable float --off"), Verbs("s off|noblank")]),
                &environment::ROUTE,
            )],
            OTHER,
        ],
        [&["--help"], &["q", "list", ""], &["+", "s off", "disable 11", "--output a --off"], &[]],
    ),
    Command::cases(
        words!("watchman"),
        &[],
        &[ASKS, &[Case(Verbs("-- trigger, trigger"), &execution::SYSTEM)], OTHER],
        [&["--help"], &["watch-del-all", "watch-list", "watch ."], &["-- trigger . a -- b"], &[]],
    ),
    Command::told(
        words!(
            "Set-ExecutionPolicy Set-MpPreference Add-MpPreference Stop-Computer Disable-NetAdapter \
                Remove-ADUser Remove-LocalUser Clear-EventLog Stop-Service Set-NetFirewallProfile Unblock-File"
        ),
        &[],
        &[&[Case(Always, &execution::SYSTEM)]],
        [&[], &[], &["a", ""], &[]],
    ),
    Command::reads(
        words!(
            "Select-String Get-Content Get-ChildItem Get-Item Measure-Object Where-Object Test-Path"
        ),
        [&["-Path a -Pattern 'delete'"], &[], &[], &[]],
    ),
];
