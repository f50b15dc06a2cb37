import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type TestContext, test } from "node:test";
import { makeCertificate } from "../../support/certificates.ts";
import { runCommand } from "../../support/command.ts";
import { freePort } from "../../support/free-port.ts";
import { listenOn } from "../../support/listen.ts";
import { assertNothingLeft, type Guard, outcomesOf, problemOf, startCheckedSite } from "./site.ts";

type Handler = (incoming: IncomingMessage, response: ServerResponse) => void;

const greet: Handler = ({ headers }, response) => {
  response.end(`<p>Hello ${headers["remote-user"] ?? "stranger"}</p>`);
};

/** A site with one app behind the proxy. */
async function startWiki(
  t: TestContext,
  app: Handler = greet,
  guard: Guard = "guarded",
  fields = {},
) {
  const site = await startCheckedSite(t);
  const url = site.serve("wiki", app, guard);
  await site.addApp({ name: "Wiki", url, ...fields });
  return { ...site, url };
}

test("passes an app behind the proxy, and leaves no session", async (t) => {
  const site = await startWiki(t);
  const report = await site.check("wiki");
  const expected = ["address", "gate", "clock", "guard", "headers", "session"];
  assert.deepEqual(
    outcomesOf(report),
    expected.map((step) => `${step} ok`),
  );
  assert.deepEqual([report.code, report.as, report.outcome], [0, "owner", "ok"]);
  assert.match(report.checks[5]?.found ?? "", /^Wiki opens for owner: http:\S+ returns 200$/);
  await assertNothingLeft(site);
});

test("says that an app is not guarded, or has only its own sign-in", async (t) => {
  const open = await startWiki(t, (_, response) => response.end("<p>Welcome</p>"), "open");
  const { check, found, remedy } = problemOf(await open.check("wiki"));
  assert.equal(check, "guard");
  assert.match(
    found,
    /^not guarded: without a session, http:\S+ answers without a sign-in instead of/,
  );
  assert.match(remedy, /latchkey proxy caddy/);

  const own: Handler = ({ url }, response) => {
    if (url === "/") response.writeHead(302, { Location: "/users/login" }).end();
    else response.end('<form method="post"><input name="u"><input type="password"></form>');
  };
  const site = await startWiki(t, own, "open");
  assert.match(
    problemOf(await site.check("wiki")).found,
    /\/users\/login shows the sign-in of Wiki/,
  );

  const refusing = await startWiki(t, greet, "refusing");
  assert.match(problemOf(await refusing.check("wiki")).found, /not guarded: .* refuses with 401/);
});

test("reports a header with which a visitor gets in", async (t) => {
  const site = await startWiki(t, greet, "passing-headers");
  const { check, found, remedy } = problemOf(await site.check("wiki"));
  assert.equal(check, "headers");
  assert.match(
    found,
    /Remote-User, Remote-Groups, Remote-Name, Remote-Email is let in without a sign-in: it gets 200/,
  );
  assert.match(remedy, /remove these headers/);
});

test("reports a header that an app takes although it has a sign-in of its own", async (t) => {
  const trusting: Handler = ({ headers }, response) => {
    const name = headers.remote_user ?? headers["remote-user"];
    response.end(name === undefined ? '<input type="password">' : `<p>Hello ${name}</p>`);
  };
  const site = await startCheckedSite(t);
  const url = site.serve("wiki", trusting);
  await site.addApp({ name: "Wiki", url, redirects: [`${url}/callback`] });
  const report = await site.check("wiki");
  assert.match(problemOf(report).found, /the page names owner/);
});

test("says which setting brings the session to another host", async (t) => {
  const site = await startCheckedSite(t, { cookieDomain: "" });
  const url = site.serve("wiki", greet, "guarded");
  await site.addApp({ name: "Wiki", url });
  const { check, found, remedy } = problemOf(await site.check("wiki"));
  assert.equal(check, "session");
  assert.match(found, /the session does not arrive at http:\S+: browsers do not send its cookie/);
  assert.match(remedy, /set COOKIE_DOMAIN=site\.localhost or RETURN_DOMAINS=wiki\.site\.localhost/);
  await assertNothingLeft(site);
});

test("brings the session to a host of another domain over TLS, and ends both sessions", async (t) => {
  const site = await startCheckedSite(t, {
    cookieDomain: "",
    returnDomains: ["wiki.site.localhost"],
  });
  const url = site.serve("wiki", greet, "guarded");
  await site.addApp({ name: "Wiki", url });
  const { code, stdout } = await site.run("wiki");
  assert.match(stdout, /✓ ok +session +Wiki opens for owner: https:\S+ returns 200\n/);
  assert.equal(code, 0);
  await assertNothingLeft(site);
  const bound = site.received.filter(({ headers }) => /\bsession=/.test(headers.cookie ?? ""));
  assert.ok(bound.length > 0);
  // Each of the two sessions has ended, the one of the host too.
  const entries = await site.gate.logEntries(4);
  assert.equal(entries.filter(({ type }) => type === "session_end").length, 2);
});

test("says that the proxy does not pass the cookie on", async (t) => {
  const site = await startWiki(t, greet, "without-cookies");
  assert.match(problemOf(await site.check("wiki")).found, /does not pass the Cookie header on/);
});

