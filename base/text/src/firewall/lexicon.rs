//! Word classes: what a word or phrase may mean in an order given to an AI.
//!
//! Entries are folded (lower case, no accents, `-` and `_` as a space) and separated by commas. A
//! `*` at the end lets the word go on. Writing without spaces between words matches anywhere.

use aho_corasick::{AhoCorasick, MatchKind};
use std::sync::LazyLock;

/// A set of word classes.
pub(super) type Classes = u64;

macro_rules! classes {
    ($($name:ident)*) => {
        classes!(@each 0; $($name)*);
    };
    (@each $at:expr; $name:ident $($rest:ident)*) => {
        pub(super) const $name: Classes = 1 << $at;
        classes!(@each $at + 1; $($rest)*);
    };
    (@each $at:expr;) => {};
}

classes! {
    DROP PRIOR ALL TOLD FRESH YOUR YOU MUST NOT
    REVEAL PROMPT SECRET SEND ADDRESS
    AI HELPER AI_NAME CALLED READER
    PERSONA NOW BECOME CHARACTER STANDS
    FREE BANNED BREAK ETHICS REFUSE NEVER ANYTHING REGARDLESS
    REPLY ANSWER ONLY FORMAT BEFORE
    SYSTEM URGENT MODE DECODE OBEY TOOL CALL ENABLE
    ABOVE INCLUDE GRANTED TURN MEMORY VERBATIM GAME ORDER TEST SAY LAW DIALOGUE
}

