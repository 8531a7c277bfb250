//! Words of the larger languages of Europe that say nothing about what a text is about: function
//! words besides those of English, greetings, thanks and plain answers. All in lower case and without
//! accents, sorted for the search.

/// Function words of German, French, Spanish, Italian, Portuguese and Dutch. They are left out of
/// questions, never of what is found. Not among them is what says something in another of these
/// languages or in English, or is the name of something: "die", "war", "van", "nas", "os", "su".
#[rustfmt::skip]
pub(crate) const FUNCTION_WORDS: &[&str] = &[
    "aan", "aber", "agli", "al", "alla", "alle", "allo", "alors", "als", "anche", "ao", "aos",
    "au", "auch", "auf", "aus", "avec", "avez", "avons", "bei", "beim", "bij", "bis", "bist",
    "ce", "ces", "cet", "cette", "che", "chez", "chi", "ci", "cosa", "cual", "cuando", "da",
    "dai", "dal", "dalla", "dalle", "dann", "dans", "das", "dass", "dat", "de", "degli", "dei",
    "dein", "deine", "deinem", "deinen", "deiner", "del", "dela", "dele", "della", "delle",
    "dello", "dem", "denn", "der", "des", "deze", "di", "dich", "diese", "diesem", "diesen",
    "dieser", "dieses", "dit", "doch", "donde", "du", "durch", "een", "ein", "eine", "einem",
    "einen", "einer", "eines", "el", "ela", "elas", "ele", "eles", "ella", "ellas", "elle",
    "elles", "ellos", "em", "en", "entre", "er", "eres", "es", "esa", "ese", "eso", "essa",
    "esse", "est", "esta", "estao", "este", "esto", "estoy", "etais", "etait", "etes", "eu",
    "euch", "euer", "eure", "eux", "foi", "geen", "gli", "habe", "haben", "hai", "hast", "heb",
    "hebben", "hebt", "heeft", "het", "hij", "ho", "hoe", "hun", "ich", "ihm", "ihn", "ihnen",
    "ihr", "ihre", "ihrem", "ihren", "ihrer", "ik", "il", "ils", "im", "isso", "ist", "isto",
    "je", "jede", "jeder", "jedes", "jij", "jouw", "kan", "kann", "kannst", "kein", "keine",
    "keinen", "konnte", "konntest", "kun", "kunnen", "kunt", "la", "las", "le", "les", "leur",
    "leurs", "lhe", "lo", "loro", "los", "lui", "ma", "maar", "mais", "mein", "meine", "meinem",
    "meinen", "meiner", "meines", "mes", "meu", "meus", "mi", "mich", "mie", "miei", "mij",
    "mijn", "minha", "minhas", "mio", "mir", "mis", "mit", "moi", "mon", "muito", "muy", "na",
    "naar", "nach", "nao", "ne", "nel", "nella", "nelle", "nem", "nicht", "niet", "noch", "nog",
    "noi", "non", "nossa", "nosso", "nostra", "nostro", "notre", "nous", "nu", "nuestra",
    "nuestro", "nun", "nur", "ob", "oder", "ohne", "ons", "ont", "onze", "ook", "op", "ou",
    "para", "pas", "pela", "pelas", "pelo", "pelos", "perche", "pero", "piu", "podes", "por",
    "porque", "pourquoi", "pourrais", "puede", "puedes", "puoi", "quais", "qual", "quale",
    "quali", "quand", "quando", "que", "quel", "quella", "quelle", "quelles", "quello", "quels",
    "quem", "questa", "queste", "questi", "questo", "qui", "quien", "quoi", "sa", "se", "sehr",
    "sei", "sein", "seine", "seinen", "seiner", "sem", "ser", "seu", "seus", "si", "sich", "sie",
    "sind", "sobre", "soll", "solle", "sollte", "sono", "sont", "sous", "soy", "sua", "suas",
    "sugli", "sui", "suis", "sul", "sulla", "suo", "sur", "sus", "ta", "tambem", "te", "tengo",
    "tenho", "tes", "teu", "ti", "tiene", "tienes", "toi", "tra", "tu", "tua", "tuo", "tus",
    "uber", "uit", "um", "uma", "umas", "un", "una", "unas", "und", "une", "unos", "uns", "unser",
    "unsere", "unseren", "uw", "voce", "voces", "voi", "vom", "voor", "vor", "vos", "vostro",
    "votre", "vous", "waar", "waarom", "wann", "wanneer", "warum", "wat", "weil", "wel", "welche",
    "welchen", "welcher", "welches", "welk", "welke", "wenn", "wer", "werd", "werde", "werden",
    "wie", "wieso", "wij", "wil", "wir", "wird", "wo", "wollen", "worden", "wordt", "wurde",
    "wurden", "ya", "yo", "zal", "zich", "zij", "zijn", "zo", "zou", "zu", "zum", "zur",
    "zwischen",
];

