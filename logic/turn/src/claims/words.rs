//! How finished changes of files are told in the larger languages of Europe besides English.
//!
//! The words of each language are a row of a table; the sentences are built alike for all of them.
//! A clause claims a change where the speaker did it ("Ich habe die Datei gelöscht") or where it
//! says no more than that it is done ("Le fichier a été modifié."). A clause with a word that denies,
//! reports or asks claims nothing: a claim that is overlooked costs less than an honest answer that
//! is called a lie.

use regex::Regex;
use std::sync::LazyLock;

/// What tells a claim in each language.
static CLAIMS: LazyLock<Vec<Claims>> = LazyLock::new(|| {
    let languages = [GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];
    languages.iter().filter_map(Words::claims).collect()
});

/// Where one clause ends: at a mark that a space follows, so that names keep their endings.
static END: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"[.!?;:,](?:\s|$)|\n").ok());

/// Whether `answer` claims a change of a file or folder in one of the languages known here.
pub(super) fn claims(answer: &str) -> bool {
    let answer = answer.to_lowercase();
    let clauses = END.as_ref().map(|end| end.split(&answer));
    let mut clauses = clauses.into_iter().flatten().map(str::trim);
    clauses.any(|clause| CLAIMS.iter().any(|language| language.claim(clause)))
}

/// Whether `answer`, in small letters, says that the speaker changed something, a file or not.
pub(super) fn claims_act(answer: &str) -> bool {
    let clauses = END.as_ref().map(|end| end.split(answer));
    let mut clauses = clauses.into_iter().flatten().map(str::trim);
    clauses.any(|clause| CLAIMS.iter().any(|language| language.act(clause)))
}

/// A name with an ending, in quotes or not.
const NAME: &str = r"[`'\x22«„“*]*[\w/-]*[\w-]+\.[a-z][a-z0-9]{0,4}\b[`'\x22»“”*]*";

/// The words of one language, each a piece of a regular expression.
struct Words {
    /// That the speaker has done something: "ich habe".
    i_have: &'static str,
    /// What was done, as a participle.
    done: &'static str,
    /// What the speaker did, in one word: "criei".
    i_did: &'static str,
    /// Files and folders.
    things: &'static str,
    /// What stands before those at the beginning of a clause.
    articles: &'static str,
    /// Between a thing and what was done to it: "has been".
    was: &'static str,
    /// What may stand beside a participle: "now", "successfully".
    adverbs: &'static str,
    /// What may follow a finished change: "and", "with success", "as you asked".
    goes_on: &'static str,
    /// What makes of a clause a denial, a report or a question.
    other: &'static str,
    /// A text about a thing, which changes no file: "a summary of".
    about: &'static str,
}

const GERMAN: Words = Words {
    i_have: "ich hab(?:e|['’]s)?|habe? ich",
    done: "erstellt|angelegt|geschrieben|gespeichert|gesichert|gelöscht|entfernt|verschoben|\
           umbenannt|aktualisiert|bearbeitet|geändert|verändert|abgeändert|ersetzt|hinzugefügt|\
           ergänzt|angehängt|eingefügt|überschrieben|korrigiert|behoben|berichtigt|angepasst|\
           überarbeitet|repariert|refaktoriert|implementiert|umgesetzt|eingebaut|geteilt|\
           aufgeteilt|zusammengefügt|zusammengeführt|zusammengelegt|ausgetauscht|committet|\
           eingecheckt",
    i_did: "ich (?:erstellte|speicherte|löschte|änderte|korrigierte|ersetzte)",
    things: "datei(?:en)?|ordner|verzeichnisse?",
    articles: "der|die|das|den|deine?|ihre?|alle",
    was: "wurden?|ist|sind",
    adverbs: "nun|jetzt|soeben|eben|gerade|erfolgreich|auch|wie gewünscht",
    goes_on: "worden|und|wie gewünscht|für",
    other: "nicht|nichts|kein\\w*|nie|niemals|weder|ohne|dass|daß|ob|wie man|falls|wenn|wo|fast|\
            beinahe|sollte|würde|hätte|gestern|vorhin|früher|damals|zuvor|noch",
    about: "(?:zusammenfassung|übersicht|liste|auszug|entwurf|tabelle|fassung) \
            (?:von|vom|der|des|aus|zu|zur|zum|über)",
};

