import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { test } from "node:test";
import { type CBORType, encodeCBOR } from "@levischuck/tiny-cbor";
import {
  readAuthenticatorData,
  readCreatedKey,
} from "../../../src/features/passkeys/attestation.ts";
import { attestationOf, coseKey, spkiOf } from "../../support/authenticator.ts";

const cbor = (value: CBORType): Buffer => Buffer.from(encodeCBOR(value));
const { publicKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const KEY = coseKey(publicKey);

test("reads the authenticator data of an attestation object, whatever its statement", () => {
  const data = Buffer.from("some data");
  assert.deepEqual(readAuthenticatorData(attestationOf(data)), data);
  const statement = new Map<string, CBORType>([["x5c", [new Uint8Array(900)]]]);
  const packed = new Map<string, CBORType>([
    ["attStmt", statement],
    ["authData", Uint8Array.from(data)],
    ["fmt", "packed"],
  ]);
  assert.deepEqual(readAuthenticatorData(cbor(packed).toString("base64url")), data);
});

test("finds nothing in what is cut off, continues, is nested deeply, or is no object", () => {
  const whole = Buffer.from(attestationOf(Buffer.from("some data")), "base64url");
  const cut = [...whole.keys()].map((length) => whole.subarray(0, length));
  const others = [
    ...cut,
    Buffer.concat([whole, Buffer.from([0])]),
    // Arrays in arrays, maps in maps, and tags of tags.
    ...[0x81, 0xa1, 0xc1].map((byte) => Buffer.alloc(48_000, byte)),
    // A text of 4 GB, and an array with as many elements.
    ...["7affffffff", "9affffffff", "5bffffffffffffffff"].map((hex) => Buffer.from(hex, "hex")),
    ...[null, "text", 1, [], new Map([["authData", "text"]])].map(cbor),
  ];
  for (const bytes of others)
    assert.equal(readAuthenticatorData(bytes.toString("base64url")), undefined);
  assert.equal(readAuthenticatorData("é€"), undefined);
});

test("never reads the bytes of another request", () => {
  // A text that is said to be longer than it is, in a part of a larger memory.
  const shared = Buffer.concat([Buffer.from("58ff", "hex"), Buffer.from("secret".repeat(99))]);
  const part = shared.subarray(0, 2);
  assert.equal(readAuthenticatorData(part.toString("base64url")), undefined);
  assert.equal(readCreatedKey(part, "no-extensions"), undefined);
});

const extensions = cbor(new Map<string, CBORType>([["credProtect", 2]]));

test("reads a key with nothing behind it except the extensions that are announced", () => {
  const expected = spkiOf(publicKey);
  assert.equal(readCreatedKey(KEY, "no-extensions"), expected);
  assert.equal(readCreatedKey(Buffer.concat([KEY, extensions]), "extensions"), expected);
  assert.equal(readCreatedKey(Buffer.concat([KEY, extensions]), "no-extensions"), undefined);
  assert.equal(readCreatedKey(KEY, "extensions"), undefined);
  assert.equal(readCreatedKey(Buffer.concat([KEY, cbor([])]), "extensions"), undefined);
});

test("refuses keys of other types, curves and algorithms, and those that are not keys", () => {
  const made = (key: KeyObject, changes: readonly (readonly [number, CBORType])[]): Buffer => {
    const jwk = key.export({ format: "jwk" });
    const bytes = (text = "") => Uint8Array.from(Buffer.from(text, "base64url"));
    const fields = new Map<string | number, CBORType>([
      ...([
        [1, 2],
        [3, -7],
        [-1, 1],
      ] as const),
      ...([
        [-2, bytes(jwk.x)],
        [-3, bytes(jwk.y)],
      ] as const),
      ...changes,
    ]);
    return cbor(fields);
  };
  assert.equal(readCreatedKey(made(publicKey, []), "no-extensions"), spkiOf(publicKey));
  const p384 = generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey;
  for (const key of [
    made(p384, [[-1, 2]]),
    made(p384, []),
    made(publicKey, [[3, -35]]),
    made(publicKey, [[3, "-7"]]),
    made(publicKey, [[1, 1]]),
    made(publicKey, [[-1, 6]]),
    made(publicKey, [[-2, new Uint8Array(32)]]),
    made(publicKey, [[-2, "text"]]),
    made(publicKey, [[-3, new Uint8Array(0)]]),
    cbor(new Map()),
    cbor([1, 2, 3]),
  ])
    assert.equal(readCreatedKey(key, "no-extensions"), undefined);
});