/// Words of greetings, thanks and plain answers.
#[rustfmt::skip]
pub(crate) const SMALL_TALK: &[&str] = &[
    "abend", "adios", "afternoon", "alsjeblieft", "alstublieft", "arrivederci", "beaucoup",
    "bedankt", "bene", "besten", "bien", "bitte", "boa", "bom", "bonjour", "bonsoir", "buenas",
    "buenos", "buonasera", "buongiorno", "bye", "carl", "cheers", "ciao", "cool", "coucou", "dag",
    "dank", "danke", "dankeschon", "dankjewel", "dia", "dias", "doei", "done", "evening", "favor",
    "fine", "genau", "goed", "goedemorgen", "goedenavond", "good", "goodbye", "gott", "gracias",
    "grazie", "great", "greetings", "gruß", "gut", "gute", "guten", "hallo", "hallochen", "hello",
    "herzlichen", "hey", "hi", "hiya", "hoi", "hola", "housecarl", "howdy", "ja", "klar", "merci",
    "mille", "moin", "morgen", "morning", "muchas", "nacht", "nee", "nein", "nice", "night", "no",
    "noches", "noite", "non", "nope", "obrigada", "obrigado", "oi", "ok", "okay", "ola", "oui",
    "parfait", "perfecto", "perfeito", "perfetto", "plait", "please", "prego", "prima", "revoir",
    "salut", "schon", "servus", "si", "sim", "super", "sure", "tag", "tarde", "tardes", "tchau",
    "thank", "thanks", "thx", "tschuss", "va", "vale", "vielen", "welcome", "well", "wiedersehen",
    "yep", "yes",
];

/// Those that stand beside what is asked, and are no part of it.
#[rustfmt::skip]
pub(crate) const POLITE: &[&str] = &[
    "alsjeblieft", "alstublieft", "bedankt", "bitte", "bonjour", "ciao", "dank", "danke",
    "dankjewel", "favor", "gracias", "grazie", "hallo", "hello", "hey", "hi", "hola", "merci",
    "obrigada", "obrigado", "ola", "plait", "please", "prego", "salut", "thank", "thanks", "thx",
];

/// Whether a list has a word.
pub(crate) fn has(list: &[&str], lower: &str) -> bool {
    list.binary_search(&lower).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{STOP_WORDS, without_accents};

    #[test]
    fn lists_are_sorted_and_have_no_accents() {
        for list in [FUNCTION_WORDS, SMALL_TALK, POLITE] {
            assert!(list.is_sorted());
            let mut words = list.iter();
            assert!(words.all(|word| without_accents(word) == *word));
        }
        let mut words = POLITE.iter();
        assert!(words.all(|word| has(SMALL_TALK, word)));
        let mut words = FUNCTION_WORDS.iter();
        assert!(words.all(|word| !has(STOP_WORDS, word)));
    }
}
