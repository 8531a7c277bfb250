//! The system-call filter: what no program here needs and attackers do, is refused; what belongs to
//! another instruction set ends the process.

use super::ledger::Ledger;
use crate::promise::name;
use crate::wire::Spec;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter_all_threads, sock_filter,
};
use std::collections::BTreeMap;

/// Flags of `clone` that make namespaces.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
];
/// The only personality that is no change, and the one that asks.
const PERSONALITIES: [u64; 2] = [0, 0xffff_ffff];
/// The bits of a socket's type that are not flags.
const SOCKET_TYPE: u64 = 0xf;
/// `TIOCSTI` and `TIOCLINUX`: typing into somebody else's terminal.
const TYPING: [u64; 2] = [0x5412, 0x541c];
/// The bit that marks a system call of the x32 instruction set.
#[cfg(target_arch = "x86_64")]
const X32: u32 = 0x4000_0000;
/// `open_tree_attr`, which mounts like `open_tree`.
const OPEN_TREE_ATTR: i64 = 467;

/// Refused whatever their arguments.
const REFUSED: [i64; 56] = [
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_fanotify_init,
    libc::SYS_syslog,
    // Keys.
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    // Mounts, namespaces and ways around names.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_open_tree,
    OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    // The machine.
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    libc::SYS_lookup_dcookie,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_mbind,
];

/// Refused on this instruction set only.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: [i64; 4] = [
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: [i64; 0] = [];

/// What Landlock does not know: modes, owners, times and attributes of files, and memory shared by a
/// key. With namespaces these are the program's own; without they would reach every file and
/// process of the user's.
const REACHING_OUT: [i64; 25] = [
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
];
/// `fchmodat2`.
const FCHMODAT2: i64 = 452;
/// `setxattrat`; `removexattrat` and `file_setattr` follow it.
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FILE_SETATTR: i64 = 469;
/// The older calls of the same kind.
#[cfg(target_arch = "x86_64")]
const REACHING_OUT_HERE: [i64; 8] = [
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    REMOVEXATTRAT,
    FILE_SETATTR,
];
#[cfg(not(target_arch = "x86_64"))]
const REACHING_OUT_HERE: [i64; 2] = [REMOVEXATTRAT, FILE_SETATTR];

/// Calls that reach another process when this argument is not zero.
const AT_OTHERS: [(i64, u8); 7] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// The bits of a mode with which a file lends its owner's or group's rights to whoever starts it.
const LENDING: [u64; 2] = [0o4000, 0o2000];
/// Calls that set a mode, and which argument it is.
const MODES: [(i64, u8); 4] = [
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (FCHMODAT2, 2),
    (libc::SYS_mknodat, 2),
];
/// Calls that set a mode if their flags say that they make a file: flags, then mode.
const MAKING: [(i64, u8, u8); 1] = [(libc::SYS_openat, 2, 3)];
/// The older calls of the same kind.
#[cfg(target_arch = "x86_64")]
const MODES_HERE: [(i64, u8); 3] = [
    (libc::SYS_chmod, 1),
    (libc::SYS_creat, 1),
    (libc::SYS_mknod, 1),
];
#[cfg(not(target_arch = "x86_64"))]
const MODES_HERE: [(i64, u8); 0] = [];
#[cfg(target_arch = "x86_64")]
const MAKING_HERE: [(i64, u8, u8); 1] = [(libc::SYS_open, 1, 2)];
#[cfg(not(target_arch = "x86_64"))]
const MAKING_HERE: [(i64, u8, u8); 0] = [];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Result<T> = std::result::Result<T, seccompiler::Error>;

pub(super) fn install(spec: &Spec, ledger: &mut Ledger) {
    if !ledger.has(name::MOUNT_VIEW) {
        let installed = reaching_out()
            .and_then(|rules| compiled(rules, libc::EPERM))
            .and_then(|filter| apply_filter_all_threads(&filter));
        ledger.note(
            name::SECCOMP_OUTSIDE,
            "no changes of modes, owners and times, no memory shared by key",
            installed.map_err(|e| e.to_string()),
        );
    }
    let installed = apply(spec.has_network);
    let why = installed.map_err(|e| e.to_string());
    ledger.note(name::SECCOMP, "no dangerous system calls", why.clone());
    if !spec.has_network {
        ledger.note(name::SECCOMP_NET, "no sockets", why);
    }
}

fn apply(has_network: bool) -> Result<()> {
    #[cfg(target_arch = "x86_64")]
    apply_filter_all_threads(&no_x32())?;
    // Programs fall back to `clone` and `openat`, whose flags and modes the filter can see.
    let absent = BTreeMap::from([
        (libc::SYS_clone3, Vec::new()),
        (libc::SYS_openat2, Vec::new()),
    ]);
    apply_filter_all_threads(&compiled(absent, libc::ENOSYS)?)?;
    apply_filter_all_threads(&compiled(sockets(has_network)?, libc::EACCES)?)?;
    apply_filter_all_threads(&compiled(lending()?, libc::EPERM)?)?;
    apply_filter_all_threads(&compiled(refused()?, libc::EPERM)?)
}

