import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { AcmeProblem } from "../../../src/gate/https/acme/problem.ts";
import { type Certificate, readCertificate } from "../../../src/gate/https/certificate.ts";
import { certificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { Renewer } from "../../../src/gate/https/certificate-renewer.ts";
import { createServerLog } from "../../../src/gate/server-log.ts";
import { SERVER_CERTIFICATE, SERVER_KEY } from "../../support/certificates.ts";
import { eventually } from "../../support/eventually.ts";
import { tempDir } from "../../support/temp-dir.ts";

const POLL_MS = 20;
const NAME = "localhost";
const PEM = `${SERVER_KEY}${SERVER_CERTIFICATE}`;
const certificate = (): Certificate => readCertificate(PEM, PEM);
/** Long before two thirds of the fixed certificate's lifetime. */
const NOW = Date.parse("2026-01-01T00:00:00Z");

async function openTested(
  t: TestContext,
  { now = NOW, obtain = async () => certificate(), dataDir = "" } = {},
) {
  const folder = certificateFolder(dataDir || (await tempDir(t)));
  const clock = { now };
  const asked: string[] = [];
  let polls = 0;
  const names = (): Promise<readonly string[]> => {
    polls += 1;
    return folder.names();
  };
  const lines: Readonly<Record<string, unknown>>[] = [];
  const renewer = new Renewer({
    folder: { ...folder, names },
    obtain(name) {
      asked.push(name);
      return obtain();
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

test("requests no certificate before begin()", async (t) => {
  const dataDir = await tempDir(t);
  await certificateFolder(dataDir).request(NAME);
  const { renewer, asked } = await openTested(t, { dataDir });
  assert.deepEqual(asked, []);
  renewer.begin(POLL_MS);
  await eventually(() => (asked.length === 1 ? true : undefined));
});

test("loads stored certificates before begin()", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const { renewer } = await openTested(t, { dataDir });
  assert.deepEqual(
    renewer.source.current.map(({ fingerprint }) => fingerprint),
    [certificate().fingerprint],
  );
});

test("does not renew a certificate in the first two thirds of its lifetime", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const opened = await openTested(t, { dataDir });
  opened.renewer.begin(POLL_MS);
  await afterAnotherPoll(opened);
  assert.ok(!opened.asked.includes(NAME));
});

test("renews a certificate at two thirds of its lifetime", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const opened = await openTested(t, { dataDir, now: Date.parse("2087-01-01T00:00:00Z") });
  opened.renewer.begin(POLL_MS);
  await eventually(() => (opened.asked.includes(NAME) ? true : undefined));
});

test("waits a minute after a failure, then tries again", async (t) => {
  const fail = async (): Promise<Certificate> => {
    throw new Error("no luck");
  };
  // The request has the machine's real time; the attempt comes after it.
  const opened = await openTested(t, { obtain: fail, now: Date.now() + 1_000 });
  await opened.folder.request(NAME);
  opened.renewer.begin(POLL_MS);
  const failed = await eventually(() => opened.folder.progress(NAME));
  assert.deepEqual(
    [failed.failures, failed.cause, failed.nextAt - failed.lastAt],
    [1, "no luck", 60_000],
  );
  await afterAnotherPoll(opened);
  assert.deepEqual(opened.asked, [NAME]);
  opened.clock.now = failed.nextAt;
  await eventually(() => opened.asked.length > 1 || undefined);
});

test("waits as long as the authority asks", async (t) => {
  const limited = async (): Promise<Certificate> => {
    throw new AcmeProblem("rateLimited", "come back later", 3_600_000);
  };
  const { renewer, folder } = await openTested(t, { obtain: limited });
  await folder.request(NAME);
  renewer.begin(POLL_MS);
  const { lastAt, nextAt } = await eventually(() => folder.progress(NAME));
  assert.equal(nextAt - lastAt, 3_600_000);
});

test("logs an unusable stored certificate once, and replaces it", async (t) => {
  const dataDir = await tempDir(t);
  const place = join(dataDir, "certificates", NAME);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "wanted"), "");
  await writeFile(join(place, "certificate.pem"), "half a certificate");
  const opened = await openTested(t, { dataDir });
  opened.renewer.begin(POLL_MS);
  await eventually(() => (opened.renewer.source.current.length === 1 ? true : undefined));
  await afterAnotherPoll(opened);
  const warnings = opened.lines.filter(
    ({ msg }) => msg === "the stored certificate cannot be used",
  );
  assert.equal(warnings.length, 1);
});

test("logs an unreadable folder once, not every second", async (t) => {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, "certificates", NAME), { recursive: true });
  const opened = await openTested(t, { dataDir });
  await mkdir(join(dataDir, "certificates", NAME, "progress.json"));
  await writeFile(join(dataDir, "certificates", NAME, "wanted"), "");
  opened.renewer.begin(POLL_MS);
  const trouble = () =>
    opened.lines.filter(({ msg }) => msg === "the certificate folder cannot be read or written");
  await eventually(() => (trouble().length > 0 ? true : undefined));
  await afterAnotherPoll(opened);
  assert.equal(trouble().length, 1);
  assert.match(String(trouble()[0]?.reason), /EISDIR/);
});

test("a slow attempt for one name does not delay other names", async (t) => {
  let asked = 0;
  const stuck = (): Promise<Certificate> => {
    asked += 1;
    return asked === 1 ? new Promise(() => {}) : Promise.resolve(certificate());
  };
  const folder = certificateFolder(await tempDir(t));
  await folder.request("a.example.org");
  await folder.request(NAME);
  const renewer = new Renewer({
    folder,
    obtain: (_name, stop) =>
      Promise.race([
        stuck(),
        new Promise<never>((_, reject) => {
          stop.addEventListener("abort", () => reject(stop.reason));
        }),
      ]),
    now: () => NOW,
    log: createServerLog("error", { write: () => {} }),
  });
  await renewer.loadNames();
  t.after(() => renewer.stop());
  renewer.begin(POLL_MS);
  await eventually(() => (renewer.source.current.length === 1 ? true : undefined));
});

test("does not retry every second when the result of an attempt cannot be stored", async (t) => {
  const dataDir = await tempDir(t);
  const fail = async (): Promise<Certificate> => {
    // A folder where the file would be written.
    await mkdir(join(dataDir, "certificates", NAME, "progress.json"), { recursive: true });
    throw new Error("no luck");
  };
  const opened = await openTested(t, { dataDir, obtain: fail, now: Date.now() + 1_000 });
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
