import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setInterval as every } from "node:timers/promises";
import { whereInstalled } from "../proxies/program.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { askSecurely } from "../support/secure-client.ts";
import { tempDir } from "../support/temp-dir.ts";
import { runSlowly, type SlowEnd, type SlowRun, socketsOf } from "./slow.ts";
import { startTarget, type Target } from "./target.ts";
import { startWeakServer } from "./weak-server.ts";

const CONNECTIONS = 100;
/** Longer than the gate waits for a request. */
const SECONDS = 16;
/** How long it waits for answers to be taken. */
const ANSWERS_TAKEN_WITHIN = 30;
const SLOWEST_ANSWER_MS = 2_000;
/** Until the tool has surely ended, on a busy machine too. */
const PATIENCE_MS = 60_000;
const LONG_BEFORE_MS = 3_000;
/** Those it listens on, and those of whoever asks how it is. */
const FEW_SOCKETS = 10;

const manners = {
  "slow headers": ["-H", "-i", "2"],
  "slow bodies": ["-B", "-i", "2"],
  "slow reading": ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "1", "-k", "3"],
} as const;

/** Asks again and again. Answers with the times. */
async function askMeanwhile(
  ask: () => Promise<number>,
  over: AbortSignal,
): Promise<readonly number[]> {
  const times: number[] = [];
  for await (const _ of every(50)) {
    if (over.aborted) break;
    const start = performance.now();
    assert.equal(await ask(), 200);
    times.push(performance.now() - start);
  }
  return times;
}

/** A gate, where it is attacked, and how somebody asks it meanwhile. */
interface Place {
  readonly target: Target;
  readonly url: string;
  readonly ask: () => Promise<number>;
}

async function plainly(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<Place> {
  const target = await startTarget(t, env);
  const session = await target.setUp();
  const ask = async (): Promise<number> => (await target.send("/", { session })).status;
  return { target, url: target.url, ask };
}

async function securely(t: TestContext): Promise<Place> {
  const made = makeCertificate({ names: ["localhost"] });
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), made);
  const tls = { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const target = await startTarget(t, tls);
  const url = target.httpsUrl;
  const ask = async (): Promise<number> => (await askSecurely(url, "localhost", made.cert)).status;
  return { target, url, ask };
}

/** Longer than the gate's answers usually are: more than the system takes off its hands. */
async function withBigLogo(t: TestContext): Promise<Readonly<Record<string, string>>> {
  const file = join(await tempDir(t), "logo.svg");
  const filling = "-".repeat(500_000);
  await writeFile(file, `<svg xmlns="http://www.w3.org/2000/svg"><desc>${filling}</desc></svg>`);
  return { LOGO_FILE: file };
}

whereInstalled("slowhttptest", (program) => {
  /** Answers with what the tool saw, after others were answered and the connections were gone. */
  async function attack(t: TestContext, { target, ask }: Place, run: SlowRun): Promise<SlowEnd> {
    const over = new AbortController();
    const { pid } = target.running.child;
    const sockets = (wanted: (count: number) => boolean) => async () =>
      wanted(await socketsOf(pid)) || undefined;
    const comeAndGo = async (): Promise<number> => {
      await eventually(sockets((count) => count >= run.connections));
      await eventually(
        sockets((count) => count <= FEW_SOCKETS),
        PATIENCE_MS,
      );
      return performance.now();
    };
    const running = runSlowly(t, program, run).finally(() => over.abort());
    const [end, times, goneAt, endedAt] = await Promise.all([
      running,
      askMeanwhile(ask, over.signal),
      comeAndGo(),
      running.then(() => performance.now()),
    ]);
    assertAnswered(times);
    // When the tool ends, what is left of its connections ends as well, and tells nothing.
    const cutOff = end.allClosed || endedAt - goneAt > LONG_BEFORE_MS;
    assert.ok(cutOff, `gone ${endedAt - goneAt} ms before the tool`);
    return end;
  }

  function assertAnswered(times: readonly number[]): void {
    const slowest = Math.max(...times);
    assert.ok(times.length > 50, `${times.length} answers meanwhile`);
    assert.ok(slowest < SLOWEST_ANSWER_MS, `the slowest answer took ${slowest} ms`);
  }

  for (const scheme of ["http", "https"] as const) {
    for (const [manner, args] of Object.entries(manners)) {
      test(`${manner} by the hundred over ${scheme} are cut off, and others are answered`, async (t) => {
        const place = await (scheme === "https" ? securely(t) : plainly(t));
        const url = `${place.url}/login`;
        const run = { url, args, connections: CONNECTIONS, seconds: SECONDS };
        const end = await attack(t, place, run);
        assert.ok(end.available, "slowhttptest was answered as well");
      });
    }
  }

  test("slow reading of long answers is cut off, and others are answered", async (t) => {
    const place = await plainly(t, await withBigLogo(t));
    const args = ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "1", "-k", "10"];
    const url = `${place.url}/latchkey-logo`;
    const run = { url, args, connections: 40, seconds: ANSWERS_TAKEN_WITHIN + SECONDS };
    assert.ok((await attack(t, place, run)).available);
  });

  test("slowhttptest keeps out everybody else where a server has no limits in time", async (t) => {
    const url = await startWeakServer(t, (_, outgoing) => outgoing.end("hello"), {
      options: { headersTimeout: 0, requestTimeout: 0 },
      prepare: (server) => {
        server.maxConnections = CONNECTIONS / 2;
      },
    });
    const args = manners["slow headers"];
    const run = { url, args, connections: CONNECTIONS / 2, seconds: 8 };
    const end = await runSlowly(t, program, run);
    assert.deepEqual([end.available, end.allClosed], [false, false]);
    assert.ok(end.connected > 0);
  });
});