/// No file is left behind that gives the user's rights to others on this machine.
fn lending() -> Result<Rules> {
    let mut rules = Rules::new();
    for (call, mode) in MODES.iter().chain(&MODES_HERE) {
        let lends = |bit| rule([(*mode, SeccompCmpOp::MaskedEq(bit), bit)]);
        let lent = LENDING.into_iter().map(lends).collect::<Result<_>>()?;
        rules.insert(*call, lent);
    }
    // Without one of these flags the mode is whatever lay in the register.
    let flags = [libc::O_CREAT, libc::O_TMPFILE & !libc::O_DIRECTORY];
    for (call, flag_argument, mode) in MAKING.iter().chain(&MAKING_HERE) {
        let mut lent = Vec::new();
        for flag in flags.map(|flag| u64::from(flag.unsigned_abs())) {
            for bit in LENDING {
                lent.push(rule([
                    (*flag_argument, SeccompCmpOp::MaskedEq(flag), flag),
                    (*mode, SeccompCmpOp::MaskedEq(bit), bit),
                ])?);
            }
        }
        rules.insert(*call, lent);
    }
    Ok(rules)
}

/// A filter that answers the listed calls with an error. It ends a process that makes a call of
/// another instruction set.
fn compiled(rules: Rules, errno: i32) -> Result<BpfProgram> {
    let target = std::env::consts::ARCH.try_into()?;
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(errno.unsigned_abs()),
        target,
    )?;
    Ok(filter.try_into()?)
}

fn refused() -> Result<Rules> {
    let mut rules: Rules = REFUSED
        .iter()
        .chain(&REFUSED_HERE)
        .map(|call| (*call, Vec::new()))
        .collect();
    let mut clone = Vec::new();
    for flag in NAMESPACES {
        let flag = u64::from(flag.unsigned_abs());
        clone.push(rule([(0, SeccompCmpOp::MaskedEq(flag), flag)])?);
    }
    rules.insert(libc::SYS_clone, clone);
    let [none, ask] = PERSONALITIES;
    let other = [(0, SeccompCmpOp::Ne, none), (0, SeccompCmpOp::Ne, ask)];
    rules.insert(libc::SYS_personality, vec![rule(other)?]);
    let mut ioctl = Vec::new();
    for command in TYPING {
        ioctl.push(rule([(1, SeccompCmpOp::Eq, command)])?);
    }
    rules.insert(libc::SYS_ioctl, ioctl);
    Ok(rules)
}

fn reaching_out() -> Result<Rules> {
    let calls = REACHING_OUT.iter().chain(&REACHING_OUT_HERE);
    let mut rules: Rules = calls.map(|call| (*call, Vec::new())).collect();
    for (call, argument) in AT_OTHERS {
        rules.insert(call, vec![rule([(argument, SeccompCmpOp::Ne, 0)])?]);
    }
    Ok(rules)
}

/// Without a network: no socket but a connected pair. With one: plain TCP and UDP only.
fn sockets(has_network: bool) -> Result<Rules> {
    let family = |family: i32| (0, SeccompCmpOp::Ne, u64::from(family.unsigned_abs()));
    let pair = vec![rule([family(libc::AF_UNIX)])?];
    let socket = match has_network {
        false => Vec::new(),
        true => {
            let kind = |kind: i32| {
                let kind = u64::from(kind.unsigned_abs());
                rule([(1, SeccompCmpOp::MaskedEq(SOCKET_TYPE), kind)])
            };
            vec![
                rule([family(libc::AF_INET), family(libc::AF_INET6)])?,
                kind(libc::SOCK_RAW)?,
                kind(libc::SOCK_RDM)?,
                kind(libc::SOCK_SEQPACKET)?,
                kind(libc::SOCK_DCCP)?,
                kind(10)?,
            ]
        }
    };
    Ok(BTreeMap::from([
        (libc::SYS_socket, socket),
        (libc::SYS_socketpair, pair),
    ]))
}

/// A rule that holds when all conditions on the low halves of the arguments do.
fn rule<const N: usize>(conditions: [(u8, SeccompCmpOp, u64); N]) -> Result<SeccompRule> {
    let mut all = Vec::new();
    for (argument, compare, value) in conditions {
        all.push(SeccompCondition::new(
            argument,
            SeccompCmpArgLen::Dword,
            compare,
            value,
        )?);
    }
    Ok(SeccompRule::new(all)?)
}

/// Ends a process that makes an x32 call: those share the architecture's name but not its numbers.
/// The form is that of linux/filter.h: load the number, compare, return.
#[cfg(target_arch = "x86_64")]
fn no_x32() -> BpfProgram {
    let step = |code: u16, jt: u8, jf: u8, k: u32| sock_filter { code, jt, jf, k };
    vec![
        step(0x20, 0, 0, 0),
        step(0x35, 0, 1, X32),
        step(0x06, 0, 0, libc::SECCOMP_RET_KILL_PROCESS),
        step(0x06, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}
