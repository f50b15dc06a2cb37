import assert from "node:assert/strict";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { TestContext } from "node:test";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { makeCertificate } from "../../support/certificates.ts";
import { runCommand } from "../../support/command.ts";
import { freePort } from "../../support/free-port.ts";
import { type RunningGate, SECRET, startGate } from "../../support/gate.ts";
import { listenOn } from "../../support/listen.ts";
import { type Ending, startLatchkey } from "../../support/process.ts";
import { type AppFields, type RegisteredApp, registerApp } from "../../support/register-app.ts";
import { fileWith } from "../../support/temp-dir.ts";

/** The domain that the gate and the apps share. Browsers take it for this machine. */
const DOMAIN = "site.localhost";

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

export interface Report {
  readonly app: string;
  readonly as: string;
  readonly outcome: string;
  readonly checks: readonly {
    readonly check: string;
    readonly outcome: "ok" | "problem" | "skipped";
    readonly found: string;
    readonly remedy?: string;
  }[];
}

/** A gate, and a small reverse proxy before it and before the apps. */
export interface CheckedSite {
  readonly gate: RunningGate;
  readonly issuer: string;
  readonly env: Readonly<Record<string, string>>;
  /** Serves an app at a host of its own, and returns its URL. */
  serve(name: string, app: Handler, guard?: Guard): string;
  addApp(fields: AppFields): Promise<RegisteredApp>;
  /** Runs the check, and returns what it prints with `--json`. */
  check(id: string, ...args: readonly string[]): Promise<Report & { readonly code: number }>;
  /** Runs the check as a process, which trusts the certificate of the site. */
  run(id: string, ...args: readonly string[]): Promise<Ending>;
  /** Lists what has reached the apps. */
  readonly received: { readonly host: string; readonly headers: IncomingHttpHeaders }[];
}

/** Says how the proxy guards the app. Each name but `guarded` and `open` is a mistake. */
export type Guard =
  | "open"
  | "guarded"
  /** The proxy passes the headers of the visitor on. */
  | "passing-headers"
  /** The proxy does not pass cookies on to the gate. */
  | "without-cookies"
  /** The proxy answers 401 in place of a redirect. */
  | "refusing";

interface SiteOptions {
  /** The empty text is for no common domain. */
  readonly cookieDomain?: string;
  /** The gate brings sessions to these hosts. Then everything uses TLS. */
  readonly returnDomains?: readonly string[];
}

const IDENTITY = ["remote-user", "remote-user-id", "remote-groups"];

