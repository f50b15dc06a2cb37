import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../files/data-dir.ts";
import { unlessMissing } from "../../files/file-error.ts";
import { followOwnLinks } from "../../files/ownership.ts";
import { replaceText } from "../../files/replace-file.ts";
import type { PlacedOrder } from "./acme/order.ts";
import type { Attempts } from "./renewal.ts";

/** The result of the last attempt for a name. */
export interface Progress extends Attempts {
  /** Why it failed; `undefined` after a success. */
  readonly cause: string | undefined;
}

interface StoredOrder extends PlacedOrder {
  /** The directory URL of the authority. */
  readonly authority: string;
}

/**
 * Stores certificates and their state in `DATA_DIR/certificates`: a folder for each requested name.
 * Files are written atomically, with mode 0600.
 */
export interface CertificateFolder {
  names(): Promise<readonly string[]>;
  /** Requests a certificate. For a known name, records a new request. */
  request(name: string): Promise<void>;
  /** Returns whether the name was there. */
  remove(name: string): Promise<boolean>;
  /** The time of the last request, in milliseconds since 1970. */
  requestedAt(name: string): Promise<number>;
  /** A file with other fields counts as missing. */
  progress(name: string): Promise<Progress | undefined>;
  /** Like all writes, fails for a name that was removed in the meantime. */
  writeProgress(name: string, progress: Progress): Promise<void>;
  /** The key and its chain, in one file, so that neither exists without the other. */
  certificate(name: string): Promise<string | undefined>;
  writeCertificate(name: string, pem: string): Promise<void>;
  /** Stored so that a crash does not lose the key: the certificate is useless without it. */
  order(name: string): Promise<StoredOrder | undefined>;
  writeOrder(order: StoredOrder): Promise<void>;
  removeOrder(name: string): Promise<void>;
  /** The key of the account at an authority, created with `make` if it is missing. */
  accountKey(authority: string, make: () => string): Promise<string>;
}

const WANTED = "wanted";
const PROGRESS = "progress.json";
const CERTIFICATE = "certificate.pem";
const ORDER = "order.json";

export function certificateFolder(dataDir: string): CertificateFolder {
  const root = join(dataDir, "certificates");
  /** Commands may run as root, which must not follow a link of the data folder's owner. */
  const trustedRoot = (): string => (existsSync(dataDir) ? followOwnLinks(root) : root);
  const at = (name: string, file: string): string => join(root, name, file);
  const isWanted = async (name: string): Promise<boolean> =>
    (await unlessMissing(stat(at(name, WANTED)))) !== undefined;
  /** Concurrent requests for two names share one account. */
  const accountKeys = new Map<string, Promise<string>>();

  async function keyFor(authority: string, make: () => string): Promise<string> {
    const file = join(root, `account-${new URL(authority).host.replaceAll(":", "-")}.pem`);
    const stored = await text(file);
    if (stored !== undefined) return stored;
    const made = make();
    await makeFolder(root);
    await replaceText(file, made);
    return made;
  }

  return {
    async names() {
      const found = (await unlessMissing(readdir(root))) ?? [];
      const wanted = await Promise.all(found.map(isWanted));
      return found.filter((_, at) => wanted[at]).sort();
    },
    async request(name) {
      await makeFolder(trustedRoot());
      const folder = followOwnLinks(join(trustedRoot(), name));
      await makeFolder(folder);
      await replaceText(join(folder, WANTED), "");
    },
    async remove(name) {
      const wasWanted = await isWanted(name);
      // An attempt that ends at this moment may still write to the folder: then it is not empty.
      await rm(join(trustedRoot(), name), { recursive: true, force: true, maxRetries: 5 });
      return wasWanted;
    },
    requestedAt: async (name) => (await unlessMissing(stat(at(name, WANTED))))?.mtimeMs ?? 0,
    async progress(name) {
      const read = await readObject<Progress>(at(name, PROGRESS));
      return read !== undefined && isProgress(read) ? read : undefined;
    },
    writeProgress: (name, progress) => replaceText(at(name, PROGRESS), JSON.stringify(progress)),
    certificate: (name) => text(at(name, CERTIFICATE)),
    writeCertificate: (name, pem) => replaceText(at(name, CERTIFICATE), pem),
    order: (name) => readObject(at(name, ORDER)),
    writeOrder: (order) => replaceText(at(order.name, ORDER), JSON.stringify(order)),
    removeOrder: (name) => rm(at(name, ORDER), { force: true }),
    accountKey(authority, make) {
      const known = accountKeys.get(authority) ?? keyFor(authority, make);
      accountKeys.set(authority, known);
      known.catch(() => accountKeys.delete(authority));
      return known;
    },
  };
}

const text = (file: string): Promise<string | undefined> => unlessMissing(readFile(file, "utf8"));

/** Numbers that a date can have, and text: commands show them. */
const isProgress = ({ failures, lastAt, nextAt, cause }: Progress): boolean =>
  [failures, lastAt, nextAt].every(
    (one) => typeof one === "number" && !Number.isNaN(new Date(one).getTime()),
  ) &&
  (cause === undefined || typeof cause === "string");

/** Files are written atomically. A file with anything but an object counts as missing. */
async function readObject<T extends object>(file: string): Promise<T | undefined> {
  try {
    const value = JSON.parse((await text(file)) ?? "null");
    return value instanceof Object ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
