import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { readForRelease } from "../../scripts/release/page-files.ts";
import { image } from "../../src/gate/settings/values.ts";
import type { Site } from "../../src/http/site.ts";
import type { Provider } from "../../src/identity/providers.ts";
import { fetchRequest } from "../../src/index.ts";
import { apple, github, google, microsoft } from "../../src/providers.ts";
import { faultOf } from "../support/faults.ts";
import { startConfigured, startGate } from "../support/gate.ts";
import { addressIn, elements } from "../support/markup.ts";
import { folderWith, plain, site, to } from "../support/pages.ts";
import { tempDir } from "../support/temp-dir.ts";

const MAX_LOGO_BYTES = 512 * 1024;
const PAGE_FILES = join(import.meta.dirname, "../../src/pages/templates");
const FEATURES = join(import.meta.dirname, "../../src/features");

async function writeLogo(t: TestContext, name: string, content: string | Uint8Array = "x") {
  return join(await folderWith(t, { [name]: content }), name);
}

const contentOf = ({ assets }: Site, path: string) =>
  assets.get(path)?.(fetchRequest(new Request(`http://localhost${path}`))).body;

test("serves a logo unchanged and for long, with scripts blocked", async (t) => {
  const content = Uint8Array.from([0, 255, 13, 10, 60, 128]);
  const gate = await startGate(t, { logoFile: await writeLogo(t, "logo.png", content) });
  const url = addressIn((await gate.send("/login")).body, "icon");
  assert.match(url, /^\/latchkey-logo\?v=[\w-]{12}$/);
  const answer = await fetch(`${gate.url}${url}`);
  assert.equal(answer.status, 200);
  assert.deepEqual(new Uint8Array(await answer.arrayBuffer()), content);
  assert.equal(answer.headers.get("content-type"), "image/png");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  assert.match(answer.headers.get("cache-control") ?? "", /^public, .*immutable$/);
  const policy = answer.headers.get("content-security-policy") ?? "";
  assert.match(policy, /^default-src 'none'; .*; sandbox$/);
  assert.doesNotMatch(policy, /script|allow-/);
});

test("shows the logo before every heading, and uses it as the icon", async (t) => {
  const gate = await startGate(t, { logoFile: await writeLogo(t, "logo.png") });
  const pages = [await gate.send("/setup"), await gate.send("/nothing"), await gate.send("/login")];
  const home = await gate.send("/account/profile", { session: await gate.setUp() });
  for (const { body } of [...pages, home]) {
    const [logo] = elements(body, "img");
    assert.deepEqual([logo?.src, logo?.alt], [addressIn(body, "icon"), ""]);
    assert.ok(body.indexOf("<img") < body.indexOf("<h1>"));
  }
});

test("shows another logo in a dark scheme, from a URL of its own", async (t) => {
  const logoFile = await writeLogo(t, "logo.png", "light");
  const gate = await startGate(t, { logoFile, logoFileDark: await writeLogo(t, "d.svg", "dark") });
  const { body } = await gate.send("/login");
  const [{ srcset = "", media } = {}] = elements(body, "source");
  assert.equal(media, "(prefers-color-scheme: dark)");
  const shown = [srcset, addressIn(body, "icon"), "/latchkey-logo?v=old"].map(async (url) => {
    const { body: content, headers } = await gate.send(url);
    return [content, headers["content-type"]];
  });
  const light = ["light", "image/png"];
  assert.deepEqual(await Promise.all(shown), [["dark", "image/svg+xml"], light, light]);
  assert.equal(faultOf(() => site({ logoFileDark: "logo.txt" })).code, "logo_unusable");
});

