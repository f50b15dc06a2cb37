import { existsSync } from "node:fs";
import { readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { getErrorMessage } from "../../lib/fault.ts";
import { makeFolder } from "../../lib/files/data-dir.ts";
import { ignoreMissing } from "../../lib/files/file-error.ts";
import { followOwnLinks } from "../../lib/files/ownership.ts";
import { replaceText } from "../../lib/files/replace-file.ts";
import { parseJsonObject } from "../../lib/json.ts";
import { createKeyPem } from "./acme/keys.ts";
import type { PlacedOrder } from "./acme/order.ts";
import { type Certificate, parseStoredCertificate } from "./certificate.ts";
import { getDueTime, isPossible, type Progress } from "./renewal.ts";

/**
 * Lists the files in the folder of a name. A file whose JSON is not an object counts as missing.
 */
interface Files {
  readonly "progress.json": Progress;
  /** The order is stored so that a crash does not lose its key. `authority` is a directory URL. */
  readonly "order.json": PlacedOrder & { readonly authority: string };
  /** The file contains the key and its chain, so that neither exists without the other. */
  readonly "certificate.pem": string;
}

/**
 * Contains the certificate of a name, or the reason why the stored certificate is unusable. The
 * gate replaces an unusable certificate with a new one.
 */
interface StoredCertificate {
  readonly certificate?: Certificate | undefined;
  readonly unusable?: string | undefined;
}

export interface DomainState extends StoredCertificate {
  readonly name: string;
  readonly lastAttempt?: Progress | undefined;
  /** The time is in the past if a running gate would start the attempt at once. */
  readonly nextAttemptAt: number;
}

const WANTED = "wanted";

/**
 * Stores certificates and their state in `DATA_DIR/certificates`, in one folder for each requested
 * name. Files are written atomically, with mode 0600. Writing fails for a name that was removed.
 */
export class CertificateFolder {
  readonly #root: string;
  /** Concurrent requests for two names share one account. */
  readonly #accountKeys = new Map<string, Promise<string>>();

  constructor(dataDir: string) {
    this.#root = join(dataDir, "certificates");
  }

  async listNames(): Promise<readonly string[]> {
    const entries = (await ignoreMissing(readdir(this.#root))) ?? [];
    const requestTimes = await Promise.all(entries.map((name) => this.readRequestTime(name)));
    return entries.filter((_, at) => requestTimes[at] !== 0).sort();
  }

  /** Requests a certificate. For a known name, it records a new request. */
  async request(name: string): Promise<void> {
    await makeFolder(this.#getTrustedRoot());
    const folder = followOwnLinks(join(this.#getTrustedRoot(), name));
    await makeFolder(folder);
    await replaceText(join(folder, WANTED), "");
  }

  /** Returns the time of the last request in milliseconds since 1970, or 0 if there is none. */
  async readRequestTime(name: string): Promise<number> {
    const requestFile = await ignoreMissing(stat(join(this.#root, name, WANTED)));
    // An archive may have set the time of every file to 1970.
    return requestFile === undefined ? 0 : Math.max(requestFile.mtimeMs, 1);
  }

  /** Removes a name. Returns whether the name existed. */
  async remove(name: string): Promise<boolean> {
    const wasThere = (await this.readRequestTime(name)) !== 0;
    // An attempt that ends now may still write to the folder, so removing the folder can need a
    // retry.
    const removal = { recursive: true, force: true, maxRetries: 5 };
    const folder = join(this.#getTrustedRoot(), name);
    // A domain could have the same name as the file of an account key, which must stay.
    if ((await ignoreMissing(stat(folder)))?.isDirectory()) await rm(folder, removal);
    return wasThere;
  }

  async read<F extends keyof Files>(name: string, file: F): Promise<Files[F] | undefined> {
    const content = await readText(join(this.#root, name, file));
    return (file.endsWith(".json") ? parseJsonObject(content ?? "") : content) as
      | Files[F]
      | undefined;
  }

  write<F extends keyof Files>(name: string, file: F, content: Files[F]): Promise<void> {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    return replaceText(join(this.#root, name, file), text);
  }

  removeOrder(name: string): Promise<void> {
    return rm(join(this.#root, name, "order.json"), { force: true });
  }

  async readCertificate(name: string): Promise<StoredCertificate> {
    try {
      const pem = await this.read(name, "certificate.pem");
      return pem === undefined ? {} : { certificate: parseStoredCertificate(pem, name) };
    } catch (error) {
      return { unusable: getErrorMessage(error) };
    }
  }

  /** Returns the result of the last attempt, or `undefined` if its record is missing or damaged. */
  async lastAttempt(name: string): Promise<Progress | undefined> {
    const read = await this.read(name, "progress.json").catch(() => undefined);
    return read !== undefined && isPossible(read) ? read : undefined;
  }

  /**
   * Returns the state of each name. An unreadable file is part of that state and hides no other
   * name.
   */
  async listDomainStates(): Promise<readonly DomainState[]> {
    const states = (await this.listNames()).map(async (name) => {
      const stored = await this.readCertificate(name);
      const lastAttempt = await this.lastAttempt(name);
      const nextAttemptAt = getDueTime(
        stored.certificate,
        lastAttempt,
        await this.readRequestTime(name),
      );
      return { name, ...stored, lastAttempt, nextAttemptAt };
    });
    return Promise.all(states);
  }

  /** Returns the key of the account at an authority. It creates the key if it is missing. */
  getAccountKey(authority: string): Promise<string> {
    const cachedKey = this.#accountKeys.get(authority) ?? this.#readAccountKey(authority);
    this.#accountKeys.set(authority, cachedKey);
    cachedKey.catch(() => this.#accountKeys.delete(authority));
    return cachedKey;
  }

  async #readAccountKey(authority: string): Promise<string> {
    const host = new URL(authority).host.replaceAll(":", "-");
    const file = join(this.#root, `account-${host}.pem`);
    const stored = await readText(file);
    if (stored !== undefined) return stored;
    const newKey = createKeyPem();
    await makeFolder(this.#root);
    await replaceText(file, newKey);
    return newKey;
  }

  /**
   * Returns a folder that commands can trust. Commands may run as root, and root must not follow a
   * link that the owner of the data folder created.
   */
  #getTrustedRoot(): string {
    return existsSync(dirname(this.#root)) ? followOwnLinks(this.#root) : this.#root;
  }
}

const readText = (file: string): Promise<string | undefined> =>
  ignoreMissing(readFile(file, "utf8"));
