import assert from "node:assert/strict";
import { mkdir, rename, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { parseCertificate } from "../../../src/gate/https/certificate.ts";
import { watchCertificateFiles } from "../../../src/gate/https/certificate-files.ts";
import {
  type MadeCertificate,
  makeCertificate,
  writeCertificate,
} from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeClock } from "../../support/fake-clock.ts";
import { recordingLog } from "../../support/recording-log.ts";
import { tempDir } from "../../support/temp-dir.ts";

const POLL_MS = 20;
const DAY_MS = 24 * 60 * 60 * 1000;
const SOON = "the certificate of TLS_CERT_FILE expires soon: replace both of its files";
const EXPIRED = "the certificate of TLS_CERT_FILE has expired: replace both of its files";
const clock = fakeClock();
const [OLD, NEW, NEWER] = [made(), made(), made()];

function made(): MadeCertificate {
  return makeCertificate({ names: ["home.example.org"] });
}

/** Watches certificate files, and records each change. */
async function watch(t: TestContext, dir: string) {
  const log = recordingLog();
  const files = { ...filesIn(dir), pollMs: POLL_MS };
  const { source, stop } = await watchCertificateFiles(files, clock.now, log);
  t.after(stop);
  const reported: string[] = [];
  source.onChange(() => reported.push(...source.current.map((one) => one.pem.cert)));
  const shows = (wanted: MadeCertificate) =>
    eventually(() => (source.current[0]?.pem.cert === wanted.cert ? true : undefined));
  const warned = (times: number) =>
    eventually(() => (log.lines.length >= times ? log.lines : undefined));
  return { source, reported, shows, warned, log };
}

const filesIn = (dir: string) => ({
  certFile: join(dir, "cert.pem"),
  keyFile: join(dir, "key.pem"),
});

async function start(t: TestContext) {
  const dir = await tempDir(t);
  await writeCertificate(dir, OLD);
  return { dir, ...filesIn(dir), ...(await watch(t, dir)) };
}

test("reports the certificate at once, and each change of the files once", async (t) => {
  const { dir, shows, reported } = await start(t);
  assert.deepEqual(reported, [OLD.cert]);
  await writeCertificate(dir, NEW);
  await shows(NEW);
  await writeCertificate(dir, NEWER);
  await shows(NEWER);
  assert.deepEqual(reported, [OLD.cert, NEW.cert, NEWER.cert]);
});

/** At once, so that no look finds half of a file. */
async function replace(dir: string, one: "cert" | "key"): Promise<void> {
  await writeFile(join(dir, "staged.pem"), NEW[one]);
  await rename(join(dir, "staged.pem"), join(dir, `${one}.pem`));
}

for (const [first, second] of [
  ["cert", "key"],
  ["key", "cert"],
] as const) {
  test(`keeps the old pair while only the ${first} is replaced`, async (t) => {
    const { dir, shows, warned, source, log } = await start(t);
    await replace(dir, first);
    const [warning] = await warned(1);
    assert.equal(warning?.fields.reason, "the key belongs to another certificate");
    assert.equal(source.current[0]?.pem.cert, OLD.cert);
    await replace(dir, second);
    await shows(NEW);
    assert.equal(log.lines.length, 1);
  });
}

test("a folder replaced as a whole, as Kubernetes does, takes effect", async (t) => {
  const dir = await tempDir(t);
  for (const [name, pair] of Object.entries({ old: OLD, new: NEW })) {
    await mkdir(join(dir, name));
    await writeCertificate(join(dir, name), pair);
  }
  await symlink("old", join(dir, "data"));
  const { shows } = await watch(t, join(dir, "data"));
  await symlink("new", join(dir, "data.new"));
  await rename(join(dir, "data.new"), join(dir, "data"));
  await shows(NEW);
});

test("detects a replacement that keeps the time and the size of the files", async (t) => {
  const dir = await tempDir(t);
  const padded = ({ cert, key, subject }: MadeCertificate): MadeCertificate => ({
    cert: cert.padEnd(2_000, "\n"),
    key: key.padEnd(2_000, "\n"),
    subject,
  });
  const { certFile, keyFile } = await writeCertificate(dir, padded(OLD));
  const before = await Promise.all([stat(certFile), stat(keyFile)]);
  const { shows } = await watch(t, dir);
  await writeCertificate(dir, padded(NEW));
  for (const [at, file] of [certFile, keyFile].entries()) {
    const { atime = 0, mtime = 0 } = before[at] ?? {};
    await utimes(file, atime, mtime);
    assert.equal((await stat(file)).size, before[at]?.size);
  }
  await shows(padded(NEW));
});

test("keeps the old certificate when the files are garbage, and warns once", async (t) => {
  const { dir, keyFile, shows, warned, reported, log } = await start(t);
  await writeFile(keyFile, `${NEW.key.slice(0, 100)}\ngarbage`);
  await warned(1);
  // Once a second replacement is loaded, no more warnings about the first can follow.
  await writeCertificate(dir, NEW);
  await shows(NEW);
  assert.deepEqual(reported, [OLD.cert, NEW.cert]);
  assert.equal(log.lines.length, 1);
  assert.doesNotMatch(JSON.stringify(log.lines), /garbage|PRIVATE|MIG/);
});

test("warns once a day from 14 days before the expiry", async (t) => {
  const dir = await tempDir(t);
  const lasting = (days: number) =>
    makeCertificate({ until: new Date(clock.now() + days * DAY_MS) });
  const [first, second] = [lasting(15), lasting(14)];
  await writeCertificate(dir, first);
  const { shows, log } = await watch(t, dir);
  // Others may be about a file that is written already, while the other is not.
  const warnings = () => log.lines.filter(({ fields }) => "until" in fields);
  const warned = (times: number) => eventually(() => warnings()[times - 1]);
  clock.advance(DAY_MS);
  const { notAfter } = parseCertificate(first.cert, first.key);
  const soon = { level: "warn", message: SOON, fields: { until: notAfter.toISOString() } };
  assert.deepEqual(await warned(1), soon);
  await writeCertificate(dir, second);
  assert.equal((await warned(2)).message, SOON, "another certificate at once");
  clock.advance(DAY_MS);
  await warned(3);
  clock.advance(13 * DAY_MS);
  assert.equal((await warned(4)).message, EXPIRED);
  await writeCertificate(dir, NEW);
  await shows(NEW);
  clock.advance(15 * DAY_MS);
  await writeCertificate(dir, NEWER);
  await shows(NEWER);
  assert.equal(warnings().length, 4);
});
