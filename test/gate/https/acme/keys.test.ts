import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createPublicKey } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import { calculateJwkThumbprint } from "jose";
import {
  createKeyPem,
  createSigningRequest,
  parseAccountKey,
} from "../../../../src/gate/https/acme/keys.ts";
import { whereInstalled } from "../../../proxies/program.ts";

const KEY = createKeyPem();

/** A name with exactly `length` characters, and labels of the maximum length. */
const nameOfLength = (length: number): string =>
  Array.from({ length }, (_, at) => (at % 64 === 63 && at < length - 1 ? "." : "a")).join("");

/** The size of the DER element that starts here, including its tag and length. */
function sizeOfElement(bytes: Buffer): number {
  const first = bytes.readUInt8(1);
  if (first < 0x80) return 2 + first;
  const count = first & 0x7f;
  const length = bytes.readUIntBE(2, count);
  assert.ok(length >= (count === 1 ? 0x80 : 0x100), "the shortest form of the length");
  return 2 + count + length;
}

test("encodes a request as one DER element in the shortest form, for names of every length", () => {
  for (let length = 1; length <= 253; length += 1) {
    const der = createSigningRequest(nameOfLength(length), KEY);
    assert.equal(sizeOfElement(der), der.length, `a name of ${length} characters`);
  }
});

whereInstalled("openssl", (openssl) => {
  const read = (der: Buffer, ...args: readonly string[]) => {
    const options = { input: der, encoding: "utf8" } as const;
    return spawnSync(openssl, ["req", "-inform", "DER", ...args], options);
  };

  test("openssl reads a request and verifies its signature", () => {
    const publicKey = createPublicKey(KEY).export({ type: "spki", format: "pem" });
    const name = fc.oneof(
      fc.domain().filter((domain) => domain.length <= 253),
      // Around the sizes where the DER length of the name or an outer element needs a byte more.
      fc.integer({ min: 1, max: 253 }).map(nameOfLength),
    );
    fc.assert(
      fc.property(name, (wanted) => {
        const { status, stdout, stderr } = read(
          createSigningRequest(wanted, KEY),
          ...["-verify", "-text", "-noout", "-pubkey"],
        );
        assert.equal(status, 0, stderr);
        assert.match(`${stdout}${stderr}`, /verify OK/i);
        assert.deepEqual(stdout.match(/DNS:.*$/gm), [`DNS:${wanted}`]);
        assert.match(stdout, /Subject: *$/m, "no subject, which would be a second name");
        assert.ok(stdout.includes(String(publicKey)));
      }),
      {
        numRuns: 10,
        examples: [[nameOfLength(127)], [nameOfLength(128)], [nameOfLength(253)]],
      },
    );
  });
});

test("another implementation computes the same thumbprint", async () => {
  const { publicJwk, thumbprint } = parseAccountKey(KEY);
  assert.equal(thumbprint, await calculateJwkThumbprint(publicJwk));
});
