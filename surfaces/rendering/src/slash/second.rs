//! `/b`: a second answer to the last request.

use super::fault::usage;
use domain::fault::Fault;
use domain::model::HOTTEST;
use domain::quality::Winner;
use text::escape::visible_line;

/// What is to be done about a second answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Second {
    /// Show it, or ask for it where there is none.
    Show,
    /// Ask for one, by a model and at a sampling temperature.
    Ask {
        /// The model; `None`: as configured.
        model: Option<String>,
        /// The temperature; `None`: as configured.
        temperature: Option<f32>,
    },
    /// Say which of both is better.
    Rate(Winner),
    /// Take it over into the conversation, in the place of the first.
    Take,
}

/// The words for each of both, and for neither.
const WINNERS: [(&str, Winner); 3] = [("a", Winner::A), ("b", Winner::B), ("same", Winner::Tie)];

/// The word for taking it over.
const TAKE: &str = "take";

/// What stands behind `/b`.
pub(super) fn parse(rest: &str) -> Result<Second, Fault> {
    let words: Vec<&str> = rest.split_whitespace().collect();
    match *words {
        [] => Ok(Second::Show),
        [one] => {
            let winner = WINNERS
                .iter()
                .find(|(word, _)| word.eq_ignore_ascii_case(one));
            if let Some((_, winner)) = winner {
                return Ok(Second::Rate(*winner));
            }
            if one.eq_ignore_ascii_case(TAKE) {
                return Ok(Second::Take);
            }
            match one.parse() {
                Ok(number) => asked(None, Some(number)),
                Err(_) => asked(Some(one), None),
            }
        }
        [model, number] => match number.parse() {
            Ok(number) => asked(Some(model), Some(number)),
            Err(_) => Err(no_temperature(number)),
        },
        _ => Err(usage(
            "/b takes a model and a temperature, or one of a, b, same and take",
            "Type /b, `/b MODEL`, `/b MODEL 0.8`, or `/b b` if the second answer is better.",
        )),
    }
}

fn asked(model: Option<&str>, temperature: Option<f32>) -> Result<Second, Fault> {
    let wrong = temperature.filter(|one| !(0.0..=HOTTEST).contains(one));
    if let Some(wrong) = wrong {
        return Err(no_temperature(&wrong.to_string()));
    }
    Ok(Second::Ask {
        model: model.map(str::to_owned),
        temperature,
    })
}

fn no_temperature(word: &str) -> Fault {
    usage(
        format!("{} is no temperature", visible_line(word)),
        "A sampling temperature goes from 0 to 2, such as 0.8.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_behind_it_is_understood() {
        let ask = |model: Option<&str>, temperature| Second::Ask {
            model: model.map(str::to_owned),
            temperature,
        };
        for (rest, expected) in [
            ("", Second::Show),
            ("A", Second::Rate(Winner::A)),
            ("b", Second::Rate(Winner::B)),
            ("same", Second::Rate(Winner::Tie)),
            ("Take", Second::Take),
            ("0.8", ask(None, Some(0.8))),
            ("qwen3:8b", ask(Some("qwen3:8b"), None)),
            ("p/m 2", ask(Some("p/m"), Some(2.0))),
        ] {
            assert_eq!(parse(rest), Ok(expected), "{rest}");
        }
        for wrong in ["2.1", "-1", "NaN", "p/m hot", "p/m 3", "a b c"] {
            let fault = parse(wrong).unwrap_err();
            assert!(!fault.hint.is_empty(), "{wrong}");
        }
    }
}