test("changes a file's URL only when its content changes", async (t) => {
  const addresses = async (accentColor: string, css: string, logo: string) => {
    const own = site({ accentColor, css, logoFile: await writeLogo(t, "logo.svg", logo) });
    const html = await own.pages.render("login", to(), { ...plain.login, offersPasskeys: true });
    return [...new Set(html.match(/\/latchkey[^"]*\?v=[\w-]{12}(?=")/g))];
  };
  const before = await addresses("#c00", "a {}", "<svg/>");
  assert.deepEqual(await addresses("#c00", "a {}", "<svg/>"), before);
  const changed = async (...files: Parameters<typeof addresses>) =>
    (await addresses(...files)).map((url, at) => url !== before[at]);
  assert.deepEqual(await changed("#00c", "a {}", "<svg/>"), [false, true, false, false, false]);
  assert.deepEqual(await changed("#c00", "b {}", "<svg/>"), [false, false, true, false, false]);
  assert.deepEqual(await changed("#c00", "a {}", "<svg />"), [true, false, false, false, false]);
});

test("lets clients keep a file only under the URL that has its digest", async (t) => {
  const gate = await startGate(t);
  const url = addressIn((await gate.send("/login")).body, "stylesheet");
  const kept = async (path: string) => {
    const { status, headers } = await gate.send(path);
    return [status, headers["cache-control"]];
  };
  assert.deepEqual(await kept(url), [200, "public, max-age=31536000, immutable"]);
  for (const other of ["/latchkey.css", "/latchkey.css?v=another-file", `${url}&a`]) {
    assert.deepEqual(await kept(other), [200, "no-cache"], other);
  }
  assert.deepEqual(await kept("/robots.txt"), [200, "public, max-age=3600"]);
});

