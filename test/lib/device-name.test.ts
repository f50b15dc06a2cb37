import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDeviceName } from "../../src/lib/device-name.ts";

const mac = "Macintosh; Intel Mac OS X 10_15_7";
const iPhone = "iPhone; CPU iPhone OS 18_5 like Mac OS X";
const webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const chromium = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0";

const names: readonly (readonly [userAgent: string | undefined, name: string])[] = [
  ["Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0", "Firefox on Linux"],
  ["Mozilla/5.0 (Android 15; Mobile; rv:142.0) Gecko/142.0 Firefox/142.0", "Firefox on Android"],
  [`Mozilla/5.0 (${iPhone}) ${webKit} Version/18.5 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`Mozilla/5.0 (${iPhone}) ${webKit} CriOS/140.0 Mobile/15E148 Safari/604.1`, "Chrome on iPhone"],
  [`Mozilla/5.0 (${iPhone}) ${webKit} FxiOS/142.0 Mobile/15E148 Safari/605.1`, "Firefox on iPhone"],
  [
    `Mozilla/5.0 (${iPhone.replace("iPhone; CPU iPhone", "iPad; CPU")}) ${webKit} Version/18.5 Safari/604.1`,
    "Safari on iPad",
  ],
  [`Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36 Vivaldi/7.5`, "Vivaldi on Windows"],
  [`Mozilla/5.0 (${mac}) ${webKit} Version/18.5 Safari/605.1.15`, "Safari on macOS"],
  [`Mozilla/5.0 (${mac}) ${chromium} Safari/537.36`, "Chrome on macOS"],
  [`Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36 Edg/140.0.0.0`, "Edge on Windows"],
  [`Mozilla/5.0 (Windows NT 10.0) ${chromium} Safari/537.36 OPR/122.0`, "Opera on Windows"],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${chromium} Safari/537.36`, "Chrome on ChromeOS"],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${chromium.replace("Chrome", "SamsungBrowser/28.0 Chrome")} Mobile Safari/537.36`,
    "Samsung Internet on Android",
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${chromium.replace("Ch", "HeadlessCh")}`, "Chrome on Linux"],
  ["curl/8.5.0", "curl"],
  ["Mozilla/5.0 (Windows NT 10.0)", "Windows"],
  ["Mozilla/5.0", ""],
  ["<script>alert(1)</script>", ""],
  ["curl<b>\u0000\u001b[31m", "curl"],
  ["x".repeat(100_000), "x".repeat(40)],
  [`${" ".repeat(1_000)}Firefox/142.0`, ""],
  ["", ""],
  [undefined, ""],
];

for (const [userAgent, name] of names) {
  test(`names ${JSON.stringify(userAgent?.slice(0, 160))} ${JSON.stringify(name)}`, () => {
    assert.equal(parseDeviceName(userAgent), name);
  });
}
