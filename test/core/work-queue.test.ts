import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { isClientGone, Unavailable } from "../../src/core/fault.ts";
import {
  createWorkQueue,
  type Requester,
  type WorkQueueLimits,
} from "../../src/core/work-queue.ts";

const someone: Requester = { turn: "someone", shares: [] };

const from = (network: string, signal?: AbortSignal): Requester => ({
  turn: network,
  shares: [network],
  signal,
});

/** Jobs that end when the test says so, and the order in which they began. */
function startJobs(limits: WorkQueueLimits) {
  const queued = createWorkQueue(limits);
  const began: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<string>>();
  return {
    began,
    start(name: string, requester: Requester = someone): Promise<string> {
      const end = Promise.withResolvers<string>();
      ends.set(name, end);
      return queued(requester, () => {
        began.push(name);
        return end.promise;
      });
    },
    /** One after another. */
    async finish(...names: readonly string[]): Promise<void> {
      for (const name of names) {
        ends.get(name)?.resolve(`${name} done`);
        await turn();
      }
    },
    async fail(name: string): Promise<void> {
      ends.get(name)?.reject(new Error(`${name} failed`));
      await turn();
    },
  };
}

/** Fails, instead of waiting for ever, when the job gets a place. */
async function assertRefused(job: Promise<unknown>): Promise<void> {
  const outcome = await Promise.race([
    job.catch((error: unknown) => error),
    turn().then(() => new Error("the job waits")),
  ]);
  assert.ok(outcome instanceof Unavailable, String(outcome));
  assert.equal(outcome.code, "overloaded");
  assert.equal(outcome.message, "the server is busy: try again in a moment");
  assert.ok(outcome.retryAfterSeconds > 0);
}

test("runs a fixed number of jobs, and the others in order", async () => {
  const jobs = startJobs({ atOnce: 2, waiting: 3 });
  const all = ["a", "b", "c", "d", "e"].map((name) => jobs.start(name));
  await turn();
  assert.deepEqual(jobs.began, ["a", "b"]);
  await jobs.finish("b");
  assert.deepEqual(jobs.began, ["a", "b", "c"]);
  await jobs.finish("c", "a");
  assert.deepEqual(jobs.began, ["a", "b", "c", "d", "e"]);
  await jobs.finish("e", "d");
  assert.deepEqual(await Promise.all(all), ["a done", "b done", "c done", "d done", "e done"]);
});

test("rejects only the caller of a failed job and frees its slot", async () => {
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

test("frees the slot of a job that throws synchronously", async () => {
  const queued = createWorkQueue({ atOnce: 1, waiting: 0 });
  const job = (): Promise<never> => {
    throw new Error("at once");
  };
  await assert.rejects(queued(someone, job), /at once/);
  await assert.rejects(queued(someone, job), /at once/);
});

test("does not start a new job before waiting ones", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  const first = jobs.start("first").then(() => jobs.start("newcomer"));
  const waiting = jobs.start("waiting");
  await jobs.finish("first", "waiting", "newcomer");
  await Promise.all([first, waiting]);
  assert.deepEqual(jobs.began, ["first", "waiting", "newcomer"]);
});

test("reports waiting, dropped, running and refused jobs to the meter", async () => {
  const heard: string[] = [];
  const hearing = (what: string) => () => {
    heard.push(what);
    return () => void heard.push(`${what} no more`);
  };
  const meter = { waits: hearing("waits"), runs: hearing("runs"), refused: hearing("refused") };
  const queued = createWorkQueue({ atOnce: 1, waiting: 1 }, meter);
  const end = Promise.withResolvers<void>();
  const running = queued(someone, () => end.promise);
  const client = new AbortController();
  const dropped = queued(from("a", client.signal), async () => heard.push("ran"));
  client.abort();
  await assert.rejects(dropped, isClientGone);
  const failing = queued(someone, () => Promise.reject(new Error("failed")));
  await assertRefused(queued(someone, () => end.promise));
  assert.deepEqual(heard, ["runs", "waits", "waits no more", "waits", "refused"]);
  end.resolve();
  await Promise.allSettled([running, failing]);
  assert.deepEqual(heard.slice(5), ["runs no more", "waits no more", "runs", "runs no more"]);
});

test("alternates between requesters", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 128 });
  const names = ["a1", "a2", "a3", "b1", "b2", "c1"];
  const all = names.map((name) => jobs.start(name, from(name.slice(0, 1))));
  await jobs.finish("a1");
  const newcomer = jobs.start("d1", from("d"));
  await jobs.finish("a2", "b1", "c1", "a3", "d1", "b2");
  assert.deepEqual(jobs.began, ["a1", "a2", "b1", "c1", "a3", "d1", "b2"]);
  await Promise.all([...all, newcomer]);
});

