import { isUtf8 } from "node:buffer";
import { X509Certificate } from "node:crypto";
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { delimiter, resolve } from "node:path";
import { selectEvents } from "../../audit/event-patterns.ts";
import type { EventType } from "../../audit/events.ts";
import { type DatabaseLocation, parseDatabaseLocation } from "../../db/location.ts";
import { MAX_CSS_BYTES, readLogo } from "../../http/assets.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { PROVIDER_NAME } from "../../identity/providers.ts";
import { parseAge } from "../../lib/dates.ts";
import { Fault, tryCall } from "../../lib/fault.ts";
import { explainFileError } from "../../lib/files/file-error.ts";
import { readSmallFile, type SmallFile } from "../../lib/files/small-file.ts";
import { normalizeHost } from "../../lib/host-name.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";
import type { Option } from "../../lib/options.ts";
import { findPublicSuffixProblem } from "../../lib/public-suffix.ts";
import { parseNotifyUrl } from "../../mail/notify-target.ts";
import { parseMailFrom, parseSmtpUrl } from "../../mail/smtp.ts";
import { optionTable } from "../../options.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Describes what a shell can complete: one of a few words, a path, or nothing. */
export type ValueKind = readonly string[] | "file" | "folder" | "free";

/** Formats choices as `a, b or c`. */
export const formatChoices = (choices: readonly string[]): string =>
  [choices.slice(0, -1).join(", "), ...choices.slice(-1)]
    .filter((part) => part !== "")
    .join(" or ");

export const findChoice = <T extends string>(
  choices: readonly T[],
  value: unknown,
): T | undefined => choices.find((choice) => choice === value);

/** Defines what a setting accepts, and how text becomes a value. */
export interface Parser<T> {
  /** Completes the sentence "expected …". */
  readonly takes: string;
  readonly completes: ValueKind;
  /** Returns `undefined` for text that is not accepted, or throws a fault with an explanation. */
  readonly parse: (text: string, env: Environment) => T | undefined;
  /** Reads the content of the `_FILE` if that content has a different format. */
  readonly parseFile?: (content: string) => T | undefined;
}

const createParser = <T>(
  takes: string,
  parse: Parser<T>["parse"],
  completes: ValueKind = "free",
): Parser<T> => ({ takes, completes, parse });

const { hosts, signIn } = optionTable;

/**
 * Creates a parser for text that the library checks. The option and its setting accept the same
 * text.
 */
export const fromOption = (
  { expected: takes, accepts }: Option<unknown, string>,
  tidy = (text: string): string => text,
): Parser<string> => createParser(takes, (text) => (accepts(tidy(text)) ? tidy(text) : undefined));

/** Creates a parser like `fromOption`, for a list separated by commas. */
export const fromListOption = (
  { expected: takes, accepts }: Option<readonly string[]>,
  tidy = (text: string): string => text,
): Parser<readonly string[]> =>
  createParser(`${takes}, separated by commas`, (text) => {
    const pieces = splitList(text).map(tidy);
    return accepts(pieces) ? pieces : undefined;
  });

/** Creates a parser for a list separated by commas that reads each piece alone. */
const createListParser = <T>(
  takes: string,
  read: (piece: string) => T | undefined,
): Parser<readonly T[]> =>
  createParser(takes, (text) => {
    const pieces = splitList(text);
    const accepted = pieces.flatMap((piece) => read(piece) ?? []);
    return accepted.length === pieces.length ? accepted : undefined;
  });

/** Creates a parser for a path that passes the test. The value is the absolute path. */
const createPathParser = (
  takes: string,
  completes: "file" | "folder",
  isUsable: (path: string) => boolean,
): Parser<string> => {
  const read = (text: string): string | undefined =>
    tryCall(() => (isUsable(resolve(text)) ? resolve(text) : undefined));
  return createParser(takes, read, completes);
};

/** Creates a parser for a few words, each with its value. */
export const fromWords = <const T>(meaning: Readonly<Record<string, T>>): Parser<T> => {
  const all = Object.keys(meaning);
  return createParser(
    formatChoices(all),
    (word) => (all.includes(word) ? meaning[word] : undefined),
    all,
  );
};

export const fromChoices = <const T extends string>(choices: readonly T[]): Parser<T> =>
  fromWords(Object.fromEntries(choices.map((word) => [word, word])));

/**
 * Accepts `auto` and `off`. The fault for other text does not repeat it, because it may be a token.
 */
export const setupToken: Parser<"auto" | "off"> = {
  ...fromChoices(["auto", "off"]),
  parse(text) {
    if (text === "auto" || text === "off") return text;
    const problem = "expected auto or off; a token of your own belongs in SETUP_TOKEN_FILE";
    throw new Fault("setup_token_invalid", problem);
  },
};

