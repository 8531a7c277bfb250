import assert from "node:assert/strict";
import test from "node:test";
import { download } from "./mirrors.js";

const mirrors = ["a:", "b:", "c:"];

test("the first that has it is taken", async () => {
    const load = async (address) => (address === "a:x" ? null : address);
    assert.equal(await download(mirrors, "x", load), "b:x");
});

test("one that is down is passed over", async () => {
    const load = async (address) => {
        if (address === "a:x") {
            throw new Error("connection refused");
        }
        return address;
    };
    assert.equal(await download(mirrors, "x", load), "b:x");
});

test("where all are down the reasons are told", async () => {
    const load = async () => {
        throw new Error("timed out");
    };
    const told = /no mirror has x.*a:.*timed out.*c:.*timed out/;
    await assert.rejects(download(mirrors, "x", load), told);
});

test("where none has it, that is told", async () => {
    await assert.rejects(download(mirrors, "x", async () => null), /no mirror has x/);
});