export async function startCheckedSite(
  t: TestContext,
  { cookieDomain = DOMAIN, returnDomains }: SiteOptions = {},
): Promise<CheckedSite> {
  const port = await freePort();
  const scheme = returnDomains === undefined ? "http" : "https";
  const issuer = `${scheme}://auth.${DOMAIN}:${port}`;
  const shared = cookieDomain === "" ? undefined : cookieDomain;
  const gate = await startGate(t, {
    publicUrl: issuer,
    cookieDomain: shared,
    trustedProxies: ["127.0.0.1"],
    ...(returnDomains !== undefined && { returnDomains }),
  });
  await gate.setUp();
  await gate.logEntries(1);
  const apps = new Map<string, { readonly app: Handler; readonly guard: Guard }>();
  const received: { readonly host: string; readonly headers: IncomingHttpHeaders }[] = [];

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const headers = { ...incoming.headers, "x-forwarded-proto": scheme };
    const { url: path, method } = incoming;
    const outgoing = request(`${gate.url}${path}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.writeHead(502).end());
    incoming.pipe(outgoing);
  };

  const guarded = (
    { app, guard }: { readonly app: Handler; readonly guard: Guard },
    incoming: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const { headers, method = "GET", url = "/" } = incoming;
    const { cookie, accept, host } = headers;
    const asking = {
      ...(accept !== undefined && { accept }),
      ...(cookie !== undefined && guard !== "without-cookies" && { cookie }),
      "x-forwarded-for": "198.51.100.1",
      "x-forwarded-method": method,
      "x-forwarded-proto": scheme,
      "x-forwarded-host": host,
      "x-forwarded-uri": url,
    };
    request(`${gate.url}/forward-auth`, { headers: asking }, (answer) => {
      answer.resume();
      const status = answer.statusCode ?? 500;
      const names = IDENTITY.flatMap((name) => [name, name.replaceAll("-", "_")]);
      const forged = names.some((name) => headers[name] !== undefined);
      if (status !== 200 && !(guard === "passing-headers" && forged)) {
        if (guard === "refusing") response.writeHead(401).end();
        else response.writeHead(status, answer.headers).end();
        return;
      }
      for (const name of names) if (guard !== "passing-headers") delete headers[name];
      for (const name of IDENTITY) headers[name] ??= answer.headers[name] as string | undefined;
      app(incoming, response);
    }).end();
  };

  const answer: Handler = (incoming, response) => {
    const { host = "" } = incoming.headers;
    const [name = ""] = host.split(".");
    const served = apps.get(name);
    const isHandoff = incoming.url?.startsWith("/login/handoff") === true;
    if (name === "auth" || isHandoff) return forward(incoming, response);
    received.push({ host, headers: { ...incoming.headers } });
    if (served === undefined) response.writeHead(502).end("bad gateway");
    else if (served.guard === "open") served.app(incoming, response);
    else guarded(served, incoming, response);
  };
  const names = [`*.${DOMAIN}`];
  const authority = makeCertificate({ kind: "authority" });
  const proxy =
    scheme === "http"
      ? createServer(answer)
      : createTlsServer(makeCertificate({ names, issuer: authority }), answer);
  await listenOn(t, proxy, "127.0.0.1", port);

  const env = {
    AUTH_SECRET: SECRET,
    DATA_DIR: gate.dataDir,
    PUBLIC_URL: issuer,
    ...(shared !== undefined && { COOKIE_DOMAIN: shared }),
    ...(returnDomains !== undefined && { RETURN_DOMAINS: returnDomains.join(",") }),
  };
  return {
    ...{ gate, issuer, env, received },
    serve(name, app, guard = "open") {
      apps.set(name, { app, guard });
      return `${scheme}://${name}.${DOMAIN}:${port}`;
    },
    addApp: (fields) => registerApp(gate, fields),
    async run(id, ...args) {
      const NODE_EXTRA_CA_CERTS = await fileWith(t, authority.cert);
      const command = ["app", "check", id, ...args];
      return startLatchkey(t, command, { ...env, NODE_EXTRA_CA_CERTS }).ended;
    },
    async check(id, ...args) {
      const { code, stdout, stderr } = await runCommand(["app", "check", id, "--json", ...args], {
        env,
      });
      assert.match(stderr, /^latchkey: the database is [^\n]*\n$/);
      assert.match(stdout, /^\{[^\n]+\}\n$/, "one object and nothing else");
      return { code, ...(JSON.parse(stdout) as Report) };
    },
  };
}

/** Returns the steps with their outcomes. */
export const outcomesOf = ({ checks }: Report): readonly string[] =>
  checks.map(({ check, outcome }) => `${check} ${outcome}`);

/** Returns the only problem of a report. */
export function problemOf(report: Report): { readonly found: string; readonly remedy: string } & {
  readonly check: string;
} {
  const problems = report.checks.filter(({ outcome }) => outcome === "problem");
  assert.equal(problems.length, 1, JSON.stringify(report.checks, null, 1));
  const [{ check, found, remedy = "" } = { check: "", found: "" }] = problems;
  assert.notEqual(remedy, "");
  return { check, found, remedy };
}

const offline = (grants: readonly { readonly offline?: number }[]) =>
  grants.filter((grant) => grant.offline !== undefined);

/** Fails unless every session that the check has made has ended, with what apps got. */
export async function assertNothingLeft({ gate }: CheckedSite): Promise<void> {
  const store = await openSqlite({ file: gate.databaseFile, missing: "refuse" });
  try {
    for (const { id } of await store.users.read("", 100)) {
      const sessions = await store.sessions.listOf(id, new Date(), 100);
      const left = sessions.filter(({ device }) => device === "latchkey-app-check");
      assert.deepEqual(left, []);
      assert.deepEqual(await store.grants.listCurrent(id, new Date(), 100), []);
      assert.deepEqual(await store.grants.list({ userId: id }, 100).then(offline), []);
    }
  } finally {
    await store.close();
  }
}
