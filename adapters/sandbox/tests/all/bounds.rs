//! What a program in the sandbox cannot use up, and that nothing of it outlives the call.

use crate::support::{Bench, has, said, well};
use api::sandbox::{Ended, Refusal, Sandbox};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::time::Duration;

/// A pipe with a name, whose reader sees the end when the last process that writes is gone.
fn fifo(bench: &Bench) -> File {
    let path = bench.work().join("alive");
    let _earlier = std::fs::remove_file(&path);
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        Mode::RUSR | Mode::WUSR,
        0,
    )
    .unwrap();
    let fd = rustix::fs::open(&path, OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).unwrap();
    File::from(fd)
}

/// Whether some process still holds the pipe for writing.
fn is_held(pipe: &mut File) -> bool {
    let mut bytes = [0; 4096];
    loop {
        match pipe.read(&mut bytes) {
            Ok(0) => return false,
            Ok(_) => {}
            Err(_) => return true,
        }
    }
}

#[tokio::test]
async fn a_program_that_ignores_signals_ends_with_its_time_and_so_do_its_orphans() {
    let bench = Bench::new();
    let mut pipe = fifo(&bench);
    let script = "trap '' TERM INT HUP QUIT; exec 3> alive; echo up >&3; \
                  (setsid sh -c 'trap \"\" TERM HUP; (sleep 1000 &) ; sleep 1000' &) ; sleep 1000";
    let mut job = bench.job(&["/bin/sh", "-c", script]);
    job.limits.wall = Duration::from_secs(1);
    let finished = bench.run(job).await;
    assert_eq!(finished.ended, Ended::TimedOut, "{}", said(&finished));
    assert!(!is_held(&mut pipe));
}

#[tokio::test]
async fn what_a_program_leaves_behind_ends_with_it() {
    let bench = Bench::new();
    let mut pipe = fifo(&bench);
    let script = "exec 3> alive; (setsid sleep 1000 > /dev/null 2>&1 &); echo done";
    let finished = bench.run(bench.job(&["/bin/sh", "-c", script])).await;
    assert!(well(&finished).contains("done"));
    assert!(!is_held(&mut pipe));
}

#[tokio::test]
async fn a_dropped_or_stopped_call_kills_everything() {
    let bench = Bench::new();
    let mut pipe = fifo(&bench);
    let script = "exec 3> alive; (setsid sleep 1000 &); echo up >&3; sleep 1000";
    let job = bench.job(&["/bin/sh", "-c", script]);
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let service = bench.service.clone();
    let wait = Box::pin(async move {
        let _gone = stopped.await;
    });
    let again = job.clone();
    let call = tokio::spawn(async move { service.run(job, wait).await });
    until_up(&mut pipe).await;
    drop(stop);
    let finished = call.await.unwrap().unwrap();
    assert_eq!(finished.ended, Ended::Stopped);
    assert!(!is_held(&mut pipe));
    // The same by dropping: here nobody waits for the killing, so the test does.
    let mut pipe = fifo(&bench);
    let service = bench.service.clone();
    let call =
        tokio::spawn(async move { service.run(again, Box::pin(std::future::pending())).await });
    until_up(&mut pipe).await;
    call.abort();
    tokio::task::spawn_blocking(move || {
        rustix::fs::fcntl_setfl(&pipe, OFlags::empty()).unwrap();
        let mut rest = Vec::new();
        // Ends only when the last writer has gone.
        pipe.read_to_end(&mut rest).unwrap();
    })
    .await
    .unwrap();
}

