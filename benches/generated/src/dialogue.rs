//! Conversations of two people made from a seed, with facts planted in them and questions about the facts.
//!
//! Both speakers have facts of every kind, with other values, so that a question is answered only
//! by the right one's turn; and small talk uses the same words without saying anything.

use crate::random::Random;

const NAMES: &[&str] = &[
    "Ada", "Bela", "Carlos", "Dagny", "Emeka", "Fatima", "Goran", "Hanna", "Ivo", "Jun", "Kirsi",
    "Leandro", "Mirela", "Nadir", "Oksana", "Pilar",
];
const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const PLACES: &[&str] = &[
    "Lisbon",
    "Tromsø",
    "Kyoto",
    "Cusco",
    "Tbilisi",
    "Marrakesh",
    "Galway",
    "Hobart",
    "Ljubljana",
    "Oaxaca",
    "Riga",
    "Zanzibar",
    "Bergen",
    "Palermo",
    "Ghent",
    "Valparaíso",
];

/// A fact that someone states of their own accord.
const SAID: &[(&str, &str, &[&str])] = &[
    (
        "I have started lessons in {} on Tuesday evenings, and I am hooked.",
        "What does {} take lessons in?",
        &["pottery", "fencing", "calligraphy", "archery", "tango"],
    ),
    (
        "At the shelter I adopted a {} and called it Biscuit.",
        "Which pet did {} adopt?",
        &["greyhound", "tortoise", "parrot", "rabbit", "ferret"],
    ),
    (
        "My doctor says that I am allergic to {}, so no more of those.",
        "What is {} allergic to?",
        &["walnuts", "shrimp", "strawberries", "sesame", "mustard"],
    ),
    (
        "On Sundays I volunteer at the {}, it gives me a lot.",
        "Where does {} do volunteer work?",
        &[
            "library",
            "hospice",
            "food bank",
            "fire station",
            "animal clinic",
        ],
    ),
    (
        "I sold my car last week and ride a {} to work now.",
        "How does {} get to work since selling the car?",
        &["cargo bike", "scooter", "tram", "skateboard", "unicycle"],
    ),
];

/// A fact that is said in answer to a question, in words that alone say little.
const ANSWERED: &[(&str, &str, &str, &[&str])] = &[
    (
        "Which instrument did you learn as a child?",
        "The {}. I was nine and very loud.",
        "Which instrument did {} learn to play?",
        &["cello", "accordion", "trombone", "harp", "oboe"],
    ),
    (
        "What would you cook for a big birthday party?",
        "Always {}. Nobody ever complains.",
        "What does {} cook for a birthday?",
        &["lasagna", "paella", "goulash", "dumplings", "moussaka"],
    ),
    (
        "Do you have a favourite author these days?",
        "Still {}. I have the whole shelf.",
        "Who is the favourite author of {}?",
        &[
            "Tove Marn",
            "Idris Oyelaran",
            "Greta Holm",
            "Paul Aster-Vik",
            "Lin Qiao",
        ],
    ),
    (
        "What colour are you going to paint the kitchen?",
        "I settled on {} after much thought.",
        "In what colour did {} want to paint the kitchen?",
        &["turquoise", "ochre", "crimson", "lavender", "charcoal"],
    ),
];

/// A fact that comes two turns after what it is about.
const TOLD_ON: &[(&str, &str, &str, &[&str])] = &[
    (
        "My aunt came to stay for the weekend.",
        "She brought me an old {} and showed me how to use it.",
        "What present did the aunt of {} bring along?",
        &[
            "sewing machine",
            "telescope",
            "typewriter",
            "loom",
            "sextant",
        ],
    ),
    (
        "The marathon in our town was this morning.",
        "I came in as number {} and could hardly stand.",
        "In which place did {} finish the marathon?",
        &["212", "87", "1044", "39", "560"],
    ),
    (
        "We have new neighbours in the house across the street.",
        "They keep {} in the garden, can you believe it?",
        "What do the neighbours of {} keep?",
        &["alpacas", "peacocks", "beehives", "goats", "quails"],
    ),
];

/// Something done on a day.
const DONE: &[(&str, &str)] = &[
    (
        "I passed my driving test at last!",
        "When did {} pass the driving test?",
    ),
    (
        "I signed the lease for the new studio.",
        "When did {} sign the lease for the studio?",
    ),
    (
        "We planted a cherry tree behind the house.",
        "When did {} plant a cherry tree?",
    ),
    (
        "I had my wisdom teeth pulled.",
        "When were the wisdom teeth of {} pulled?",
    ),
];

