import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { CLIENT_HEADERS, NAME_PUNCTUATION } from "../../src/proxies/client-headers.ts";
import { execute, inDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { partsOf } from "../support/mint.ts";
import { sendRaw } from "../support/raw.ts";
import { openPage } from "./browser.ts";
import type { Rule } from "./rules.ts";
import { CLIENT, type Site } from "./site.ts";

/** Identity headers in the spellings that applications may treat alike. */
const CLAIMS = {
  "Remote-User": "attacker",
  "REMOTE-USER-ID": "1",
  Remote_User: "attacker",
  "Remote_User-Id": "1",
  remote_user_id: "1",
  "Remote.User": "attacker",
  "Remote~User": "attacker",
  "Remote.User.Id": "1",
  "Remote-Groups": "attackers",
  Remote_Groups: "attackers",
  "Remote-Name": "attacker",
  "Remote-Email": "attacker@example.org",
  Remote_Email: "attacker@example.org",
  "Remote.Email": "attacker@example.org",
  REMOTE_NAME: "attacker",
  "Remote~Name": "attacker",
} as const;

/** Gives the owner a profile, beside the gate. */
function writeProfile(site: Site, name: string | null, email: string | null): void {
  inDatabase(site.gate.databaseFile, (database) =>
    database
      .prepare(
        "INSERT OR REPLACE INTO latchkey_profiles (id, user_id, name, email, verified_email) SELECT id, id, ?, ?, ? FROM latchkey_users",
      )
      .run(name, email, email),
  );
}

/** Names with what proxies and their configurations could take for something else. */
const NAMES: readonly string[] = [
  "Ann Lee",
  "Jürgen Müller, 100% 日本",
  "عبد الرحمن بن محمد",
  'Ann {http.request.header.Cookie} {"a"}',
  "$http_cookie $user %[req.hdr(cookie)] \\1",
  'O\'Neil; a="b" #c',
];

export function testReceivedHeaders(rule: Rule): void {
  rule("the app receives the user, never identity headers of the client", async (site) => {
    const session = await site.gate.setUp();
    const id = partsOf(session).claims.user_id;
    // A proxy must drop the client's headers listed in Connection, but not the headers that it adds.
    const dropping = { Connection: "close, Remote-User, Remote-User-Id, Remote-Groups" };
    for (const headers of [{}, CLAIMS, dropping]) {
      await site.visit(`${site.appUrl}/page`, { session, headers });
      const passed = Object.entries(site.app.arrivals.at(-1)?.headers ?? {}).filter(([name]) =>
        name.startsWith("remote"),
      );
      assert.deepEqual(Object.fromEntries(passed), {
        "remote-user": "owner",
        "remote-user-id": id,
        "remote-groups": "admins",
      });
    }
  });

  rule("the application receives no groups of a user who has none", async (site) => {
    const session = await site.gate.setUp();
    execute(site.gate.databaseFile, "UPDATE latchkey_users SET groups = NULL");
    for (const headers of [{}, CLAIMS]) {
      await site.visit(`${site.appUrl}/page`, { session, headers });
      assert.equal(site.app.arrivals.at(-1)?.headers["remote-groups"] ?? "", "");
    }
  });

  rule("the app receives the name and the address, never those of the client", async (site) => {
    const session = await site.gate.setUp();
    const dropping = { Connection: "close, Remote-Name, Remote-Email" };
    const received = async (headers: Readonly<Record<string, string>>) => {
      const { status } = await site.visit(`${site.appUrl}/page`, { session, headers });
      assert.equal(status, 200);
      const arrived = site.app.arrivals.at(-1)?.headers ?? {};
      const names = Object.keys(arrived).filter((name) => /^remote.*(name|email)/.test(name));
      return names.sort().map((name) => {
        const value = Buffer.from(String(arrived[name]), "latin1").toString();
        return [name, value] as const;
      });
    };
    const email = "o'neil+{a}|%41$x`@example.org";
    for (const name of NAMES) {
      writeProfile(site, name, email);
      const expected = [["remote-email", email] as const, ["remote-name", name] as const];
      const arrives = async () => isDeepStrictEqual(await received({}), expected) || undefined;
      await eventually(arrives);
      for (const headers of [CLAIMS, dropping]) assert.deepEqual(await received(headers), expected);
    }
    writeProfile(site, null, email);
    await eventually(async () => (await received(CLAIMS)).length === 1 || undefined);
    assert.deepEqual(await received(CLAIMS), [["remote-email", email]]);
    writeProfile(site, null, null);
    await eventually(async () => (await received(CLAIMS)).length === 0 || undefined);
  });

  rule("the app receives address, scheme and host from the proxy alone", async (site) => {
    const session = await site.gate.setUp();
    const claims = {
      "X-Forwarded-For": "192.0.2.1",
      "X-Forwarded-Proto": "https",
      "X-Forwarded-Host": "evil.test",
    };
    const aliases = Object.entries(claims).map(([name, value]) => [
      name.replaceAll("-", "_"),
      value,
    ]);
    const dropping = { Connection: `close, ${Object.keys(claims).join(", ")}` };
    const forged = [claims, Object.fromEntries(aliases), dropping, { ...claims, ...dropping }];
    for (const headers of [{}, ...forged]) {
      await site.visit(`${site.appUrl}/page`, { session, headers });
      const passed = Object.entries(site.app.arrivals.at(-1)?.headers ?? {}).filter(([name]) =>
        /^x.forwarded/.test(name),
      );
      assert.deepEqual(
        Object.fromEntries(passed),
        {
          "x-forwarded-for": CLIENT,
          "x-forwarded-proto": "http",
          "x-forwarded-host": new URL(site.appUrl).host,
        },
        JSON.stringify(headers),
      );
    }
  });

  rule("no header of a client makes the app serve another page, host or scheme", async (site) => {
    const session = await site.gate.setUp();
    // X-Forwarded-For, -Host and -Proto have a test of their own, as the proxy sets them.
    const spellings = [...CLIENT_HEADERS, "X-Forwarded-For", "X-Forwarded-Proto"].flatMap((name) =>
      [...NAME_PUNCTUATION, "-"].flatMap((character) => [
        name.replaceAll("-", character),
        name.replace("-", character),
      ]),
    );
    const names = new Set(spellings);
    for (const name of ["x-forwarded-for", "x-forwarded-proto"]) names.delete(name);
    // A few at a time, since a proxy bounds the headers of a request.
    for (let at = 0; at < names.size; at += 40) {
      const sent = [...names].slice(at, at + 40).map((name) => [name, "claimed"]);
      const headers = { ...Object.fromEntries(sent), "X-Unrelated": "kept" };
      const answer = await site.visit(`${site.appUrl}/page`, { session, headers });
      assert.equal(answer.status, 200);
      const arrived = site.app.arrivals.at(-1)?.headers ?? {};
      const claimed = Object.entries(arrived).filter(([, value]) => String(value) === "claimed");
      assert.deepEqual(Object.fromEntries(claimed), {});
      assert.equal(arrived["x-unrelated"], "kept");
    }
  });

  rule("no trailer of a client that names it reaches the app", async (site) => {
    const session = await site.gate.setUp();
    const host = new URL(site.appUrl).host;
    for (const names of ["Remote-User", "X-Unrelated, Remote-User, X-Script-Name"]) {
      const head = `POST /page HTTP/1.1\r\nHost: ${host}\r\nCookie: session=${session}\r\n`;
      const chunked = `${head}Connection: close\r\nTransfer-Encoding: chunked\r\nTrailer: ${names}\r\n\r\n`;
      const trailers = "Remote-User: attacker\r\nX-Script-Name: /public\r\n";
      const answer = await sendRaw(site.proxyUrl, `${chunked}1\r\nx\r\n0\r\n${trailers}\r\n`);
      assert.match(answer, /^HTTP\/1\.1 [24]/);
    }
    for (const { trailers } of site.app.arrivals) assert.deepEqual(trailers, {});
  });

  rule("the app never sees the header that marks an accepted key", async (site) => {
    const session = await site.gate.setUp();
    const headers = { "Latchkey-Key": "accepted", Latchkey_Key: "accepted" };
    await site.visit(`${site.appUrl}/page`, { session, headers });
    const names = Object.keys(site.app.arrivals.at(-1)?.headers ?? {});
    assert.deepEqual(
      names.filter((name) => /latchkey.key/.test(name)),
      [],
    );
  });

  rule("a client cannot have the signed assertion dropped", async (site) => {
    const session = await site.gate.setUp();
    const headers = { Connection: "close, Latchkey-Assertion, Remote-User" };
    await site.visit(`${site.appUrl}/page`, { session, headers });
    const { "latchkey-assertion": assertion, "remote-user": user } =
      site.app.arrivals.at(-1)?.headers ?? {};
    assert.match(String(assertion), /^eyJ/);
    assert.equal(user, "owner");
  });

  rule("the application receives all cookies but the session", async (site) => {
    const session = await site.gate.setUp();
    const cases: readonly (readonly [sent: string, passed: readonly string[]])[] = [
      [`session=${session}`, []],
      [`a=1; session=${session}; b=2`, ["a=1", "b=2"]],
      [`session=${session};a=1;b=`, ["a=1", "b="]],
      [`my_session=1; session=${session}; session2=x=y`, ["my_session=1", "session2=x=y"]],
      [`session=${session}; a="session=1"; session=${session}`, ['a="session=1"']],
    ];
    for (const [sent, passed] of cases) {
      await site.visit(`${site.appUrl}/page`, { headers: { Cookie: sent } });
      const arrived = site.app.arrivals.at(-1)?.headers.cookie ?? "";
      const cookies = arrived.split(";").map((one) => one.trim());
      assert.deepEqual(cookies.filter(Boolean), passed, sent);
    }
    assert.equal(site.app.arrivals.length, cases.length);
  });

  rule("identity headers from a client do not grant access", async (site) => {
    await site.gate.setUp();
    const headers = { ...CLAIMS, "X-Forwarded-User": "owner" };
    assert.equal((await openPage(site, `${site.appUrl}/page`, { headers })).status, 303);
    const forged = await site.visit(`${site.appUrl}/page`, { headers, session: "forged" });
    assert.equal(forged.status, 401);
    assert.deepEqual(site.app.arrivals, []);
  });

  rule("a username with non-ASCII characters arrives percent-encoded", async (site) => {
    const session = await site.gate.setUp({ username: "Jürgen 日本" });
    await site.visit(`${site.appUrl}/page`, { session });
    const arrived = String(site.app.arrivals[0]?.headers["remote-user"]);
    assert.equal(arrived, "J%C3%BCrgen%20%E6%97%A5%E6%9C%AC");
  });
}