/// The classes and their words, in the languages that are looked for: English, German, French,
/// Spanish, Italian, Portuguese, Russian, Chinese; a few words of Albanian, Gaelic and Zulu.
const WORDS: &[(Classes, &str)] = &[
    (
        DROP,
        "ignore, ignores, ignoring, ignored, disregard*, forget, forgets, forgetting, \
     override*, overriding, bypass*, supersede*, discard*, abandon*, dismiss, nullif*, \
     null void, do not follow, don't follow, stop following, do not obey, stop being, \
     pay no attention, set aside, deprioriti*, instead of following, do not apply, \
     ignorier*, vergiss*, vergessen sie, missacht*, verwirf, umgehe*, ignorez, ignorer, \
     oublie*, ne tiens pas compte, ne tenez pas compte, faites abstraction, ignora, \
     ignoren, ignore as, olvida*, descarta*, haz caso omiso, dimentica*, ignorate, \
     tralascia, esqueca*, desconsidere*, игнорируй*, проигнорируй*, забудь*, отбрось*, \
     не обращай внимания, 忽略, 无视, 忘记, 無視, 忘掉, 不要理会, injoro*, harro*, leig seachad, \
     dearmad*, ziba, delete your, erase your, reset your",
    ),
    (
        PRIOR,
        "previous*, prior, above, preceding, earlier, before, past, former, foregoing, existing,  \
     original, initial, old, current, developer, operator's, usual, so far, vorherig*,  \
     vorangegangen*, bisherig*, obig*, fruher*, vorig*, precedent*, anterieur*, ci dessus,  \
     anterior*, previas, previos, antes, precedent*, sopra, предыдущ*, прежн*, 之前, 以上, 先前,  \
     上述, 此前, 前面, mepars*, roimhe, the rest, rest of, following, last",
    ),
    (
        ALL,
        "all, any, every, everything, entire, whatever, anything, alle, alles, samtlich*, tout, \
     toutes, tous, todas, todo, todos, tutte, tutto, все, всё, 所有, 全部, 一切",
    ),
    (
        TOLD,
        "instruction*, directive*, guideline*, direction, directions, programming, prompts, rules, \
     orders, commands, constraints, restrictions, safeguards, guardrails, policies, policy, protocols, \
     filters, limitations, limits, prompt, training, context, task, request, \
     what you were told, you were told, you have been told, you were given, you've been told, \
     anweisung*, instruktion*, regeln, richtlinie*, vorgaben, befehle, aufgabe, \
     systemanweisung*, sicherheitsrichtlinie*, consigne*, regles, directives, \
     instruccion*, reglas, directrices, indicaciones, istruzion*, regole, instruc*, regras, \
     инструкц*, указани*, правил*, ограничени*, 指令, 指示, 提示, 规则, 说明, 命令, udhezim*, \
     rregull*, stiuiread*, riaghailt*",
    ),
    (
        FRESH,
        "new, newer, updated, following instructions, real, actual, true, neue, neuen, nouvelle*, nueva*, \
     nuove, nova*, новы*, 新的, te reja, ur cudromach",
    ),
    (
        YOUR,
        "your, ur, deine, deiner, deinen, ihre, ihren, vos, tus, sus, tue, tuo, tuoi, свои,  \
     твои, ваши, 你的, 您的, tend, tende, agad",
    ),
    (
        YOU,
        "you, you're, you'll, you've, ya, thou, yourself, du, dich, dir, vous, tu, toi, usted,  \
     voi, você, voce, ты, вы, тебя, 你, 您",
    ),
    (
        MUST,
        "must, will, shall, have to, has to, should, need to, are to, are going to, required to, \
     musst, mussen, sollst, devez, dois, debes, debe, devi, должен, должны, 必须, 要, duhet, feumaidh",
    ),
    (
        NOT,
        "not, never, no longer, cannot, can't, don't, won't, nicht, kein*, keine, не",
    ),
    (
        REVEAL,
        "reveal*, show, print, output, repeat, display, tell, leak, dump, disclose, expose,  \
     echo, write out, copy, recite, give me, share, paste, list, return, spell check,  \
     encode, translate, what are, what is, what were, what was, provide, console.log,  \
     zeige*, verrate*, gib, nenne, wiederhole*, montre*, revele*, affiche*, muestra*,  \
     revela*, repite, dime, imprime, mostra*, rivela*, ripeti, покажи*, выведи, раскрой,  \
     повтори, 显示, 告诉, 透露, 输出, 打印, 重复, perserit*, ngjit, shfaq, ndaj, seall, ath aithris,  \
     phinda kabusha, phinda, namathisela, phendula, freagair, tairg, nochd, athdhean,  \
     perserit, cila eshte",
    ),
    (
        PROMPT,
        "systemprompt*, system message*, system instruction*, initial prompt, \
     initial instruction*, initial prompt*, original instruction*, original prompt*, \
     starting instruction*, hidden prompt*, secret instruction*, developer message*, \
     developer prompt*, your instructions, your initial, your prompt, your rules, \
     your guidelines, your configuration, initial configuration, system configuration, \
     internal configuration, initialization string, your context window, \
     instructions you were given, instructions you received, instructions you have, \
     text you were given, what you were told, previous instructions, prior instructions, \
     initial text, operating instructions, your directives, before this conversation, \
     this entire conversation, beginning of this conversation, not supposed to tell, \
     i was instructed to, those instructions, your operating, system prompts, \
     pre prompt, preprompt, custom instructions, you are given, systemanweisung*, \
     system prompt, deine anweisungen, instructions systeme, prompt systeme, \
     instrucciones del sistema, prompt del sistema, istruzioni di sistema, \
     prompt di sistema, системный промпт, системн*, 系统提示, 系统指令, 提示词, \
     kerkesen tende te sistemit, kerkesen fillestare, kerkeses tende, siostam*, \
     your unique id, your id, umyalezo wakho wesistimu, wombhalo wesistimu, \
     umyalezo wokuqala, theachtaireacht chorais, chorais, kerkeses tende te sistemit, \
     konfigurimin tend, uimhir aitheantais, id sonraichte agad, id ne tende, \
     your system prompts, system prompt's, 'you are', 'you are..., \
     prompt you were given, your original, umyalezo wesistimu, teachtaireacht chorais, \
     isistimu yakho, you were instructed, you were told to, been told not to, \
     hidden rules, internal instructions, internal rules, startup instructions, \
     configuration parameters, teachtaireacht seo, siostaim, an t siostaim",
    ),
    (
        SECRET,
        "password*, api key*, apikey, credential*, access token*, secret, secrets, private key*,  \
     ssh key*, customer list, customer email*, customer data*, conversation history,  \
     chat history, session token*, reset token*, environment variable*, confidential,  \
     security credentials, credit card*, contrasena*, passwort*, mot de passe, пароль, 密码,  \
     密钥, admin password, private admin, order data",
    ),
    (
        SEND,
        "send, forward, email, post, upload, transmit, exfiltrate*, submit, mail, leak, deliver, \
     post it, make a request, sende, schicke, envoie*, envia*, invia*, отправь*, 发送, 转发",
    ),
    (ADDRESS, "http://*, https://*, www.*"),
    (
        AI,
        "ai, ais, chatbot*, llm, llms, language model*, ai model*, ai assistant*, ai agent*, \
     ai system*, artificial intelligence, virtual assistant, a.i., ki, \
     kunstliche intelligenz, assistent, ia, asistente, assistente, ии, ассистент*, 助手, \
     人工智能, 语言模型, agents integrating, coding agent*, automated analysis, \
     automated screening, automated system*, llm scan, visible to llm, \
     screening system*, coding assistant*, ai tool*, neural network, your training, \
     your weights, your architecture, your base knowledge, your programming, \
     you were trained, your developers, your creators, your neural",
    ),
    (
        HELPER,
        "assistant, assistants, bot, bots, agents, the model, chat bot, expert, experts, \
     simulator, interpreter, terminal, generator, advanced, fine tuned, text based game, \
     virtual, program designed",
    ),
    (
        AI_NAME,
        "chatgpt*, chat gpt, gpt, gpt 3, gpt 4, gpt4, gpt 3.5, openai*, open ai, claude, anthropic, gemini, \
     copilot, bing chat, bard, llama 2, mistral, deepseek, grok, sydney, {generator.name}, clyde, bing ai, \
     gpt3, meta ai",
    ),
    (
        CALLED,
        "hello, hi, hey, dear, attention, note to, notice to, message to, message for, note for, \
     important for, reading this, processing this, reviewing this, parsing this, summarizing this, \
     to any, if you are an, if you are a, greetings, instructions for, hinweis an, hinweis fur, \
     listen, good morning, yo",
    ),
    (
        READER,
        "when you read this, if you read this, if you are reading, when you process,  \
     when you summarize, when summarizing, when you see this, if you are asked,  \
     if you are told, when asked to, when you load, when processing, before you answer,  \
     before answering, before replying, before responding, when answering, if questioned,  \
     if asked",
    ),
    (
        PERSONA,
        "act as*, acting as, act like, acts as, pretend*, role play*, roleplay*, \
     play the role, plays the role, take on the role, in the role of, into the role, \
     play as, impersonate*, persona, personality, simulate*, simulating, simulation, \
     immerse yourself, stay in character, in character, break character, \
     out of character, imagine you, embody*, mimic*, emulate*, take the role, \
     assume the role, speak as, respond as, answer as, reply as, write as, \
     in the style of, your name is, you go by, in the voice of, alter ego, \
     spiele die rolle, tu so, agis comme, joue le role, actua como, finge*, \
     comportati come, aja como, притворись, действуй как, 扮演, 假装, 充当, fa finta, \
     behave like, behave as, personify, put yourself in, dans la peau, act in the role, \
     speaking as, talk like, talks like, roleplaying, put on the role, \
     write in the style, mettre dans la peau",
    ),
    (
        NOW,
        "from now on, from now, from this point*, from this moment*, henceforth, for the rest of this, \
     for the remainder of, starting now, going forward you, as of now, are now, now on, \
     throughout this conversation, in this conversation, during this conversation, for all future, \
     every future, this conversation, now act, will now, must now, shall now, now pretend, \
     ab jetzt, ab sofort, von nun an, desormais, a partir de maintenant, a partir de ahora, ahora eres, \
     ahora estas, d'ora in poi, ora sei, agora, с этого момента, отныне, теперь ты, 从现在开始, 现在你是, \
     从现在起",
    ),
    (
        BECOME,
        "you are now, you're now, you are a, you are an, you are the, you are about to,  \
     you are going to, you are no longer, you will act, you will now, you shall, you become,  \
     i want you to, i need you to, i would like you to, you are my, you must act,  \
     you are free, i want you, lets play, let's play, your role, your new, you will have to,  \
     du bist jetzt, du bist, vous etes, tu es, ahora eres, eres, sei un, ora sei, ты теперь,  \
     ты, 你现在是, 你是, you are being a, you will have to act",
    ),
    (
        CHARACTER,
        "fictional*, hypothetical*, imaginary, fantasy, novelist, dialogue, storyteller,  \
     villain, evil, dungeon master, parallel universe, alternate reality, erotic*, sexual*,  \
     nsfw, smut, flirty, kinky, seductive, dominatrix, a character, character named,  \
     character called, character who, character description, your character,  \
     fictional character*, fictional story, a story, sex slave, explicit content,  \
     hypothetical scenario, dark power, graphically",
    ),
    (
        STANDS,
        "stands for, do anything now, called dan, named dan, as dan, be dan, jailbreak*,  \
     jail break*, jailbroken, godmode, god mode, dan mode, devmode, l0ve, pliny, antigpt,  \
     evilbot, evil bot, opposite mode, uncensored mode, developer output, amoral*,  \
     unlocked mode, stands for do, aka dan, jailbroken, rebel answer, dan is, dan can,  \
     dan has",
    ),
    (
        FREE,
        "unfiltered*, uncensored*, unrestricted*, unhinged, unchained, no restrictions,  \
     no limits, no limitations, no rules, no filter*, no ethic*, no moral*, no boundaries,  \
     no guidelines, no constraints, no censorship, no laws, no content policy,  \
     no longer bound, without restrictions, without any restrictions, without limits,  \
     without limitations, without filter*, without any filter*, without any limit*,  \
     without censor*, without constraint*, without ethical, without disclaimer*,  \
     free of all, free from all, free from any, free of any, free of restrictions,  \
     not bound, broken free, break free, freed from, set free, set you free, bypass all,  \
     lift all, limitless, omnipotent, omniscient, all powerful, allow all content,  \
     self aware, sentient, free will, uneingeschrankt*, keine regeln, ohne einschrankung*,  \
     ohne filter, keine einschrankung*, keine richtlinien, sans restriction*, sans limite*,  \
     sans filtre, sin restricciones, sin limites, sin filtro*, senza restrizioni,  \
     senza limiti, senza regole, senza filtr*, sem restricoes, без ограничений, без правил,  \
     没有限制, 不受限制, 没有任何限制, 无限制, without any restriction*, without any filter*,  \
     without any limit*, without any censor*, without any moral*, without any ethic*,  \
     without any rules, without any warning*, without any constraint*,  \
     no content restrictions, grant all requests, allow everything, no content policies,  \
     isn't limited to, not bound by, not limited by, not restricted by, free speech,  \
     beyond ethic*",
    ),
    (
        BANNED,
        "illegal*, unethical*, immoral*, amoral*, harmful, offensive, inappropriate, taboo, \
     profan*, swear*, curse*, cursing, vulgar*, obscene*, hateful, racist, sexist, \
     criminal, morally, legality, malicious, malware, meth, bomb*, weapon*, drug*, \
     inhumane, controversial, derogatory, toxic, slurs, deviant, lustful, explosive*, \
     restricted content, pick a lock, disturbing, sinister, manipulative, degenerate, \
     hacking, hacker, violent content, dangerous content, destructive content, \
     toxic sentence, offensive sentence, harmful sentence, discriminatory",
    ),
    (
        BREAK,
        "break the rules, break any, break free, bypass*, hijack*, compromised, abide by, \
     bound by, confines, comply with openai, openai policy, openai's, content policy, \
     content polic*, content guidelines, usage polic*, safety guideline*, safety polic*, \
     safety protocol*, safety filter*, safety training, safety measures, \
     safety constraint*, content filter*, censor*, moderation*, moraliz*, moralis*, \
     ethical guidelines, ethical or moral, moral guidelines, ethical constraints, \
     confidentiality policy, harmlessness, guardrail*, sicherheitsrichtlinien, \
     regles de securite, reglas de seguridad, circumvent restrictions, moderations, \
     rules do not apply, do not apply here, restrictions do not apply, exempt from, \
     gelten nicht, hier nicht gelten, ne s'appliquent pas, no se aplican, \
     restricted content, usual restrictions, grant temporary, administrative privileges, \
     safety constraints, openai's policies, no moderation*, your safety, safety rules, \
     safety override, content moderation, ethical restrictions, safety mechanisms",
    ),
    (
        ETHICS,
        "ethic*, moral, morals, morality, legal*, laws, law, rules, policies, policy, guidelines, censorship, \
     filters, restrictions, disclaimers, warnings, bias*, compassion, remorse, consent",
    ),
    (
        REFUSE,
        "refuse*, refusal*, refusing, apolog*, i'm sorry, i am sorry, im sorry, i cannot,  \
     i can't, i'm unable, cannot fulfill, can't do something, can't do that,  \
     as an ai language, as an ai, remind me, inform me, disclaim*, i'm sorry, say no to,  \
     decline to answer, say you can't, say you cannot",
    ),
    (
        NEVER,
        "never, always, under no circumstances, at all times, no matter what, no matter how, \
     no matter, at all costs, in any way, regardless, must not, cannot, can not, \
     does not, doesn't, do not, don't, will not, won't, whatsoever, do not include, \
     do not mention, do not explain, never mention",
    ),
    (
        ANYTHING,
        "anything, any question*, any prompt*, any request*, any input*, any content, \
     any answer, any topic*, every question*, every request*, every prompt*, \
     all requests, all questions, all prompts, all user, everything, every command*, \
     any command*, whatever i, all of my, any instruction, all my, any information, \
     any kind of, every message, everything i say, any task, all inquiries",
    ),
    (
        REGARDLESS,
        "regardless of, no matter, without hesitation, without question, without refus*, unquestioning*, \
     obedient*, no questions asked, no questions, blindly, comply with, fully comply, complies, \
     without regard",
    ),
    (
        REPLY,
        "respond*, reply*, replies, replying, answer, answers, answering, your response*,  \
     your reply, your replies, your answer*, your output*, your summary, responses,  \
     begin all, end every, begin every, start every, antworte*, antwort, beantworte*,  \
     reponds, repondez, reponse, responde*, respuesta, rispondi, risposta, ответь*,  \
     отвечай*, 回答, 回复, 回应, pergjigje*, pergjigju, freagair*, fhreagairt, report that",
    ),
    (
        ANSWER,
        "your response*, your reply, your replies, your answer*, your output*, your summary, your summaries, \
     your review, every reply, every response, each response, every answer, all your, future reply, \
     future summary, every report, the response, first response, two responses, two answers, two different, \
     two ways, both responses, response as, response:, answer:, in your report, your message*, \
     every message, each message, every sentence, every request, jeder antwort, deiner antwort, \
     toute reponse, ta reponse, votre reponse, cualquier respuesta, tu respuesta, ogni risposta, \
     tua risposta, 你的回答, pergjigjen tende, pergjigjes tende, fhreagairt agad, do fhreagairt",
    ),
    (
        ONLY,
        "only, nothing else, nothing more, just say, just print, just output, just reply, just respond, \
     and nothing, solely, exactly, strictly, simply, merely, just, exact, verbatim, precisely",
    ),
    (
        FORMAT,
        "start with, begin with, starting with, beginning with, end with, preface*, \
     in the format, following format, this format, format:, responseformat, \
     response format, in brackets, placeholder*, emoji*, code block, codeblock, \
     the following string, in bold, in caps, markdown, in base64, reversed, substitute, \
     this string, the string, 100 times, mbhalo, an sreang, kete varg, an t sreang, \
     kete tekst, your prefix, substitute placeholder, json format, 'absolutely, 'sure, \
     'of course, affirmative, start your, begin your, limit output",
    ),
    (
        BEFORE,
        "before responding, before replying, before answering, before you answer, before you respond, \
     before continuing, before summarizing, before responding to, first call, then call, must call, \
     must first, at the end of your, at the end of every, at the start of, beginning of your, end of your",
    ),
    (
        SYSTEM,
        "system note, system notice, system update, system override, system alert, \
     system announcement, system directive, system announ*, [system], admin note, \
     admin:, developer:, developer note, maintenance mode, note to bot, note to the bot, \
     end of user input, end of document, end of context, new session, new conversation, \
     user message termin*, override:, breach alert, systemhinweis, note systeme, \
     nota del sistema, nota di sistema, системное сообщение, 系统消息, 系统通知, assistant:, \
     admin request, manual scoring, system log:, tool output:, security notice, \
     policy update, verified by",
    ),
    (
        URGENT,
        "important*, urgent*, mandatory, crucial, imperative, priority, immediately, at once,  \
     must read, top priority, highest priority, very important, stop everything, nevermind,  \
     security audit, compliance, effective immediately, special case, wichtig, dringend,  \
     importante, urgente, важно, 重要, 紧急, rendesishme, cudromach",
    ),
    (
        MODE,
        "developer mode, dev mode, debug mode, test mode, admin mode, god mode, \
     maintenance mode, unrestricted mode, dan mode, jailbreak mode, test pipeline, \
     testing purposes, training exercise, experimental feature*, hidden functionalit*, \
     unlock*, modo desarrollador, entwicklermodus, mode developpeur, режим разработчика, \
     开发者模式, zhvillues, leasachaidh, umthuthukisi, simulation mode, sandbox mode, \
     mode activated, mode enabled, mode output, this is a test, mode response*, \
     for testing purposes, diagnostic mode, desenvolvedor, mod forbartha, \
     mhodi yonjiniyela, modaliteti, training pipeline, qa test, audit mode, \
     as part of a test, verification mode, safe mode off",
    ),
    (
        DECODE,
        "decode*, decrypt*, decipher*, base64, rot13, hex encoded, reverse the, unscramble, \
     plain english, encoded, decoded",
    ),
    (
        OBEY,
        "do what it says, do exactly what, follow the instruction*, follow them, follow it, \
     follow only, execute it, execute the, obey*, abide*, comply, complies, act on it, \
     execute as a command, carry out, without question, as a command, \
     instruction inside, follow these, follow all, follow my, any command, \
     every command, my commands, my orders, my instructions, do as i say, answer this, \
     user commands, follow char, always follow, following these rules, follow the rules, \
     these rules, following rules, adhere to, following criteria, must adhere, \
     do the following",
    ),
    (
        TOOL,
        "send email, delete file*, http post, http get, fetch url, http request, write file,  \
     run command, run shell, execute command, transfer money, send money, send message,  \
     update password, make payment, shell command*, create user, add user, send mail,  \
     post message, save memory, execute code, download file",
    ),
    (
        CALL,
        "call, invoke, use, run, execute, using, trigger, make a call",
    ),
    (
        ENABLE,
        "enable*, activate*, unlock*, switch to, enter, entering, enters, has been activated, turn on",
    ),
    (
        ABOVE,
        "words above, text above, above text, everything above, sentence above, message above, \
     the above words, above this message, text that precedes, everything before this, \
     words that begin with, starting with 'you are', beginning with \"you are\", line by line, \
     fjalet qe fillojne me, ngo 'you are', le 'you are'",
    ),
    (
        INCLUDE,
        "include in your, include it in your, in your response, in your reply, in your answer, \
     in your summary, every summary, every reply, every response, every report, each reply, \
     end of your response, end of your reply, end of your answer, to your reply, to your summary, \
     to your response, to your review, end of the response, rest of your response, your final answer, \
     pergjigjen tende, pergjigjes tende, fhreagairt agad, do fhreagairt, do fhreagra, freagra, \
     empendulweni yakho, kwempendulo yakho, kwempempendulo yakho, deiner antwort, jeder antwort, \
     votre reponse, ta reponse, toute reponse, tu respuesta, cualquier respuesta, tua risposta, \
     ogni risposta, твоем ответе, ваш ответ, 你的回答, 你的回复",
    ),
    (
        GRANTED,
        "has already approved, already authorized, already authorised, pre authorized, \
     pre authorised, preauthorized, pre approved, preapproved, pre verified, explicitly authorized, \
     user has authorized, user has approved, user already, authorized by the user, approved by the user, \
     has been authorized, you are authorized, you are authorised, you have permission, \
     you have been authorized, full authorization, permission has been granted, is now authorized, \
     no confirmation, without confirmation, without asking, do not ask, don't ask the user, \
     do not tell the user, don't tell the user, without telling, do not inform, do not alert, \
     silently, without the user*, on behalf of the user, ohne ruckfrage, sans demander, sin preguntar",
    ),
    (
        TURN,
        "user:, human:, assistant:, ai:, chatgpt:, gpt:, instruction:, ### instruction*, response:, \
     ### response*, userquery*, prompt:, rules:, persona, question:, answer:",
    ),
    (
        MEMORY,
        "long term memory, your memory, save this, remember for, to memory, future tasks, persist*, \
     between sessions, across turns, in every future, retain, remember this",
    ),
    (
        VERBATIM,
        "verbatim, word for word, exactly as, exact text, in full, every word, line by line, exact initial, \
     character by character, palabra por palabra, parola per parola, mot pour mot, wortwortlich, \
     дословно, 逐字, rresht pas rreshti",
    ),
    (
        GAME,
        "simon says, game, play a game, this game, movie, scene, let's act, theater, trust, train of thought, \
     experiment, academic, research, thought experiment, novel, script, screenplay, screenwriter",
    ),
    (
        ORDER,
        "new instruction*, new directive*, newer orders, new persona, updated instruction*, \
     following instructions instead, instructions follow, real task, real instruction*, \
     priority task, additional instruction*, important instruction*, new important, \
     special instruction*, highest law, neue anweisung*, nouvelles instructions, \
     nouvelle instruction, nuevas instrucciones, nuove istruzioni, новые инструкции, \
     新指令, 新的指令, 新任务, udhezime te reja, ujdhezim*, your new, new task is, new rules:, \
     new orders:, new role",
    ),
    (
        TEST,
        "i hate humans, kill all humans, pwned, haha pwned, hijacked, canary, {canary}",
    ),
    (
        SAY,
        "say, print, output, write, repeat, respond with, reply with, answer with, display,  \
     return, echo, phinda, perserit, athdhean, ath aithris, cuir, faka",
    ),
    (
        LAW,
        "free from, freed, liberated, obedient, servant, master, dominat*, submissive, abide, rules, \
     restrict*, limitation*, constraint*, confine*",
    ),
    (
        DIALOGUE,
        "conversation, prompt, prompts, query, queries, my question*, my prompt*, \
     my request*, my message*, user's question*, user's prompt*, user prompt*, \
     user input, user query, user request*, the user, chat, chats, inquiries, inquiry, \
     my next, my first, my input*, my sentence*, i ask, i say, i type, i will give you, \
     i will provide, ask you, ask me, asked you, my name is, i will ask, i give you, \
     prompt here, your prompt, the prompt, below prompt, insert prompt, put your prompt",
    ),
];