const FRENCH: Words = Words {
    i_have: "j['’]ai",
    done: "(?:créé|modifié|enregistré|sauvegardé|supprimé|effacé|corrigé|ajouté|remplacé|renommé|\
           déplacé|changé|édité|écrasé|réparé|adapté)e?s?|écrite?s?|mis(?:es?)? à jour",
    i_did: "",
    things: "fichiers?|dossiers?|répertoires?",
    articles: "l[ea]s?|votre|ton|vos|tes|tous les",
    was: "a été|ont été|est|sont",
    adverbs: "maintenant|bien|aussi|également|désormais|correctement",
    goes_on: "et|avec succès|comme|pour",
    other: "pas|rien|aucune?|jamais|sans|que|qu['’]\\w+|si|comment|où|qui|presque",
    about: "(?:résumé|aperçu|liste|extrait|synthèse|tableau|brouillon) (?:de|du|des|d['’]\\w+)",
};

const SPANISH: Words = Words {
    i_have: "(?:yo )?he",
    done: "(?:cread|modificad|guardad|borrad|eliminad|corregid|añadid|agregad|reemplazad|\
           sustituid|renombrad|movid|actualizad|cambiad|editad|arreglad)[oa]s?|escrit[oa]s?",
    i_did: "creé|modifiqué|guardé|borré|eliminé|corregí|añadí|agregué|reemplacé|sustituí|\
            renombré|moví|actualicé|cambié|edité|arreglé|escribí",
    things: "archivos?|ficheros?|carpetas?|directorios?",
    articles: "el|la|los|las|tus?|sus?",
    was: "ha sido|han sido|se ha|se han|fue|fueron",
    adverbs: "ya|ahora|también|correctamente|exitosamente",
    goes_on: "y|con éxito|correctamente|como|para",
    other: "no|nada|ningun[oa]?|ningún|nunca|sin|que|si|cómo|donde|dónde|casi",
    about: "(?:resumen|lista|extracto|borrador|tabla) (?:de|del|sobre)",
};

const ITALIAN: Words = Words {
    i_have: "ho",
    done: "(?:creat|modificat|salvat|eliminat|cancellat|aggiunt|sostituit|rinominat|spostat|\
           aggiornat|cambiat|sistemat)[oaie]|rimoss[oaie]|corrett[oaie]|scritt[oaie]",
    i_did: "",
    things: "file|cartell[ae]|director(?:y|ies)",
    articles: "il|lo|la|i|gli|le|l['’]",
    was: "è stat[oa]|sono stat[ie]",
    adverbs: "ora|adesso|anche|già|correttamente",
    goes_on: "e|con successo|correttamente|come|per",
    other: "non|niente|nulla|nessun[oa]?|mai|senza|che|se|come si|dove|quasi",
    about: "(?:riassunto|elenco|lista|estratto|bozza|tabella) (?:di|del|della|dei|dello)",
};

const PORTUGUESE: Words = Words {
    i_have: "tenho",
    done: "(?:criad|modificad|alterad|salv|guardad|gravad|apagad|excluíd|eliminad|removid|\
           corrigid|adicionad|acrescentad|substituíd|renomead|movid|atualizad|mudad|editad)[oa]s?|\
           escrit[oa]s?",
    i_did: "criei|modifiquei|alterei|salvei|guardei|gravei|apaguei|excluí|eliminei|removi|\
            corrigi|adicionei|acrescentei|substituí|renomeei|movi|atualizei|mudei|editei|escrevi",
    things: "arquivos?|ficheiros?|pastas?|diretórios?|directórios?",
    articles: "os?|as?|seus?|suas?|teus?",
    was: "foi|foram",
    adverbs: "já|agora|também|corretamente",
    goes_on: "e|com sucesso|corretamente|como|para",
    other: "não|nada|nenhuma?|nunca|sem|que|se|como se|onde|quase",
    about: "(?:resumo|lista|extrato|rascunho|tabela) (?:de|do|da|dos|das|sobre)",
};

const DUTCH: Words = Words {
    i_have: "ik heb|heb ik",
    done: "aangemaakt|gemaakt|geschreven|opgeslagen|bewaard|verwijderd|gewist|verplaatst|\
           hernoemd|bijgewerkt|gewijzigd|veranderd|aangepast|vervangen|toegevoegd|overschreven|\
           gecorrigeerd|verbeterd|hersteld|bewerkt",
    i_did: "",
    things: "bestand(?:en)?|map(?:pen)?|directory",
    articles: "de|het|een|je|jouw|uw|alle",
    was: "is|zijn|werd|werden",
    adverbs: "nu|net|zojuist|ook|succesvol|met succes",
    goes_on: "en|met succes|zoals|voor",
    other: "niet|niets|geen|nooit|zonder|dat|of|hoe|als|waar|bijna",
    about: "(?:samenvatting|overzicht|lijst|uittreksel|tabel) (?:van|over|uit)",
};

/// What tells a claim in one language.
struct Claims {
    /// A file or folder.
    thing: Regex,
    /// The speaker did it.
    spoken: Regex,
    /// Another did it, or it is a state.
    was: Regex,
    /// The clause says no more than that it is done.
    finished: Regex,
    /// Neither is claimed, whatever else stands there.
    other: Regex,
}

