import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Answer, type Sending, send } from "../support/client.ts";
import { OWNER, SECRET } from "../support/gate.ts";
import { type Running, startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const CHEAP_HASHES = import.meta.resolve("../support/cheap-hashes.ts");

/** The gate as operators run it, as its own process. */
export interface Target {
  readonly url: string;
  /** The HTTPS URL, or an empty string. */
  readonly httpsUrl: string;
  readonly databaseFile: string;
  readonly running: Running;
  send(path: string, sending?: Sending): Promise<Answer>;
  /** Creates the owner's account and returns its session. */
  setUp(): Promise<string>;
  signIn(sending?: Sending): Promise<Answer>;
  /** The number of denied sign-ins. */
  denials(): Promise<number>;
  /** The number of responses per kind of request. */
  answered(): Promise<readonly Answered[]>;
}

export interface Answered {
  readonly route: string;
  readonly method: string;
  readonly code: string;
  readonly count: number;
}

export async function startTarget(
  t: TestContext,
  env: Readonly<Record<string, string>> = {},
): Promise<Target> {
  const dataDir = await tempDir(t);
  const running = await startServe(t, {
    DATA_DIR: dataDir,
    AUTH_SECRET: SECRET,
    METRICS_PORT: "0",
    NODE_OPTIONS: `--import=${CHEAP_HASHES}`,
    ...env,
  });
  const { url } = running;
  const [, metricsUrl = ""] = await running.shows(/metrics are at (http:\S+?)"/);
  const httpsUrl = /"httpsUrl":"([^"]+)"/.exec(running.stdout())?.[1] ?? "";
  const sendTo: Target["send"] = (path, sending) => send(`${url}${path}`, sending);
  const metrics = async (): Promise<string> => (await send(metricsUrl)).body;
  return {
    url,
    httpsUrl,
    databaseFile: join(dataDir, "latchkey.db"),
    running,
    send: sendTo,
    async setUp() {
      const { session } = await sendTo("/setup", {
        form: { ...OWNER, confirm: OWNER.password },
      });
      if (session === undefined) throw new Error("no account was made");
      return session;
    },
    signIn: (sending = {}) => sendTo("/login", { ...sending, form: OWNER }),
    async denials() {
      const [, count] = /^latchkey_limiter_denials_total (\d+)$/m.exec(await metrics()) ?? [];
      if (count === undefined) throw new Error("the gate has no metric for denials");
      return Number(count);
    },
    answered: async () => [...(await metrics()).matchAll(REQUESTS)].map(answeredIn),
  };
}

const REQUESTS =
  /^latchkey_http_requests_total\{route="([^"]*)",method="([^"]*)",code="([^"]*)"\} (\d+)$/gm;

const answeredIn = ([, route = "", method = "", code = "", count]: RegExpExecArray): Answered => ({
  route,
  method,
  code,
  count: Number(count),
});

export const isFault = ({ code }: Answered): boolean => code.startsWith("5");

export const countOf = (answered: readonly Answered[], route: string, method: string): number =>
  answered
    .filter((one) => one.route === route && one.method === method)
    .reduce((sum, { count }) => sum + count, 0);