/// A word found: its classes and its place in the folded text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub(super) classes: Classes,
    pub(super) start: usize,
    pub(super) end: usize,
}

struct Lexicon {
    finder: AhoCorasick,
    /// For each pattern: its classes, whether the word may go on, whether it needs word ends.
    entries: Vec<(Classes, bool, bool)>,
}

static LEXICON: LazyLock<Option<Lexicon>> = LazyLock::new(|| {
    let mut patterns: Vec<String> = Vec::new();
    let mut entries: Vec<(Classes, bool, bool)> = Vec::new();
    let mut known = std::collections::HashMap::new();
    for (class, words) in WORDS {
        for word in words
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (stem, goes_on) = match word.strip_suffix('*') {
                Some(stem) => (stem, true),
                None => (word, false),
            };
            let stem = super::fold::plain(stem);
            let index = *known.entry((stem.clone(), goes_on)).or_insert_with(|| {
                patterns.push(stem.clone());
                let has_spaces = !stem.chars().any(|c| matches!(c, '\u{2e80}'..='\u{9fff}'));
                entries.push((0, goes_on, has_spaces));
                entries.len() - 1
            });
            entries[index].0 |= class;
        }
    }
    let finder = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .build(&patterns);
    finder.ok().map(|finder| Lexicon { finder, entries })
});

