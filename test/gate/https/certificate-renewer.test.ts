import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AcmeProblem } from "../../../src/gate/https/acme/problem.ts";
import { type Certificate, parseCertificate } from "../../../src/gate/https/certificate.ts";
import { CertificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { Renewer, type RenewerServices } from "../../../src/gate/https/certificate-renewer.ts";
import { createServerLog } from "../../../src/gate/server-log.ts";
import { SERVER_CERTIFICATE, SERVER_KEY } from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import { tempDir } from "../../support/temp-dir.ts";

const POLL_MS = 20;
const HOUR = 3_600_000;
const NAME = "localhost";
const PEM = `${SERVER_KEY}${SERVER_CERTIFICATE}`;
const certificate = (): Certificate => parseCertificate(PEM, PEM);
/** Long before two thirds of the fixed certificate's lifetime. */
const NOW = Date.parse("2026-01-01T00:00:00Z");

/** A data folder where the name is requested, and has this stored. */
async function withStored(t: TestContext, pem: string): Promise<string> {
  const dataDir = await tempDir(t);
  const folder = new CertificateFolder(dataDir);
  await folder.request(NAME);
  await folder.write(NAME, "certificate.pem", pem);
  return dataDir;
}

interface Tested {
  readonly now?: number;
  readonly obtain?: RenewerServices["obtain"];
  readonly dataDir?: string;
}

async function openTested(
  t: TestContext,
  { now = NOW, obtain = async () => certificate(), dataDir = "" }: Tested = {},
) {
  class PolledFolder extends CertificateFolder {
    override listNames(): Promise<readonly string[]> {
      polls += 1;
      return super.listNames();
    }
  }
  const folder = new PolledFolder(dataDir || (await tempDir(t)));
  const clock = { now };
  const asked: string[] = [];
  let polls = 0;
  const lines: Readonly<Record<string, unknown>>[] = [];
  const renewer = new Renewer({
    folder,
    obtain(name, stop) {
      asked.push(name);
      return obtain(name, stop);
    },
    now: () => clock.now,
    log: createServerLog("info", { write: (line) => lines.push(JSON.parse(line)) }),
  });
  await renewer.loadNames();
  t.after(() => renewer.stop());
  return { renewer, folder, clock, asked, lines, polls: () => polls };
}

/** After two more polls, one of them has both begun and ended. */
async function afterAnotherPoll({ polls }: Awaited<ReturnType<typeof openTested>>) {
  const before = polls();
  await eventually(() => (polls() >= before + 2 ? true : undefined));
}

test("loads a stored certificate, and renews it at two thirds of its life", async (t) => {
  const opened = await openTested(t, { dataDir: await withStored(t, PEM) });
  assert.equal(opened.renewer.source.current[0]?.pem.cert, PEM);
  opened.renewer.begin(POLL_MS);
  await afterAnotherPoll(opened);
  assert.deepEqual(opened.asked, [], "not before");
  opened.clock.now = Date.parse("2087-01-01T00:00:00Z");
  // Each new certificate is due as well: all have the same lifetime.
  for (const renewals of [1, 2]) {
    await eventually(() => opened.asked.length === renewals || undefined);
    await afterAnotherPoll(opened);
    assert.equal(opened.asked.length, renewals);
    opened.clock.now += 48 * HOUR;
  }
});

test("waits a minute after a failure, or until another request", async (t) => {
  const fail = () => Promise.reject(new Error("no luck"));
  // The request has the machine's real time, which is months later.
  const opened = await openTested(t, { obtain: fail });
  await opened.folder.request(NAME);
  opened.renewer.begin(POLL_MS);
  const failed = await eventually(() => opened.folder.read(NAME, "progress.json"));
  const stored = [failed.failures, failed.cause, failed.nextAt - failed.lastAt];
  assert.deepEqual(stored, [1, "no luck", 60_000]);
  await afterAnotherPoll(opened);
  assert.deepEqual(opened.asked, [NAME]);
  await opened.folder.request(NAME);
  await eventually(() => opened.asked.length === 2 || undefined);
  opened.clock.now += 4 * (failed.nextAt - failed.lastAt);
  await eventually(() => opened.asked.length === 3 || undefined);
  // After a clock that was ahead for years, the pause would last as long.
  opened.clock.now -= 4 * HOUR;
  await eventually(() => opened.asked.length > 3 || undefined);
});

test("waits as long as the authority asks", async (t) => {
  const obtain = () => Promise.reject(new AcmeProblem({}, "come back later", HOUR));
  const { renewer, folder } = await openTested(t, { obtain });
  await folder.request(NAME);
  renewer.begin(POLL_MS);
  const { lastAt, nextAt } = await eventually(() => folder.read(NAME, "progress.json"));
  assert.equal(nextAt - lastAt, HOUR);
});

test("gets a new certificate for a name that is removed and added again", async (t) => {
  const { renewer, folder, asked } = await openTested(t, { dataDir: await withStored(t, PEM) });
  await folder.remove(NAME);
  await folder.request(NAME);
  await renewer.loadNames();
  assert.deepEqual([renewer.source.current, asked], [[], []], "no request before begin()");
  renewer.begin(POLL_MS);
  await eventually(() => asked.includes(NAME) || undefined);
});

test("logs an unusable stored certificate once, and replaces it", async (t) => {
  const opened = await openTested(t, { dataDir: await withStored(t, "half a certificate") });
  opened.renewer.begin(POLL_MS);
  await eventually(() => (opened.renewer.source.current.length === 1 ? true : undefined));
  await afterAnotherPoll(opened);
  const warnings = opened.lines.filter(({ level }) => level === "warn").map(({ msg }) => msg);
  assert.deepEqual(warnings, ["the stored certificate cannot be used"]);
});

test("a slow attempt for one name does not delay other names", async (t) => {
  const obtain: RenewerServices["obtain"] = async (name, stop) => {
    if (name !== NAME) await once(stop, "abort");
    return certificate();
  };
  const { renewer, folder, asked } = await openTested(t, { obtain });
  for (const name of ["a.example.org", NAME]) await folder.request(name);
  renewer.begin(POLL_MS);
  await eventually(() => (renewer.source.current.length === 1 ? true : undefined));
  assert.deepEqual(asked, ["a.example.org", NAME]);
});

test("does not retry every second when the result of an attempt cannot be stored", async (t) => {
  const dataDir = await tempDir(t);
  const fail = async (): Promise<Certificate> => {
    // A folder where the file would be written.
    await mkdir(join(dataDir, "certificates", NAME, "progress.json"), { recursive: true });
    throw new Error("no luck");
  };
  const opened = await openTested(t, { dataDir, obtain: fail });
  await opened.folder.request(NAME);
  opened.renewer.begin(POLL_MS);
  await eventually(() => (opened.asked.length === 1 ? true : undefined));
  await afterAnotherPoll(opened);
  assert.deepEqual(opened.asked, [NAME]);
  const trouble = await eventually(() =>
    opened.lines.find(({ msg }) => String(msg).endsWith("be read or written")),
  );
  assert.match(String(trouble.reason), /EISDIR/);
});

test("logs unreadable files of a name once, and serves other names", async (t) => {
  const dataDir = await tempDir(t);
  const folder = new CertificateFolder(dataDir);
  for (const name of ["a.example", NAME]) await folder.request(name);
  for (const file of ["progress.json", "certificate.pem"]) {
    await mkdir(join(dataDir, "certificates", "a.example", file));
  }
  const opened = await openTested(t, { dataDir });
  opened.renewer.begin(POLL_MS);
  await eventually(() => opened.asked.includes(NAME) || undefined);
  await eventually(() => opened.lines.find(({ level }) => level === "error"));
  await afterAnotherPoll(opened);
  const [trouble, ...more] = opened.lines.filter(({ level }) => level === "error");
  assert.equal(trouble?.msg, "the certificate folder cannot be read or written");
  assert.match(String(trouble.reason), /EISDIR/);
  assert.deepEqual(more, []);
});
