import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { isClientGone, Unavailable } from "../../src/lib/fault.ts";
import { createWorkQueue, type Requester, type WorkQueueLimits } from "../../src/lib/work-queue.ts";

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
  const results = new Map<string, Promise<string>>();
  return {
    began,
    start(name: string, requester: Requester = someone): Promise<string> {
      const end = Promise.withResolvers<string>();
      const result = queued(requester, () => {
        began.push(name);
        return end.promise;
      });
      ends.set(name, end);
      results.set(name, result);
      return result;
    },
    /** Lets these running jobs end, one after another. */
    async finish(...names: readonly string[]): Promise<void> {
      for (const name of names) {
        ends.get(name)?.resolve(`${name} done`);
        const waits = turn().then(() => "the job waits");
        assert.equal(await Promise.race([results.get(name), waits]), `${name} done`);
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
  for (const name of ["a", "b", "c", "d", "e"]) jobs.start(name);
  await turn();
  assert.deepEqual(jobs.began, ["a", "b"]);
  await jobs.finish("b");
  assert.deepEqual(jobs.began, ["a", "b", "c"]);
  await jobs.finish("c", "a");
  assert.deepEqual(jobs.began, ["a", "b", "c", "d", "e"]);
  await jobs.finish("e", "d");
});

test("rejects only the caller of a failed job and frees its slot", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  const told = assert.rejects(jobs.start("failing"), /failing failed/);
  jobs.start("next");
  await jobs.fail("failing");
  await told;
  assert.deepEqual(jobs.began, ["failing", "next"]);
  await jobs.finish("next");
  jobs.start("last");
  await jobs.finish("last");
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
  void jobs.start("first").then(() => jobs.start("newcomer"));
  jobs.start("waiting");
  await jobs.finish("first", "waiting", "newcomer");
  assert.deepEqual(jobs.began, ["first", "waiting", "newcomer"]);
});

test("reports waiting, dropped, running and refused jobs to the meter", async () => {
  const heard: string[] = [];
  const hearing = (what: string) => () => {
    heard.push(what);
    return () => void heard.push(`${what} no more`);
  };
  const meter = {
    startWaiting: hearing("waits"),
    startRunning: hearing("runs"),
    countRefused: hearing("refused"),
  };
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
  for (const name of ["a1", "a2", "a3", "b1", "b2", "c1"]) jobs.start(name, from(name.slice(0, 1)));
  await jobs.finish("a1");
  jobs.start("d1", from("d"));
  await jobs.finish("a2", "b1", "c1", "a3", "d1", "b2");
  assert.deepEqual(jobs.began, ["a1", "a2", "b1", "c1", "a3", "d1", "b2"]);
});

test("limits one network to an eighth of the waiting places", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 16 });
  for (const name of ["a1", "a2", "a3"]) jobs.start(name, from("a"));
  await assertRefused(jobs.start("a4", from("a")));
  jobs.start("b1", from("b"));
  await jobs.finish("a1");
  jobs.start("a5", from("a"));
  await jobs.finish("a2", "b1", "a3", "a5");
});

test("refuses a requester when either of its two shares is full", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 8 });
  const both = (user: string, network: string): Requester => ({
    turn: user,
    shares: [user, network],
  });
  jobs.start("running", from("other"));
  jobs.start("first", both("user", "a"));
  await assertRefused(jobs.start("same user", both("user", "b")));
  await assertRefused(jobs.start("same network", both("another user", "a")));
  await assertRefused(jobs.start("no user", from("a")));
  jobs.start("second", both("another user", "b"));
  await jobs.finish("running", "first", "second");
});

test("gives each share at least one place", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 2 });
  for (const name of ["a1", "a2"]) jobs.start(name, from("a"));
  await assertRefused(jobs.start("a3", from("a")));
  jobs.start("b1", from("b"));
  await jobs.finish("a1", "a2", "b1");
});

test("drops a waiting job when its client disconnects", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 1 });
  const client = new AbortController();
  jobs.start("running", from("a"));
  const waiting = jobs.start("dropped", from("b", client.signal));
  await assertRefused(jobs.start("refused", from("c")));
  client.abort();
  await assert.rejects(waiting, isClientGone);
  jobs.start("next", from("c"));
  await jobs.finish("running", "next");
  assert.deepEqual(jobs.began, ["running", "next"]);
});

test("keeps the turn of a requester's other jobs when one is dropped", async () => {
  const jobs = startJobs({ atOnce: 1, waiting: 128 });
  const client = new AbortController();
  jobs.start("a1", from("a"));
  const dropped = jobs.start("a2", from("a", client.signal));
  jobs.start("a3", from("a"));
  jobs.start("b1", from("b"));
  client.abort();
  await assert.rejects(dropped, isClientGone);
  await jobs.finish("a1", "a3", "b1");
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
  jobs.start("running", from("a", client.signal));
  client.abort();
  await assertRefused(jobs.start("refused", from("b")));
  await jobs.finish("running");
  jobs.start("next");
  await assertRefused(jobs.start("refused"));
  await jobs.finish("next");
});