/// Waits until the program has written.
async fn until_up(pipe: &mut File) {
    let copy = pipe.try_clone().unwrap();
    let waited = tokio::task::spawn_blocking(move || {
        let mut waiting = [rustix::event::PollFd::new(
            &copy,
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut waiting, None).unwrap();
    });
    waited.await.unwrap();
    let mut bytes = [0; 16];
    assert!(pipe.read(&mut bytes).unwrap() > 0);
}

#[tokio::test]
async fn a_fork_bomb_stays_under_its_limit() {
    let bench = Bench::new();
    let code = "import time\ncount = 0\ntry:\n    \
                while count < 2000:\n        \
                if os.fork() == 0:\n            time.sleep(60); os._exit(0)\n        count += 1\n\
                except OSError as error: print('refused')\n\
                print('made', count, flush=True); os._exit(0)";
    let mut job = bench.python(code);
    job.limits.processes = 40;
    let finished = bench.run(job).await;
    let text = said(&finished);
    let made: u32 = text.split("made ").nth(1).unwrap().trim().parse().unwrap();
    assert!(text.contains("refused"), "{text}");
    // The limit on ids, where it is the only one, counts the kernel's reserve too.
    let has_group = has(&finished, "cgroup_pids");
    let most = if has_group { 40 } else { 340 };
    assert!((10..=most).contains(&made), "{made}");
}

#[tokio::test]
async fn memory_ends_at_its_limit() {
    let bench = Bench::new();
    let code = "b = bytearray(300 << 20); print('REACHED', len(b))";
    let free = bench.free(code);
    assert!(free.contains("REACHED"), "{free}");
    let mut job = bench.python(code);
    let fits = well(&bench.run(job.clone()).await);
    assert!(fits.contains("REACHED"));
    job.limits.memory_bytes = 128 << 20;
    let finished = bench.run(job).await;
    assert!(!said(&finished).contains("REACHED"), "{}", said(&finished));
    assert_ne!(finished.ended, Ended::Exited(0));
}

#[tokio::test]
async fn memory_shared_or_in_files_is_counted_too() {
    let bench = Bench::new();
    let shared = "import mmap\nm = mmap.mmap(-1, 1 << 30)\n\
                  for i in range(0, 1 << 30, 4096): m[i] = 1\nprint('REACHED')";
    let mut job = bench.python(shared);
    job.limits.memory_bytes = 128 << 20;
    let finished = bench.run(job).await;
    let has_group = has(&finished, "cgroup_memory");
    if has_group {
        assert!(!said(&finished).contains("REACHED"), "{}", said(&finished));
    }
    let files = "try:\n    \
                 for n in range(100): open('/tmp/%d' % n, 'wb').write(bytes(8 << 20))\n    \
                 print('REACHED')\nexcept OSError as error: print('refused', error.errno)";
    let mut job = bench.python(files);
    job.limits.memory_bytes = 256 << 20;
    let finished = bench.run(job).await;
    let has_view = has(&finished, "mount_view");
    if has_view {
        assert!(
            said(&finished).contains("refused 28"),
            "{}",
            said(&finished)
        );
    }
}

#[tokio::test]
async fn files_processor_time_and_open_files_have_limits() {
    let bench = Bench::new();
    let code = "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n\
                f = open('big', 'wb', buffering=0)\ntotal = 0\ntry:\n    \
                while total < 8 << 20: total += f.write(bytes(1 << 16))\n    print('REACHED')\n\
                except OSError as error: print('refused', total)";
    let mut job = bench.python(code);
    job.limits.file_bytes = 1 << 20;
    let text = well(&bench.run(job).await);
    assert!(text.contains("refused 1048576"), "{text}");
    let mut job = bench.python("while True: pass");
    job.limits.cpu = Duration::from_secs(1);
    let finished = bench.run(job).await;
    assert!(
        matches!(finished.ended, Ended::Killed(24 | 9)),
        "{:?}",
        finished.ended
    );
    let code = "files = []\ntry:\n    \
                while len(files) < 500: files.append(open('/dev/null'))\n    print('REACHED')\n\
                except OSError as error: print('refused', error.errno)";
    let text = bench.inside(code).await;
    assert!(text.contains("refused 24"), "{text}");
}

#[tokio::test]
async fn endless_output_is_drained_and_its_middle_dropped() {
    let bench = Bench::new();
    let script = "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; echo last; echo e >&2";
    let mut job = bench.job(&["/bin/sh", "-c", script]);
    job.limits.output_bytes = 10_000;
    let finished = bench.run(job).await;
    assert_eq!(finished.ended, Ended::Exited(0));
    assert!(finished.stdout.head.starts_with(b"first\n"));
    assert!(finished.stdout.tail.ends_with(b"last\n"));
    assert_eq!(
        finished.stdout.head.len() + finished.stdout.tail.len(),
        10_000
    );
    assert_eq!(finished.stdout.dropped, 20_000_000 + 6 + 6 - 10_000);
    assert_eq!(finished.stderr.head, b"e\n");
}

#[tokio::test]
async fn a_crash_leaves_no_core_file() {
    let bench = Bench::new();
    // Allowed outside, as far as this machine allows it at all.
    let mut held = rustix::process::getrlimit(rustix::process::Resource::Core);
    held.current = held.maximum;
    rustix::process::setrlimit(rustix::process::Resource::Core, held).unwrap();
    let finished = bench
        .run(bench.job(&["/bin/sh", "-c", "ulimit -c; kill -SEGV $$"]))
        .await;
    assert_eq!(finished.ended, Ended::Killed(11), "{}", said(&finished));
    assert!(said(&finished).starts_with('0'));
    let names: Vec<_> = std::fs::read_dir(bench.work()).unwrap().collect();
    assert!(names.is_empty(), "{names:?}");
}

#[tokio::test]
async fn nothing_stays_behind_on_the_machine() {
    let bench = Bench::new();
    // Other tests run jobs at the same time: only groups of this process count.
    let ours = format!("carl-{}-", std::process::id());
    let groups = || -> Vec<String> {
        let all = std::fs::read_dir("/sys/fs/cgroup/pids").into_iter();
        let names = all.flatten().flatten().map(|entry| entry.file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(&ours)).collect()
    };
    let mut job = bench.job(&[
        "/bin/sh",
        "-c",
        "echo x > $HOME/kept; echo y > /tmp/kept; ls $HOME",
    ]);
    job.scratch
        .as_mut()
        .unwrap()
        .files
        .insert("given/a.txt".into(), b"a".to_vec());
    let scratch = job.scratch.as_ref().unwrap().folder.clone();
    let finished = bench.run(job).await;
    let text = well(&finished);
    assert!(text.contains("given") && text.contains("kept"), "{text}");
    assert_eq!(groups(), Vec::<String>::new());
    assert!(!std::path::Path::new("/tmp/kept").exists());
    let has_view = has(&finished, "mount_view");
    assert!(!has_view || std::fs::read_dir(scratch).unwrap().next().is_none());
}

#[tokio::test]
async fn what_cannot_be_started_says_so() {
    let bench = Bench::new();
    let missing = bench.try_run(bench.job(&["no-such-program"])).await;
    assert!(
        matches!(missing, Err(Refusal::NotStarted { .. })),
        "{missing:?}"
    );
    let mut job = bench.job(&["true"]);
    job.write.push("/".into());
    assert!(matches!(bench.try_run(job).await, Err(Refusal::BadJob(_))));
    let mut job = bench.job(&["true"]);
    job.read.push("relative".into());
    assert!(matches!(bench.try_run(job).await, Err(Refusal::BadJob(_))));
    let mut job = bench.job(&["true"]);
    job.scratch
        .as_mut()
        .unwrap()
        .files
        .insert("../up".into(), Vec::new());
    assert!(bench.try_run(job).await.is_err());
    assert!(!bench.work().parent().unwrap().join("up").exists());
}

#[tokio::test]
async fn many_frozen_places_are_no_hindrance() {
    let bench = Bench::new();
    if !bench.has_view().await {
        eprintln!("no view on this machine");
        return;
    }
    let mut job = bench.job(&[
        "/bin/sh",
        "-c",
        "echo x > f1999/.env || echo refused; echo x > f1999/free",
    ]);
    for number in 0..2_000 {
        let folder = bench.work().join(format!("f{number}"));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join(".env"), "").unwrap();
        job.frozen.push(folder.join(".env"));
    }
    let finished = bench.run(job).await;
    assert!(said(&finished).contains("refused"), "{}", said(&finished));
    assert!(bench.work().join("f1999/free").exists());
}
