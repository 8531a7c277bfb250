//! How large a model is: as configured, as its server says, else by its name, else by its file.

use domain::model::ModelClass;

/// Bytes on disk that a parameter takes in the usual file, where nothing else is known: files of
/// local models hold four to eight bits for each.
const BYTES_TENTHS: u64 = 7;

/// What is known of a model's size.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Size<'a> {
    /// As the configuration says.
    pub(crate) configured: Option<ModelClass>,
    /// Parameters, as the server counts them.
    pub(crate) parameters: Option<u64>,
    /// The model's name.
    pub(crate) name: &'a str,
    /// On disk.
    pub(crate) bytes: Option<u64>,
}

/// The class; `None` where nothing says it.
pub(crate) fn class(size: Size<'_>) -> Option<ModelClass> {
    size.configured.or_else(|| {
        let counted = size.parameters.filter(|count| *count > 0);
        let said = counted.or_else(|| in_name(size.name));
        let guessed = || size.bytes.map(|bytes| bytes / BYTES_TENTHS * 10);
        said.or_else(guessed).map(ModelClass::of_parameters)
    })
}

/// Parameters as a server writes them (`494.03M`, `7.6B`) or a name has them (`qwen2.5-coder:0.5b`,
/// `SmolLM2-135M`, `mixtral:8x7b`).
pub(crate) fn in_name(name: &str) -> Option<u64> {
    let words = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter_map(parameters).next_back()
}

fn parameters(word: &str) -> Option<u64> {
    let lower = word.to_ascii_lowercase();
    let (number, millions) = match lower.strip_suffix('b') {
        Some(number) => (number, 1_000.0),
        None => (lower.strip_suffix('m')?, 1.0),
    };
    let (times, number) = number.split_once('x').unwrap_or(("1", number));
    let starts_plainly = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    if !starts_plainly(times) || !starts_plainly(number) {
        return None;
    }
    let count = times.parse::<f64>().ok()? * number.parse::<f64>().ok()? * millions * 1e6;
    // Beyond 10 trillion it is no count of parameters.
    (1e6..=1e13).contains(&count).then_some(count as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_how_large_a_model_is() {
        for (name, class) in [
            ("SmolLM2-135M-Instruct.Q8_0", Some(ModelClass::Tiny)),
            ("qwen2.5-coder:0.5b-instruct-q8_0", Some(ModelClass::Tiny)),
            ("qwen2.5:1.5b", Some(ModelClass::Small)),
            ("gemma-3-4b-it", Some(ModelClass::Small)),
            ("meta-llama/Llama-3.1-8B-Instruct", Some(ModelClass::Medium)),
            ("mixtral:8x7b", Some(ModelClass::Large)),
            ("494.03M", Some(ModelClass::Tiny)),
            ("7.6B", Some(ModelClass::Medium)),
            ("phi4:latest", None),
            ("gpt-4.1-mini", None),
            ("b", None),
            ("model-x-b", None),
        ] {
            let size = Size {
                name,
                ..Size::default()
            };
            assert_eq!(super::class(size), class, "{name}");
        }
    }

    #[test]
    fn what_is_configured_counts_before_the_server_the_name_and_the_file() {
        let known = Size {
            configured: None,
            parameters: Some(8_030_261_312),
            name: "tiny-0.5b",
            bytes: Some(1 << 20),
        };
        assert_eq!(class(known), Some(ModelClass::Medium));
        let configured = Some(ModelClass::Large);
        assert_eq!(
            class(Size {
                configured,
                ..known
            }),
            configured
        );
        let by_file = Size {
            parameters: None,
            name: "mine",
            bytes: Some(100 << 20),
            ..known
        };
        assert_eq!(class(by_file), Some(ModelClass::Tiny));
        let large = Size {
            bytes: Some(5 << 30),
            ..by_file
        };
        assert_eq!(class(large), Some(ModelClass::Medium));
    }
}
