// A session of thousands of messages. What it takes is printed and not judged: only a person knows what the
// machine had to do meanwhile.

import assert from "node:assert/strict";
import { ask, ended, logIn, looked, tell } from "./browser.mjs";

const SESSION = process.env.WORD;
/** More than the gap between two requests. */
const GAP_PX = 48;
/** Longest that making the conversation smaller may take before it counts as hanging. */
const SMALLER_MS = 300_000;
const log = (page) => page.locator(".log");

/** What is at the top of what is seen, and where it stands. */
const top = (page) =>
  log(page).evaluate((log) => {
    const begin = log.getBoundingClientRect().top;
    const rows = [...log.querySelectorAll("[data-turn]")];
    const row = rows.find((one) => one.getBoundingClientRect().bottom > begin);
    return { text: row.querySelector(".words").textContent, at: row.getBoundingClientRect().top - begin };
  });

/** Waits until what is looked at is drawn: the page draws it once it hears of the scrolling. */
const settled = (page) =>
  page.waitForFunction(
    (gapPx) =>
      new Promise((done) => {
        const log = document.querySelector(".log");
        const begin = log.getBoundingClientRect().top;
        const isDrawn = [...log.querySelectorAll("[data-turn]")].some((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return bottom > begin && top <= begin + gapPx;
        });
        requestAnimationFrame(() => done(isDrawn));
      }),
    GAP_PX,
  );

const drawn = (page) => page.locator(".turn").count();

function told(name, times) {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)].toFixed(1);
  console.error(`${name}: median ${at(0.5)} ms, 99 % ${at(0.99)} ms, longest ${at(1)} ms (${times.length})`);
}

/** It is shown from its end, and read as far as a person goes back; only what is near is drawn. */
async function thousands({ context }) {
  const page = await logIn(context);
  await page.goto(new URL("/", page.url()).href);
  await page.getByText("What shall be done?").waitFor();
  await page.reload();
  await page.getByText("What shall be done?").waitFor();
  const painted = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  console.error(`first paint: ${painted.toFixed(1)} ms`);
  const begun = Date.now();
  await page.goto(new URL(`/#session=${SESSION}`, page.url()).href);
  await page.getByText("answer 5000", { exact: true }).waitFor();
  console.error(`the session is shown: ${Date.now() - begun} ms`);
  assert.ok((await drawn(page)) < 60, `${await drawn(page)} requests are drawn`);
  await page.getByText("coder · ").waitFor();
  await looked(page, "long-end");

  // Where more is read above it, what is looked at stays where it is.
  await log(page).evaluate((log) => log.scrollBy(0, -log.clientHeight * 3));
  await settled(page);
  const before = await top(page);
  const height = await log(page).evaluate((log) => log.scrollHeight);
  await page.getByRole("button", { name: "Show earlier requests" }).evaluate((button) => button.click());
  await page.waitForFunction((height) => document.querySelector(".log").scrollHeight > height, height);
  await settled(page);
  const after = await top(page);
  assert.equal(after.text, before.text);
  assert.ok(Math.abs(after.at - before.at) < 2, `${before.at} and ${after.at}`);

  // Up to the beginning, faster than a person turns a wheel.
  const went = await page.evaluate(async () => {
    const log = document.querySelector(".log");
    const [frames, long] = [[], []];
    const observer = new PerformanceObserver((list) => long.push(...list.getEntries().map((one) => one.duration)));
    observer.observe({ entryTypes: ["longtask"] });
    let most = 0;
    let last = performance.now();
    const isFirst = () => document.querySelector(".words")?.textContent === "message 1";
    while (!isFirst() || log.scrollTop > 0) {
      log.scrollBy(0, -2000);
      await new Promise((done) => requestAnimationFrame(done));
      const now = performance.now();
      frames.push(now - last);
      last = now;
      most = Math.max(most, document.querySelectorAll(".turn").length);
    }
    observer.disconnect();
    return { frames, long, most };
  });
  told("a frame while it scrolls", went.frames);
  if (went.long.length > 0) told("a task of more than 50 ms", went.long);
  assert.ok(went.most < 100, `${went.most} requests are drawn`);
  assert.equal((await top(page)).text, "message 1");
  assert.equal(await page.getByRole("button", { name: "Show earlier requests" }).count(), 0);
  await looked(page, "long-begin");

  // To a place in the midst at once, as by dragging the bar, and back to the end.
  await log(page).evaluate((log) => log.scrollTo(0, log.scrollHeight / 2));
  await settled(page);
  const midst = Number((await top(page)).text.replace("message ", ""));
  assert.ok(midst > 1500 && midst < 3500, `${midst}`);
  await page.getByRole("button", { name: "To the newest" }).click();
  await page.getByText("answer 5000", { exact: true }).waitFor();
  await ask(page, "one more");
  // Thousands of requests are made smaller first.
  await log(page).getByText("That was all.").waitFor({ timeout: SMALLER_MS });
  await ended(page, "Done", await page.locator(".turn .state").count());
  assert.ok((await drawn(page)) < 60);
}

await tell({ thousands });
