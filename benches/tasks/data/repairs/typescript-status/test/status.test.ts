import assert from "node:assert/strict";
import test from "node:test";
import { label } from "../src/label.ts";
import { STATUSES, isStatus } from "../src/status.ts";

test("a paused job is known", () => {
    assert.ok(isStatus("paused"));
    assert.ok(!isStatus("asleep"));
});

test("paused stands behind running", () => {
    assert.equal(STATUSES.indexOf("paused" as never), STATUSES.indexOf("running") + 1);
});

test("every status has a label", () => {
    const labels = STATUSES.map((status) => label(status));
    assert.deepEqual(labels, ["waiting", "working", "on hold", "finished", "failed"]);
});
