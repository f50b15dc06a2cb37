import assert from "node:assert/strict";
import { test } from "node:test";
import { createOperations, type Observer } from "../../src/db/operations.ts";
import { Unavailable } from "../../src/lib/fault.ts";
import { openStore } from "../support/store.ts";

/** An observer that keeps what it is told, without the times. */
function recording() {
  const told: (readonly unknown[])[] = [];
  const times: number[] = [];
  const observer: Observer = {
    answered(operation, seconds) {
      times.push(seconds);
      told.push([operation]);
    },
    failed(operation, seconds, error) {
      times.push(seconds);
      told.push([operation, error]);
    },
  };
  return { told, times, observer };
}

test("runs a query on the open database, and tells every observer how it ends", async () => {
  const operations = createOperations(() => "the database");
  const failure = new Error("it fails");
  const add = operations.define("numbers.add", async (database, one: number, other: number) => {
    if (one === other) throw failure;
    return `${one + other} of ${database}`;
  });
  const observers = [recording(), recording()];
  for (const { observer } of observers) operations.observe(observer);
  assert.equal(await add(1, 2), "3 of the database");
  await assert.rejects(add(2, 2), failure);
  for (const { told } of observers)
    assert.deepEqual(told, [["numbers.add"], ["numbers.add", failure]]);
  assert.deepEqual(operations.names, ["numbers.add"]);
});

test("measures in seconds how long an operation takes", async (t) => {
  const operations = createOperations(() => {});
  const wait = operations.define("wait", async () => t.mock.timers.tick(250));
  t.mock.method(performance, "now", () => Date.now());
  t.mock.timers.enable({ apis: ["Date"] });
  const { observer, times } = recording();
  operations.observe(observer);
  await wait();
  assert.deepEqual(times, [0.25]);
});

test("a database that is not open yet fails the operation, and observers are told", async () => {
  const failure = new Unavailable("store_unavailable", "not open yet", 2);
  const operations = createOperations(() => {
    throw failure;
  });
  const { observer, told } = recording();
  operations.observe(observer);
  const read = operations.define("read", async () => assert.fail("there is no database"));
  await assert.rejects(read(), failure);
  assert.deepEqual(told, [["read", failure]]);
});

test("an observer is told of nothing once it has stopped, and others still are", async () => {
  const operations = createOperations(() => {});
  const read = operations.define("read", async () => {});
  const [first, second] = [recording(), recording()];
  const stop = operations.observe(first.observer);
  operations.observe(second.observer);
  await read();
  stop();
  stop();
  await read();
  assert.deepEqual([first.told, second.told], [[["read"]], [["read"], ["read"]]]);
});

test("what runs around the operations can fail them before and after they run", async () => {
  const lost = new Unavailable("store_unavailable", "the answer is lost", 1);
  const runs: string[] = [];
  const operations = createOperations(
    () => {},
    async (operation, call) => {
      if (operation === "unsent") throw lost;
      await call();
      throw lost;
    },
  );
  const { observer, told } = recording();
  operations.observe(observer);
  for (const name of ["unsent", "unanswered"])
    await assert.rejects(operations.define(name, async () => runs.push(name))(), lost);
  assert.deepEqual(runs, ["unanswered"]);
  assert.deepEqual(told, [
    ["unsent", lost],
    ["unanswered", lost],
  ]);
});

test("each operation of a store runs under the name of its part and its method", async (t) => {
  const store = await openStore(t);
  const { told, observer } = recording();
  const names: string[] = [];
  const { kind, operations, observe, transfer, close, ...parts } = store;
  observe(observer);
  for (const [part, methods] of Object.entries<object>(parts)) {
    for (const [method, operation] of Object.entries(methods)) {
      names.push(`${part}.${method}`);
      // Most fail without their arguments.
      await operation().catch(() => {});
      assert.equal(told.at(-1)?.[0], names.at(-1));
    }
  }
  assert.ok(names.length > 50, `${names.length} operations`);
  assert.deepEqual([...operations].sort(), names.sort());
});
