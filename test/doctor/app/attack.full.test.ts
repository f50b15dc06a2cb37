import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { runCommand, startCommand } from "../../support/command.ts";
import { eventually } from "../../support/eventually.ts";
import { listenOn } from "../../support/listen.ts";
import {
  assertNothingLeft,
  type CheckedSite,
  outcomesOf,
  problemOf,
  startCheckedSite,
} from "./site.ts";

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

/** An app that is hostile to the check, behind the proxy. */
async function startHostile(t: TestContext, app: Handler) {
  const site = await startCheckedSite(t);
  const url = site.serve("evil", app, "guarded");
  await site.addApp({ name: "Evil", url });
  return { ...site, url };
}

const redirectTo =
  (location: string): Handler =>
  (_, response) =>
    response.writeHead(302, { Location: location }).end();

/** The session that the check has sent to the app. */
const sessionsIn = ({ received }: CheckedSite): ReadonlySet<string> =>
  new Set(
    received.flatMap(({ headers }) => /\bsession=([^;]+)/.exec(headers.cookie ?? "")?.[1] ?? []),
  );

test("follows at most 20 redirects of an app that redirects in a circle", async (t) => {
  let count = 0;
  const site = await startHostile(t, (_, response) => {
    count += 1;
    response.writeHead(302, { Location: `/${count}` }).end();
  });
  const { check, found } = problemOf(await site.check("evil"));
  assert.deepEqual([check, /redirects in a circle/.test(found)], ["session", true]);
  assert.equal(count, 21);
  await assertNothingLeft(site);
});

test("sends no request to an address inside the network, nor to a stranger", async (t) => {
  const visited: IncomingMessage[] = [];
  const inside = createServer((incoming, response) => {
    visited.push(incoming);
    response.end("the metadata of the server");
  });
  const port = await listenOn(t, inside);
  const targets = [
    `http://127.0.0.1:${port}/latest/meta-data`,
    `http://localhost:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://evil.site.localhost.${port}.example/`,
    `http://other.site.localhost:${port}/`,
    `//127.0.0.1:${port}/`,
  ];
  for (const target of targets) {
    const site = await startHostile(t, redirectTo(target));
    const { found } = problemOf(await site.check("evil"));
    assert.match(
      found,
      /a host that is neither the app's nor the gate's; the session was not sent/,
    );
    await assertNothingLeft(site);
  }
  for (const target of ["javascript:alert(1)", "file:///etc/passwd", "http://", "http://[::"]) {
    const site = await startHostile(t, redirectTo(target));
    assert.equal(problemOf(await site.check("evil")).check, "session");
  }
  assert.deepEqual(visited, []);
});

test("reads the beginning of an endless page only", async (t) => {
  let sent = 0;
  const chunk = Buffer.alloc(65_536, "<a href=/login>log in</a>");
  const site = await startHostile(t, (_, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      sent += chunk.length;
    };
    response.on("drain", write);
    write();
  });
  const report = await site.check("evil");
  assert.equal(report.code, 0, JSON.stringify(report.checks));
  assert.ok(sent < 50_000_000, `${sent} bytes`);
});

test("keeps no cookie for another domain, and does not send it to the gate", async (t) => {
  const site = await startHostile(t, ({ url }, response) => {
    const domains = [
      "auth.site.localhost",
      "localhost",
      "example.org",
      "evil.site.localhost",
      "com",
    ];
    const cookies = domains.map((domain) => `at-${domain}=1; Domain=${domain}; Path=/`);
    const headers = {
      "Set-Cookie": [...cookies, "__Host-a=1; Path=/; Domain=site.localhost", "b"],
    };
    if (url === "/") response.writeHead(302, { ...headers, Location: "/second" }).end();
    else response.end("Hello");
  });
  assert.equal((await site.check("evil")).code, 0);
  const { cookie = "" } = site.received.at(-1)?.headers ?? {};
  const names = cookie.split("; ").map((pair) => pair.split("=")[0]);
  assert.deepEqual(names.toSorted(), ["at-evil.site.localhost", "session"]);
});

test("prints neither the session nor control characters, whatever the app repeats", async (t) => {
  const site = await startHostile(t, ({ headers, url = "" }, response) => {
    const [, session = ""] = /\bsession=([^;]+)/.exec(headers.cookie ?? "") ?? [];
    if (url === "/") response.writeHead(302, { Location: `/${session}` }).end();
    else response.writeHead(403).end(`\u001b[2J\u202e\r\n\u0000${session}<b>\u009b31m`);
  });
  for (const args of [[], ["--json"]]) {
    const command = ["app", "check", "evil", ...args];
    const { code, stdout, stderr } = await runCommand(command, { env: site.env });
    assert.equal(code, 1);
    assert.doesNotMatch(`${stdout}${stderr}`.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
    assert.match(stdout, /\(the session\)/);
    const sessions = sessionsIn(site);
    assert.ok(sessions.size > 0);
    for (const session of sessions) {
      for (let at = 0; at + 12 <= session.length; at += 1) {
        const part = session.slice(at, at + 12);
        assert.ok(!`${stdout}${stderr}`.includes(part), part);
      }
    }
  }
});

test("ends the session when it is interrupted while an app never answers", async (t) => {
  let isReached: () => void = () => {};
  const reached = new Promise<void>((resolve) => {
    isReached = resolve;
  });
  const site = await startHostile(t, () => isReached());
  const running = startCommand(["app", "check", "evil"], { env: site.env });
  await Promise.race([reached, running.ended]);
  const listed = await runCommand(["session", "list", "owner", "--json"], { env: site.env });
  assert.match(listed.stdout, /"device":"latchkey-app-check"/);
  running.signal("SIGINT");
  const { code, stderr, stdout } = await running.ended;
  assert.equal(code, 1);
  assert.match(stderr, /latchkey: the check was stopped: it was interrupted\n/);
  assert.match(stdout, /^Checking Evil as owner\.\n✓ ok +address /);
  await assertNothingLeft(site);
  // The session is of no more use, also where the app has kept it.
  const [session] = sessionsIn(site);
  await eventually(async () => {
    const { status } = await site.gate.send("/account/profile", { session });
    return status === 303 ? true : undefined;
  });
});

test("checks apps at once, and ends the session of each", async (t) => {
  const site = await startHostile(t, (_, response) => response.end("Hello"));
  const reports = await Promise.all([1, 2, 3].map(() => site.check("evil")));
  assert.deepEqual(new Set(reports.map(({ code }) => code)), new Set([0]));
  await assertNothingLeft(site);
});

test("asks an app with OpenID Connect for nothing that may change something", async (t) => {
  const visited: string[] = [];
  const site = await startCheckedSite(t);
  const url = site.serve("evil", ({ url: path = "", method = "" }, response) => {
    visited.push(`${method} ${path}`);
    response.end(
      '<a href="/logout?oauth">Log out</a><a href="/auth/delete">x</a><a href="/about">About</a>' +
        '<form method="post" action="/login"><input name="user"><input type="password"></form>' +
        '<a href="http://127.0.0.1:1/oauth/login">Sign in</a><a href="javascript:login()">Log in</a>',
    );
  });
  await site.addApp({ name: "Evil", url, redirects: [`${url}/callback`] });
  const report = await site.check("evil");
  assert.deepEqual(outcomesOf(report).slice(6, 7), ["start skipped"]);
  assert.deepEqual(new Set(visited), new Set(["GET /"]));
});
