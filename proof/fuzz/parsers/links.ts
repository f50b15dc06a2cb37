import assert from "node:assert/strict";
import { openSqlite } from "../../../src/db/sqlite/store.ts";
import { digestText } from "../../../src/lib/random-text.ts";
import { hashText } from "../../../test/db/suite/samples.ts";
import { authWith } from "../../../test/support/options.ts";
import type { Parser } from "../parser.ts";

const TOKEN = "dGhlIHRva2VuIG9mIGEgbGluaywgMzIgYnl0ZXMhISE";
const store = await openSqlite({ file: ":memory:" });
const owner = await store.users.insertFirst({ username: "owner", passwordHash: hashText("a") });
assert.ok(owner);
const facts = { id: "a", purpose: "guest", name: "a", groups: ["a"], usesLeft: 1 } as const;
const expiresAt = new Date(Date.now() + 86_400_000);
await store.links.insert({ ...facts, tokenHash: digestText(TOKEN), expiresAt });

let logged = "";
const note = (...line: unknown[]): void => {
  logged += JSON.stringify(line);
};
const auth = authWith({
  store: {
    ...store,
    // No request uses it up, and none is limited.
    links: { ...store.links, use: async () => owner },
    attempts: { record: async () => "allowed", forget: async () => {} },
  },
  signIn: { limiter: "shared" },
  log: { warn: note, error: note },
});

/** What follows `/link/` in a request, which must be the token exactly, and is in no log. */
export const link: Parser = {
  seeds: [
    TOKEN,
    `${TOKEN}?a=b`,
    `${TOKEN}/`,
    `${TOKEN}=`,
    `/${TOKEN}`,
    `%64${TOKEN.slice(1)}`,
    "a",
    "",
  ],
  words: [TOKEN, TOKEN.slice(0, 20), "/", "%2F", "?", "..", ":token", "return_to=", "=", "\0"],
  maxMs: 500,
  async check(text) {
    const [token = "", ...query] = text.split("?");
    logged = "";
    for (const method of ["GET", "POST"]) {
      const { status, headers, cookies } = await auth.adapter.answer({
        request: {},
        connection: { remoteAddress: "192.0.2.1" },
        method,
        path: `/link/${token}`,
        query: query.length === 0 ? "" : `?${query.join("?")}`,
        header: (name) => (name === "sec-fetch-site" ? "same-origin" : undefined),
        body: [],
        signal: undefined,
      });
      const opened = method === "GET" ? 200 : 303;
      assert.equal(status, token === TOKEN ? opened : 404);
      assert.equal(headers["Referrer-Policy"], "no-referrer");
      const isSignedIn = cookies.some((cookie) => cookie.startsWith("session="));
      assert.equal(isSignedIn, status === 303);
      assert.ok(!JSON.stringify(headers).includes(TOKEN));
    }
    assert.ok(token.length < 20 || !logged.includes(token), logged);
  },
};
