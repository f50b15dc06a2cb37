import assert from "node:assert/strict";
import { readdir, readFile, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { setInterval as every } from "node:timers/promises";
import { whereInstalled } from "../proxies/program.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { askSecurely } from "../support/secure-client.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTarget } from "./target.ts";
import { runTool } from "./tool.ts";
import { startWeakServer } from "./weak-server.ts";

const CONNECTIONS = 100;
/** Longer than the gate's request timeout. */
const SECONDS = 16;
/** The gate's timeout for clients that do not read. */
const ANSWERS_TAKEN_WITHIN = 30;
/** A client that waits for the attack gets one response, on a machine of any speed. */
const MIN_ANSWERS = 5;
/** Enough for the tool to end, on a busy machine too. */
const PATIENCE_MS = 180_000;
const LONG_BEFORE_MS = 3_000;
/** The listening sockets and those of the health checks. */
const FEW_SOCKETS = 10;

const manners = {
  "slow headers": ["-H", "-i", "2"],
  "slow bodies": ["-B", "-i", "2"],
  "slow reading": ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "1", "-k", "3"],
} as const;

interface SlowRun {
  readonly url: string;
  readonly args: readonly string[];
  readonly connections: number;
  readonly seconds: number;
}

/** Returns what slowhttptest reports. */
async function runSlowly(
  t: TestContext,
  program: string,
  { url, args, connections, seconds }: SlowRun,
) {
  const folder = await tempDir(t);
  const size = ["-c", String(connections), "-r", String(connections), "-l", String(seconds)];
  const { output } = await runTool(
    t,
    program,
    ["-u", url, ...args, ...size, "-p", "2", "-g", "-o", join(folder, "report")],
    { folder, withinMs: 180_000 },
  );
  assert.match(output, /Test ended on/);
  const [, ...rows] = (await readFile(join(folder, "report.csv"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => line.split(",").map(Number));
  return {
    allClosed: output.includes("No open connections left"),
    /** The connections still open in its last second. */
    connected: rows.at(-1)?.[3] ?? 0,
    /** Whether the server responded to its probe in every second. */
    available: rows.every(([, , , , answers]) => answers !== 0),
  };
}

/** The number of open sockets of a process, including listening ones. Linux only. */
async function socketsOf(pid: number | undefined): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder)).map((name) => readlink(join(folder, name)).catch(() => ""));
  return (await Promise.all(links)).filter((link) => link.startsWith("socket:")).length;
}

/** Sends requests repeatedly, one at a time, and returns how many were answered. */
async function askMeanwhile(ask: () => Promise<number>, over: AbortSignal): Promise<number> {
  let answers = 0;
  for await (const _ of every(50)) {
    if (over.aborted) break;
    assert.equal(await ask(), 200);
    answers += 1;
  }
  return answers;
}

/** A gate, the attacked URL, and a request that other clients send meanwhile. */
async function plainly(t: TestContext, env: Readonly<Record<string, string>> = {}) {
  const target = await startTarget(t, env);
  const session = await target.setUp();
  const ask = async (): Promise<number> =>
    (await target.send("/account/profile", { session })).status;
  return { target, url: target.url, ask };
}

async function securely(t: TestContext): ReturnType<typeof plainly> {
  const made = makeCertificate({ names: ["localhost"] });
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), made);
  const tls = { HTTPS_PORT: "0", TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
  const target = await startTarget(t, tls);
  const url = target.httpsUrl;
  const ask = async (): Promise<number> => (await askSecurely(url, "localhost", made.cert)).status;
  return { target, url, ask };
}

whereInstalled("slowhttptest", (program) => {
  /** Returns the tool's report, after checking the other responses and the closed connections. */
  async function attack(
    t: TestContext,
    { target, ask }: Awaited<ReturnType<typeof plainly>>,
    run: SlowRun,
  ) {
    const over = new AbortController();
    const { pid } = target.running.child;
    const sockets = (wanted: (count: number) => boolean) => async () =>
      wanted(await socketsOf(pid)) || undefined;
    const comeAndGo = async (): Promise<number> => {
      await eventually(
        sockets((count) => count >= run.connections),
        PATIENCE_MS,
      );
      const gone = sockets((count) => count <= FEW_SOCKETS);
      await eventually(gone, PATIENCE_MS);
      return performance.now();
    };
    const running = runSlowly(t, program, run).finally(() => over.abort());
    const [end, answers, goneAt, endedAt] = await Promise.all([
      running,
      askMeanwhile(ask, over.signal),
      comeAndGo(),
      running.then(() => performance.now()),
    ]);
    assert.ok(answers > MIN_ANSWERS, `${answers} responses meanwhile`);
    // The tool closes its remaining connections at its end, which proves nothing.
    const cutOff = end.allClosed || endedAt - goneAt > LONG_BEFORE_MS;
    assert.ok(cutOff, `closed ${endedAt - goneAt} ms before the tool ended`);
    return end;
  }

  for (const scheme of ["http", "https"] as const) {
    for (const [manner, args] of Object.entries(manners)) {
      test(`closes a hundred connections with ${manner} over ${scheme}`, async (t) => {
        const place = await (scheme === "https" ? securely(t) : plainly(t));
        const url = `${place.url}/login`;
        const run = { url, args, connections: CONNECTIONS, seconds: SECONDS };
        const end = await attack(t, place, run);
        assert.ok(end.available, "slowhttptest's probe got responses too");
      });
    }
  }

  test("closes connections that read long responses slowly, and responds to others", async (t) => {
    // A response longer than usual, which does not fit into the socket buffers.
    const logo = join(await tempDir(t), "logo.svg");
    const filling = "-".repeat(500_000);
    await writeFile(logo, `<svg xmlns="http://www.w3.org/2000/svg"><desc>${filling}</desc></svg>`);
    const place = await plainly(t, { LOGO_FILE: logo });
    const args = ["-X", "-w", "1", "-y", "8", "-n", "1", "-z", "1", "-k", "10"];
    const url = `${place.url}/latchkey-logo`;
    const run = { url, args, connections: 40, seconds: ANSWERS_TAKEN_WITHIN + SECONDS };
    assert.ok((await attack(t, place, run)).available);
  });

  test("slowhttptest blocks other clients of a server without timeouts", async (t) => {
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
