import assert from "node:assert/strict";
import test from "node:test";
import { dueOn, isOverdue } from "./due.ts";

test("two weeks later it is due", () => {
    assert.equal(dueOn("2026-11-02"), "2026-11-16");
    assert.equal(dueOn("2026-11-27"), "2026-12-11");
});

test("the year may end in between", () => {
    assert.equal(dueOn("2026-12-27"), "2027-01-10");
});

test("a leap year has its day", () => {
    assert.equal(dueOn("2028-02-20", 9), "2028-02-29");
});

test("on the day itself it is not overdue", () => {
    assert.equal(isOverdue("2026-11-02", "2026-11-16"), false);
    assert.equal(isOverdue("2026-11-02", "2026-11-17"), true);
});
