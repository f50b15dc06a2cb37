import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

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

export interface Issued {
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** A certificate for localhost like those of public authorities, and its authority. */
export async function issueIn(folder: string, openssl: string): Promise<Issued> {
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
