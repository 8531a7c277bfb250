//! Whether a text has the shape of a key: what nobody would give as a name, unless by mistake.

/// How the keys of well-known issuers begin, where no name would. Sources: the documentation of each.
const BEGINNINGS: [&str; 22] = [
    "sk-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "pk_live_",
    "pk_test_",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "AKIA",
    "ASIA",
    "AIza",
    "xox",
    "xapp-",
    "eyJ",
    "ya29.",
    "nvapi-",
    "AGE-SECRET-KEY-",
];
/// How others begin that a name may begin with, too.
const BEGINNINGS_OF_LONG_ONES: [&str; 8] = [
    "gsk_", "hf_", "npm_", "pypi-", "pplx-", "r8_", "SG.", "tvly-",
];
/// From how many characters on a text is long, separators left out.
const LONG: usize = 20;
/// From how many characters a part without separators, or a hexadecimal text, is a key.
const UNBROKEN: usize = 32;

/// Whether a text has the shape of a key. Names of words with a year or a number are none; random digits and letters are.
#[must_use]
pub fn is_a_key(text: &str) -> bool {
    let begins = |known: &[&str]| known.iter().any(|start| text.starts_with(start));
    let parts = || text.split(['.', '_', '-']);
    let letters: usize = parts().map(str::len).sum();
    let changes: usize = parts().map(changes).sum();
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let is_mixed = has_digit && letters >= LONG && changes * 10 >= letters * 3;
    let is_unbroken = |part: &str| {
        part.len() >= UNBROKEN && part.bytes().any(|byte| byte.is_ascii_digit()) && kinds(part) > 8
    };
    let is_hex =
        letters >= UNBROKEN && parts().all(|part| part.bytes().all(|b| b.is_ascii_hexdigit()));
    begins(&BEGINNINGS)
        || (is_hex && has_digit)
        || (begins(&BEGINNINGS_OF_LONG_ONES) && has_digit && letters >= LONG)
        || is_mixed
        || parts().any(is_unbroken)
}

/// How often digits, small and capital letters take turns. A capital that begins a word is no turn.
fn changes(part: &str) -> usize {
    let pairs = part.as_bytes().windows(2);
    pairs
        .filter(|pair| class(pair[0]) != class(pair[1]))
        .filter(|pair| !(pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()))
        .count()
}

fn class(byte: u8) -> u8 {
    match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        _ => 2,
    }
}

/// How many different bytes there are.
fn kinds(part: &str) -> usize {
    let seen: std::collections::BTreeSet<u8> = part.bytes().collect();
    seen.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_known_issuers_and_random_texts_are_keys() {
        for key in [
            "sk-ant-api03-abcdef",
            "sk-proj-1",
            "sk-very-secret",
            "sk_0123456789abcdef0123456789abcdef0123456789abcdef",
            "Zm9vYmFyYmF6cXV4MTIzNDU2",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "github_pat_11AAAAAA0",
            "AKIAIOSFODNN7EXAMPLE",
            "xoxb-1234-abcd",
            "AIzaSyA-1234",
            "hf_aBcDeFgHiJkLmNoPq1StUvWx",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0",
            "canary-Kx7Qw2Zt9Lm4Rv8Ns3",
            "9f86d081884c7d659a2feaa0c55ad015",
            "0123456789abcdef0123456789abcdef01234567",
            "550e8400-e29b-41d4-a716-446655440000",
        ] {
            assert!(is_a_key(key), "{key}");
        }
    }

    #[test]
    fn names_that_people_give_are_none() {
        for name in [
            "openai-work",
            "work",
            "anthropic-team-2026",
            "MyOpenAiKeyForWork2024",
            "work2024-openai-v2-prod-eu1",
            "hf_token",
            "timeout_secs",
            "max_tool_calls_per_request_of_all_agents",
            "skip-tests",
            "claude-sonnet-4-20250514",
            "SmolLM2-135M-Instruct",
            "DeepSeek-R1-Distill-Qwen-14B-Q4_K_M",
            "port_8080",
            "npm_token_for_the_work",
            "skeleton",
            "smtp-mail.example.org-587",
            "the-marketing-department-of-the-northern-branch-office-in-2031",
        ] {
            assert!(!is_a_key(name), "{name}");
        }
        assert!(!is_a_key(&"n".repeat(64)));
    }
}
