//! Whether a request orders a change, in the larger languages of Europe.
//!
//! Verbs of change as an order has them, and the words that ask for the same once more. What is not
//! known here counts as no order: a claim that is overlooked costs less than an honest report of
//! earlier work that is called a lie.

use regex::Regex;
use std::sync::LazyLock;

/// Verbs of change, each as the words of an order begin, per language.
const ORDERS: [&str; 7] = [
    "(?:fix|correct|repair|resolve|mend|change|edit|update|modify|replace|rewrite|overwrite|write|\
      create|make|add|append|insert|delete|remove|erase|move|rename|save|merge|join|\
      combine|split|copy|shorten|undo|refactor|implement|\
      commit (?:it|them|this|that|the|all|everything|your|my))",
    "(?:korrigier|beheb|berichtig|verbesser|änder|bearbeit|aktualisier|ersetz|schreib|\
      erstell|leg|füg|ergänz|häng|lösch|entfern|verschieb|benenn|umbenenn|nenn|speicher|\
      kopier|kürz|mach|reparier|überarbeit|überschreib|pass|implementier|refaktorier)\
      (?:e|t|en|n|st)?|(?:auf)?teil(?:e|t|en)?(?: \\S+){1,4} in (?:zwei|drei|vier|mehrere|\\d+)|\
      zusammen(?:fügen|führen|legen)|umzubenennen|(?:füg|führ)(?:e|t)?",
    "(?:corrig|répar|chang|modifi|édit|remplac|cré|ajout|insèr|insér|supprim|effac|déplac|\
      renomm|enregistr|sauvegard|fusionn|copi|raccourci)(?:e|es|er|ez|r)?|(?:corrige|change)[rz]?|\
      écri(?:s|re|vez)|met(?:s|tre|tez)|fai(?:s|re|tes)|réécri(?:s|re|vez)",
    "(?:corrig|arregl|cambi|modific|edit|reemplaz|sustitu|cre|añad|agreg|borr|elimin|renombr|\
      guard|copi|actualiz|junt)(?:a|e|i|ue|ir|ar|er|en)|(?:corrige|sustituye|mueve|mover|escrib[ea]|\
      escribir|haz|pon)",
    "(?:corregg|cambi|modific|sostitu|cre|aggiung|elimin|cancell|rinomin|salv|copi|aggiorn|spost)(?:a|i|ere|are|ire)|\
      (?:unisci|unire|scriv[ie]|scrivere|metti|fai|rimuov[ie]|rimuovere)",
    "(?:corrij|corrig|mud|alter|modific|edit|substitu|cri|adicion|acrescent|apag|exclu|elimin|\
      renome|salv|guard|grav|copi|atualiz|junt)(?:a|e|i|ir|ar|ia)|(?:mov[ae]|mover|escrev[ae]|\
      escrever|faça|faz|põe)",
    "(?:corrigeer|verbeter|herstel|wijzig|verander|bewerk|vervang|schrijf|maak|voeg|verwijder|wis|\
      verplaats|hernoem|noem|bewaar|kopieer|pas)|(?:opslaan|wissen|maken|verwijderen|wijzigen|\
      toevoegen|schrijven)",
];

/// Words that ask for the same once more, or for what is left.
const AGAIN: &str = "again|continue|go on|weiter|nochmals?|encore|continuez?|continúa|otra vez|\
                     ancora|continua|de novo|opnieuw|verder";

static ORDER: LazyLock<Option<Regex>> = LazyLock::new(|| words(&ORDERS.join("|")));
static ONCE_MORE: LazyLock<Option<Regex>> = LazyLock::new(|| words(AGAIN));

fn words(all: &str) -> Option<Regex> {
    Regex::new(&format!(r"(?i)\b(?:{all})\b")).ok()
}

fn has(words: &Option<Regex>, request: &str) -> bool {
    words.as_ref().is_some_and(|words| words.is_match(request))
}

/// What whoever tells of themselves begins with: "Ich schreibe als …" orders no writing.
const OWN: &str = "i|we|my|ich|wir|mein|meine|je|j['’]\\w+|nous|mon|ma|yo|mi|io|eu|meu|minha|ik|wij|\
                   mijn";
/// What makes an order of such a sentence all the same.
const WISH: &str = "you|your|please|want|need|wish|like|du|dich|dir|sie|bitte|möcht\\w*|will|wollen|\
                    brauch\\w*|hätten?|soll\\w*|tu|te|vous|veux|voudr\\w+|quiero|necesito|favor|\
                    vorrei|voglio|quero|gostaria|wil|graag|je wilt";
/// What goes on with the sentence before it.
const JOINED: &str = "and|und|et|y|e|en|sowie";

static STATEMENT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^\W*(?:{OWN})\b")).ok());
static WISHED: LazyLock<Option<Regex>> = LazyLock::new(|| words(WISH));
static GOES_ON: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!(r"(?i)^\W*(?:{JOINED})\b")).ok());
/// Where a clause ends: at a mark that a space follows, so that names keep their endings.
static END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[.!?;:,](?:\s|$)|\n").ok());

/// Whether `request` orders a change. What the user tells of themselves orders none.
pub(super) fn orders_change(request: &str) -> bool {
    let mut is_told = false;
    let clauses = END.as_ref().map(|end| end.split(request));
    clauses.into_iter().flatten().any(|clause| {
        let goes_on = is_told && has(&GOES_ON, clause);
        is_told = (goes_on || has(&STATEMENT, clause)) && !has(&WISHED, clause);
        !is_told && has(&ORDER, clause)
    })
}

/// Whether `request` asks for the same once more, or for what is left.
pub(super) fn asks_for_more(request: &str) -> bool {
    has(&ONCE_MORE, request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_told_from_thanks_and_reports() {
        assert!(ORDER.is_some() && asks_for_more("do b.md again"));
        for order in [
            "Fix the typo in a.md",
            "Korrigiere Kapitel 01.md",
            "bitte füge die Kapitel zusammen und lösche die alten Dateien",
            "Nenne Kapitel 3 um",
            "Corrige les fautes dans Préface.md",
            "Renomme le chapitre 4",
            "Corrige el archivo",
            "Correggi il file",
            "Corrija o arquivo",
            "Hernoem het bestand",
            "Teile kapitel-05.md in zwei Dateien",
            "I want you to fix a.md",
            "Ich möchte, dass du Kapitel 3 umbenennst und korrigiere bitte Kapitel 4",
            "Ich heiße Åsa. Schreibe das in notizen.md",
            "My build is broken, fix it",
            "commit the changes",
        ] {
            assert!(orders_change(order), "{order}");
        }
        for other in [
            "thanks",
            "Tell me what happened in this session",
            "Fasse zusammen, was in dieser Sitzung geschah",
            "Danke, das war gut",
            "Merci beaucoup",
            "look into it",
            "Ich heiße Åsa Çelik und schreibe als Renée Groß",
            "Ich heiße Åsa, und schreibe als Renée",
            "I write as Renée and edit a magazine",
            "Teile mir mit, was du getan hast",
            "Explain this commit",
        ] {
            assert!(!orders_change(other), "{other}");
        }
    }
}
