import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Unavailable } from "../../src/core/fault.ts";
import { createWorkQueue, type WorkQueueLimits } from "../../src/core/work-queue.ts";

/** Jobs that end when the test says so, and the order in which they began. */
function startJobs(limits: WorkQueueLimits) {
  const queued = createWorkQueue(limits);
  const began: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  return {
    began,
    start(name: string): Promise<string> {
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return queued(() => {
        began.push(name);
        return end.promise;
      });
    },
    async finish(name: string): Promise<void> {
      ends.get(name)?.resolve(`${name} done`);
      await turn();
    },
    async fail(name: string): Promise<void> {
      ends.get(name)?.reject(new Error(`${name} failed`));
      await turn();
    },
  };
}

const overloaded = (error: unknown): boolean =>
  error instanceof Unavailable &&
  error.code === "overloaded" &&
  error.message === "the server is busy, try again in a moment" &&
  error.retryAfterSeconds > 0;

test("so many jobs run at once and no more; the others follow in the order they came", async () => {
  const jobs = startJobs({ atOnce: 2, waiting: 3 });
  const all = ["a", "b", "c", "d", "e"].map((name) => jobs.start(name));
  await turn();
  assert.deepEqual(jobs.began, ["a", "b"]);
  await jobs.finish("b");
  assert.deepEqual(jobs.began, ["a", "b", "c"]);
  await jobs.finish("c");
  await jobs.finish("a");
  assert.deepEqual(jobs.began, ["a", "b", "c", "d", "e"]);
  await jobs.finish("e");
  await jobs.finish("d");
  assert.deepEqual(await Promise.all(all), ["a done", "b done", "c done", "d done", "e done"]);
});

test("one job more than may wait is refused at once, and never run", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 1 });
  const running = jobs.start("running");
  const waiting = jobs.start("waiting");
  await assert.rejects(jobs.start("refused"), overloaded);
  await jobs.finish("running");
  await jobs.finish("waiting");
  await Promise.all([running, waiting]);
  assert.deepEqual(jobs.began, ["running", "waiting"]);
});

test("without places to wait, a job is refused while another runs and taken after it", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 0 });
  const first = jobs.start("first");
  await assert.rejects(jobs.start("refused"), overloaded);
  await jobs.finish("first");
  await first;
  const second = jobs.start("second");
  await jobs.finish("second");
  assert.equal(await second, "second done");
});

test("a job that fails tells only its own caller and frees its place", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  const failing = jobs.start("failing");
  const next = jobs.start("next");
  const told = assert.rejects(failing, /failing failed/);
  await jobs.fail("failing");
  await told;
  assert.deepEqual(jobs.began, ["failing", "next"]);
  await jobs.finish("next");
  assert.equal(await next, "next done");
  const last = jobs.start("last");
  await jobs.finish("last");
  assert.equal(await last, "last done", "no place was lost");
});

test("a job that throws before its first promise frees its place, too", async () => {
  const queued = createWorkQueue({ atOnce: 1, waiting: 0 });
  const job = (): Promise<never> => {
    throw new Error("at once");
  };
  await assert.rejects(queued(job), /at once/);
  await assert.rejects(queued(job), /at once/);
});

test("a newcomer does not slip in before those who wait", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  const first = jobs.start("first").then(() => jobs.start("newcomer"));
  const waiting = jobs.start("waiting");
  await jobs.finish("first");
  await jobs.finish("waiting");
  await waiting;
  await jobs.finish("newcomer");
  await first;
  assert.deepEqual(jobs.began, ["first", "waiting", "newcomer"]);
});

test("the meter hears of every job that waits, runs or is refused, and when that is over", async () => {
  const heard: string[] = [];
  const hearing = (what: string) => () => {
    heard.push(what);
    return () => void heard.push(`${what} no more`);
  };
  const meter = { waits: hearing("waits"), runs: hearing("runs"), refused: hearing("refused") };
  const queued = createWorkQueue({ atOnce: 1, waiting: 1 }, meter);
  const end = Promise.withResolvers<void>();
  const both = [queued(() => end.promise), queued(() => Promise.reject(new Error("failed")))];
  await assert.rejects(
    queued(() => end.promise),
    overloaded,
  );
  assert.deepEqual(heard, ["runs", "waits", "refused"]);
  end.resolve();
  await Promise.allSettled(both);
  assert.deepEqual(heard.slice(3), ["runs no more", "waits no more", "runs", "runs no more"]);
});
