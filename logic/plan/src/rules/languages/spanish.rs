//! Spanish orders.

use super::language::{Language, rows};
use std::sync::LazyLock;

pub(super) static SPANISH: Language = Language {
    name: "Spanish",
    nameless: "muestra los archivos",
    examples: [
        "reemplaza \"viejo\" por \"nuevo\" en {file}",
        "crea el archivo {file} con el texto \"hola\"",
    ],
    acting: &[
        "actualiza",
        "agrega",
        "añade",
        "apunta",
        "borra",
        "borrar",
        "cambia",
        "convierte",
        "copia",
        "corrige",
        "crea",
        "crear",
        "deshacer",
        "deshaz",
        "deshazlo",
        "ejecuta",
        "elimina",
        "eliminar",
        "escribe",
        "guarda",
        "haz",
        "incluye",
        "inserta",
        "insertar",
        "instala",
        "junta",
        "marca",
        "mete",
        "mueve",
        "coloca",
        "ordena",
        "pon",
        "quita",
        "reemplaza",
        "renombra",
        "saca",
        "sustituye",
        "tacha",
        "traduce",
    ],
    begins: &[
        "por",
        "borra",
        "elimina",
        "quita",
        "crea",
        "haz",
        "escribe",
        "muestra",
        "muéstrame",
        "enséñame",
        "lee",
        "abre",
        "imprime",
        "lista",
        "mueve",
        "renombra",
        "reemplaza",
        "sustituye",
        "cambia",
        "añade",
        "agrega",
        "inserta",
        "coloca",
        "busca",
        "cuántas",
        "cuántos",
        "qué",
        "deshaz",
        "deshazlo",
        "deshacer",
        "recuerda",
        "puedes",
        "pon",
        "en",
        "resume",
        "compara",
        "cuenta",
        "te",
        "marca",
        "tacha",
    ],
    polite: &["puedes", "por favor"],
    rows: LazyLock::new(|| {
        rows(&[
            (
                r"qué (?:tareas|pendientes) (?:quedan|faltan|siguen abiertas|están (?:pendientes|abiertas))(?: por hacer)?",
                "which tasks are open",
            ),
            (
                r"qué (?:tareas|pendientes) (?:quedan|faltan|siguen abiertas|están (?:pendientes|abiertas))(?: por hacer)? en {x}",
                "which tasks are open in $x",
            ),
            (
                r"cuántas tareas (?:pendientes|abiertas|por hacer) (?:hay|quedan|tiene)(?: en)? {x}",
                "how many open tasks are in $x",
            ),
            (
                r"cuántas tareas (?:hay|tiene)(?: en)? {x}",
                "how many tasks are in $x",
            ),
            (
                r"compara(?: los archivos)? {x} (?:con|y) {y}",
                "compare $x and $y",
            ),
            (
                r"(?:borra|elimina|borrar|eliminar) (?:el archivo|el fichero) {x}",
                "delete the file $x",
            ),
            (r"(?:borra|elimina|borrar|eliminar) {x}", "delete $x"),
            (
                r"(?:crea|haz|crear) (?:el|un)(?: nuevo)? (?:archivo|fichero)(?: llamado)? {x} (?:con|que diga)(?: el)?(?: texto| contenido)?:? {t}",
                "create the file $x with the text $t",
            ),
            (
                r"(?:crea|haz|crear) (?:el|un)(?: nuevo)? (?:archivo|fichero)(?: vacío)?(?: llamado)? {x}",
                "create the file $x",
            ),
            (
                r"(?:crea|haz|crear) (?:la|una)(?: nueva)? carpeta(?: llamada)? {x}",
                "make a folder $x",
            ),
            (
                r"escribe {t} en (?:el|un)(?: nuevo)? (?:archivo|fichero) {x}",
                "write $t to the file $x",
            ),
            (
                r"(?:lista|muestra|muéstrame|enséñame)(?: todos)? los (?:archivos|ficheros)(?: de aquí| que hay)?",
                "list the files",
            ),
            (
                r"(?:lista|muestra|muéstrame|enséñame)(?: todos)? los (?:archivos|ficheros) (?:de la carpeta|de|en) {x}",
                "list the files in $x",
            ),
            (
                r"(?:muestra|muéstrame|enséñame|lee|abre)(?: el archivo| el fichero| el contenido de)? {x}",
                "show $x",
            ),
            (
                r"(?:muestra|muéstrame|enséñame|lee|imprime)(?: las)? primeras {n} l[ií]neas (?:de|en)(?: el archivo| el fichero)? {x}",
                "show the first $n lines of $x",
            ),
            (
                r"(?:muestra|muéstrame|enséñame|lee|imprime)(?: las)? [uú]ltimas {n} l[ií]neas (?:de|en)(?: el archivo| el fichero)? {x}",
                "show the last $n lines of $x",
            ),
            (
                r"(?:muestra|muéstrame|enséñame|lee|imprime)(?: las)? l[ií]neas? (?:de la )?{n}(?: (?:a|hasta)(?: la)? |[-–]){m} (?:de|en)(?: el archivo| el fichero)? {x}",
                "show lines $n to $m of $x",
            ),
            (
                r"(?:muestra|muéstrame|enséñame|lee|imprime)(?: la)? l[ií]nea {n} (?:de|en)(?: el archivo| el fichero)? {x}",
                "show line $n of $x",
            ),
            (
                r"qué (?:dice|hay en) la l[ií]nea {n} (?:de|en)(?: el archivo| el fichero)? {x}",
                "show line $n of $x",
            ),
            (
                r"qué (?:dice|hay en|pone en|contiene)(?: el archivo)? {x}",
                "show $x",
            ),
            (
                r"mueve(?: el archivo| el fichero)? {x} a la carpeta {y}",
                "move $x into the folder $y",
            ),
            (
                r"mueve(?: el archivo| el fichero)? {x} a {y}",
                "move $x to $y",
            ),
            (
                r"(?:renombra|cambia el nombre de)(?: el archivo| el fichero)? {x} (?:a|como|por) {y}",
                "rename $x to $y",
            ),
            (
                r"(?:borra|elimina|quita) (?:la )?l[ií]nea {n} (?:del? (?:archivo|fichero) |del? |en ){x}",
                "delete line $n of $x",
            ),
            (
                r"(?:borra|elimina|quita) la l[ií]nea (?:sobre|con|de) {t} (?:del? (?:archivo|fichero) |del? |en ){x}",
                "remove the line about $t from $x",
            ),
            (
                r"(?:borra|elimina|quita) {t} (?:del? (?:archivo|fichero) |del? |en ){x}",
                "remove $t from $x",
            ),
            (
                r"(?:cambia|renombra) el (?:título|encabezado) {a} (?:por|a|en) {b} en(?: el archivo| el fichero)? {x}",
                "change the heading $a to $b in $x",
            ),
            (
                r"(?:marca|tacha) {t}(?: como (?:hech[oa]|terminad[oa]))? en(?: el archivo| el fichero)? {x}",
                "tick $t in $x",
            ),
            (
                r"(?:reemplaza|sustituye|cambia) {a} (?:por|con) {b} en(?: el archivo| el fichero)? {x}",
                "replace $a with $b in $x",
            ),
            (
                r"(?:añade|agrega) (?:la línea )?{t} (?:al final de|a|en)(?: el archivo| el fichero)? {x}",
                "append $t to $x",
            ),
            (
                r"(?:inserta|coloca|añade|agrega|pon|escribe) (?:la línea |el texto )?{t} al (?:principio|inicio|comienzo) (?:del? (?:archivo|fichero) |del? |en ){x}",
                "insert $t at the top of $x",
            ),
            (
                r"(?:inserta|coloca|añade|agrega|pon|escribe) (?:la línea |el texto )?{t} (?:después|detrás|debajo) de la l[ií]nea {n} (?:del? (?:archivo|fichero) |del? |en ){x}",
                "insert $t after line $n of $x",
            ),
            (
                r"(?:inserta|coloca|añade|agrega|pon|escribe) (?:la línea |el texto )?{t} (?:(?:antes|delante|encima) de|en) la l[ií]nea {n} (?:del? (?:archivo|fichero) |del? |en ){x}",
                "insert $t before line $n of $x",
            ),
            (
                r"(?:inserta|coloca|pon|escribe|añade|agrega) (?:la línea |el texto )?{t} al final (?:del? (?:archivo|fichero) |del? |en ){x}",
                "append $t to $x",
            ),
            (
                r"(?:cambia|pon) (?:el|la) {a} (?:en|de)(?: el archivo| el fichero)? {x} (?:a|en|por) {v}",
                "set the $a in $x to $v",
            ),
            (
                r"en {x},? (?:cambia|pon) (?:el|la) {a} (?:a|en|por) {v}",
                "set the $a in $x to $v",
            ),
            (r"busca {a}", "search for $a"),
            (
                r"busca {a} en(?: el archivo| la carpeta)? {x}",
                "search for $a in $x",
            ),
            (
                r"cuántas líneas tiene(?: el archivo| el fichero)? {x}",
                "how many lines does $x have",
            ),
            (
                r"cuántas palabras tiene(?: el archivo| el fichero)? {x}",
                "how many words does $x have",
            ),
            (
                r"(?:cuántos caracteres|cuántas letras) tiene(?: el archivo| el fichero)? {x}",
                "how many characters does $x have",
            ),
            (
                r"cuenta las (?:líneas|palabras|letras) (?:de|en)(?: el archivo| el fichero)? {x}",
                "count the words in $x",
            ),
            (r"resume(?: el archivo| el fichero)? {x}", "summarize $x"),
            (
                r"qué (?:sabes|recuerdas) (?:de|sobre|acerca de) (?P<t>.+?)",
                "what do you know about $t",
            ),
            (
                r"te acuerdas de (?P<t>.+?)",
                "what do you remember about $t",
            ),
            (
                r"cuántos (?:archivos|ficheros) hay(?: aquí)?",
                "how many files are there",
            ),
            (
                r"cuántos (?:archivos|ficheros) hay en(?: la carpeta)? {x}",
                "how many files are in $x",
            ),
            (r"qué (?:archivos|ficheros) hay(?: aquí)?", "list the files"),
            (
                r"qué (?:archivos|ficheros) hay en(?: la carpeta)? {x}",
                "list the files in $x",
            ),
            (r"(?:deshaz|deshacer)(?: eso| esto)?|deshazlo", "undo"),
            (
                r"(?:deshaz|deshacer) (?:el|mi) [uú]ltimo cambio",
                "undo the last change",
            ),
            (r"recuerda(?: que|:)? (?P<t>.+?)", "remember that $t"),
        ])
    }),
};
