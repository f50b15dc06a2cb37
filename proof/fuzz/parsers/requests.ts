import assert from "node:assert/strict";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { hashText } from "../../../test/db/suite/samples.ts";
import { SECRET } from "../../../test/support/gate.ts";
import { inSeconds, mint } from "../../../test/support/mint.ts";
import { authWith } from "../../../test/support/options.ts";
import type { Parser } from "../parser.ts";

const OWN = "https://auth.example.test";
const store = await openSqlite({ file: ":memory:" });
const owner = await store.users.insertFirst({
  username: "owner",
  passwordHash: hashText("a hash"),
});
const auth = authWith({
  store,
  secret: SECRET,
  standalone: true,
  guards: { keys: true },
  hosts: { publicUrl: OWN, cookieDomain: "example.test", trustedProxies: ["127.0.0.1"] },
});
const SESSION = mint({ user_id: owner?.id, exp: inSeconds(3_600), iat: inSeconds(0), jti: "a" });

/**
 * The expected statuses. The simulation checks what a request does to a session. All inputs come
 * from one address, so wrong keys and passwords reach its limit: 429.
 */
const STATUSES = [200, 303, 304, 400, 401, 403, 404, 405, 413, 415, 421, 422, 429, 503];
/** Marks the session of a signed-in user in an input. Requests that end sessions are left out. */
const SESSION_MARK = "$SESSION";

/** `METHOD path`, header lines, an empty line and a body, to the gate behind a trusted proxy. */
export const request: Parser = {
  seeds: [
    "GET /login?error=1\nhost: auth.example.test\naccept: text/html\naccept-language: de",
    "GET /forward-auth?users=owner\ncookie: session=$SESSION\nx-forwarded-for: 192.0.2.1",
    "GET /forward-auth\naccept: text/html\nx-forwarded-proto: https\nx-forwarded-host: app.example.test\nx-forwarded-uri: /a?b",
    "GET /\ncookie: a=b; session=$SESSION\nuser-agent: curl/8",
    "GET /account/me\ncookie: session=$SESSION",
    "GET /login?return_to=%2Fa\nhost: other.test\nhx-request: true\nhx-current-url: https://a.test",
    "POST /setup\ncontent-type: application/x-www-form-urlencoded\norigin: null\n\ntoken=a",
    "POST /account/password\nsec-fetch-site: same-origin\ncookie: session=a\nreferer: https://a.test",
    "GET /link/a\nhost: auth.example.test",
    "POST /link/a\ncontent-type: application/x-www-form-urlencoded\n\nusername=a&password=b&confirm=b",
    "GET /forward-auth\nauthorization: Bearer latchkey_a",
    "POST /login/passkey\ncontent-type: application/x-www-form-urlencoded\n\nid=a&client_data=e30",
  ],
  words: [
    ...[
      "GET ",
      "POST ",
      "HEAD ",
      "/login",
      "/setup",
      "/link/",
      "/forward-auth",
      "/account/",
      "/live",
      "?a=",
    ],
    ...["\nhost: ", "\ncookie: session=", SESSION_MARK, "\naccept: text/html", "\norigin: "],
    ...[
      "\nx-forwarded-for: ",
      "\nx-forwarded-host: ",
      "\nx-forwarded-proto: https",
      "users=",
      "\n\n",
    ],
    ...[
      "\nx-forwarded-uri: /",
      "\nauthorization: Basic ",
      "\nx-request-id: ",
      "return_to=",
      "evil.test",
      "\nreferer: ",
      "deny=401",
    ],
  ],
  maxMs: 500,
  async check(text) {
    const [head = "", ...body] = text.split("\n\n");
    const [line = "", ...lines] = head.split("\n");
    const [method = "", target = ""] = line.split(" ");
    const isReading = method === "GET" || method === "HEAD";
    const headers = new Map(
      lines.map((one) => {
        const [name = "", ...value] = one.split(":");
        const given = value.join(":").trim();
        return [name.toLowerCase(), isReading ? given.replaceAll(SESSION_MARK, SESSION) : given];
      }),
    );
    const [path = "", ...query] = target.split("?");
    const answer = await auth.adapter.answer({
      request: {},
      connection: { remoteAddress: "127.0.0.1" },
      method,
      path,
      query: query.length === 0 ? "" : `?${query.join("?")}`,
      header: (name) => headers.get(name),
      body: [Buffer.from(body.join("\n\n"), "latin1")],
      signal: undefined,
    });
    assert.ok(STATUSES.includes(answer.status), `status ${answer.status}`);
    // Node.js and proxies may or may not reject anything else.
    const values = [...Object.values(answer.headers), ...answer.cookies];
    for (const value of values) assert.match(String(value), /^[\x20-\x7e]*$/);
    const { Location, "Remote-User": user } = answer.headers;
    if (Location !== undefined) assert.equal(new URL(Location, OWN).origin, OWN);
    assert.equal(user ?? "owner", "owner");
    const cookie = headers.get("cookie") ?? "";
    if (!cookie.includes(SESSION)) assert.equal(user, undefined);
  },
};
