import assert from "node:assert/strict";
import test from "node:test";
import { expand } from "./range.ts";

test("both ends belong to a range", () => {
    assert.deepEqual(expand("3-5"), [3, 4, 5]);
});

test("a number stands for itself", () => {
    assert.deepEqual(expand("8"), [8]);
    assert.deepEqual(expand("1-2,7,9-10"), [1, 2, 7, 9, 10]);
});

test("a range that ends before it begins is empty", () => {
    assert.deepEqual(expand("5-3"), []);
});
