import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { pino } from "pino";
import { AcmeProblem } from "../../../src/gate/https/acme/problem.ts";
import { type Certificate, readCertificate } from "../../../src/gate/https/certificate.ts";
import { certificateFolder } from "../../../src/gate/https/certificate-folder.ts";
import { openRenewer } from "../../../src/gate/https/certificate-renewer.ts";
import { eventually } from "../../support/eventually.ts";
import { SERVER_CERTIFICATE, SERVER_KEY } from "../../support/fixed-certificates.ts";
import { tempDir } from "../../support/temp-dir.ts";

const NAME = "localhost";
const PEM = `${SERVER_KEY}${SERVER_CERTIFICATE}`;
const certificate = (): Certificate => readCertificate(PEM, PEM);
/** Long before two thirds of the fixed certificate's life are over. */
const NOW = Date.parse("2026-01-01T00:00:00Z");

async function openTested(
  t: TestContext,
  { now = NOW, obtain = async () => certificate(), dataDir = "" } = {},
) {
  const folder = certificateFolder(dataDir || (await tempDir(t)));
  const clock = { now };
  const asked: string[] = [];
  let looks = 0;
  const names = (): Promise<readonly string[]> => {
    looks += 1;
    return folder.names();
  };
  const lines: Readonly<Record<string, unknown>>[] = [];
  const renewer = await openRenewer({
    folder: { ...folder, names },
    obtain(name) {
      asked.push(name);
      return obtain();
    },
    now: () => clock.now,
    log: pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line)) }),
  });
  t.after(() => renewer.stop());
  return { renewer, folder, clock, asked, lines, looks: () => looks };
}

/** By the end of the second look from now, one has begun and ended. */
async function afterAnotherLook({ looks }: Awaited<ReturnType<typeof openTested>>) {
  const before = looks();
  await eventually(() => (looks() >= before + 2 ? true : undefined));
}

test("nobody is asked before the gate says that it answers", async (t) => {
  const dataDir = await tempDir(t);
  await certificateFolder(dataDir).request(NAME);
  const { renewer, asked } = await openTested(t, { dataDir });
  assert.deepEqual(asked, []);
  renewer.begin();
  await eventually(() => (asked.length === 1 ? true : undefined));
});

test("what is kept is there before the gate answers", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const { renewer } = await openTested(t, { dataDir });
  assert.deepEqual(
    renewer.current().map(({ fingerprint }) => fingerprint),
    [certificate().fingerprint],
  );
});

test("a certificate in the first two thirds of its life is left alone", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const opened = await openTested(t, { dataDir });
  opened.renewer.begin();
  await afterAnotherLook(opened);
  assert.ok(!opened.asked.includes(NAME));
});

test("at two thirds of its life, a certificate is renewed", async (t) => {
  const dataDir = await tempDir(t);
  const folder = certificateFolder(dataDir);
  await folder.request(NAME);
  await folder.writeCertificate(NAME, PEM);
  const opened = await openTested(t, { dataDir, now: Date.parse("2087-01-01T00:00:00Z") });
  opened.renewer.begin();
  await eventually(() => (opened.asked.includes(NAME) ? true : undefined));
});

test("after a failure the authority is left alone for a minute, and then asked again", async (t) => {
  const fail = async (): Promise<Certificate> => {
    throw new Error("no luck");
  };
  const opened = await openTested(t, { obtain: fail });
  await opened.folder.request(NAME);
  opened.renewer.begin();
  const failed = await eventually(() => opened.folder.progress(NAME));
  assert.deepEqual(
    [failed.failures, failed.cause, failed.nextAt - failed.lastAt],
    [1, "no luck", 60_000],
  );
  // The wish was written with the machine's own time, which is later than this test's.
  opened.clock.now = Date.now() + 86_400_000;
  const second = await eventually(async () => {
    const progress = await opened.folder.progress(NAME);
    return progress?.failures === 2 ? progress : undefined;
  });
  const asked = opened.asked.length;
  await afterAnotherLook(opened);
  assert.equal(opened.asked.filter((name) => name === NAME).length, asked);
  opened.clock.now = second.nextAt;
  await eventually(() =>
    opened.asked.filter((name) => name === NAME).length > 2 ? true : undefined,
  );
});

