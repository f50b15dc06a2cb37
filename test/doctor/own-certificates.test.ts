import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { checkOwnCertificates } from "../../src/doctor/certificates.ts";
import { certificateFolder } from "../../src/gate/https/certificate-folder.ts";
import { tempDir } from "../support/temp-dir.ts";
import { LEAF } from "./certificates.ts";
import { assertFound, findings } from "./installation.ts";

const NAME = "localhost";
const HTTPS = { HTTPS_PORT: "3443" };

async function folderWanting(t: TestContext, ...names: readonly string[]) {
  const DATA_DIR = join(await tempDir(t), "data");
  const folder = certificateFolder(DATA_DIR);
  for (const name of names) await folder.request(name);
  return { env: { ...HTTPS, DATA_DIR }, folder };
}

const failed = (cause: string) => ({ failures: 1, lastAt: 1, nextAt: 2, cause });

test("reports nothing without HTTPS_PORT, because the gate obtains no certificates", async (t) => {
  const { env } = await folderWanting(t, NAME);
  const { HTTPS_PORT: _, ...without } = env;
  assertFound(await findings(checkOwnCertificates, { env: without }));
});

test("gives a hint for HTTPS without a domain", async (t) => {
  const { env } = await folderWanting(t);
  assertFound(await findings(checkOwnCertificates, { env }), ["hint", /no domain has been added/]);
});

test("gives a hint for a missing certificate, and a problem with the reason after a failure", async (t) => {
  const { env, folder } = await folderWanting(t, NAME);
  assertFound(await findings(checkOwnCertificates, { env }), ["hint", /no certificate for lo/]);
  await folder.writeProgress(NAME, failed("port 80 is closed"));
  assertFound(await findings(checkOwnCertificates, { env }), [
    "problem",
    /no certificate for localhost yet; .* failed: port 80 is closed$/,
    /port 80/,
  ]);
});

test("reports a stored certificate with its last day, also shortly before and after", async (t) => {
  const { env, folder } = await folderWanting(t, NAME);
  await folder.writeCertificate(NAME, `${LEAF.key}${LEAF.cert}`);
  const on = (day: number) => findings(checkOwnCertificates, { env, now: Date.UTC(2119, 11, day) });
  assertFound(await on(1), ["ok", /for localhost is valid until 2119-12-24$/]);
  assertFound(await on(20), ["hint", /expires on 2119-12-24/, /automatic renewal/]);
  assertFound(await on(30), ["problem", /expired on 2119-12-24$/]);

  await folder.writeProgress(NAME, failed("the authority is busy"));
  assertFound(await on(1), ["hint", /failed: the authority is busy$/]);
  assertFound(await on(30), ["problem", /expired on/], ["hint", /is busy$/]);
});

test("reports a stored certificate that cannot be used", async (t) => {
  const { env, folder } = await folderWanting(t, "home.example.org", NAME);
  await folder.writeCertificate("home.example.org", `${LEAF.key}${LEAF.cert}`);
  await folder.writeCertificate(NAME, "nothing");
  assertFound(
    await findings(checkOwnCertificates, { env }),
    ["problem", /for home\.example\.org cannot be used: the certificate is not for home/],
    ["problem", /for localhost cannot be used: the certificate cannot be used/],
  );
});
