import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { parseEnv } from "node:util";
import type { LogEntry } from "../../src/core/log/log-reader.ts";
import { openPostgres } from "../../src/stores/postgres/store.ts";
import { withPlaces } from "../proxies/examples.ts";
import { startProgram } from "../proxies/program.ts";
import { type Answer, type Sending, send } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { SECRET } from "../support/gate.ts";
import { type Postgres, startPostgres } from "../support/postgres.ts";
import { type Running, startServe } from "../support/process.ts";
import { tempDir } from "../support/temp-dir.ts";

const NGINX_HOST = "127.0.0.9";
/** Different from nginx's address and from its source address for requests to the gates. */
export const CLIENT = "127.0.0.2";
const OTHER_CLIENT = "127.0.0.3";

export type Instance = Running & { readonly url: string };

export interface Installation {
  readonly one: Instance;
  readonly other: Instance;
  readonly postgres: Postgres;
  readonly env: Readonly<Record<string, string>>;
  /** Sends through nginx, by default from `CLIENT`. */
  visit(path: string, sending?: Sending): Promise<Answer>;
  /** Sends to an instance directly, from another client than `CLIENT`. */
  ask(instance: Instance, path: string, sending?: Sending): Promise<Answer>;
  /** The instances that nginx tried so far, one line per request. */
  asked(): Promise<readonly string[]>;
  /** Waits for this number of log entries and returns all. */
  logEntries(count: number): Promise<readonly LogEntry[]>;
}

/** Two gates behind nginx with one PostgreSQL, as in the page about scaling. */
export async function startInstallation(t: TestContext, nginx: string): Promise<Installation> {
  const postgres = await startPostgres(t);
  const folder = await tempDir(t);
  const own = { DATABASE_URL: postgres.url(), AUTH_SECRET: SECRET, SETUP_TOKEN: "off" };
  const env = { ...(await settingsOfPage()), ...own };
  const start = async (): Promise<Instance> =>
    startServe(t, { ...env, DATA_DIR: await tempDir(t) });
  const [one, other] = await Promise.all([start(), start()]);
  const port = await freePort(NGINX_HOST);
  const accessLog = join(folder, "asked");
  await startProgram(t, nginx, {
    configuration: around(await configuration(one, other, port), accessLog),
    args: (file, at) => ["-p", at, "-c", file, "-e", "stderr"],
    address: { host: NGINX_HOST, port },
  });
  return {
    one,
    other,
    postgres,
    env,
    visit: (path, sending) =>
      send(`http://${NGINX_HOST}:${port}${path}`, { from: CLIENT, ...sending }),
    ask: ({ url }, path, sending) => send(`${url}${path}`, { from: OTHER_CLIENT, ...sending }),
    async asked() {
      return (await readFile(accessLog, "utf8")).trimEnd().split("\n");
    },
    logEntries: (count) => logEntriesIn(postgres, count),
  };
}

const page = (path: string): Promise<string> =>
  readFile(new URL(`../../docs/${path}`, import.meta.url), "utf8");

/** The settings of the page, with the address, secret and database of this machine. */
async function settingsOfPage(): Promise<Readonly<Record<string, string>>> {
  const [, text] = /```sh\n(.*?)```/s.exec(await page("scaling.md")) ?? [];
  const given = parseEnv(withPlaces(text ?? "", { "10.0.0.10": "127.0.0.1" }));
  const { HOST, DATABASE_URL, AUTH_SECRET, ...settings } = given;
  if (HOST === undefined || DATABASE_URL === undefined || AUTH_SECRET === undefined) {
    throw new Error(`other settings than expected: ${text}`);
  }
  return Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, value ?? ""]));
}

async function configuration(one: Instance, other: Instance, port: number): Promise<string> {
  return withPlaces(await page("scaling/nginx.conf"), {
    "listen 80;": `listen ${NGINX_HOST}:${port};`,
    "10.0.0.11:3000": new URL(one.url).host,
    "10.0.0.12:3000": new URL(other.url).host,
  });
}

/** The defaults of the packaged nginx.conf, limited to one folder. */
const around = (sites: string, accessLog: string): string => `
daemon off;
master_process off;
pid nginx.pid;
error_log stderr;
events {}
http {
  log_format asked "$upstream_addr";
  access_log ${accessLog} asked;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  ${sites}
}
`;

async function logEntriesIn(postgres: Postgres, count: number): Promise<readonly LogEntry[]> {
  const store = await openPostgres({ url: postgres.url(), missing: "refuse" });
  try {
    return await eventually(async () => {
      const entries = await store.readLogEntries({ afterId: 0, limit: 1_000 });
      return entries.length >= count ? entries : undefined;
    });
  } finally {
    await store.close();
  }
}
