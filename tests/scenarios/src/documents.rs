//! Documents for scenarios.

use std::process::Command;
use testkit::House;

/// Makes a docx of these paragraphs in the workspace.
pub fn docx(house: &House, name: &str, paragraphs: &[&str]) {
    let code = "import sys, zipfile\n\
         body = ''.join(f'<w:p><w:r><w:t>{p}</w:t></w:r></w:p>' for p in sys.argv[2:])\n\
         space = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'\n\
         with zipfile.ZipFile(sys.argv[1], 'w') as file:\n    \
             file.writestr('word/document.xml', f'<w:document xmlns:w=\"{space}\"><w:body>{body}</w:body></w:document>')\n";
    let made = Command::new("python3")
        .args(["-c", code])
        .arg(house.work().join(name))
        .args(paragraphs)
        .status();
    assert!(made.unwrap().success());
}

/// The smallest GIF: one pixel.
pub const GIF: &[u8] =
    b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff,\0\0\0\0\x01\0\x01\0\0\x02\x02D\x01\0;";
