import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { whereInstalled } from "../proxies/program.ts";
import { listenOn } from "../support/listen.ts";
import { tempDir } from "../support/temp-dir.ts";
import { startTarget } from "./target.ts";
import { runTool } from "./tool.ts";

const run = promisify(execFile);

const EC = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];

/** URLs where a real authority would publish revoked certificates. They are never requested. */
const EXTENSIONS = `subjectAltName=DNS:localhost
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
crlDistributionPoints=URI:http://127.0.0.1:9/authority.crl
authorityInfoAccess=OCSP;URI:http://127.0.0.1:9/
`;

/** A certificate for localhost like those of public authorities, and its authority. */
async function issueIn(folder: string, openssl: string) {
  const at = (name: string): string => join(folder, name);
  const [caFile, certFile, keyFile] = [at("ca.pem"), at("cert.pem"), at("key.pem")];
  await writeFile(at("extensions"), EXTENSIONS);
  await run(openssl, [
    ...["req", "-x509", ...EC, "-days", "365", "-subj", "/CN=Authority of a test"],
    ...["-keyout", at("ca.key"), "-out", caFile],
    ...["-addext", "keyUsage=critical,keyCertSign,cRLSign"],
  ]);
  const request = at("request.pem");
  const asked = ["-subj", "/CN=localhost", "-keyout", keyFile, "-out", request];
  await run(openssl, ["req", ...EC, ...asked]);
  await run(openssl, [
    ...["x509", "-req", "-in", request, "-days", "90", "-extfile", at("extensions")],
    ...["-CA", caFile, "-CAkey", at("ca.key"), "-CAcreateserial", "-out", certFile],
  ]);
  return { caFile, certFile, keyFile };
}

interface Finding {
  readonly id: string;
  readonly severity: string;
  readonly finding: string;
}

/** Severities without consequence. */
const HARMLESS = new Set(["OK", "INFO", "LOW"]);

/** Warnings that are not faults, with the reason. */
const ACCEPTED = new Map([
  ["engine_problem", "is about the openssl of this machine, not about the gate"],
  ["RC4", "current openssl has no RC4 to test; other checks reject each of its ciphers"],
  ["sessionresumption_ticket", "openssl's client ends before the ticket of TLS 1.3 arrives"],
]);

/** Findings that must be present, so that the checks have run. */
const SOUND: readonly (readonly [finding: RegExp, ids: readonly string[]])[] = [
  [/not offered/, ["SSLv2", "SSLv3", "TLS1", "TLS1_1", "cipherlist_NULL", "cipherlist_aNULL"]],
  [/not offered/, ["cipherlist_EXPORT", "cipherlist_3DES_IDEA", "cipherlist_AVERAGE"]],
  [/^offered/, ["TLS1_2", "TLS1_3", "cipherlist_STRONG", "PFS"]],
  [/^passed/, ["cert_chain_of_trust"]],
  [/^365 days/, ["HSTS_time"]],
  [/^not vulnerable/, ["heartbleed", "ROBOT", "secure_client_renego", "BREACH"]],
  [/^not vulnerable/, ["SWEET32", "LUCKY13", "BEAST"]],
];

const PROTOCOLS_AND_CIPHERS = ["-p", "-s"];
/** All checks except the simulation of old clients and the single ciphers. */
const EVERYTHING = [...PROTOCOLS_AND_CIPHERS, "-f", "-P", "-S", "-h", "-U", "--fast"];

whereInstalled("testssl", (program) => {
  whereInstalled("openssl", (openssl) => {
    async function look(
      t: TestContext,
      url: string,
      { caFile }: { readonly caFile: string },
      checks: readonly string[],
    ): Promise<readonly Finding[]> {
      const folder = await tempDir(t);
      const report = join(folder, "report.json");
      const args = [
        ...[...checks, "--warnings", "off", "--color", "0", "--quiet"],
        ...["--nodns", "none", "--ip", "127.0.0.1", "--openssl", openssl],
        ...["--add-ca", caFile, "--jsonfile", report, url],
      ];
      const { output } = await runTool(t, program, args, { folder, withinMs: 280_000 });
      assert.match(output, /Done /);
      return JSON.parse(await readFile(report, "utf8"));
    }

    test("testssl finds nothing wrong with the gate's HTTPS", async (t) => {
      const issued = await issueIn(await tempDir(t), openssl);
      const { httpsUrl } = await startTarget(t, {
        HTTPS_PORT: "0",
        TLS_CERT_FILE: issued.certFile,
        TLS_KEY_FILE: issued.keyFile,
      });
      const url = `https://localhost:${new URL(httpsUrl).port}/login`;
      const findings = await look(t, url, issued, EVERYTHING);
      const faults = findings.filter(
        ({ id, severity }) => !HARMLESS.has(severity) && !ACCEPTED.has(id),
      );
      assert.deepEqual(faults, []);
      for (const [finding, ids] of SOUND) {
        for (const wanted of ids) {
          assert.match(findings.find(({ id }) => id === wanted)?.finding ?? "", finding, wanted);
        }
      }
    });

    test("testssl finds the old protocols and ciphers of a server that has them", async (t) => {
      const issued = await issueIn(await tempDir(t), openssl);
      const server = createServer({
        cert: await readFile(issued.certFile),
        key: await readFile(issued.keyFile),
        minVersion: "TLSv1",
        maxVersion: "TLSv1.2",
        ciphers: "ALL:eNULL:@SECLEVEL=0",
      });
      const port = await listenOn(t, server);
      const url = `https://localhost:${port}/`;
      const findings = await look(t, url, issued, PROTOCOLS_AND_CIPHERS);
      const bad = findings.filter(({ severity }) => !HARMLESS.has(severity)).map(({ id }) => id);
      for (const id of ["cipherlist_NULL", "cipherlist_aNULL"]) assert.ok(bad.includes(id), id);
      const old = findings.find(({ id }) => id === "TLS1");
      assert.match(old?.finding ?? "", /^offered/);
    });
  });
});
