// What people do in the page.

import assert from "node:assert/strict";
import { ask, at, ended, logIn, looked, readAll, tell } from "./browser.mjs";

const log = (page) => page.locator(".log");

/** An answer comes piece by piece; the page is loaded anew in its midst. */
async function streams({ context }) {
  const page = await logIn(context);
  await ask(page, "count to four");
  await page.getByText("One, two").waitFor();
  const thinking = page.locator("details.thinking");
  assert.equal(await thinking.getAttribute("open"), null, "thinking is folded");
  await thinking.locator("summary").click();
  await page.getByText("Numbers are needed.").waitFor();
  await page.reload();
  await page.getByText("One, two").waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  await at("in the midst");
  await ended(page, "Done");
  const prose = page.locator(".turn > .prose");
  assert.equal(await prose.count(), 1);
  assert.equal((await prose.innerText()).trim(), "One, two, three, four.");
  assert.equal(await page.locator(".words").count(), 1);
  const title = await page.title();
  assert.ok(title.startsWith("count to four"), title);
  // The link is used up, and the browser is logged in all the same.
  const again = await context.newPage();
  await again.goto(process.env.LINK);
  await again.getByText("What shall be done?").waitFor();
  await again.getByRole("link", { name: /count to four/ }).waitFor();
}

/** A change is shown and allowed, the next one is refused with a word. */
async function questions({ context }) {
  const page = await logIn(context);
  await ask(page, "set the port to 9000");
  const card = page.locator(".question");
  await card.waitFor();
  await card.locator(".diff .del", { hasText: "port = 8000" }).waitFor();
  await card.locator(".diff .add", { hasText: "port = 9000" }).waitFor();
  assert.ok((await page.title()).startsWith("●"));
  await at("asked");
  await card.getByRole("button", { name: "Allow once" }).click();
  await ended(page, "Done");
  const call = page.locator("details.call").filter({ hasText: "edit_file" });
  assert.match(await call.innerText(), /edit_file\s+s\.toml\s+asked · /);
  await page.locator("details.answered", { hasText: "Allowed once" }).waitFor();
  await page.locator("details.answered").getByText("by web").waitFor();
  await at("changed");
  await ask(page, "set it to 1");
  await card.waitFor();
  await card.getByRole("textbox").fill("ports below 1024 are taken");
  await card.getByRole("button", { name: "Refuse" }).click();
  await page.locator("details.answered", { hasText: "Refused" }).waitFor();
  await log(page).getByText("I leave it.").waitFor();
  await card.waitFor({ state: "detached" });
}

/** A plan is shown with its steps and what they change, and approved as a whole. */
async function plans({ context }) {
  const page = await logIn(context);
  await ask(page, "replace draft with final in notes.md");
  const card = page.locator(".question");
  await card.waitFor();
  await page.locator(".plan li", { hasText: "notes.md" }).first().waitFor();
  await card.locator(".diff .add", { hasText: "final" }).waitFor();
  // It is longer than the card, and a yes counts for what was in sight.
  await card.getByRole("button", { name: "Allow once" }).click();
  await card.getByRole("alert").filter({ hasText: "in sight" }).waitFor();
  await readAll(page);
  await card.getByRole("button", { name: "Allow once" }).click();
  await ended(page, "Done");
  await page.getByText(/Approved by/).waitFor();
}

/** Two tabs see the same; what one answers is answered in both. */
async function tabs({ context }) {
  const one = await logIn(context);
  await ask(one, "set the port to 9000");
  await one.locator(".question").waitFor();
  const two = await context.newPage();
  await two.goto(one.url());
  await two.locator(".question").waitFor();
  await two.getByRole("button", { name: "Allow once" }).click();
  await one.locator(".question").waitFor({ state: "detached" });
  for (const page of [one, two]) await ended(page, "Done");
  assert.equal(await log(one).innerText(), await log(two).innerText());
}

/** In a session that a program opened, with nobody to answer, questions wait once a person writes. */
async function attends({ context }) {
  const page = await logIn(context);
  const session = await at("which session");
  await page.goto(`${new URL("/", page.url()).href}#session=${session}`);
  await page.getByText("coder · loop").waitFor();
  await ask(page, "set the port to 9000");
  await page.locator(".question").getByRole("button", { name: "Allow once" }).click();
  await ended(page, "Done");
}