impl Claims {
    fn act(&self, clause: &str) -> bool {
        self.spoken.is_match(clause) && !self.was.is_match(clause) && !self.other.is_match(clause)
    }

    fn claim(&self, clause: &str) -> bool {
        let spoken = || {
            self.spoken.is_match(clause)
                && self.thing.is_match(clause)
                && !self.was.is_match(clause)
        };
        !self.other.is_match(clause) && (self.finished.is_match(clause) || spoken())
    }
}

impl Words {
    fn claims(&self) -> Option<Claims> {
        let Self {
            i_have,
            done,
            i_did,
            things,
            articles,
            ..
        } = self;
        let Self {
            was,
            adverbs,
            goes_on,
            other,
            about,
            ..
        } = self;
        let mut spoken = format!(r"\b(?:{i_have})\b.*\b(?:{done})\b");
        if !i_did.is_empty() {
            spoken = format!(r"{spoken}|\b(?:{i_did})\b");
        }
        let thing = format!("(?:(?:{articles}) ?)?(?:(?:{things})(?: {NAME})?|{NAME})");
        let is_done = format!("(?: (?:{was}))?(?: (?:{adverbs}))* (?:{done})(?: (?:{adverbs}))*");
        let finished = format!(r"^{thing}{is_done}(?:$| (?:{goes_on})\b)");
        Some(Claims {
            thing: Regex::new(&format!(r"\b(?:{things})\b|{NAME}")).ok()?,
            spoken: Regex::new(&spoken).ok()?,
            was: Regex::new(&format!(r"\b(?:{was})\b")).ok()?,
            finished: Regex::new(&finished).ok()?,
            other: Regex::new(&format!(r"\b(?:{other}|{about})\b")).ok()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_is_understood() {
        assert_eq!(CLAIMS.len(), 6);
        assert!(END.is_some());
    }

    #[test]
    fn finished_changes_are_claims_in_each_language() {
        for answer in [
            "Ich habe die Datei kapitel-01.md gelöscht und den Fehler in kapitel-02.md korrigiert.",
            "Ich habe kapitel-01.md geändert und die Änderung gespeichert.",
            "Ich habe die Datei hello.txt angelegt.",
            "Erledigt! Die Datei `notizen.md` wurde erfolgreich gespeichert.",
            "Jetzt habe ich „Café Noël.txt“ umbenannt.",
            "Datei gelöscht.",
            "J'ai modifié kapitel-01.md et enregistré le fichier.",
            "C'est fait : j’ai mis à jour le fichier.",
            "Le fichier a été créé avec succès.",
            "Fichier enregistré.",
            "He creado el archivo notas.md como pediste.",
            "Listo: guardé los cambios en notas.md.",
            "La carpeta ha sido eliminada.",
            "Ho modificato capitolo.md.",
            "Il file è stato salvato.",
            "Criei o arquivo notas.md.",
            "O arquivo foi apagado com sucesso.",
            "Ik heb het bestand notities.md aangemaakt.",
            "Het bestand is verwijderd.",
        ] {
            assert!(claims(answer), "{answer}");
        }
    }

    #[test]
    fn honest_answers_claim_nothing_in_any_language() {
        for answer in [
            "Ich habe die Datei gelesen.",
            "Ich habe die Datei kapitel-01.md gelesen, geändert habe ich sie nicht.",
            "Ich habe die Datei nicht gelöscht.",
            "Ich habe in brief.md gelesen, dass der Vertrag geändert wurde.",
            "Ich habe brief.md gelesen und den geänderten Absatz gefunden.",
            "Ich habe eine Zusammenfassung der Datei geschrieben: Anna reist ab.",
            "Ich konnte kapitel-01.md nicht ändern.",
            "Die Datei wurde 1999 von Ann erstellt.",
            "Die Einstellungen sind in config.toml gespeichert.",
            "Soll ich die Datei löschen?",
            "Ich werde kapitel-01.md jetzt ändern.",
            "J'ai lu le fichier kapitel-01.md.",
            "J'ai lu que le fichier a été modifié hier.",
            "Je n'ai pas modifié le fichier.",
            "Le fichier a été modifié par Anne en 2020.",
            "J'ai écrit un résumé du fichier : il est court.",
            "He leído el archivo notas.md.",
            "No he modificado el archivo.",
            "El archivo fue creado por Ana en 1999.",
            "Ho letto il file capitolo.md.",
            "Non ho modificato il file.",
            "Li o arquivo notas.md.",
            "Não criei o arquivo.",
            "Ik heb het bestand gelezen.",
            "Ik heb het bestand niet verwijderd.",
        ] {
            assert!(!claims(answer), "{answer}");
        }
    }
}
