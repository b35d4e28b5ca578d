//! What is written into devices that hang on this machine, and the orders of networks: boards, phones, switches,
//! radios. Not here: disks (see `erase`), the machine's own firmware and network (see `machine`).

use super::acts::{Act, Also, Pick};
use super::entry::When::{
    All, Always, Any, Not, Operand, Operands, Option, Says, Value, Verbs, Word,
};
use super::entry::{Case, Command, READS, Said};
use super::words::words;
use crate::rules::{environment, execution, network};

const ASKS: &[Case] = &[Case(Word("--help --version"), READS)];

const OTHER: &[Case] = &[Case(Always, &execution::COMMAND)];

pub(super) const COMMANDS: &[Command] = &[
    Command::told(
        words!("fastboot"),
        &["-s"],
        &[
            ASKS,
            &[Case(
                Any(&[
                    Verbs("flash*|erase|format*|wipe*|update|oem|delete-*|set_active"),
                    Option('w', ""),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--version"],
            &["devices", "getvar all", "reboot"],
            &["flashing unlock", "erase userdata", "-w", "oem unlock", "-s a flash boot x.img"],
            &[],
        ],
    ),
    // Programmers: memories that are erased, fuses that are burnt, protections that are lifted.
    Command::told(
        words!(
            "esptool esptool.py espefuse espefuse.py avrdude nrfjprog nrfutil st-flash \
             STM32_Programmer_CLI pyocd picotool tycmd commander JLinkExe"
        ),
        words!("-p -c -P -b -f --port --baud --chip --family -t"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Word(
                        "erase erase-* erase_* burn* --eraseall --erase --recover recover lock \
                         unlock --rbp chiperase masserase *fuse:w:* *lock:w:* --chip-erase",
                    ),
                    Word("-e --masserase -rdu --readunprotect"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["-p /dev/ttyUSB0 read_mac", "list", "-c usbasp -U flash:w:a.hex"],
            &["erase_flash", "burn_efuse X 1", "--recover", "-p m328p -e", "-U lfuse:w:0xff:m"],
            &[],
        ],
    ),
    // What is told with `-c` is a script of its own.
    Command::said(
        words!("openocd"),
        Said::cases(
            words!("-f -c -s -d -l --file --command --search"),
            &[
                ASKS,
                &[Case(
                    Says(
                        "erase_sector erase_address *mass_erase* *chip_erase* protect unlock lock *option_write* \
                         *options_write* *recover *erase_all*",
                    ),
                    &execution::SYSTEM,
                )],
                OTHER,
            ],
        )
        .also(&[Also(Always, Act::Code("tcl", Pick::Values(&["-c", "--command"])))]),
        [
            &["--version"],
            &["-f a.cfg -c 'init'", "-f a.cfg -c 'program a.elf verify reset exit'"],
            &["-c 'flash erase_sector 0 0 last'", "-c 'stm32f4x unlock 0'", "-c 'exec rm -rf /srv/data'"],
            &[],
        ],
    ),
    Command::told(
        words!("idevicerestore futurerestore cfgutil heimdall"),
        &[],
        &[
            ASKS,
            &[Case(
                Any(&[Option('e', "erase"), Operand(2, "*restore* flash erase *.ipsw")]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [&["--version"], &["-l", "list"], &["-e -l", "restore a", "flash --BOOT x"], &[]],
    ),
    Command::told(
        words!("dfu-util dfu-programmer teensy_loader_cli"),
        words!("-a -d -p"),
        &[
            ASKS,
            &[Case(
                Any(&[Option('D', "download"), Operand(3, "erase flash *.hex"), Option('w', "")]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [&["--version"], &["-l", "--list"], &["-a 0 -D a.bin", "-w a.hex", "x erase"], &[]],
    ),
    // Controllers of disks, and of whole servers: what they delete is all that lies on a disk.
    Command::told(
        words!(
            "megacli MegaCli MegaCli64 megacli64 storcli storcli64 perccli perccli64 ssacli hpacucli arcconf \
             sas2ircu sas3ircu tw_cli mvcli racadm ilorest"
        ),
        &[],
        &[
            ASKS,
            &[Case(
                Says(
                    "*clr* *del del* delete* *erase* *init init *wipe* *reset* *reset* racresetcfg powerdown \
                     powercycle hardreset graceshutdown *foreign* modify remove",
                ),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--version"],
            &["-AdpAllInfo -aALL", "/c0 show", "getsysinfo"],
            &["-CfgClr -aALL", "/c0/v0 del force", "-LDDel -L0 -a0", "racreset"],
            &[],
        ],
    ),
    // Wires: what is sent there is done.
    Command::told(
        words!("cansend cangen canplayer gpioset i2cset i2ctransfer spi-pipe"),
        words!("-y -g -I -L -D"),
        &[ASKS, &[Case(Operands(2), &execution::SYSTEM)], OTHER],
        [&["--help"], &[""], &["can0 123#00", "-y 1 0x50 0 0xff"], &[]],
    ),
    // Machines behind a bus: what is written is done.
    Command::told(
        words!("snmpset mbpoll modpoll"),
        words!("-m -t -r -a -p -c -v"),
        &[ASKS, &[Case(Operands(2), &network::REMOTE)], OTHER],
        [
            &["--help"],
            &["10.0.0.1", "-m tcp -t 0 10.0.0.1"],
            &["10.0.0.1 x.0 s a", "-t 0 a 1"],
            &[],
        ],
    ),
    Command::told(
        words!("hass-cli"),
        &[],
        &[ASKS, &[Case(Verbs("service call, state edit|delete"), &network::REMOTE)], OTHER],
        [&["--help"], &["state list"], &["service call light.turn_off a", "state delete a"], &[]],
    ),
    Command::told(
        words!("ethtool"),
        &[],
        &[
            ASKS,
            &[Case(
                Word("-E -f -s -K -A -G -L -N -X -C --change-* --flash --set-* -r --reset -p"),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [&["--version"], &["eth0", "-i eth0"], &["-E eth0 magic 1", "-s eth0 speed 10"], &[]],
    ),
    Command::told(
        words!("nmcli iwctl iw rfkill bluetoothctl wpa_cli connmanctl"),
        &[],
        &[
            ASKS,
            &[Case(
                All(&[
                    Word(
                        "off down delete del disconnect block remove modify mod disable forget \
                         flush terminate interface_remove disable_network remove_network",
                    ),
                    Not(&Word("show list")),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--version"],
            &["device status", "dev wlan0 scan", "list", "connection show down"],
            &["radio wifi off", "con delete x", "station wlan0 disconnect", "block all"],
            &[],
        ],
    ),
    Command::told(
        words!("wg-quick wg openvpn tailscaled zerotier-cli"),
        &[],
        &[
            ASKS,
            &[Case(Verbs("down|up|set|setconf|syncconf|leave|join"), &environment::ROUTE)],
            OTHER,
        ],
        [&["--help"], &["show", "listnetworks"], &["down wg0", "set wg0 peer x remove"], &[]],
    ),
    // Orders of routers, and of the buses of small systems.
    Command::told(
        words!("ubus uci vtysh birdc gobgp swconfig"),
        words!("-c -s"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Verbs(
                        "call system reboot|upgrade|sysupgrade|*reset, set|delete|commit|revert|import, \
                         disable|enable|restart|reload|down|configure *, global|neighbor|policy * *",
                    ),
                    Value(&["-c"], "clear* conf* write* no* reload* copy*"),
                    Operand(4, "reboot factory*"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--help"],
            &["call system board", "show network", "-c 'show ip bgp'"],
            &["call system reboot", "disable all", "-c 'clear bgp *'", "delete network.wan"],
            &[],
        ],
    ),
    Command::cases(
        words!("pio platformio"),
        words!("-t --target -e --environment -d --project-dir"),
        &[
            ASKS,
            &[Case(
                Any(&[
                    Value(&["-t", "--target"], "erase* fuses bootloader uploadfsota"),
                    Verbs("account|org|team|access|remote, pkg|package publish|unpublish"),
                ]),
                &execution::SYSTEM,
            )],
            OTHER,
        ],
        [
            &["--version"],
            &["run -t upload", "test", "device monitor"],
            &["run -t erase", "pkg publish", "remote run"],
            &[],
        ],
    ),
    // What is made to attack others.
    Command::told(
        words!(
            "arpspoof bettercap ettercap dnsspoof responder hydra medusa sqlmap msfconsole msfvenom \
             aireplay-ng airodump-ng mdk4 hping3 slowloris crackmapexec netexec impacket-secretsdump \
             secretsdump.py mimikatz mimikatz.exe evil-winrm patator wpscan nikto beef"
        ),
        &[],
        &[ASKS, &[Case(Always, &network::REMOTE)]],
        [&["--help"], &[], &["-i eth0 10.0.0.1"], &[]],
    ),
];
