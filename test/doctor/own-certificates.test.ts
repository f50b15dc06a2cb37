import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkOwnCertificates } from "../../src/doctor/certificates.ts";
import { CertificateFolder } from "../../src/gate/https/certificate-folder.ts";
import { makeCertificate } from "../support/certificates.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";

const NAME = "localhost";

async function folderWanting(t: TestContext, ...names: readonly string[]) {
  const DATA_DIR = join(await tempDir(t), "data");
  const folder = new CertificateFolder(DATA_DIR);
  for (const name of names) await folder.request(name);
  return { env: { HTTPS_PORT: "3443", DATA_DIR }, folder };
}

const failed = (cause: string) => ({ failures: 1, lastAt: 1, nextAt: 2, cause });

test("gives a hint for HTTPS without a domain, and none without HTTPS_PORT", async (t) => {
  const { env } = await folderWanting(t);
  await assertCheck(checkOwnCertificates, { env }, ["hint", /no domain has been added/]);
  await assertCheck(checkOwnCertificates, { env: { DATA_DIR: env.DATA_DIR } });
});

test("hints at a missing certificate, and reports a failure with its reason", async (t) => {
  const { env, folder } = await folderWanting(t, NAME);
  await assertCheck(checkOwnCertificates, { env }, ["hint", /no certificate for lo/]);
  await folder.write(NAME, "progress.json", failed("port 80 is closed"));
  const none = /no certificate for localhost yet: port 80 is closed$/;
  await assertCheck(checkOwnCertificates, { env }, ["problem", none, /port 80/]);
});

test("reports a stored certificate with its last day, also shortly before and after", async (t) => {
  const { env, folder } = await folderWanting(t, NAME);
  const { key, cert } = makeCertificate({ names: [NAME], until: new Date("2119-12-24") });
  await folder.write(NAME, "certificate.pem", `${key}${cert}`);
  const on = (day: number) => ({ env, now: Date.UTC(2119, 11, day) });
  const valid = ["ok", /for localhost is valid until 2119-12-24$/] as const;
  await assertCheck(checkOwnCertificates, on(1), valid);
  const soon = ["hint", /expires on 2119-12-24/, /renews them/] as const;
  await assertCheck(checkOwnCertificates, on(20), soon);
  await folder.write(NAME, "progress.json", failed("the authority is busy"));
  const busy = ["hint", /failed: the authority is busy$/] as const;
  await assertCheck(checkOwnCertificates, on(1), busy);
  await assertCheck(checkOwnCertificates, on(30), ["problem", /expired on 2119-12-24$/], busy);
});

test("reports a stored certificate that cannot be used", async (t) => {
  const { env, folder } = await folderWanting(t, NAME);
  await folder.write(NAME, "certificate.pem", "nothing");
  const unusable = /no certificate for localhost yet: the certificate cannot be used/;
  await assertCheck(checkOwnCertificates, { env }, ["problem", unusable]);
});
