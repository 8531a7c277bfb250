//! The embedding model against an independent implementation, and what its vectors are for.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "test code: a broken promise has to fail loudly"
)]

mod support;

use engine::embedding::wordpiece::WordPiece;
use engine::embedding::{Embedder, Error, MAX_TOKENS};
use support::embedding_model;

/// Texts, their tokens, and the first numbers of their vectors. The tokens were made with Hugging
/// Face's `tokenizers`, the numbers with NumPy in 64 bits after the model's own description.
const REFERENCE: [(&str, &[u32], [f32; 4]); 6] = [
    (
        "A cat sits on the mat.",
        &[101, 1037, 4937, 7719, 2006, 1996, 13523, 1012, 102],
        [0.12654, -0.03285, -0.02906, 0.04441],
    ),
    (
        "The invoice from March is overdue by 30 days; see accounting/2024-03.pdf",
        &[
            101, 1996, 1999, 6767, 6610, 2013, 2233, 2003, 2058, 20041, 2011, 2382, 2420, 1025,
            2156, 9529, 1013, 16798, 2549, 1011, 6021, 1012, 11135, 102,
        ],
        [-0.06282, 0.03104, 0.04921, -0.03762],
    ),
    (
        "Überraschung! Café naïve — 漢字 3.5€ don't",
        &[
            101, 19169, 8180, 20760, 3070, 999, 7668, 15743, 1517, 1904, 100, 1017, 1012, 1019,
            30102, 2123, 1005, 1056, 102,
        ],
        [0.00976, 0.03923, 0.00247, 0.01767],
    ),
    (
        "x = foo_bar(y)[0] != None  # TODO\t\n",
        &[
            101, 1060, 1027, 29379, 1035, 3347, 1006, 1061, 1007, 1031, 1014, 1033, 999, 1027,
            3904, 1001, 28681, 2080, 102,
        ],
        [0.01393, 0.03143, 0.00394, -0.04843],
    ),
    ("", &[101, 102], [-0.11884, 0.0483, -0.00255, -0.01101]),
    (
        "antidisestablishmentarianism 👩‍🚀 \u{200b}zero",
        &[
            101, 3424, 10521, 4355, 7875, 13602, 3672, 12199, 2964, 100, 5717, 102,
        ],
        [0.02264, 0.10193, 0.004, 0.04028],
    ),
];

fn similarity(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

#[test]
fn tokens_and_vectors_match_the_reference() {
    let vocabulary = std::fs::read_to_string(embedding_model().join("vocab.txt")).unwrap();
    let words = WordPiece::new(&vocabulary).unwrap();
    let embedder = Embedder::load(&embedding_model()).unwrap();
    for (text, tokens, numbers) in REFERENCE {
        assert_eq!(words.encode(text, MAX_TOKENS), tokens, "{text}");
        let vector = embedder.embed(text);
        assert_eq!(vector.len(), 384);
        assert!((similarity(&vector, &vector) - 1.0).abs() < 1e-4);
        for (found, expected) in vector.iter().zip(numbers) {
            assert!(
                (found - expected).abs() < 2e-4,
                "{text}: {found} {expected}"
            );
        }
    }
}

#[test]
fn like_meanings_lie_closer_than_like_words() {
    let embedder = Embedder::load(&embedding_model()).unwrap();
    let [asked, meant, other] = [
        "How do I get my money back?",
        "Refunds are paid within two weeks.",
        "How do I get my cat back inside?",
    ]
    .map(|text| embedder.embed(text));
    assert!(similarity(&asked, &meant) > similarity(&meant, &other));
}

#[test]
fn a_text_is_read_up_to_the_limit() {
    let embedder = Embedder::load(&embedding_model()).unwrap();
    let long = "word ".repeat(MAX_TOKENS * 2);
    let cut = "word ".repeat(MAX_TOKENS - 2);
    assert_eq!(embedder.embed(&long), embedder.embed(&cut));
    assert_eq!(embedder.count_tokens(&cut), MAX_TOKENS);
}

#[test]
fn a_folder_without_a_model_or_with_a_damaged_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Embedder::load(folder.path()).unwrap_err();
    assert!(matches!(missing, Error::Unreadable { .. }));
    for name in ["vocab.txt", "config.json"] {
        std::fs::copy(embedding_model().join(name), folder.path().join(name)).unwrap();
    }
    let whole = std::fs::read(embedding_model().join("model.safetensors")).unwrap();
    std::fs::write(
        folder.path().join("model.safetensors"),
        &whole[..whole.len() / 2],
    )
    .unwrap();
    let damaged = Embedder::load(folder.path()).unwrap_err().to_string();
    assert!(damaged.contains("model.safetensors"), "{damaged}");
}
