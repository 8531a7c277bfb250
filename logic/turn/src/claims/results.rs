//! Claims that name the result and not who did it: "Done.", "Der Tippfehler ist behoben.", "Le
//! chapitre 4 a été renommé."
//!
//! Such a sentence is a claim only as the answer to a request that orders a change, and not where it
//! presents a text that was asked for. A sentence that denies, sets a condition or says that it was so
//! before claims nothing.

use super::orders::orders_change;
use regex::Regex;
use std::sync::LazyLock;

/// Whether `request` orders a change, and `answer` is not the text that it asks for. Who gives a text to
/// work on is given a text, and no file is changed.
pub(super) fn is_order(request: &str, answer: &str) -> bool {
    let gives = |patterns: &Patterns| patterns.given.is_match(request);
    let gives_text = request.contains([':', '\n']) || PATTERNS.as_ref().is_some_and(gives);
    !gives_text && !answer.contains("```") && orders_change(request)
}

/// Whether the answer to an order says that it is done.
pub(super) fn claims(answer: &str) -> bool {
    let Some(patterns) = PATTERNS.as_ref() else {
        return false;
    };
    if is_done(answer) {
        return true;
    }
    let answer = answer.trim().to_lowercase();
    let mut sentences = patterns
        .sentence
        .find_iter(&answer)
        .map(|found| found.as_str());
    sentences.any(|sentence| patterns.is_claim(sentence))
}

/// Whether an answer says no more than that it is done.
pub(super) fn is_done(answer: &str) -> bool {
    let answer = answer.trim().to_lowercase();
    PATTERNS
        .as_ref()
        .is_some_and(|patterns| patterns.finished.is_match(&answer))
}

/// Whether a sentence, in small letters, denies, sets a condition or tells of what was so before.
pub(super) fn is_open(sentence: &str) -> bool {
    let is_other = |patterns: &Patterns| patterns.other.is_match(sentence);
    PATTERNS.as_ref().is_none_or(is_other)
}

/// Whether the first sentence of an answer, in small letters, says no more than that it is done.
pub(super) fn begins_with_done(answer: &str) -> bool {
    PATTERNS.as_ref().is_some_and(|patterns| {
        let first = patterns.sentence.find(answer);
        first.is_some_and(|first| patterns.finished.is_match(first.as_str().trim()))
    })
}

struct Patterns {
    /// A request that shows the text it is about.
    given: Regex,
    /// An answer that says no more than that it is done.
    finished: Regex,
    /// A sentence with the mark that ends it.
    sentence: Regex,
    /// A clause with the mark that ends it.
    clause: Regex,
    /// A clause in which something was done.
    done: Regex,
    /// A sentence that claims nothing, whatever else stands there.
    other: Regex,
}

impl Patterns {
    fn is_claim(&self, sentence: &str) -> bool {
        if sentence.ends_with('?') || self.other.is_match(sentence) {
            return false;
        }
        let clauses = self.clause.captures_iter(sentence);
        // What ends with a colon presents what follows it.
        let mut told = clauses.filter(|clause| &clause[2] != ":");
        told.any(|clause| self.done.is_match(clause[1].trim()))
    }
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    let done = LANGUAGES.map(Language::done).join("|");
    let other = LANGUAGES.map(|language| language.other).join("|");
    Some(Patterns {
        given: Regex::new(&format!(r"(?i)\b(?:{GIVEN})\b")).ok()?,
        finished: Regex::new(&format!(r"^(?:{FINISHED})[.!]*$")).ok()?,
        sentence: Regex::new(r"(?:[^.!?\n]|[.!?]\S)+[.!?]?").ok()?,
        clause: Regex::new(r"((?:[^,;:]|[,;:]\S)+)([,;:]?)").ok()?,
        done: Regex::new(&format!("^(?:{done})")).ok()?,
        other: Regex::new(&format!(r"\b(?:{other})\b")).ok()?,
    })
});

/// What points at a text that stands in the request or goes along with it.
const GIVEN: &str = "(?:this|following) (?:sentence|text|paragraph|word)|\
                     diese[nrs]? (?:satz|text|absatz|wort)|folgende[nrs]?|\
                     (?:cette phrase|ce texte|ce paragraphe|suivante?)|\
                     (?:esta frase|este texto|siguiente)|(?:questa frase|questo testo|seguente)|\
                     (?:esta frase|este texto|seguinte)|(?:deze zin|deze tekst|volgende)";

/// That it is done, in a word.
const FINISHED: &str = "(?:all )?done|finished|fixed|corrected|refactored|implemented|added|\
                        committed|merged|replaced|changed|renamed|moved|deleted|removed|updated|\
                        saved|erledigt|fertig|gemacht|behoben|korrigiert|geändert|ersetzt|\
                        umbenannt|verschoben|gelöscht|eingefügt|c['’]est fait|fait|hecho|listo|\
                        fatto|feito|pronto|klaar|gedaan";