test("the key icon has the brand colour of the style sheet and its line in both themes", () => {
  const own = site({}, true);
  const textOf = (path: string): string => String(contentOf(own, path));
  const [, ...defined] =
    /--brand: ?(#[\da-f]{6});[^}]*--accent: ?light-dark\((#[\da-f]{6}), ?(#[\da-f]{6})\)/.exec(
      textOf("/latchkey.css"),
    ) ?? [];
  const filled = [
    ...textOf("/favicon.svg").matchAll(/tile{(?:fill:(#[\da-f]{6});)?stroke:(#[\da-f]{6})/g),
  ];
  assert.equal(defined.length, 3);
  const named = filled.flatMap(([, fill, line]) => [fill ?? [], line ?? []].flat());
  assert.deepEqual(named, defined);
});

test("accepts a logo of up to 512 KiB", async (t) => {
  const largest = await writeLogo(t, "logo.png", new Uint8Array(MAX_LOGO_BYTES));
  const larger = await writeLogo(t, "logo.png", new Uint8Array(MAX_LOGO_BYTES + 1));
  assert.deepEqual([image.parse(largest, {}), image.parse(larger, {})], [largest, undefined]);
  assert.equal(contentOf(site({ logoFile: largest }), "/latchkey-logo")?.length, MAX_LOGO_BYTES);
  assert.match(faultOf(() => site({ logoFile: larger })).message, /larger than 524288 bytes/);
});

type Make = (file: string) => Promise<unknown>;
const write: Make = (file) => writeFile(file, "x");

const makePipe: Make = async (file) => execFileSync("mkfifo", [file]);

/** Files that are not valid logos, how they are made, and the error message for each. */
const unusable: readonly (readonly [what: string, name: string, make: Make, says: RegExp])[] = [
  ["a missing file", "logo.png", async () => {}, /cannot be read: .*(ENOENT|no such file)/i],
  ["a folder", "logo.png", (file) => mkdir(file), /cannot be read/],
  ["a named pipe", "logo.png", makePipe, /cannot be read: it is not a regular file/],
  ["a link to itself", "logo.png", (file) => symlink(file, file), /cannot be read/],
  ["an empty file", "logo.png", (file) => writeFile(file, ""), /empty/],
  ...["logo.txt", "logo", ".png", "logo.html", "logo.svgz", "logo.png.exe"].map(
    (name) => [`a file called ${name}`, name, write, /\.svg, \.png/] as const,
  ),
];

for (const [what, name, make, says] of unusable) {
  test(`stops the start and names the file if the logo is ${what}`, async (t) => {
    const file = join(await tempDir(t), name);
    await make(file);
    assert.equal(image.parse(file, {}), undefined);
    const fault = faultOf(() => site({ logoFile: file }));
    assert.equal(fault.code, "logo_unusable");
    assert.ok(fault.message.includes(file), fault.message);
    assert.match(fault.message, says);
    assert.doesNotMatch(fault.message, /\n/);
  });
}

for (const [accepted, encoding] of [
  ["gzip, br", "gzip"],
  ["br, GZip ; q=0.5", "gzip"],
  ["gzip;q=0, br", null],
  ["identity", null],
] as const) {
  test(`sends the ${encoding ?? "plain"} style sheet for ${accepted}`, async (t) => {
    const gate = await startGate(t);
    const ask = (headers: Record<string, string>) => fetch(`${gate.url}/latchkey.css`, { headers });
    const answer = await ask({ "Accept-Encoding": accepted });
    const plain = await ask({ "Accept-Encoding": "identity" });
    assert.equal(answer.headers.get("content-encoding"), encoding);
    assert.equal(answer.headers.get("vary"), "Accept-Encoding");
    const lengths = [answer, plain].map(({ headers }) => Number(headers.get("content-length")));
    assert.ok(
      encoding === null ? lengths[0] === lengths[1] : Number(lengths[0]) < Number(lengths[1]) / 2,
    );
    assert.equal(await answer.text(), await plain.text());
  });
}

test("does not compress a page, which can contain what a client has sent", async (t) => {
  const { gate } = await startConfigured(t);
  const answer = await fetch(`${gate.url}/login`, { headers: { "Accept-Encoding": "gzip" } });
  assert.equal(answer.headers.get("content-encoding"), null);
});

/** Returns what a browser loads with the sign-in page, in bytes, of the files as they are packaged. */
async function weighSignIn(t: TestContext, providers: readonly Provider[]) {
  const gate = await startGate(t, { providers, publicUrl: "http://127.0.0.1" });
  await gate.setUp();
  const { body } = await gate.send("/login");
  const style = join(FEATURES, "sign-in-with/latchkey-providers.css");
  const files = [join(PAGE_FILES, "latchkey.css"), join(PAGE_FILES, "latchkey.js")]
    .concat(providers.length > 0 ? style : [])
    .map(readForRelease);
  const sheets = body.match(/rel="stylesheet"/g) ?? [];
  const scripts = elements(body, "script");
  assert.equal(sheets.length + scripts.length, files.length);
  const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size);
  return {
    bytes: sum([body, ...files].map((text) => Buffer.byteLength(text))),
    // Pages are not compressed.
    onTheWire: sum([Buffer.byteLength(body), ...files.map((text) => gzipSync(text).length)]),
  };
}

test("the packaged sign-in page stays under 14 KiB, and under 6 KiB on the wire", async (t) => {
  const { bytes, onTheWire } = await weighSignIn(t, []);
  assert.ok(bytes < 14 * 1_024, `${bytes} bytes`);
  assert.ok(onTheWire < 6 * 1_024, `${onTheWire} bytes`);
});

test("it stays under 6.5 KiB with the button of Google, and under 8 KiB with all marks", async (t) => {
  const clientId = "an-id";
  const one = await weighSignIn(t, [google({ clientId })]);
  assert.ok(one.onTheWire < 6.5 * 1_024, `${one.onTheWire} bytes`);
  const all = await weighSignIn(t, [
    google({ clientId }),
    microsoft({ tenant: "example.org", clientId }),
    apple({ clientId }),
    github({ clientId }),
  ]);
  assert.ok(all.onTheWire < 8 * 1_024, `${all.onTheWire} bytes`);
});
