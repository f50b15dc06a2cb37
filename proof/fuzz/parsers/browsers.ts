import assert from "node:assert/strict";
import {
  readAuthenticatorData,
  readCreatedKey,
} from "../../../src/features/passkeys/attestation.ts";
import { parseCeremony } from "../../../src/features/passkeys/ceremony.ts";
import { isValidSignature, normalizePublicKey } from "../../../src/features/passkeys/public-key.ts";
import { parseDeviceName } from "../../../src/lib/device-name.ts";
import { chooseLocale, locales } from "../../../src/pages/words.ts";
import {
  algorithms,
  createAuthenticator,
  ORIGIN,
  PARTY,
} from "../../../test/support/authenticator.ts";
import type { Parser } from "../parser.ts";

/** Chooses a language that exists, and one that the browser names. */
export const language: Parser = {
  seeds: ["de", "de-AT,en;q=0.5", "fr;q=0,es;q=0.1", "*;q=1", "xx,DE;Q=0.9", "zh-TW,pt", ";q=1,,"],
  words: [
    "de",
    "en",
    "fr",
    "zh",
    "pt",
    "-CH",
    "-HK",
    "-Hant",
    "*",
    ";q=",
    "0.5",
    "1.000",
    "q = 1",
    "toString",
    "__proto__",
  ],
  maxMs: 20,
  check(text) {
    const locale = chooseLocale(text);
    assert.ok(locales.includes(locale));
    const [language = ""] = locale.split("-");
    assert.ok(locale === "en" || text.includes("*") || text.toLowerCase().includes(language));
  },
};

/** Short, and plain enough for a page and a log. */
export const userAgent: Parser = {
  seeds: [
    "curl/8.5.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/1 Chrome/1 Safari/1",
    "Version/1",
  ],
  words: [
    "Edg/",
    "OPR/",
    "Firefox/",
    "Version/",
    "Safari/",
    "iPhone",
    "Windows",
    "Macintosh",
    "CrOS",
  ],
  maxMs: 20,
  check: (text) => assert.match(parseDeviceName(text), /^[\w. -]{0,80}$/),
};

const passkeys = algorithms.map((algorithm) => createAuthenticator(algorithm));
const [passkey = createAuthenticator()] = passkeys;
const decoded = (text: string): string => Buffer.from(text, "base64url").toString("latin1");
const encoded = (text: string): string => Buffer.from(text, "latin1").toString("base64url");
const answers = [passkey.get("a challenge", "1"), passkey.create("a challenge")];

/** Client data, a NUL, and authenticator data: bytes as latin1. */
export const passkeyAnswer: Parser = {
  seeds: answers.map((one) => `${decoded(one.clientData)}\0${decoded(one.authenticatorData)}`),
  words: [
    "webauthn.get",
    "webauthn.create",
    "challenge",
    ORIGIN,
    "crossOrigin",
    "topOrigin",
    "true",
  ],
  maxMs: 20,
  check(text) {
    const at = text.indexOf("\0");
    const [client, data] = at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
    const answer = { clientData: encoded(client), authenticatorData: encoded(data) };
    const read = (["webauthn.get", "webauthn.create"] as const).flatMap((type) => {
      const ceremony = parseCeremony(answer, type, PARTY);
      return ceremony === undefined ? [] : [{ type, ceremony }];
    });
    assert.ok(read.length < 2);
    for (const { type, ceremony } of read) {
      const said = JSON.parse(Buffer.from(client, "latin1").toString());
      assert.deepEqual(
        [said.type, said.origin, said.challenge],
        [type, ORIGIN, ceremony.challenge],
      );
      const bytes = Buffer.from(data, "latin1");
      assert.ok(ceremony.signed.subarray(0, -32).equals(bytes));
      assert.ok(ceremony.counter >= 0 && ceremony.counter <= 0xffff_ffff);
      assert.equal(data.charCodeAt(32) & 5, 5, "present and verified");
      const id = ceremony.created?.id;
      assert.ok(id === undefined || bytes.includes(Buffer.from(id, "base64url")));
    }
  },
};

/** An attestation object, bytes as latin1: what it has is data of an authenticator, or nothing. */
export const passkeyAttestation: Parser = {
  seeds: passkeys.map((one) => decoded(one.create("a challenge").attestation)),
  words: [
    "hauthData",
    "cfmtdnone",
    "gattStmt\xa0",
    "\x58\x20",
    "\x59\xff\xff",
    "\x81\x81\x81",
    "\xa1",
  ],
  maxMs: 50,
  check(text) {
    const data = readAuthenticatorData(encoded(text));
    if (data === undefined) return;
    assert.ok(Buffer.from(text, "latin1").includes(data), "only bytes of the object");
    for (const extensions of ["extensions", "no-extensions"] as const) {
      const key = readCreatedKey(data, extensions);
      if (key !== undefined) assert.equal(normalizePublicKey(key), key);
    }
  },
};

const DATA = Buffer.from("signed");
/** The key of a passkey, bytes as latin1: read in one form only. */
export const passkeyKey: Parser = {
  seeds: passkeys.map(({ publicKey }) => decoded(publicKey)),
  words: ["\x30\x59\x30", "\x06\x07", "\x03\x42\x00\x04", "\x02\x03\x01\x00\x01", "\x2b\x65\x70"],
  maxMs: 50,
  check(text) {
    const key = normalizePublicKey(encoded(text));
    if (key !== undefined) assert.equal(normalizePublicKey(key), key);
    assert.equal(isValidSignature(encoded(text), DATA, encoded(text.slice(0, 64))), false);
  },
};