/// One of several journeys, each in another session.
const JOURNEYS: &[&str] = &[
    "I am just back from a trip to {}, what a week.",
    "My holiday in {} was over far too soon.",
    "We travelled to {} by night train.",
];

const PICTURES: &[(&str, &[&str])] = &[
    (
        "a photo of a {} on a wooden bench",
        &["hedgehog", "raccoon", "kitten", "gull", "squirrel"],
    ),
    (
        "a drawing of a {} under a full moon",
        &["lighthouse", "windmill", "castle", "barn", "ship"],
    ),
];

/// Small talk, some of it in the words of facts.
const TALK: &[&str] = &[
    "Good to hear from you!",
    "That sounds wonderful, I am happy for you.",
    "It has been raining here for days.",
    "Work keeps me busy as ever.",
    "How have you been otherwise?",
    "I know exactly what you mean.",
    "Lessons are always hard in the beginning.",
    "My cousin is allergic to everything, it seems.",
    "You should paint more, honestly.",
    "A birthday comes around so quickly.",
    "Nothing beats a quiet evening in the kitchen.",
    "The train was late again this morning.",
    "Do you still go to the library?",
    "I read about a marathon in the paper.",
    "Trips like that are good for the soul.",
    "People adopt so many pets nowadays.",
    "The garden needs so much work in spring.",
    "Let us talk again soon.",
    "My neighbours were loud last night.",
    "I wish I could play an instrument.",
    "Is the car fixed yet?",
    "Thank you, that means a lot.",
    "I took a picture of it somewhere.",
    "We should go on a holiday together.",
];

/// Sessions of a conversation.
const SESSIONS: u32 = 9;
/// Things planted in a session.
const PLANTED: usize = 4;

/// A conversation of dated turns, and questions whose answers stand in some of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conversation {
    /// Its name: the namespace it is kept in.
    pub name: String,
    /// Everything said, in order.
    pub turns: Vec<Turn>,
    /// What is asked about it. Memory never sees these while it is filled.
    pub questions: Vec<Question>,
}

/// One thing said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// In which of the conversation's sessions, 1 and up.
    pub session: u32,
    /// When, in words.
    pub date: String,
    /// By whom.
    pub speaker: String,
    /// What.
    pub text: String,
    /// What is in the image that was shown with it; empty for none.
    pub caption: String,
}

/// A question with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The question.
    pub text: String,
    /// The turns that answer it, by their place in [`Conversation::turns`]; at least one.
    pub evidence: Vec<usize>,
    /// What kind it is: `multi-hop`, `temporal`, `open-domain` or `single-hop`.
    pub category: &'static str,
}

impl Turn {
    /// What was said, by whom and with what image.
    #[must_use]
    pub fn said(&self) -> String {
        let image = match self.caption.as_str() {
            "" => String::new(),
            caption => format!(" [image: {caption}]"),
        };
        format!("{}: {}{image}", self.speaker, self.text)
    }
}

/// A thing to be planted: its turns by who speaks (0: the one it is about), which of them answer,
/// and what is asked about it. Parts of one journey share a question.
#[derive(Debug, Clone)]
struct Plant {
    about: usize,
    turns: Vec<(usize, String, String)>,
    answers: usize,
    question: String,
    category: &'static str,
}

/// Conversations of a seed.
#[must_use]
pub fn conversations(count: usize, seed: u64) -> Vec<Conversation> {
    let mut random = Random::new(seed);
    (0..count)
        .map(|place| conversation(place, &mut random))
        .collect()
}

fn conversation(place: usize, random: &mut Random) -> Conversation {
    let first = random.below(NAMES.len());
    let second = (first + 1 + random.below(NAMES.len() - 1)) % NAMES.len();
    let names = [NAMES[first], NAMES[second]];
    let mut sessions: Vec<Vec<Plant>> = vec![Vec::new(); SESSIONS as usize];
    for (about, name) in names.into_iter().enumerate() {
        for (at, plant) in plants(about, name, random).into_iter().enumerate() {
            // Journeys come first and must not meet in one session.
            let room: Vec<usize> = (0..sessions.len())
                .filter(|&one| sessions[one].len() < PLANTED)
                .filter(|&one| at >= JOURNEYS.len() || one % JOURNEYS.len() == at)
                .collect();
            if !room.is_empty() {
                let one = *random.pick(&room);
                sessions[one].push(plant);
            }
        }
    }
    let mut made = Conversation {
        name: format!("generated-{place}"),
        ..Conversation::default()
    };
    for (session, plants) in (1..).zip(sessions) {
        let month = (session as usize + place) % MONTHS.len();
        let date = format!(
            "{} {} {}",
            1 + random.below(28),
            MONTHS[month],
            2021 + place % 3
        );
        talk(&mut made, session, &date, names, random);
        for plant in plants {
            plant_into(&mut made, session, &date, names, &plant);
            talk(&mut made, session, &date, names, random);
        }
    }
    made
}