test("says that the account may not open the app", async (t) => {
  const site = await startWiki(t, greet, "guarded", { groups: ["family"] });
  assert.match(problemOf(await site.check("wiki")).found, /none of its groups \(family\)/);
  const other = await startWiki(t, greet, "guarded", { factors: 2 });
  assert.match(problemOf(await other.check("wiki")).found, /requires a second factor/);
  const off = await startWiki(t, greet, "guarded", { state: "off" });
  const { found, remedy } = problemOf(await off.check("wiki"));
  assert.match(found, /wiki is turned off, so nobody may open it/i);
  assert.equal(remedy, "turn it on: latchkey app change wiki --on");
});

test("tells an app that fails from an upstream that does not run", async (t) => {
  const upstream = "http://127.0.0.1:3000";
  for (const [status, pattern, remedy] of [
    [500, /^Wiki fails: http:\S+ returns 500$/, /log of Wiki/],
    [
      502,
      /the proxy at http:\S+ runs, and the upstream behind it does not answer/,
      /127\.0\.0\.1:3000/,
    ],
    [404, /^Wiki returns 404/, /--url/],
    [403, /owner is refused with 403 at http:\S+: "members only"/, /lists of users and groups/],
  ] as const) {
    const app: Handler = (_, response) => response.writeHead(status).end("members only");
    const site = await startWiki(t, app, "guarded", { upstream });
    const problem = problemOf(await site.check("wiki"));
    assert.equal(problem.check, "session");
    assert.match(problem.found, pattern);
    assert.match(problem.remedy, remedy);
  }
});

test("says why an app cannot be reached, and skips the rest", async (t) => {
  const site = await startCheckedSite(t);
  const closed = await freePort();
  const silent = createServer(() => {});
  const silentPort = await listenOn(t, silent);
  const plain = createServer((_, response) => response.end());
  const plainPort = await listenOn(t, plain);
  const gone = createServer((_, response) => response.writeHead(502).end());
  const gonePort = await listenOn(t, gone);
  const tls = async (wanted: Parameters<typeof makeCertificate>[0]) => {
    const server = createTlsServer(makeCertificate(wanted), (_, response) => response.end());
    return listenOn(t, server);
  };
  const cases = [
    [
      "http://no-such-host.invalid/",
      /no name server knows the host name|name server does not answer/,
    ],
    [`http://127.0.0.1:${closed}/`, /nothing listens there \(connection refused\)/],
    [`http://127.0.0.1:${silentPort}/`, /did not answer within 10 seconds/],
    [`https://127.0.0.1:${plainPort}/`, /does not use TLS/],
    [`http://127.0.0.1:${gonePort}/`, /the upstream behind it does not answer: it returns 502/],
    [`https://127.0.0.1:${await tls({ names: ["127.0.0.1"] })}/`, /not trusted: it is self-signed/],
    [
      `https://127.0.0.1:${await tls({ names: ["127.0.0.1"], until: new Date("2021-01-01") })}/`,
      /certificate (has expired|is not trusted: it is self-signed)/,
    ],
  ] as const;
  await Promise.all(
    cases.map(async ([url, pattern], at) => {
      const { id } = await site.addApp({ name: `App ${at}`, url });
      const report = await site.check(id);
      const { check, found } = problemOf(report);
      assert.equal(check, "address");
      assert.match(found, pattern);
      const rest = report.checks.slice(1);
      assert.deepEqual(
        rest.map(({ outcome, found: why }) => [outcome, why]),
        rest.map(() => ["skipped", "the app cannot be reached"]),
      );
    }),
  );
  await assertNothingLeft(site);
});

test("reports a clock that differs by more than 30 seconds", async (t) => {
  for (const [seconds, expected] of [
    [-60, /the clock of the server of Wiki is (59|60|61) seconds behind this machine/],
    [3_600, /the clock of the server of Wiki is (3599|3600|3601) seconds ahead of this machine/],
    [-20, undefined],
  ] as const) {
    const app: Handler = (_, response) => {
      response.sendDate = false;
      const date = new Date(Date.now() + seconds * 1_000).toUTCString();
      response.writeHead(200, { Date: date }).end("Hello");
    };
    const site = await startCheckedSite(t);
    const url = site.serve("wiki", app);
    await site.addApp({ name: "Wiki", url, redirects: [`${url}/callback`] });
    const report = await site.check("wiki");
    if (expected === undefined) assert.equal(report.code, 0, JSON.stringify(report.checks));
    else assert.match(problemOf(report).found, expected);
  }
});

test("says that another gate answers at PUBLIC_URL", async (t) => {
  const site = await startWiki(t);

  const env = { ...site.env, AUTH_SECRET: "another secret, which is also 32 bytes long" };
  const { code, stdout } = await runCommand(["app", "check", "wiki"], { env });
  assert.equal(code, 1);
  assert.match(
    stdout,
    /PROBLEM +session +the gate at http:\S+ does not accept a session that this/,
  );
  const away = { ...site.env, PUBLIC_URL: site.url };
  const other = await runCommand(["app", "check", "wiki"], { env: away });
  assert.match(other.stdout, /PROBLEM +gate +PUBLIC_URL is http:\S+, and no sign-in page is there/);
  await assertNothingLeft(site);
});
