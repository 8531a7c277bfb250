import assert from "node:assert/strict";
import test from "node:test";
import * as duration from "../src/duration.ts";

test("a clock's time is read", () => {
    assert.equal(duration.parseClock("1:05"), 3900);
});

test("below a minute seconds are written", () => {
    assert.equal(duration.formatDuration(0), "0 s");
    assert.equal(duration.formatDuration(59), "59 s");
});

test("below an hour minutes are written", () => {
    assert.equal(duration.formatDuration(60), "1 min");
    assert.equal(duration.formatDuration(3599), "59 min");
});

test("minutes beside hours have two digits", () => {
    assert.equal(duration.formatDuration(3600), "1 h 00 min");
    assert.equal(duration.formatDuration(3900), "1 h 05 min");
    assert.equal(duration.formatDuration(90000), "25 h 00 min");
});