/** The server is killed in mid-stream and comes back: the page loses nothing, and says who has to log in. */
async function restart({ context }) {
  const page = await logIn(context);
  await ask(page, "tell a tale");
  await page.getByText("Once upon a time").waitFor();
  await page.getByRole("textbox", { name: "Message" }).fill("a draft");
  await at("streaming");
  await page.getByText("The connection is lost.").waitFor();
  const link = await at("lost");
  // The login of a server that is no more counts no more.
  await page.getByText("This browser is not logged in.").waitFor();
  await page.getByText("Once upon a time").waitFor();
  const other = await context.newPage();
  await other.goto(link);
  await other.getByRole("textbox", { name: "Message" }).waitFor();
  await page.getByText("This browser is not logged in.").waitFor({ state: "detached" });
  const field = page.getByRole("textbox", { name: "Message" });
  assert.equal(await field.inputValue(), "a draft");
  await ask(page, "and then?");
  await log(page).getByText("They lived on.").waitFor();
  assert.equal(await log(page).getByText("Once upon a time").count(), 1);
  // The session is found by an answer, which its title does not have.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
  await page.keyboard.type("LIVED on.");
  await page.locator("#found [role=option]").first().waitFor();
  assert.equal(await page.locator("#found [role=option]").count(), 1);
  await page.keyboard.press("Escape");
}

/** All by keyboard: a message, an answer, the palette, another session. */
async function keyboard({ context }) {
  // The page's clock stands still while a test says so.
  await context.addInitScript(() => {
    const now = performance.now.bind(performance);
    performance.now = () => window.stands ?? now();
  });
  const page = await logIn(context);
  await page.evaluate(() => (window.stands = performance.now()));
  await page.keyboard.type("set the port to 9000");
  await page.keyboard.press("Enter");
  const card = page.locator(".question");
  await card.waitFor();
  await page.waitForFunction(() => document.activeElement?.classList.contains("question"));
  // Too early is not meant for the question.
  await page.keyboard.press("y");
  await at("too early");
  await card.waitFor();
  await page.evaluate(() => (window.stands += 501));
  // A letter alone may be the beginning of a message, which it becomes.
  await page.keyboard.type("so not");
  await page.waitForFunction(() => document.getElementById("message")?.value === "so not");
  await card.waitFor();
  await page.locator("#message").fill("");
  await card.focus();
  await page.keyboard.press("y");
  await page.keyboard.press("Enter");
  await ended(page, "Done");
  await page.waitForFunction(() => document.activeElement?.id === "message");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
  await page.keyboard.type("new");
  await page.keyboard.press("Enter");
  await page.getByText("What shall be done?").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
  await page.keyboard.type("set the port");
  await page.keyboard.press("Enter");
  await ended(page, "Done");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find a session or a command" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("combobox", { name: "Find a session or a command" }).waitFor({ state: "detached" });
  // The focus is seen wherever it goes, and goes everywhere.
  const seen = new Set();
  for (let step = 0; step < 40; step += 1) {
    await page.keyboard.press("Tab");
    const told = await page.evaluate(() => {
      const focused = document.activeElement;
      if (focused === null || focused === document.body) return undefined;
      const style = getComputedStyle(focused);
      const parent = getComputedStyle(focused.closest(".composer") ?? focused);
      const shows = style.outlineStyle !== "none" || parent.boxShadow !== "none";
      return { name: focused.getAttribute("aria-label") ?? focused.textContent, shows };
    });
    if (told === undefined) continue;
    assert.ok(told.shows, `the focus is not seen on ${told.name}`);
    seen.add(told.name);
  }
  for (const name of ["Search sessions", "Go to…", "Message", "Edit in a copy"]) {
    assert.ok(seen.has(name), `${name} is not reached: ${[...seen].join(", ")}`);
  }
}