test("an authority that asks for more time gets it", async (t) => {
  const limited = async (): Promise<Certificate> => {
    throw new AcmeProblem("rateLimited", "come back later", 3_600_000);
  };
  const { renewer, folder } = await openTested(t, { obtain: limited });
  await folder.request(NAME);
  renewer.begin();
  const { lastAt, nextAt } = await eventually(() => folder.progress(NAME));
  assert.equal(nextAt - lastAt, 3_600_000);
});

test("a kept certificate that is of no use is told of once, and replaced", async (t) => {
  const dataDir = await tempDir(t);
  const place = join(dataDir, "certificates", NAME);
  await mkdir(place, { recursive: true });
  await writeFile(join(place, "wanted"), "");
  await writeFile(join(place, "certificate.pem"), "half a certificate");
  const opened = await openTested(t, { dataDir });
  opened.renewer.begin();
  await eventually(() => (opened.renewer.current().length === 1 ? true : undefined));
  await afterAnotherLook(opened);
  const told = opened.lines.filter(({ msg }) => msg === "the stored certificate cannot be used");
  assert.equal(told.length, 1);
});

test("a folder that cannot be read is told of once, not every second", async (t) => {
  const dataDir = await tempDir(t);
  await mkdir(join(dataDir, "certificates", NAME), { recursive: true });
  const opened = await openTested(t, { dataDir });
  await mkdir(join(dataDir, "certificates", NAME, "progress.json"));
  await writeFile(join(dataDir, "certificates", NAME, "wanted"), "");
  opened.renewer.begin();
  const trouble = () =>
    opened.lines.filter(({ msg }) => msg === "the certificate folder cannot be read or written");
  await eventually(() => (trouble().length > 0 ? true : undefined));
  await afterAnotherLook(opened);
  assert.equal(trouble().length, 1);
  assert.match(String(trouble()[0]?.reason), /EISDIR/);
});

test("one name that takes long keeps no other waiting", async (t) => {
  let asked = 0;
  const stuck = (): Promise<Certificate> => {
    asked += 1;
    return asked === 1 ? new Promise(() => {}) : Promise.resolve(certificate());
  };
  const folder = certificateFolder(await tempDir(t));
  await folder.request("a.example.org");
  await folder.request(NAME);
  const renewer = await openRenewer({
    folder,
    obtain: (_name, stop) =>
      Promise.race([
        stuck(),
        new Promise<never>((_, reject) => {
          stop.addEventListener("abort", () => reject(stop.reason));
        }),
      ]),
    now: () => NOW,
    log: pino({ enabled: false }),
  });
  t.after(() => renewer.stop());
  renewer.begin();
  await eventually(() => (renewer.current().length === 1 ? true : undefined));
});

test("an attempt whose ending cannot be written down is not made again every second", async (t) => {
  const dataDir = await tempDir(t);
  const fail = async (): Promise<Certificate> => {
    // In the way of the file that is to be written.
    await mkdir(join(dataDir, "certificates", NAME, "progress.json"), { recursive: true });
    throw new Error("no luck");
  };
  const opened = await openTested(t, { dataDir, obtain: fail, now: Date.now() + 1_000 });
  await opened.folder.request(NAME);
  opened.renewer.begin();
  await eventually(() => (opened.asked.length === 1 ? true : undefined));
  await afterAnotherLook(opened);
  assert.deepEqual(opened.asked, [NAME]);
  const trouble = opened.lines.find(({ msg }) => String(msg).endsWith("be read or written"));
  assert.match(String(trouble?.reason), /EISDIR/);
});
