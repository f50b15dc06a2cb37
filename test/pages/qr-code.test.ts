import assert from "node:assert/strict";
import { test } from "node:test";
import jsqr from "jsqr";
import { URI } from "otpauth";
import { createCodeSecret, encodeBase32, formatKeyUri } from "../../src/features/codes/totp.ts";
import { createQrCode, type QrCode } from "../../src/pages/qr-code.ts";

/** Pixels per module. */
const SCALE = 4;

/** What an independent reader sees in the drawing. */
function read({ width: modules, path }: QrCode): string | undefined {
  const width = modules * SCALE;
  const pixels = new Uint8ClampedArray(width * width * 4).fill(255);
  for (const [, x, y, length] of path.matchAll(/M(\d+) (\d+)h(\d+)/g)) {
    for (let row = 0; row < SCALE; row += 1) {
      const from = (Number(y) * SCALE + row) * width + Number(x) * SCALE;
      for (let at = from; at < from + Number(length) * SCALE; at += 1) {
        pixels.fill(0, at * 4, at * 4 + 3);
      }
    }
  }
  // Typed as a namespace, exported as a function.
  return (jsqr as unknown as typeof jsqr.default)(pixels, width, width)?.data;
}

test("draws texts of every length", () => {
  for (let length = 1; length <= 160; length += 9) {
    const text = Array.from({ length }, (_, i) => String(i % 10)).join("");
    assert.equal(read(createQrCode(text)), text);
  }
});

test("leaves the margin that scanners need", () => {
  assert.match(createQrCode("x").path, /^M4 4h7/);
});

for (const [appName, username] of [
  ["Latchkey", "owner"],
  ["A name of sixty characters that is as long as it may be here", "a".repeat(500)],
  ["Größe & Wert: 100%?", "zoë@example.org/#?&"],
  ["錠前", "錠".repeat(80)],
  ["L", "lone \ud800"],
  ["A:B", "c:d"],
] as const) {
  test(`names ${appName} and ${username.slice(0, 20)} in an address that apps read`, () => {
    const secret = encodeBase32(createCodeSecret());
    const uri = new URL(formatKeyUri(appName, username, secret));
    const [issuer = "", account = ""] = uri.pathname.slice(1).split(":");
    assert.ok(appName.replaceAll(":", "").startsWith(decodeURIComponent(issuer)) && issuer !== "");
    assert.ok(username.toWellFormed().startsWith(decodeURIComponent(account)) && account !== "");
    assert.equal(uri.searchParams.get("issuer"), decodeURIComponent(issuer));
    assert.equal(uri.searchParams.get("secret"), secret);
    assert.equal(read(createQrCode(uri.href)), uri.href);
    const app = URI.parse(uri.href);
    const names = [issuer, account].map(decodeURIComponent);
    assert.deepEqual([app.issuer, app.label, app.secret.base32], [...names, secret]);
  });
}