/** Sessions are found, renamed, exported, copied and deleted; a message waits for its turn, and is stopped. */
async function sessions({ context }) {
  const page = await logIn(context);
  await ask(page, "what is a teapot?");
  await ended(page, "Done");
  await page.getByRole("button", { name: "Rename, export or delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Of teapots");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Of teapots" }).waitFor();
  await page.getByRole("button", { name: "Rename, export or delete" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    dialog.getByRole("button", { name: "Export as Markdown" }).click(),
  ]);
  const stream = await download.createReadStream();
  let text = "";
  for await (const piece of stream) text += piece;
  assert.match(text, /A pot for tea\./);
  // A copy in which the message is another one.
  await page.getByRole("button", { name: "Edit in a copy" }).click();
  const field = page.getByRole("textbox", { name: "Message" });
  await page.waitForFunction(() => document.getElementById("message").value !== "");
  assert.equal(await field.inputValue(), "what is a teapot?");
  await ask(page, "what is a kettle?");
  await log(page).getByText("A pot that boils.").waitFor();
  await ended(page, "Done");
  // One that runs, one that waits; the first is stopped.
  await ask(page, "go on");
  await page.getByText("On and on").waitFor();
  await ask(page, "and last?");
  await page.getByText("Waits for the request before it").waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await ended(page, "Stopped");
  await log(page).getByText("That was all.").waitFor();
  const search = page.getByRole("searchbox", { name: "Search sessions" });
  await search.fill("teapots");
  const listed = page.getByRole("navigation").getByRole("link");
  await page.waitForFunction(() => document.querySelectorAll(".sessions li").length === 1);
  await listed.click();
  await log(page).getByText("A pot for tea.").waitFor();
  await page.getByRole("button", { name: "Rename, export or delete" }).click();
  await dialog.getByRole("button", { name: "Delete session" }).click();
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("What shall be done?").waitFor();
  await page.waitForFunction(() => document.querySelectorAll(".sessions li").length === 0);
  await page.getByRole("button", { name: "Log out" }).click();
  await page.getByText("This browser is not logged in.").waitFor();
  await page.reload();
  await page.getByText("This browser is not logged in.").waitFor();
}

/** A message that is edited makes a branch; what was asked at one place is paged through, by mouse and keys. */
async function branches({ context }) {
  const page = await logIn(context);
  await ask(page, "what is a teapot?");
  await ended(page, "Done");
  await ask(page, "and a kettle?");
  await ended(page, "Done", 2);
  const pager = page.getByRole("group", { name: "Branches from here" });
  assert.equal(await pager.count(), 0);
  const first = page.url();
  const edited = async (was, text, said) => {
    const turn = page.locator(".turn").filter({ hasText: was });
    await turn.getByRole("button", { name: "Edit in a copy" }).click();
    await page.waitForFunction((was) => document.getElementById("message").value === was, was);
    await ask(page, text);
    await log(page).getByText(said).waitFor();
  };
  await edited("and a kettle?", "and a pan?", "For frying.");
  await pager.getByText("2/2").waitFor();
  assert.equal(await page.locator(".turn").count(), 2);
  await looked(page, "branches");
  await pager.getByRole("button", { name: "Branch before" }).click();
  await log(page).getByText("A pot that boils.").waitFor();
  await pager.getByText("1/2").waitFor();
  assert.equal(page.url(), first);
  assert.ok(await pager.getByRole("button", { name: "Branch before" }).isDisabled());
  // Another one from the first, and one from that copy: all part at the same place.
  await edited("and a kettle?", "and a wok?", "For stirring.");
  await pager.getByText("3/3").waitFor();
  await edited("and a wok?", "and a bowl?", "For mixing.");
  await pager.getByText("4/4").waitFor();
  // What comes behind is another place.
  await ask(page, "and a cup?");
  await log(page).getByText("For sipping.").waitFor();
  await edited("and a cup?", "and a mug?", "For cocoa.");
  await pager.nth(1).getByText("2/2").waitFor();
  await pager.nth(0).getByText("4/4").waitFor();
  // By keyboard: the focus stays on the way through.
  for (const [at, said] of [[3, "For stirring."], [2, "For frying."], [1, "A pot that boils."]]) {
    await pager.first().getByRole("button", { name: "Branch before" }).focus();
    await page.keyboard.press("Enter");
    await log(page).getByText(said).waitFor();
    await pager.first().getByText(`${at}/4`).waitFor();
  }
  await pager.getByRole("button", { name: "Next branch" }).click();
  await log(page).getByText("For frying.").waitFor();
  // One that is deleted is none any more.
  await page.getByRole("button", { name: "Rename, export or delete" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete session" }).click();
  await dialog.getByRole("button", { name: "Delete for good" }).click();
  await page.getByText("What shall be done?").waitFor();
  await page.goto(first);
  await pager.getByText("1/3").waitFor();
}

await tell({ branches, streams, questions, plans, tabs, attends, restart, keyboard, sessions });