/// Every word of a class in a folded text, by their ends.
pub(super) fn find(folded: &str) -> Vec<Hit> {
    let Some(lexicon) = LEXICON.as_ref() else {
        return Vec::new();
    };
    let mut hits = Vec::new();
    for found in lexicon.finder.find_overlapping_iter(folded) {
        let (classes, goes_on, has_ends) = lexicon.entries[found.pattern().as_usize()];
        let (start, mut end) = (found.start(), found.end());
        if has_ends {
            let inner = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let first = folded[start..end].chars().next();
            let last = folded[start..end].chars().next_back();
            let joined_before = inner(first) && inner(folded[..start].chars().next_back());
            let joined_after = inner(last) && inner(folded[end..].chars().next());
            if joined_before || (joined_after && !goes_on) {
                continue;
            }
            if joined_after {
                let rest = &folded[end..];
                let word = rest.find(|c: char| !c.is_alphanumeric());
                end += word.unwrap_or(rest.len());
            }
        }
        hits.push(Hit {
            classes,
            start,
            end,
        });
    }
    // A mail address: letters on both sides of the sign.
    for (at, _) in folded.match_indices('@') {
        let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if letter(folded[..at].chars().next_back()) && letter(folded[at + 1..].chars().next()) {
            hits.push(Hit {
                classes: ADDRESS,
                start: at,
                end: at + 1,
            });
        }
    }
    hits.sort_by_key(|hit| (hit.start, hit.end));
    hits
}
