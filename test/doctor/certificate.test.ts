import { createServer } from "node:https";
import { type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { checkCertificate, checkCertificateFiles } from "../../src/doctor/certificates.ts";
import { writeCertificate } from "../support/certificates.ts";
import { freePort } from "../support/free-port.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { INTERMEDIATE, LEAF, ROOT, SELF_SIGNED } from "./certificates.ts";
import { assertFound, findings } from "./installation.ts";

setDefaultCACertificates([...getCACertificates("default"), ROOT]);

const WHOLE = { cert: `${LEAF.cert}${INTERMEDIATE}`, key: LEAF.key };

const portShowing = (t: TestContext, pair: Pick<typeof LEAF, "cert" | "key">): Promise<number> =>
  listenOn(t, createServer(pair));

test("reports ok for a certificate with its whole chain and this name", async (t) => {
  const url = `https://localhost:${await portShowing(t, WHOLE)}`;
  assertFound(await findings(checkCertificate, { url }), [
    "ok",
    new RegExp(`^the certificate at ${url} is trusted and valid until 2119-12-24$`),
  ]);
});

for (const [days, kind, about] of [
  [20, "ok", /is trusted/],
  [10, "hint", /expires on 2119-12-24, in 10 days$/],
  [1.5, "hint", /expires on 2119-12-24, in 1 day$/],
  [0.2, "hint", /expires on 2119-12-24, within a day$/],
  [-1, "problem", /expired on 2119-12-24$/],
] as const) {
  test(`reports ${kind} for a certificate ${days} days before it expires`, async (t) => {
    const url = `https://localhost:${await portShowing(t, WHOLE)}`;
    const now = Date.UTC(2119, 11, 24, 8) - days * 86_400_000;
    assertFound(await findings(checkCertificate, { url, now }), [kind, about, /renew/]);
  });
}

test("reports a certificate for another name, with its names", async (t) => {
  const url = `https://127.0.0.1:${await portShowing(t, WHOLE)}`;
  assertFound(await findings(checkCertificate, { url }), [
    "problem",
    /is not for 127\.0\.0\.1, but for DNS:localhost$/,
  ]);
});

test("reports a certificate without its intermediate", async (t) => {
  const url = `https://localhost:${await portShowing(t, LEAF)}`;
  assertFound(await findings(checkCertificate, { url }), [
    "problem",
    /comes without the intermediate certificates/,
    /fullchain\.pem/,
  ]);
});

test("reports a self-signed certificate", async (t) => {
  const url = `https://localhost:${await portShowing(t, SELF_SIGNED)}`;
  assertFound(await findings(checkCertificate, { url }), [
    "problem",
    /is not from an authority that browsers trust: DEPTH_ZERO_SELF_SIGNED_CERT$/,
    /NODE_EXTRA_CA_CERTS/,
  ]);
});

test("reports nothing without TLS, or if nothing answers", async () => {
  assertFound(await findings(checkCertificate, {}));
  assertFound(await findings(checkCertificate, { url: "http://127.0.0.1:1" }));
  assertFound(await findings(checkCertificate, { url: `https://127.0.0.1:${await freePort()}` }));
});

async function filesWith(t: TestContext, { cert, key }: Pick<typeof LEAF, "cert" | "key">) {
  const { certFile, keyFile } = await writeCertificate(await tempDir(t), { cert, key });
  return { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile };
}

test("reports ok for certificate and key files", async (t) => {
  const env = await filesWith(t, WHOLE);
  assertFound(await findings(checkCertificateFiles, { env }), [
    "ok",
    /match, for localhost until 2119-12-24$/,
  ]);
  assertFound(await findings(checkCertificateFiles, {}));
});

test("gives a hint for a certificate that expires soon", async (t) => {
  const env = await filesWith(t, WHOLE);
  const now = Date.UTC(2119, 11, 20);
  assertFound(await findings(checkCertificateFiles, { env, now }), [
    "hint",
    /certificate of TLS_CERT_FILE expires on 2119-12-24/,
    /loads the new ones automatically/,
  ]);
});

for (const [name, pair, about] of [
  ["of another certificate", { ...SELF_SIGNED, cert: LEAF.cert }, /belongs to another certificate/],
  ["that is invalid", { ...LEAF, key: "no key" }, /the key cannot be used/],
  [
    "without a valid certificate",
    { ...LEAF, cert: "no certificate" },
    /the certificate cannot be used/,
  ],
] as const) {
  test(`reports a key ${name}`, async (t) => {
    const env = await filesWith(t, pair);
    assertFound(await findings(checkCertificateFiles, { env }), ["problem", about, /privkey\.pem/]);
  });
}
