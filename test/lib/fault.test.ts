import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createClientGoneFault,
  Fault,
  getErrorCode,
  getErrorMessage,
  getErrorReason,
  isClientGone,
  toError,
  Unavailable,
} from "../../src/lib/fault.ts";

test("carries a code, a message and a cause", () => {
  const cause = new Error("beneath");
  const fault = new Unavailable("store_busy", "locked", 2, { cause });
  assert.ok(fault instanceof Fault && fault instanceof Error);
  assert.equal(fault.retryAfterSeconds, 2);
  assert.deepEqual([fault.code, fault.message, fault.cause], ["store_busy", "locked", cause]);
  assert.equal(String(fault), "Unavailable: locked");
  assert.equal(String(new Fault("store_busy", "a message")), "Fault: a message");
});

test("finds the code of errors of Node and Latchkey, and of no other thrown value", () => {
  assert.equal(
    getErrorCode(Object.assign(new Error("no such file"), { code: "ENOENT" })),
    "ENOENT",
  );
  assert.equal(getErrorCode(new Fault("store_busy", "a message")), "store_busy");
  assert.equal(getErrorCode(createClientGoneFault()), "client_gone");
  assert.ok(isClientGone(createClientGoneFault()));
  for (const other of [
    new Fault("store_busy", ""),
    Object.assign(new Error(), createClientGoneFault()),
  ])
    assert.ok(!isClientGone(other));
  const numbered = Object.assign(new Error("numbered"), { code: 42 });
  for (const thrown of [new Error("plain"), numbered, { code: "X" }, "text", null, undefined]) {
    assert.equal(getErrorCode(thrown), undefined);
  }
});

test("makes an Error of any thrown value, which keeps the value as its cause", () => {
  const error = new TypeError("an error");
  assert.equal(toError(error), error);
  for (const thrown of [undefined, null, 0, "", "route", Symbol("s"), Object.create(null)]) {
    const made = toError(thrown);
    assert.ok(made instanceof Fault);
    assert.deepEqual([made.code, made.cause], ["not_an_error", thrown]);
  }
  assert.equal(getErrorMessage(error), "an error");
  assert.equal(getErrorMessage("thrown text"), "thrown text");
  assert.equal(getErrorMessage(undefined), "undefined was thrown, not an Error");
});

test("gives the reason of what caused an error, and of every attempt that failed", () => {
  const refused = new AggregateError([new Error("IPv6 refused"), "IPv4 refused"]);
  for (const [thrown, reason] of [
    [new Error("no answer", { cause: new Error("refused") }), "refused"],
    [new Error("no answer", { cause: refused }), "IPv6 refused; IPv4 refused"],
    [refused, "IPv6 refused; IPv4 refused"],
    [new Error("no answer"), "no answer"],
    [{ cause: "refused" }, "object was thrown, not an Error"],
    ["no answer", "no answer"],
  ] as const) {
    assert.equal(getErrorReason(thrown), reason);
  }
});
