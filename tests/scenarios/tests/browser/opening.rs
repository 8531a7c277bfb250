//! How `carl web` hands its link to a browser.

use scenarios::Scene;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use testkit::Reply;

const STAND_IN: &str = "#!/bin/sh\n{ echo \"$1\"; stat -c %a \"$1\"; cat \"$1\"; } > told\n";

#[test]
fn a_browser_is_given_the_link_in_a_file_of_the_users_own() {
    let scene = Scene::new([] as [Reply; 0]);
    let browser = scene.house.write("browser.sh", STAND_IN);
    let rights = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(&browser, rights).unwrap();
    let told = scene.house.work().join("told");
    let made = Command::new("mkfifo").arg(&told).status();
    assert!(made.unwrap().success());
    let web = scene.house.ask(["web", "127.0.0.1:0"]);
    let mut process = web.env("BROWSER", &browser).spawn();
    let line = process.until("the page:");
    let link = line.trim_end().rsplit(' ').next().unwrap();
    let said = std::fs::read_to_string(&told).unwrap();
    let (place, rest) = said.split_once('\n').unwrap();
    // Everybody sees with what a program is started.
    assert!(
        place.ends_with("page.html") && !place.contains("login"),
        "{place}"
    );
    let (rights, text) = rest.split_once('\n').unwrap();
    assert_eq!(rights, "600");
    assert!(text.contains(&format!("url={link}\"")), "{text}");
}