/// Adds a few turns of small talk.
fn talk(to: &mut Conversation, session: u32, date: &str, names: [&str; 2], random: &mut Random) {
    for _ in 0..2 + random.below(3) {
        let speaker = names[to.turns.len() % 2];
        let text = format!(
            "{} {}",
            random.pick::<&str>(TALK),
            random.pick::<&str>(TALK)
        );
        to.turns
            .push(turn(session, date, speaker, text, String::new()));
    }
}

fn plant_into(to: &mut Conversation, session: u32, date: &str, names: [&str; 2], plant: &Plant) {
    for (at, (speaker, text, caption)) in plant.turns.iter().enumerate() {
        let speaker = names[(plant.about + speaker) % 2];
        if at == plant.answers {
            let place = to.turns.len();
            match to
                .questions
                .iter_mut()
                .find(|known| known.text == plant.question)
            {
                Some(known) => known.evidence.push(place),
                None => to.questions.push(Question {
                    text: plant.question.clone(),
                    evidence: vec![place],
                    category: plant.category,
                }),
            }
        }
        to.turns
            .push(turn(session, date, speaker, text.clone(), caption.clone()));
    }
}

fn turn(session: u32, date: &str, speaker: &str, text: String, caption: String) -> Turn {
    Turn {
        session,
        date: date.to_owned(),
        speaker: speaker.to_owned(),
        text,
        caption,
    }
}

/// Everything to be planted about one person.
fn plants(about: usize, name: &str, random: &mut Random) -> Vec<Plant> {
    let mut plants = Vec::new();
    let mut plant = |turns: &[(usize, String, String)], question: &str, category| {
        plants.push(Plant {
            about,
            turns: turns.to_vec(),
            answers: turns.len() - 1,
            question: question.replace("{}", name),
            category,
        });
    };
    let own = |text: String| (0, text, String::new());
    let other = |text: &str| (1, text.to_owned(), String::new());
    for journey in JOURNEYS {
        let text = journey.replace("{}", random.pick::<&str>(PLACES));
        plant(
            &[own(text)],
            "To which places did {} go on a trip, a holiday or by train?",
            "multi-hop",
        );
    }
    for (statement, question, values) in SAID {
        plant(
            &[own(statement.replace("{}", random.pick::<&str>(values)))],
            question,
            "single-hop",
        );
    }
    for (ask, answer, question, values) in ANSWERED {
        let answer = own(answer.replace("{}", random.pick::<&str>(values)));
        plant(&[other(ask), answer], question, "single-hop");
    }
    for (begins, goes_on, question, values) in TOLD_ON {
        let told = own(goes_on.replace("{}", random.pick::<&str>(values)));
        let turns = [own((*begins).to_owned()), other("Oh, tell me more!"), told];
        plant(&turns, question, "single-hop");
    }
    for (statement, question) in DONE {
        plant(&[own((*statement).to_owned())], question, "temporal");
    }
    for (picture, values) in PICTURES {
        let caption = picture.replace("{}", random.pick::<&str>(values));
        let asked = format!(
            "What is on {} that {{}} showed?",
            picture.replace("a {}", "something")
        );
        plant(
            &[(0, "Look at this!".to_owned(), caption)],
            &asked,
            "single-hop",
        );
    }
    plants
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_seed_makes_the_same_and_another_seed_another() {
        assert_eq!(conversations(2, 7), conversations(2, 7));
        assert_ne!(conversations(2, 7), conversations(2, 8));
    }

    #[test]
    fn every_question_has_evidence_by_the_one_it_names() {
        for conversation in conversations(4, 1) {
            assert!(
                conversation.questions.len() >= 25,
                "{}",
                conversation.questions.len()
            );
            for question in &conversation.questions {
                for &place in &question.evidence {
                    let turn = &conversation.turns[place];
                    assert!(
                        question.text.contains(&turn.speaker),
                        "{question:?} {turn:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn journeys_are_in_several_sessions() {
        for conversation in conversations(4, 1) {
            let journeys = conversation
                .questions
                .iter()
                .filter(|one| one.category == "multi-hop");
            for question in journeys {
                let places = question
                    .evidence
                    .iter()
                    .map(|&place| conversation.turns[place].session);
                let sessions: BTreeSet<u32> = places.collect();
                assert_eq!(sessions.len(), JOURNEYS.len());
            }
        }
    }
}
