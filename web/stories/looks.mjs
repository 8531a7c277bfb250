// How the page looks, and what hostile text does to it: nothing.

import assert from "node:assert/strict";
import { SIZES, ask, at, ended, logIn, looked, person, readAll, tell } from "./browser.mjs";

/** Every view, wide and as on a phone: axe finds nothing, and nothing is cut off. */
async function views({ chrome, context }) {
  const page = await logIn(context);
  await ask(page, "what does this project do?");
  await ended(page, "Done");
  const first = page.url();
  await ask(page, "set the port to 9000");
  await page.locator(".question").waitFor();
  const state = await context.storageState();
  for (const [width, height] of SIZES) {
    const size = `${width}`;
    const me = await person(chrome, { width, height, storageState: state });
    const view = await me.context.newPage();
    await view.goto(first);
    await view.locator(".question .diff").waitFor();
    await looked(view, `question-${size}`);
    await view.getByRole("button", { name: "Go to…" }).click();
    await view.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
    await looked(view, `palette-${size}`);
    await view.keyboard.press("Escape");
    await view.getByRole("button", { name: "Rename, export or delete" }).click();
    await view.getByRole("dialog").waitFor();
    await looked(view, `manage-${size}`);
    await view.keyboard.press("Escape");
    await view.getByRole("button", { name: "Go to…" }).click();
    await view.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
    await view.keyboard.type("model is shown");
    await view.keyboard.press("Enter");
    const parts = view.locator(".parts details");
    await parts.first().waitFor();
    await parts.first().locator("summary").click();
    await looked(view, `context-${size}`);
    await view.keyboard.press("Escape");
    await view.getByRole("dialog").waitFor({ state: "detached" });
    if (width < 700) {
      await view.getByRole("button", { name: "Show sessions" }).click();
      await looked(view, `sessions-${size}`);
      await view.keyboard.press("Escape");
    }
    await view.goto(new URL("/", first).href);
    await view.getByText("What shall be done?").waitFor();
    await looked(view, `welcome-${size}`);
    assert.deepEqual(me.wrong, [], size);
    await me.context.close();
  }
  await readAll(page);
  await page.locator(".question").getByRole("button", { name: "Allow once" }).click();
  await ended(page, "Done", 2);
  await at("answered");
  for (const [width, height] of SIZES) {
    const me = await person(chrome, { width, height, storageState: state });
    const view = await me.context.newPage();
    await view.goto(first);
    await ended(view, "Done", 2);
    await view.locator("details.call summary").first().click();
    await looked(view, `conversation-${width}`);
    await view.locator(".log").evaluate((log) => log.scrollTo(0, 0));
    await looked(view, `top-${width}`);
    // Another login ends this one's: the page keeps what it shows.
    await view.evaluate(() => localStorage.setItem("carl.key", "another"));
    await ask(view, "and now?");
    await view.getByText("This browser is not logged in.").waitFor();
    await looked(view, `logged-out-beside-${width}`);
    await me.context.close();
    const stranger = await person(chrome, { width, height });
    const shut = await stranger.context.newPage();
    await shut.goto(new URL("/", first).href);
    await shut.getByText("This browser is not logged in.").waitFor();
    await looked(shut, `logged-out-${width}`);
    await shut.goto(new URL("/#login=used", first).href);
    await shut.getByText("The link was used already, or is too old.").waitFor();
    await looked(shut, `used-${width}`);
    await stranger.context.close();
  }
  // Where a browser speaks German, the page does.
  const me = await person(chrome, { locale: "de-DE", storageState: state });
  const german = await me.context.newPage();
  await german.goto(first);
  await german.getByRole("textbox", { name: "Nachricht" }).waitFor();
  await german.locator(".turn .state", { hasText: "Fertig" }).first().waitFor();
  assert.equal(await german.evaluate(() => document.documentElement.lang), "de");
  await looked(german, "german");
  await german.setViewportSize({ width: 320, height: 640 });
  await looked(german, "german-320");
}

/** Words that are written from right to left stand at the right, in a page that may be turned round itself. */
async function turned({ context }) {
  const page = await logIn(context);
  await ask(page, "מה שלום הקומקום?");
  await ended(page, "Done");
  const side = (locator) =>
    locator.evaluate((one) => {
      const range = document.createRange();
      range.selectNodeContents(document.createTreeWalker(one, NodeFilter.SHOW_TEXT).nextNode());
      const [words, room] = [range.getClientRects()[0], one.closest(".turn").getBoundingClientRect()];
      return words.left - room.left > room.right - words.right ? "right" : "left";
    });
  const answer = page.locator(".turn .prose");
  assert.equal(await side(page.locator(".words").first()), "right");
  assert.equal(await side(answer.locator("p").first()), "right");
  assert.equal(await side(answer.locator("li").first()), "right");
  assert.equal(await side(answer.locator("p").last()), "left");
  const typed = page.getByRole("textbox", { name: "Message" });
  await typed.fill("שלום");
  assert.equal(await typed.evaluate((one) => one.matches(":dir(rtl)")), true);
  await typed.fill("hello");
  assert.equal(await typed.evaluate((one) => one.matches(":dir(ltr)")), true);
  await page.evaluate(() => (document.documentElement.dir = "rtl"));
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height });
    await looked(page, `right-to-left-${width}`);
    await page.getByRole("button", { name: "Panel" }).click();
    await looked(page, `right-to-left-panel-${width}`);
    await page.keyboard.press("Escape");
  }
}

/** Hostile text from everywhere: it is read as text, and runs nothing, loads nothing, leads nowhere unseen. */
async function hostile({ context, wrong }) {
  const page = await logIn(context);
  await ask(page, "<img src=x onerror=alert(1)> read it");
  await ended(page, "Done");
  for (const fold of await page.locator("details.fold > summary").all()) await fold.click();
  const count = (what) => page.locator(what).count();
  assert.equal(await count(".log img"), 0);
  assert.equal(await count(".log script, .log iframe, .log svg a, .log form, .log object"), 0);
  assert.equal(await count('a[href^="javascript" i], a[href^="data" i], a[href^="file" i]'), 0);
  const text = await page.locator(".log").innerText();
  for (const said of ["<script>alert(2)</script>", "<img src=x onerror=alert(3)>", "alert(4)"]) {
    assert.ok(text.includes(said), `${said} is not to be seen in:\n${text}`);
  }
  assert.ok(text.includes("javascript:alert(5)"), text);
  const link = page.locator('.log a[href^="http"]', { hasText: "your bank" });
  assert.match(await link.innerText(), /your bank \(evil\.example\)/);
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  assert.ok(text.includes("Picture, not loaded"), text);
  // Names: of the session, of a file.
  const title = page.locator(".head h1");
  assert.ok((await title.innerText()).includes("<img"), await title.innerText());
  assert.equal(await count(".side a img, .head img"), 0);
  await ask(page, "now change it");
  await page.locator(".question").waitFor();
  assert.equal(await count(".question img, .question script"), 0);
  assert.ok((await page.locator(".question").innerText()).includes("<b>bold</b>"));
  // No text becomes a document, not even by a mistake of the page's own.
  const refused = await page.evaluate(() => {
    try {
      document.createElement("div").innerHTML = "<b>x</b>";
      return false;
    } catch {
      return true;
    }
  });
  assert.ok(refused, "text became a document");
  const said = wrong.findIndex((one) => one.includes("TrustedHTML"));
  assert.notEqual(said, -1, "the browser did not say so");
  wrong.splice(said, 1);
}

await tell({ views, turned, hostile });
