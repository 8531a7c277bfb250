//! PDFs that a model reads through the shipped `carl`: whole, broken, and made to break their reader.

use scenarios::{Scene, of_kind};
use serde_json::json;
use testkit::Reply;

/// What a model is told that reads this file, and how that ended.
fn read(content: impl AsRef<[u8]>, status: &str) -> String {
    let read = Reply::call("read_document", json!({"path": "paper.pdf"}));
    let scene = Scene::new([read, Reply::text("Done.")]);
    scene.house.write("paper.pdf", content);
    let outcome = scene.run(&["what does it say?"]);
    let log = scene.log(&outcome);
    let result = of_kind(&log, "tool_result").remove(0);
    assert_eq!(result["status"], status, "{log:#?}");
    result["text"].as_str().unwrap().to_owned()
}

/// What is read of it.
fn text_of(content: impl AsRef<[u8]>) -> String {
    read(content, "ok")
}

/// Why it cannot be read.
fn refusal_of(content: impl AsRef<[u8]>) -> String {
    read(content, "failed")
}

/// A PDF with a line on each page.
fn pdf(lines: &[&str]) -> Vec<u8> {
    let font = 3 + 2 * lines.len();
    let kids: String = (0..lines.len())
        .map(|page| format!("{} 0 R ", 3 + 2 * page))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{kids}] /Count {} >>", lines.len()),
    ];
    for (page, line) in lines.iter().enumerate() {
        let content = format!("BT /F1 12 Tf 72 720 Td ({line}) Tj ET");
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {} 0 R \
             /Resources << /Font << /F1 {font} 0 R >> >> >>",
            4 + 2 * page
        ));
        objects.push(format!(
            "<< /Length {} >>\nstream\n{content}\nendstream",
            content.len()
        ));
    }
    objects.push("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned());
    of_objects(&objects)
}

/// A PDF of these objects, the first of which is its root.
fn of_objects(objects: &[String]) -> Vec<u8> {
    let mut out = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for place in places {
        out.extend(format!("{place:010} 00000 n \n").bytes());
    }
    let end = format!(
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend(end.bytes());
    out
}

#[test]
fn a_pdf_is_read_and_a_broken_one_is_told_as_such() {
    let text = text_of(pdf(&["The silver is in the attic"]));
    assert!(text.contains("The silver is in the attic"), "{text}");
    assert!(!text.contains("[page"), "{text}");
    let text = text_of(pdf(&["The silver is in the attic.", "The gold is not."]));
    let pages = "[page 1]\nThe silver is in the attic.\n\n[page 2]\nThe gold is not.";
    assert!(text.contains(pages), "{text}");
    let refused = refusal_of("%PDF-1.4\nnothing of the kind");
    assert!(refused.contains("cannot be read as PDF"), "{refused}");
}

/// Its tree of pages, fifty times itself on each of eight levels, is larger than any memory.
fn of_endless_pages() -> Vec<u8> {
    let mut objects = vec!["<< /Type /Catalog /Pages 2 0 R >>".to_owned()];
    for level in 0..8_u32 {
        let kids = format!("{} 0 R ", 3 + level).repeat(50);
        let count = 50_u64.pow(8 - level);
        objects.push(format!("<< /Type /Pages /Kids [{kids}] /Count {count} >>"));
    }
    let page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << >> >>";
    objects.push(page.to_owned());
    of_objects(&objects)
}

/// It draws a form that draws itself.
fn of_endless_depth() -> Vec<u8> {
    let form = "/Resources << /XObject << /F 4 0 R >> >>";
    let content = "/Length 5 >>\nstream\n/F Do\nendstream";
    of_objects(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 5 0 R {form} >>"),
        format!("<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] {form} {content}"),
        format!("<< {content}"),
    ])
}

#[test]
fn a_pdf_that_breaks_its_reader_is_told_in_plain_words() {
    for bomb in [of_endless_pages(), of_endless_depth()] {
        let refused = refusal_of(bomb);
        for part in [
            "`paper.pdf` cannot be read as PDF",
            "more than 2 GiB of memory",
            "Ask the user for a text version.",
        ] {
            assert!(refused.contains(part), "no `{part}`: {refused}");
        }
        for word in ["BACKTRACE", "backtrace", "thread", "allocation"] {
            assert!(!refused.contains(word), "{refused}");
        }
    }
}
