import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { isIP } from "node:net";
import { join } from "node:path";

export interface WantedCertificate {
  /** Host names, wildcards and IP addresses; IPv6 in full. */
  readonly names?: readonly string[];
  readonly from?: Date;
  readonly until?: Date;
  /** The issuer; self-signed by default. */
  readonly issuer?: MadeCertificate;
  readonly kind?: "server" | "authority";
}

export interface MadeCertificate {
  readonly cert: string;
  readonly key: string;
  readonly subject: string;
}

const ECDSA_WITH_SHA256 = "2a8648ce3d040302";
const COMMON_NAME = "550403";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";

/** Creates a certificate with its own P-256 key. */
export function makeCertificate(wanted: WantedCertificate = {}): MadeCertificate {
  const { names = [], kind = "server" } = wanted;
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const subject = `${names[0] ?? kind} ${randomBytes(4).toString("hex")}`;
  const algorithm = sequence(identifier(ECDSA_WITH_SHA256));
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1]), randomBytes(8)),
    algorithm,
    nameOf(wanted.issuer?.subject ?? subject),
    sequence(
      timeOf(wanted.from ?? new Date("2020-01-01")),
      timeOf(wanted.until ?? new Date("2120-01-01")),
    ),
    nameOf(subject),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(...extensions(names, kind))),
  );
  const signature = sign("sha256", signed, wanted.issuer?.key ?? key);
  const whole = sequence(signed, algorithm, der(0x03, Buffer.from([0]), signature));
  return { cert: pemOf(whole), key, subject };
}

/** Writes a certificate and its key into separate files of a folder. */
export async function writeCertificate(
  dir: string,
  { cert, key }: Pick<MadeCertificate, "cert" | "key">,
): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const files = { certFile: join(dir, "cert.pem"), keyFile: join(dir, "key.pem") };
  await writeFile(files.certFile, cert);
  await writeFile(files.keyFile, key);
  return files;
}

function extensions(names: readonly string[], kind: "server" | "authority"): readonly Buffer[] {
  const altNames = names.map((name) =>
    isIP(name) === 0 ? der(0x82, Buffer.from(name, "ascii")) : der(0x87, bytesOf(name)),
  );
  return [
    ...(names.length === 0 ? [] : [extension(SUBJECT_ALTERNATIVE_NAME, sequence(...altNames))]),
    ...(kind === "server"
      ? []
      : [extension(BASIC_CONSTRAINTS, sequence(der(0x01, Buffer.from([0xff]))))]),
  ];
}

const bytesOf = (address: string): Buffer =>
  address.includes(":")
    ? Buffer.from(
        address.replace(/\w+:?/g, (group) => group.replace(":", "").padStart(4, "0")),
        "hex",
      )
    : Buffer.from(address.split(".").map(Number));

const extension = (id: string, value: Buffer): Buffer => sequence(identifier(id), der(0x04, value));

const nameOf = (text: string): Buffer =>
  sequence(der(0x31, sequence(identifier(COMMON_NAME), der(0x0c, Buffer.from(text, "utf8")))));

/** Dates before 2050 have their own encoding. */
function timeOf(date: Date): Buffer {
  const text = `${date.toISOString().slice(0, 19).replace(/\D/g, "")}Z`;
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(text.slice(2)))
    : der(0x18, Buffer.from(text));
}

const sequence = (...parts: readonly Buffer[]): Buffer => der(0x30, ...parts);
const identifier = (hex: string): Buffer => der(0x06, Buffer.from(hex, "hex"));

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const size = content.length;
  const length =
    size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function pemOf(whole: Buffer): string {
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}

const AUTHORITY = makeCertificate({ kind: "authority" });
const LOCALHOST = makeCertificate({ names: ["localhost"], issuer: AUTHORITY });

export const CA_CERTIFICATE: string = AUTHORITY.cert;
/** For `localhost`, signed by that authority. */
export const SERVER_CERTIFICATE: string = LOCALHOST.cert;
export const SERVER_KEY: string = LOCALHOST.key;
