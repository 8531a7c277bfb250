import assert from "node:assert/strict";
import test from "node:test";
import { parseQuery } from "./query.js";

test("names have values", () => {
    assert.deepEqual(parseQuery("?q=tide&page=2"), { q: "tide", page: "2" });
});

test("a value may be empty or have an equals sign", () => {
    assert.deepEqual(parseQuery("a=&b&c=x=y"), { a: "", b: "", c: "x=y" });
    assert.deepEqual(parseQuery(""), {});
});

test("what is escaped is decoded", () => {
    assert.deepEqual(parseQuery("q=caf%C3%A9+au+lait&1%2B1=2"), { q: "café au lait", "1+1": "2" });
});

test("a name that stands more than once has a list", () => {
    assert.deepEqual(parseQuery("tag=a&tag=b&tag=c"), { tag: ["a", "b", "c"] });
});