/**
 * Returns a valid cookie domain. Throws a fault that explains why a public suffix cannot be shared.
 */
function parseDomain(domain: string): string | undefined {
  const name = domain.replace(/^\*\./, "");
  if (!hosts.cookieDomain.accepts(name)) return undefined;
  const problem = findPublicSuffixProblem(name);
  if (problem !== undefined) throw new Fault("public_suffix", problem);
  return domain;
}

export const cookieDomain: Parser<string> = createParser(hosts.cookieDomain.expected, (text) =>
  text.startsWith("*") ? undefined : parseDomain(text),
);

export const domainList: Parser<readonly string[]> = createListParser(
  "domains such as other.net, or *.third.org for the hosts below it, separated by commas",
  parseDomain,
);

/** Removes the trailing slash that users add to origins. */
export const removeSlash = (text: string): string => text.replace(/\/$/, "");

export const ipv6Prefix: Parser<number> = createParser(signIn.limitIpv6Prefix.expected, (text) =>
  /^\d{2,3}$/.test(text) && signIn.limitIpv6Prefix.accepts(Number(text)) ? Number(text) : undefined,
);

export const hostName: Parser<string> = createParser("an IP address or a host name", (text) =>
  // A zone such as in fe80::1%eth0 is refused, because no URL can contain it.
  (isIP(text) !== 0 && !text.includes("%")) || /^[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(text)
    ? text
    : undefined,
);

export const hostList: Parser<readonly string[]> = createListParser(
  "host names without a port, separated by commas, or * for any",
  normalizeHost,
);

export const emailDomains: Parser<readonly string[]> = createListParser(
  "domains such as example.org, separated by commas",
  (domain) => (normalizeHost(domain) === domain && domain !== "*" ? domain : undefined),
);

export const groupList: Parser<readonly string[]> = createParser(
  "names of groups, separated by commas, or all",
  (text) => {
    const groups = normalizeGroups(splitList(text));
    return groups === "invalid" || splitList(text).includes("") ? undefined : groups;
  },
);

export const providerName: Parser<string> = createParser(
  "the name of a provider in SIGN_IN_WITH",
  (name) => (PROVIDER_NAME.test(name) ? name : undefined),
);

export const providerNames: Parser<readonly string[]> = createListParser(
  "names of providers with commas between them, of lower-case letters, digits and hyphens",
  (name) => (PROVIDER_NAME.test(name) ? name : undefined),
);

/** Accepts the address of a provider, as its discovery document names it. */
export const issuer: Parser<string> = createParser("an https URL", (text) => {
  const url = URL.parse(text);
  const isSafe =
    url?.protocol === "https:" || (url?.protocol === "http:" && isLoopbackHost(url.hostname));
  return isSafe ? text : undefined;
});

/** Parses groups such as `engineering:dev,ops:admins`. Names elsewhere can have any characters. */
export const groupMap: Parser<Readonly<Record<string, string>>> = createParser(
  "groups there and here, such as engineering:dev,ops:admins",
  (text) => {
    const pairs = splitList(text).map((pair) => /^(.+):([^:]+)$/.exec(pair));
    if (pairs.length === 0 || pairs.includes(null)) return undefined;
    return Object.fromEntries(pairs.flatMap((pair) => (pair ? [[pair[1], pair[2]]] : [])));
  },
);

export const port: Parser<number> = createParser(
  "a number from 0 (any free port) to 65535",
  (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65_535 ? Number(text) : undefined),
);

export const httpsUrl: Parser<string> = createParser("an https URL", (text) =>
  URL.parse(text)?.protocol === "https:" ? text : undefined,
);

/** Parses a database URL. A fault explains what is wrong without repeating the URL. */
export const databaseLocation: Parser<DatabaseLocation> = createParser(
  "sqlite:PATH, or a URL such as postgres://user:password@host:5432/database?sslmode=verify-full",
  parseDatabaseLocation,
);

/** Accepts the URL of a mail server. The message must not repeat it, since it has a password. */
export const smtpUrl: Parser<string> = createParser(
  "a URL such as smtps://user:password@mail.example.org:465 or smtp://localhost:25",
  (text) => (parseSmtpUrl(text) === undefined ? undefined : text),
);

export const mailFrom: Parser<string> = createParser(
  "an e-mail address, or a name with one, such as Home <home@example.org>",
  (text) => (parseMailFrom(text) === undefined ? undefined : text),
);

/** Accepts the URL of a webhook, or a topic of ntfy. The message must not repeat it. */
export const notifyUrl: Parser<string> = createParser(
  "an https URL, or ntfy://host/topic, also with a user and a password; http only on this machine",
  (text) => (parseNotifyUrl(text) === undefined ? undefined : text),
);

/** `NOTIFY_URL` decides what it must be. */
export const notifySecret: Parser<string> = createParser(
  "whsec_ and base64, or a random text of 24 bytes or more; for ntfy, an access token",
  (text) => text,
);

/** Accepts patterns of event types. */
export const eventList: Parser<readonly EventType[]> = createParser(
  "events of the audit log, separated by commas, such as user.*,signin_refused",
  (text) => {
    const selection = selectEvents(text);
    switch (selection.kind) {
      case "events":
        return selection.events;
      case "invalid":
        return undefined;
      case "no-match": {
        const { pattern, suggestion } = selection;
        const shown = pattern.length <= MAX_SHOWN_PATTERN ? JSON.stringify(pattern) : "a pattern";
        const remedy =
          suggestion === undefined ? "docs/logs.md lists them" : `did you mean ${suggestion}?`;
        throw new Fault("event_unknown", `${shown} matches no event of the audit log: ${remedy}`);
      }
    }
  },
);

/** A longer text may be a secret that was meant for another setting. */
const MAX_SHOWN_PATTERN = 40;

export const secret: Parser<string> = createParser(
  "a random text of 32 characters or more, or auto",
  (text) => text,
);

/**
 * Parses secrets separated by commas. In a file, each line is a secret, which may then contain
 * commas and spaces.
 */
export const secretList: Parser<readonly string[]> = {
  ...createListParser("secrets, separated by commas", (secret) => secret || undefined),
  parseFile(content) {
    const lines = content.split(/\r?\n/).filter((line) => line !== "");
    return lines.length === 0 ? undefined : lines;
  },
};

const splitList = (text: string): readonly string[] =>
  text === "" ? [] : text.split(",").map((piece) => piece.trim());

/** Parses a time to milliseconds. */
export const age: Parser<number> = createParser("a time such as 400d or 12h", (text) =>
  /^[1-9]\d*[hd]$/.test(text) ? parseAge(text) : undefined,
);

/** Accepts a folder that need not exist yet. */
export const newFolder: Parser<string> = createPathParser("a folder", "folder", () => true);
export const newFile: Parser<string> = createPathParser("a file", "file", () => true);

export const readableFile: Parser<string> = createPathParser("a readable file", "file", (path) =>
  isAccessibleFile(constants.R_OK, path),
);

export const image: Parser<string> = createPathParser(
  "an SVG, PNG, JPEG, WebP, AVIF or GIF file of at most 512 KiB",
  "file",
  // `readLogo` throws for a file that cannot be used.
  (file) => readLogo(file).body.length > 0,
);

/** Reads the content of a CSS file. A fault explains why a file cannot be used. */
export const styleSheet: Parser<string> = createParser(
  `a CSS file of at most ${MAX_CSS_BYTES} bytes`,
  (text) => readStyleSheet(resolve(text)),
  "file",
);

function readStyleSheet(file: string): string {
  // The message omits the path, because the value may be a secret that was meant for another
  // setting.
  const refuse = (problem: string): never => {
    throw new Fault("style_sheet_unusable", problem);
  };
  let read: SmallFile;
  try {
    read = readSmallFile(file, MAX_CSS_BYTES);
  } catch (error) {
    return refuse(`the file cannot be read: ${explainFileError(error)}`);
  }
  switch (read.kind) {
    case "not-a-file":
      return refuse("it is not a regular file");
    case "too-large":
      return refuse(`the file is larger than ${MAX_CSS_BYTES} bytes`);
    case "content":
      return isUtf8(read.content)
        ? Buffer.from(read.content).toString()
        : refuse("the file is not valid UTF-8");
  }
}

/** Reads the content of a file with at least one certificate. */
export const certificates: Parser<string> = createParser(
  "a file with certificates in PEM",
  (text) =>
    tryCall(() => {
      const pem = readFileSync(resolve(text), "utf8");
      return new X509Certificate(pem) && pem;
    }),
  "file",
);

/** Accepts a path, or a name that is looked up in PATH as a shell does. */
export const program: Parser<string> = createParser(
  "one executable program, without arguments",
  (text, { PATH = "" }) => {
    const folders = text.includes("/") ? [""] : PATH.split(delimiter);
    return folders
      .map((folder) => resolve(folder, text))
      .find((file) => tryCall(() => isAccessibleFile(constants.X_OK, file)));
  },
  "file",
);

function isAccessibleFile(permission: number, file: string): boolean {
  accessSync(file, permission);
  return statSync(file).isFile();
}
