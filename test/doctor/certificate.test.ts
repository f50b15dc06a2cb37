import { createServer } from "node:https";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { checkCertificate, checkCertificateFiles } from "../../src/doctor/certificates.ts";
import { makeCertificate, writeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { assertCheck } from "./installation.ts";

const of = { names: ["localhost"], until: new Date("2119-12-24T08:45:02Z") };
const ROOT = makeCertificate({ kind: "authority" });
const INTERMEDIATE = makeCertificate({ kind: "authority", issuer: ROOT });
const LEAF = makeCertificate({ ...of, issuer: INTERMEDIATE });
const SELF_SIGNED = makeCertificate(of);

setDefaultCACertificates([...getCACertificates("default"), ROOT.cert]);

const WHOLE = { cert: `${LEAF.cert}${INTERMEDIATE.cert}`, key: LEAF.key };

const portShowing = (t: TestContext, pair: Pick<typeof LEAF, "cert" | "key">): Promise<number> =>
  listenOn(t, createServer(pair));

for (const [days, kind, about] of [
  [14, "ok", /^the certificate at \S+ is trusted and valid until 2119-12-24$/],
  [13.9, "hint", /expires on 2119-12-24$/],
  [-1, "problem", /expired on 2119-12-24$/],
] as const) {
  test(`reports ${kind} for a certificate ${days} days before it expires`, async (t) => {
    const url = `https://localhost:${await portShowing(t, WHOLE)}`;
    const now = Date.parse("2119-12-24T08:45:02Z") - days * 86_400_000;
    await assertCheck(checkCertificate, { url, now }, [kind, about, /renew/]);
  });
}

for (const [what, host, pair, about, remedy] of [
  [
    "for another name",
    "127.0.0.1",
    WHOLE,
    /is not trusted: ERR_TLS_CERT_ALTNAME_INVALID$/,
    /for this name/,
  ],
  [
    "without its intermediate",
    "localhost",
    LEAF,
    /UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    /fullchain\.pem/,
  ],
  [
    "that is self-signed",
    "localhost",
    SELF_SIGNED,
    /is not trusted: DEPTH_ZERO_SELF_SIGNED_CERT$/,
    /NODE_EXTRA_CA_CERTS/,
  ],
] as const) {
  test(`reports a certificate ${what}`, async (t) => {
    const url = `https://${host}:${await portShowing(t, pair)}`;
    await assertCheck(checkCertificate, { url }, ["problem", about, remedy]);
  });
}

test("reports nothing without TLS, or if nothing answers", async () => {
  await assertCheck(checkCertificate, {});
  await assertCheck(checkCertificate, { url: "http://127.0.0.1:1" });
  await assertCheck(checkCertificate, { url: `https://127.0.0.1:${await freePort()}` });
});

async function filesWith(t: TestContext, { cert, key }: Pick<typeof LEAF, "cert" | "key">) {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), { cert, key });
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

test("reports ok for certificate and key files, and a hint before they expire", async (t) => {
  const env = await filesWith(t, WHOLE);
  const fine = ["ok", /match, for localhost until 2119-12-24$/] as const;
  await assertCheck(checkCertificateFiles, { env }, fine);
  await assertCheck(checkCertificateFiles, { env, now: Date.UTC(2119, 11, 20) }, [
    "hint",
    /certificate of TLS_CERT_FILE expires on 2119-12-24/,
    /loads the new ones automatically/,
  ]);
  await assertCheck(checkCertificateFiles, {});
});

test("reports a key of another certificate", async (t) => {
  const env = await filesWith(t, { ...SELF_SIGNED, cert: LEAF.cert });
  const other = /belongs to another certificate/;
  await assertCheck(checkCertificateFiles, { env }, ["problem", other, /privkey\.pem/]);
});
