import type { TestContext } from "node:test";
import type { LogEntry } from "../../src/db/records.ts";
import { openStore } from "../../src/gate/open-store.ts";
import { type Gate, serve } from "../../src/gate/serve.ts";
import { createServerLog } from "../../src/gate/server-log.ts";
import { readSettings, type Settings } from "../../src/gate/settings/settings.ts";
import { type Answer, type Sending, send } from "./client.ts";
import { eventually } from "./eventually.ts";
import { EXECUTABLE_ROOT, environmentOf, startExecutable } from "./executable.ts";
import { tempDir } from "./temp-dir.ts";

export const OWNER = { username: "owner", password: "correct horse" } as const;
export const SETUP_FORM: Readonly<Record<string, string>> = { ...OWNER, confirm: OWNER.password };

/** The form that changes a password. */
export const changeForm = (
  current: string,
  next: string,
): Readonly<Record<"current_password" | "new_password" | "confirm_password", string>> => ({
  current_password: current,
  new_password: next,
  confirm_password: next,
});

export const SECRET = "a secret for tests, 32 bytes long";

export interface RunningGate {
  readonly url: string;
  /** The URL of HTTPS, if enabled. */
  readonly httpsUrl: string | undefined;
  /** The URL of the metrics, if enabled. */
  readonly metricsUrl: string | undefined;
  readonly dataDir: string;
  /** Empty with PostgreSQL. */
  readonly databaseFile: string;
  readonly setupTokenFile: string;
  /** The server log so far, one parsed JSON line each. */
  readonly serverLog: readonly Readonly<Record<string, unknown>>[];
  send(path: string, sending?: Sending): Promise<Answer>;
  /** Creates the first account (`OWNER` by default) and returns its session. */
  setUp(fields?: Readonly<Record<string, string>>): Promise<string>;
  signIn(fields?: Readonly<Record<string, string>>, sending?: Sending): Promise<Answer>;
  /** Waits for this number of log entries and returns all, oldest first. */
  logEntries(count: number): Promise<readonly LogEntry[]>;
  stop(): Promise<void>;
}

/** Settings by their field, and the text of `DATABASE_URL`. */
interface Overrides extends Partial<Settings> {
  readonly databaseUrl?: string | undefined;
}

/** The real gate in this process, on a free loopback port, with its own database. */
export async function startGate(
  t: TestContext,
  { databaseUrl = "", ...overrides }: Overrides = {},
): Promise<RunningGate> {
  const dataDir = overrides.dataDir ?? (await tempDir(t));
  const env = {
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PORT: "0",
    AUTH_SECRET: SECRET,
    SETUP_TOKEN: "off",
  };
  const { settings: defaults } = readSettings({ flags: {}, envFile: undefined, env });
  const settings: Settings = { ...defaults, programEnvironment: {}, ...overrides };
  const root = process.env[EXECUTABLE_ROOT];
  if (root !== undefined) {
    const gate = await startExecutable(t, root, { ...env, ...environmentOf(overrides) });
    return { ...clientOf(gate.url, settings), ...gate, metricsUrl: undefined, dataDir };
  }
  const serverLog: Readonly<Record<string, unknown>>[] = [];
  const write = (line: string): unknown => serverLog.push(JSON.parse(line));
  const log = createServerLog(settings.logLevel, { write });
  const gate = await serve(settings, log);
  const stop = stopOnce(gate);
  t.after(stop);
  const { metricsUrl, httpsUrl } = gate;
  return { ...clientOf(gate.url, settings), httpsUrl, metricsUrl, serverLog, dataDir, stop };
}

/** A gate with the account `OWNER`, and a session of this account. */
export async function startConfigured(
  t: TestContext,
  overrides: Overrides = {},
): Promise<{ readonly gate: RunningGate; readonly session: string }> {
  const gate = await startGate(t, overrides);
  return { gate, session: await gate.setUp() };
}

function stopOnce(gate: Gate): () => Promise<void> {
  let stopped: Promise<void> | undefined;
  return () => {
    stopped ??= gate.stop();
    return stopped;
  };
}

function clientOf(url: string, settings: Settings) {
  const { database, setupTokenFile } = settings;
  const sendTo: RunningGate["send"] = (path, sending) => send(`${url}${path}`, sending);
  return {
    url,
    databaseFile: database.kind === "sqlite" ? database.file : "",
    setupTokenFile,
    send: sendTo,

    async setUp(fields: Readonly<Record<string, string>> = {}) {
      const form = { ...OWNER, confirm: fields.password ?? OWNER.password, ...fields };
      const { session, status, body } = await sendTo("/setup", { form });
      if (session === undefined) throw new Error(`setup failed: ${status} ${body}`);
      return session;
    },

    signIn: (fields: Readonly<Record<string, string>> = {}, sending: Sending = {}) =>
      sendTo("/login", { ...sending, form: { ...OWNER, ...fields } }),

    async logEntries(count: number) {
      const store = await openStore(settings, "refuse");
      try {
        return await eventually(async () => {
          const entries = await store.log.read({ afterId: 0, limit: 1_000 });
          return entries.length >= count ? entries : undefined;
        });
      } finally {
        store.close();
      }
    },
  };
}
