//! Notes and keys, against the published example of Go's note package and against bent ones.

use super::*;
use proptest::prelude::*;

/// The example of Go's `golang.org/x/mod/sumdb/note`: an implementation that is not ours signed it.
const VKEY: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
const SKEY: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
const NOTE: &str = "If you think cryptography is the answer to your problem,\n\
    then you don't know what your problem is.\n\
    \n\
    \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

#[test]
fn a_note_that_another_implementation_signed_is_understood() {
    let key: PublicKey = VKEY.parse().unwrap();
    assert_eq!(key.to_string(), VKEY);
    let note: Note = NOTE.parse().unwrap();
    let signature = Signature::from_slice(&note.signatures[0].bytes).unwrap();
    key.key
        .verify_strict(note.text.as_bytes(), &signature)
        .unwrap();
    // The signature is good, and the text is no checkpoint.
    assert!(matches!(key.open(&note), Err(NoteError::Form(_))));
    let own = SigningKey::parse(SKEY).unwrap();
    assert_eq!(own.public(), key);
    assert_eq!(own.text().trim_end(), SKEY);
    assert_eq!(own.key.sign(note.text.as_bytes()), signature);
}

fn key() -> SigningKey {
    SigningKey::new("housecarl.local/audit/0011", &[7; 32])
}

#[test]
fn a_checkpoint_comes_back_and_only_its_own_key_opens_it() {
    let text = key().sign(1_234, [9; 32]);
    let expected = "housecarl.local/audit/0011\n1234\nCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQkJCQk=\n\n\u{2014} housecarl.local/audit/0011 ";
    assert!(text.starts_with(expected), "{text}");
    let opened = key().public().open(&text.parse().unwrap()).unwrap();
    assert_eq!((opened.size, opened.root), (1_234, [9; 32]));
    let mailed = format!("\r\n\n{}\n\n", text.replace('\n', "\r\n"));
    assert_eq!(key().public().open(&mailed.parse().unwrap()), Ok(opened));
    let same_name = SigningKey::new("housecarl.local/audit/0011", &[8; 32]);
    assert!(matches!(
        same_name.public().open(&text.parse().unwrap()),
        Err(NoteError::OtherKey { .. })
    ));
}

#[test]
fn no_changed_character_passes() {
    let text = key().sign(1_234, [9; 32]);
    for (at, character) in text.char_indices() {
        let mut bent = text.clone();
        let other = if character == 'A' { "B" } else { "A" };
        bent.replace_range(at..at + character.len_utf8(), other);
        let opened = bent
            .parse::<Note>()
            .and_then(|note| key().public().open(&note));
        assert!(opened.is_err(), "{bent}");
    }
}

#[test]
fn sizes_have_one_spelling() {
    for size in ["01", "+1", "-1", "1 ", "", "18446744073709551616"] {
        assert_eq!(number(size), None, "{size}");
    }
    assert_eq!(number("18446744073709551615"), Some(u64::MAX));
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}(\n\n)?\u{2014} [a-z]{0,4} [A-Za-z0-9+/=]{0,120}\n?") {
        if let Ok(note) = text.parse::<Note>() {
            prop_assert!(key().public().open(&note).is_err());
        }
        prop_assert!(text.parse::<PublicKey>().is_err());
    }
}