test("limits one network to an eighth of the waiting places", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 16 });
  const all = ["a1", "a2", "a3"].map((name) => jobs.start(name, from("a")));
  await assertRefused(jobs.start("a4", from("a")));
  all.push(jobs.start("b1", from("b")));
  await jobs.finish("a1");
  all.push(jobs.start("a5", from("a")));
  await jobs.finish("a2", "b1", "a3", "a5");
  await Promise.all(all);
});

test("refuses a requester when either of its two shares is full", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 8 });
  const both = (user: string, network: string): Requester => ({
    turn: user,
    shares: [user, network],
  });
  const all = [jobs.start("running", from("other")), jobs.start("first", both("user", "a"))];
  await assertRefused(jobs.start("same user", both("user", "b")));
  await assertRefused(jobs.start("same network", both("another user", "a")));
  await assertRefused(jobs.start("no user", from("a")));
  all.push(jobs.start("second", both("another user", "b")));
  await jobs.finish("running", "first", "second");
  await Promise.all(all);
});

test("gives each share at least one place", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  const all = [jobs.start("a1", from("a")), jobs.start("a2", from("a"))];
  await assertRefused(jobs.start("a3", from("a")));
  all.push(jobs.start("b1", from("b")));
  await jobs.finish("a1", "a2", "b1");
  await Promise.all(all);
});

test("drops a waiting job when its client disconnects", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 1 });
  const client = new AbortController();
  const running = jobs.start("running", from("a"));
  const waiting = jobs.start("dropped", from("b", client.signal));
  await assertRefused(jobs.start("refused", from("c")));
  client.abort();
  await assert.rejects(waiting, isClientGone);
  const next = jobs.start("next", from("c"));
  await jobs.finish("running", "next");
  await Promise.all([running, next]);
  assert.deepEqual(jobs.began, ["running", "next"]);
});

test("keeps the turn of a requester's other jobs when one is dropped", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 128 });
  const client = new AbortController();
  const all = [jobs.start("a1", from("a"))];
  const dropped = jobs.start("a2", from("a", client.signal));
  all.push(jobs.start("a3", from("a")), jobs.start("b1", from("b")));
  client.abort();
  await assert.rejects(dropped, isClientGone);
  await jobs.finish("a1", "a3", "b1");
  await Promise.all(all);
  assert.deepEqual(jobs.began, ["a1", "a3", "b1"]);
});

test("does not run a job whose client has already disconnected", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 1 });
  await assert.rejects(jobs.start("late", from("a", AbortSignal.abort())), isClientGone);
  assert.deepEqual(jobs.began, []);
});

test("finishes a running job whose client disconnects, and frees its slot once", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 0 });
  const client = new AbortController();
  const running = jobs.start("running", from("a", client.signal));
  client.abort();
  await assertRefused(jobs.start("refused", from("b")));
  await jobs.finish("running");
  assert.equal(await running, "running done");
  const next = jobs.start("next");
  await assertRefused(jobs.start("refused"));
  await jobs.finish("next");
  assert.equal(await next, "next done");
});
