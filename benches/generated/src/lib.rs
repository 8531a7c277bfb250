//! What the benchmarks are made of: numbers and conversations from a seed.
//!
//! What it is: one generator of numbers, and two kinds of conversations made with it: talks of two
//! people about their lives, for memory ([`dialogue`]), and a user's work with an agent, for the
//! context ([`exchanges`]).
//! What it owns: the facts that are planted, and that a seed always gives the same text: figures of
//! different days can only be compared because of that.
//! What it never does: measure anything, know a service, or hold a text of a public benchmark.
//! Where to start: [`dialogue::conversations`]; [`exchanges::conversation`].

pub mod dialogue;
pub mod exchanges;
pub mod random;

#[cfg(test)]
mod tests {
    use super::*;

    /// The figures in docs/benchmarks.md were measured on these texts.
    #[test]
    fn a_seed_gives_the_texts_that_were_measured() {
        let digest = |text: String| blake3::hash(text.as_bytes()).to_hex().to_string();
        let talks = digest(format!("{:?}", dialogue::conversations(6, 20)));
        let work = digest(format!("{:?}", exchanges::conversation(7, 80)));
        assert_eq!(
            talks,
            "43aec81475d1b5747e2a9226e5d316d80a0750a88b0588a19a244b1385ac32d7"
        );
        assert_eq!(
            work,
            "2059b938a91334bc86d81cc844892324c80e1582247257ba99ce5d2678626d6f"
        );
    }
}
