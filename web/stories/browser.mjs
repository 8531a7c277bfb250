// A browser in which nothing may go wrong unseen: an error on the page, a request to another place or a
// dialog ends the story. Tests of `tests/scenarios` (`browser`) start the stories, and do what belongs to
// the model and the server when a story says that it waits.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

/** Says where the story is, and waits until the test goes on. What it says back is the answer. */
export async function at(place) {
  console.log(`at ${place}`);
  const { value, done } = await lines.next();
  if (done) throw new Error(`nobody goes on after ${place}`);
  return value;
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function browser() {
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
  });
}

/** What the console may say: that a connection broke is told by the browser itself. */
const EXPECTED = [/Failed to load resource/, /net::ERR_/];

/** A profile of its own, as a person's browser is. */
export async function person(browser, options = {}) {
  const { width = 1280, height = 800, ...more } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    locale: "en-GB",
    reducedMotion: "reduce",
    ...more,
  });
  context.setDefaultTimeout(Number(process.env.PATIENCE_MS ?? 60_000));
  const wrong = [];
  context.on("page", (page) => {
    page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
    page.on("dialog", (dialog) => {
      wrong.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      const text = message.text();
      const isExpected = EXPECTED.some((one) => one.test(text));
      if (["error", "warning"].includes(message.type()) && !isExpected) wrong.push(text);
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      const isOurs = url.origin === new URL(process.env.LINK).origin || url.protocol === "blob:";
      if (!isOurs) wrong.push(`request: ${request.url()}`);
    });
  });
  return { context, wrong };
}

/** A page that is logged in by a link. It can be typed in before the server has answered; a page that is left
 *  before that never gets its key, so what is listed once it has one is waited for. */
export async function logIn(context, link = process.env.LINK) {
  const page = await context.newPage();
  const isListed = (answer) => new URL(answer.url()).pathname === "/api/v1/sessions" && answer.ok();
  const listed = page.waitForResponse(isListed);
  await page.goto(link);
  await listed;
  await page.getByRole("textbox", { name: "Message" }).waitFor();
  assert.ok(!page.url().includes("login"), "the code stays in the address");
  return page;
}

export async function ask(page, text) {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill(text);
  await field.press("Enter");
}

/** Scrolls whatever of a question is cut to its end. */
export async function readAll(page) {
  await page.evaluate(() => {
    for (const part of document.querySelectorAll(".asked, .asked *")) part.scrollTop = part.scrollHeight;
  });
  await page.waitForFunction(() =>
    [...document.querySelectorAll(".asked, .asked *")].every(
      (part) =>
        part.scrollHeight <= part.clientHeight + 4 ||
        part.dataset.read !== undefined ||
        !["auto", "scroll"].includes(getComputedStyle(part).overflowY),
    ),
  );
}

/** Waits until a request has ended in a word. */
export async function ended(page, word, number = 1) {
  await page.locator(".turn .state", { hasText: word }).nth(number - 1).waitFor();
}

/** That axe finds nothing on the page as it is, in light and in dark colours. */
export async function faults(page, view) {
  // The page takes no script from elsewhere; a test hands it in by the browser's own door.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  await session.detach();
  for (const colorScheme of ["light", "dark"]) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await shot(page, `${view}-${colorScheme}`);
    const found = await page.evaluate(async () => {
      const told = await window.axe.run(document, { resultTypes: ["violations"] });
      return told.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" | ")}`);
    });
    assert.deepEqual(found, [], `${view}, ${colorScheme}`);
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
}

/** The same of a view, and that it fits its window. */
export async function looked(page, view) {
  await faults(page, view);
  for (const part of ["html", ".panel-body", ".log"]) {
    const wider = await page
      .locator(part)
      .evaluateAll((all) => all.map((one) => one.scrollWidth - one.clientWidth).find((more) => more > 0));
    assert.equal(wider, undefined, `${view}: ${part} is wider than its room`);
  }
}

/** A window of a desktop, and one of a phone. */
export const SIZES = [
  [1280, 800],
  [320, 640],
];

export async function shot(page, name) {
  const folder = process.env.SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png` });
}

/** Runs one story of a file, the one that the command line names. */
export async function tell(stories) {
  const name = process.argv[2];
  const chrome = await browser();
  const me = await person(chrome);
  try {
    await stories[name]({ chrome, ...me });
    assert.deepEqual(me.wrong, [], "what went wrong on the page");
    console.log("as it has to be");
  } catch (error) {
    console.error(error);
    for (const page of me.context.pages()) {
      console.error(await page.locator("body").innerText().catch(String));
      await shot(page, `failed-${name}`);
    }
    console.error(me.wrong);
    process.exitCode = 1;
  } finally {
    await chrome.close();
    process.exit();
  }
}