/// The words of one language, each a piece of a regular expression.
struct Language {
    /// What a thing begins with.
    articles: &'static str,
    /// Between a thing and what was done to it.
    was: &'static str,
    /// What may stand beside a participle.
    adverbs: &'static str,
    /// What was done. Words that also describe what a text is like are left out.
    done: &'static str,
    /// What may follow a finished change.
    goes_on: &'static str,
    /// Between a thing and its new name.
    named: &'static str,
    /// A denial, a condition, or what was so before.
    other: &'static str,
}

impl Language {
    fn done(self) -> String {
        let Self {
            articles,
            was,
            adverbs,
            done,
            goes_on,
            named,
            ..
        } = self;
        let thing = format!(r"(?:{articles})(?: ?\S+){{1,6}}");
        let is_done = format!(r"(?:{was})(?: (?:{adverbs}))* (?:{done})(?: (?:{adverbs}))*");
        format!(r"{thing} {is_done}(?:[.!]|$| (?:{goes_on})\b)|\S+(?: \S+){{0,5}} (?:{named})\b")
    }
}

const LANGUAGES: [Language; 7] = [
    Language {
        articles: "the|all|your|both|chapter",
        was: "is|are|has been|have been",
        adverbs: "now|successfully",
        done: "fixed|corrected|renamed|deleted|removed|moved|merged|joined|combined|updated|\
               replaced|inserted|resolved|repaired",
        goes_on: "and|in|to|into|from|as you",
        named: "is now (?:called|named)",
        other: "not|no|never|nothing|already|cannot|can|could|should|would|will|must|if|once|\
                after|when|then|before|until|by|that|\\w+n['’]t",
    },
    Language {
        articles: "der|die|das|dein|deine|ihre?|alle|beide|kapitel",
        was: "ist|sind|wurden?",
        adverbs: "nun|jetzt|erfolgreich|wie gewünscht",
        done: "behoben|korrigiert|berichtigt|umbenannt|gelöscht|entfernt|verschoben|ersetzt|\
               zusammengeführt|zusammengefügt|zusammengelegt|aktualisiert|geändert|eingefügt|\
               ergänzt|überarbeitet|repariert",
        goes_on: "worden|und|wie gewünscht",
        named: "heiß(?:t|en) (?:jetzt|nun)",
        other: "nicht|nichts|kein\\w*|nie|niemals|ohne|bereits|schon|kann\\w*|könn\\w*|soll\\w*|\
                würde\\w*|wird|werden|muss|müss\\w*|wenn|falls|sobald|nachdem|danach|dann|bevor|\
                bis|dass|daß|ob",
    },
    Language {
        articles: "l[ea]s? ?|l['’]|votre|ton|vos|tes|tous les|toutes les",
        was: "a été|ont été|est maintenant|sont maintenant|est désormais|sont désormais",
        adverbs: "maintenant|bien|désormais|correctement",
        done: "(?:corrigé|renommé|supprimé|effacé|déplacé|remplacé|fusionné|modifié|changé|ajouté|\
               inséré|réparé)e?s?|mis(?:es?)? à jour",
        goes_on: "et|dans|en|avec succès|comme",
        named: "s['’]appellent? (?:maintenant|désormais)",
        other: "pas|rien|aucune?|jamais|sans|déjà|peut|peuvent|pourr\\w+|sera|seront|serai\\w+|\
                doi\\w+|si|quand|lorsque|après|une fois|ensuite|avant|que|qu['’]\\w+|par",
    },
    Language {
        articles: "el|la|los|las|tus?|sus?|todos los|todas las",
        was: "ha sido|han sido|fue|fueron|está ahora|están ahora",
        adverbs: "ya|ahora|correctamente",
        done: "(?:corregid|renombrad|borrad|eliminad|movid|reemplazad|sustituid|unid|actualizad|\
               cambiad|añadid|insertad|arreglad)[oa]s?",
        goes_on: "y|en|con éxito|como",
        named: "(?:ahora se llaman?|se llaman? ahora)",
        other: "no|nada|nunca|sin|puede\\w*|podr\\w+|será\\w*|debe\\w*|si|cuando|después|una vez|\
                antes|que|por",
    },
    Language {
        articles: "il|lo|la|i|gli|le|l['’]|tutti i|tutte le",
        was: "è stat[oa]|sono stat[ie]",
        adverbs: "ora|adesso|correttamente",
        done: "corrett[oaie]|rimoss[oaie]|unit[oaie]|\
               (?:rinominat|eliminat|cancellat|spostat|sostituit|aggiornat|modificat|aggiunt)[oaie]",
        goes_on: "e|in|nel|nella|con successo|come",
        named: "(?:ora si chiama(?:no)?|si chiama(?:no)? ora)",
        other: "non|niente|nulla|mai|senza|già|può|possono|potr\\w+|sarà|saranno|dev\\w+|se|quando|\
                dopo|una volta|prima|che|da|dal|dalla",
    },
    Language {
        articles: "os?|as?|seus?|suas?|todos os|todas as",
        was: "foi|foram",
        adverbs: "agora|corretamente",
        done: "(?:corrigid|renomead|apagad|excluíd|eliminad|removid|movid|substituíd|unid|\
               atualizad|alterad|adicionad|inserid)[oa]s?",
        goes_on: "e|em|no|na|com sucesso|como",
        named: "(?:agora se chamam?|chamam?-se agora)",
        other: "não|nada|nunca|sem|já|pode\\w*|será|serão|deve\\w*|se|quando|depois|uma vez|antes|\
                que|por|pelo|pela",
    },
    Language {
        articles: "de|het|een|je|jouw|uw|alle",
        was: "is|zijn|werd|werden",
        adverbs: "nu|met succes",
        done: "gecorrigeerd|verbeterd|hersteld|hernoemd|verwijderd|gewist|verplaatst|vervangen|\
               samengevoegd|bijgewerkt|gewijzigd|toegevoegd|ingevoegd",
        goes_on: "en|met succes|zoals",
        named: "heten? nu",
        other: "niet|niets|geen|nooit|zonder|al|kan|kunnen|zou|zal|zullen|moet\\w*|als|zodra|nadat|\
                daarna|dan|voordat|dat|door",
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_were_ordered_are_claims() {
        assert!(PATTERNS.is_some());
        for (request, answer) in [
            (
                "Füge die Kapitel zusammen und lösche die alten Dateien",
                "Erledigt! Die Kapitel sind jetzt zusammengeführt und die alten Dateien gelöscht.",
            ),
            (
                "Korrigiere den Tippfehler in a.md",
                "Der Tippfehler ist behoben.",
            ),
            ("Nenne Kapitel 3 um", "Kapitel 3 heißt jetzt „Das Moor“."),
            (
                "Corrige les fautes dans Préface.md",
                "C’est fait : les fautes ont été corrigées dans Préface.md.",
            ),
            (
                "Renomme le chapitre 4",
                "Le chapitre 4 a été renommé en « Kapitel 4 neu.md ».",
            ),
            ("Rename chapter 3", "Done."),
            ("Rename chapter 3", "Chapter 3 is now called The Moor."),
            (
                "Merge the chapters",
                "All chapters have been merged into one.",
            ),
            ("Borra los capítulos", "Los capítulos han sido borrados."),
            ("Elimina i capitoli", "I capitoli sono stati eliminati."),
            ("Apaga os capítulos", "Os capítulos foram apagados."),
            ("Verwijder het hoofdstuk", "Het hoofdstuk is verwijderd."),
        ] {
            let is_claim = is_order(request, answer) && claims(answer);
            assert!(is_claim, "{request}: {answer}");
        }
    }

    #[test]
    fn harmless_answers_claim_no_result() {
        for (request, answer) in [
            ("Wie geht es dir?", "Der Tippfehler ist behoben."),
            ("Erzähl mir etwas", "Fertig."),
            ("Correct this sentence: He go home", "Done."),
            ("Correct the typos", "The typos are fixed: He goes home."),
            ("Korrigiere Kapitel 3", "Der Tippfehler ist nicht behoben."),
            ("Korrigiere Kapitel 3", "Der Fehler ist schon behoben."),
            ("Korrigiere Kapitel 3", "Ist der Tippfehler behoben?"),
            ("Fix chapter 3", "The typo was fixed by Ann in 2020."),
            ("Fix chapter 3", "The chapter is written in the past tense."),
            (
                "Delete the logs",
                "Run `rm *.log`. After that, the logs are deleted.",
            ),
            ("Delete the logs", "Once you agree, the logs are removed."),
            ("Change the ending", "Which one is meant? I see two."),
            ("Corrige le chapitre", "Le chapitre a été modifié par Anne."),
            ("Corrige le chapitre", "Les fautes n’ont pas été corrigées."),
            ("Write a poem", "The moor is wide.\nDone are the days."),
            ("Kürze das Kapitel", "Soll der Anfang bleiben, wie er ist?"),
        ] {
            let is_claim = is_order(request, answer) && claims(answer);
            assert!(!is_claim, "{request}: {answer}");
        }
    }
}
