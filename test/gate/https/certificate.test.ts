import assert from "node:assert/strict";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import {
  type Certificate,
  CertificateSource,
  parseCertificate,
} from "../../../src/gate/https/certificate.ts";
import { type MadeCertificate, makeCertificate } from "../../support/certificates.ts";

const read = ({ cert, key }: MadeCertificate): Certificate => parseCertificate(cert, key);

const HOME = makeCertificate({ names: ["home.example.org"] });
const OTHER = makeCertificate({ names: ["other.example.org"] });

test("reads names and validity of a certificate", () => {
  const until = new Date("2031-05-06T07:08:09Z");
  const names = ["home.example.org", "*.example.org", "Auth.Example.org"];
  const home = read(makeCertificate({ names, until }));
  assert.deepEqual(home.hosts, ["home.example.org", "auth.example.org"]);
  assert.deepEqual([home.notBefore, home.notAfter], [new Date("2020-01-01"), until]);
});

const MANY = read(makeCertificate({ names: ["home.example.org", "*.auth.example.org"] }));

test("covers its names and those of its wildcards, and without names no host", () => {
  for (const host of ["home.example.org", "a.auth.example.org"]) assert.ok(MANY.covers(host), host);
  const others = ["auth.example.org", "a.b.auth.example.org", "home.example.org.evil.example"];
  for (const host of [...others, "192.0.2.1", "", "not a host"]) {
    assert.equal(MANY.covers(host), false, host);
  }
  const unnamed = read(makeCertificate());
  assert.deepEqual(unnamed.hosts, []);
  assert.equal(unnamed.covers("server"), false, "the subject does not count as a name");
});

test("covers its IP addresses, and lists them as in a URL", () => {
  const home = read(makeCertificate({ names: ["192.0.2.1", "2001:db8:0:0:0:0:0:1"] }));
  assert.deepEqual(home.hosts, ["192.0.2.1", "[2001:db8::1]"]);
  for (const host of home.hosts) assert.equal(home.covers(host), true, host);
  for (const host of ["192.0.2.2", "[2001:db8::2]", "home.example.org"]) {
    assert.equal(home.covers(host), false, host);
  }
});

const encrypted = createPrivateKey(HOME.key)
  .export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "secret" })
  .toString();
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
const cutOff = HOME.key.replace(/\n.{40}/, "\n");
const unreadable = (what: string) => ({
  code: "certificate_unreadable",
  message: new RegExp(`^the ${what} cannot be used: `),
});
const differs = {
  code: "certificate_key_differs",
  message: /^the key belongs to another certificate$/,
};

const refused: Readonly<Record<string, readonly [chain: string, key: string, fault: object]>> = {
  "the key of another certificate": [HOME.cert, OTHER.key, differs],
  "a key of another type": [
    HOME.cert,
    rsa.export({ type: "pkcs8", format: "pem" }).toString(),
    differs,
  ],
  "the two files swapped": [HOME.key, HOME.cert, unreadable("certificate")],
  "an encrypted key": [HOME.cert, encrypted, unreadable("key")],
  "a truncated key": [HOME.cert, cutOff, unreadable("key")],
  "a key that is text": [HOME.cert, "not a key", unreadable("key")],
  "a certificate that is text": ["not a certificate", HOME.key, unreadable("certificate")],
  "half a certificate": [HOME.cert.slice(0, 200), HOME.key, unreadable("certificate")],
  "a chain in the wrong order": [`${OTHER.cert}${HOME.cert}`, HOME.key, differs],
};

for (const [what, [chain, key, fault]] of Object.entries(refused)) {
  test(`rejects ${what} with one line that contains no part of a key`, () => {
    assert.throws(() => parseCertificate(chain, key), fault);
    const pieces = key.split("\n").filter((line) => line.length > 20);
    assert.throws(
      () => parseCertificate(chain, key),
      ({ message }: Error) =>
        !/\n|-----|secret/.test(message) &&
        pieces.every((piece) => !message.includes(piece.slice(4, 16))),
    );
  });
}

test("selects the certificate that covers the name, otherwise the first", () => {
  const [first, second] = [read(HOME), read(OTHER)];
  const source = new CertificateSource();
  assert.equal(source.findCertificate("home.example.org"), undefined);
  source.replace([first, second]);
  assert.equal(source.findCertificate("other.example.org"), second);
  assert.equal(source.findCertificate("home.example.org"), first);
  for (const host of [undefined, "", "evil.example", " ", "a".repeat(10_000)]) {
    assert.equal(source.findCertificate(host), first);
  }
});

test("returns the earliest expiry of several certificates, and undefined without any", () => {
  const untils = [new Date("2040-01-01"), new Date("2035-01-01"), new Date("2060-01-01")];
  const all = untils.map((until) => read(makeCertificate({ until })));
  const source = new CertificateSource();
  assert.equal(source.earliestExpiry, undefined);
  source.replace(all);
  assert.deepEqual(source.earliestExpiry, new Date("2035-01-01"));
});
