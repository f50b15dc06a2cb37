import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { createChallenges } from "../../../src/features/passkeys/challenges.ts";
import { readSessionTokens } from "../../../src/http/session-cookie.ts";
import { createKeyText, findKeyText, isCompleteKey } from "../../../src/identity/key-text.ts";
import { createSeals } from "../../../src/identity/seals.ts";
import { createSessionTokens } from "../../../src/identity/session-token.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import type { Parser } from "../parser.ts";

// Few imports: reading V8's coverage takes longer with each function that has run.
const SECRET = "a secret for tests, 32 bytes long";
function signed(header: string, claims: string, secret = SECRET): string {
  const text = [header, claims].map((part) => Buffer.from(part).toString("base64url")).join(".");
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

const clock = fakeClock();
const NOW = Math.floor(clock.now() / 1_000);
const tokens = createSessionTokens(SECRET, clock);
const CLAIMS = { user_id: "user-1", exp: NOW + 60 };
const HEADER = `{"alg":"HS256","typ":"JWT"}`;
const GENUINE = signed(HEADER, JSON.stringify(CLAIMS));

/** Spaces and tabs alone surround a name or value in HTTP. */
const trimmed = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, "");

/** Only the first four non-empty values of this name. */
export const cookie: Parser = {
  seeds: ["session=a", "a=b; session=c", "session=; session=a;session = b", "session", "=a; ;"],
  words: [
    "session",
    "session=",
    "\t",
    "\ufeff",
    "Session=",
    "; session=",
    "__Host-session=",
    ";",
    "=",
  ],
  maxMs: 20,
  check(text) {
    const pairs = text.split(";").map((pair) => {
      const [name = "", ...value] = pair.split("=");
      return { name: trimmed(name), value: trimmed(value.join("=")) };
    });
    const named = pairs.filter(({ name, value }) => name === "session" && value !== "");
    assert.deepEqual(
      readSessionTokens(text),
      named.slice(0, 4).map(({ value }) => value),
    );
  },
};

/** Without the secret, no token can be forged. */
export const token: Parser = {
  seeds: [GENUINE, `${GENUINE}.`, "..", "a.b.c", signed(HEADER, JSON.stringify(CLAIMS), "other")],
  words: [...GENUINE.split("."), ".", "eyJhbGciOiJub25lIn0", "="],
  maxMs: 20,
  check(text) {
    if (text !== GENUINE) assert.equal(tokens.verify(text), "forged");
  },
};

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
function parsed(text: string): Record<string, unknown> | undefined {
  try {
    // Only what is UTF-8 can arrive.
    const value: unknown = JSON.parse(Buffer.from(text).toString());
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Header and claims as another service with the secret may write them, with a NUL in between. */
export const signedToken: Parser = {
  seeds: [
    `${HEADER}\0${JSON.stringify(CLAIMS)}`,
    `{"alg":"HS256","sessions_from":7}\0{"user_id":"a","exp":1e999,"iat":1,"nbf":1,"jti":"a"}`,
    `{"alg":"none","crit":["b64"],"b64":false}\0{"user_id":1,"exp":"1"}`,
  ],
  words: ["alg", "HS256", "crit", "user_id", "exp", "iat", "nbf", "jti", "null", "__proto__", "\0"],
  maxMs: 20,
  check(text) {
    const [header = "", ...rest] = text.split("\0");
    const claims = rest.join("\0");
    const verified = tokens.verify(signed(header, claims));
    const [head, said] = [parsed(header), parsed(claims)];
    const isToken = head?.alg === "HS256" && !("crit" in head) && said !== undefined;
    assert.equal(verified === "forged", !isToken);
    if (typeof verified !== "object") return;
    const { userId, expiresAt, issuedAt, sessionsFrom, id } = verified;
    assert.equal(userId, said?.user_id);
    assert.ok(typeof userId === "string" && userId !== "");
    assert.ok(Number.isFinite(expiresAt) && expiresAt > clock.now() && Number.isFinite(issuedAt));
    assert.ok(typeof sessionsFrom === "number" && (id === undefined || typeof id === "string"));
  },
};

const KEY = createKeyText();
const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

/** An Authorization header: a key is found in two schemes, and counts only if it is whole. */
export const key: Parser = {
  seeds: [`Bearer ${KEY}`, basic(`owner:${KEY}`), "Basic bGF0Y2hrZXlf", "bearer  latchkey_ "],
  words: ["Bearer ", "Basic ", "latchkey_", KEY, basic(KEY), ":", "=", " ", "-_"],
  maxMs: 20,
  check(text) {
    const found = findKeyText(text);
    if (found === undefined) return;
    assert.match(text, /^(bearer|basic) /i);
    assert.ok(found.startsWith("latchkey_"));
    const secret = Buffer.from(found.slice("latchkey_".length), "base64url");
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32BE(crc32(secret.subarray(0, 32)));
    assert.equal(
      isCompleteKey(found),
      found === `latchkey_${secret.toString("base64url")}` && secret.subarray(32).equals(checksum),
    );
  },
};

// Another secret each time, so that tokens of an earlier run are invalid as well.
const OWN_SECRET = randomBytes(32).toString("hex");
const challenges = createChallenges([OWN_SECRET], clock);
const seals = createSeals(OWN_SECRET);
const CHALLENGE = challenges.issue("sign-in");
const SEALED = seals.seal(Buffer.from("a secret"), "a purpose");
const meaning = (text: string): string => Buffer.from(text, "base64url").toString("hex");

/** The server opens only texts that it has signed or sealed itself. */
export const sealed: Parser = {
  seeds: [CHALLENGE, SEALED, "", "AAAA"],
  words: ["A", "=", "-_", "+/"],
  maxMs: 20,
  check(text) {
    if (meaning(text) !== meaning(CHALLENGE)) {
      assert.equal(challenges.verify(text, "sign-in"), undefined);
    }
    if (meaning(text) !== meaning(SEALED)) assert.equal(seals.open(text, "a purpose"), undefined);
    assert.equal(seals.open(text, "another purpose"), undefined);
  },
};
