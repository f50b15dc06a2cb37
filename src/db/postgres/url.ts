import type { ClientConfig } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { Fault, getErrorMessage, tryCall } from "../../lib/fault.ts";
import { isLoopbackHost } from "../../lib/loopback.ts";

export interface PostgresHost {
  /** The host is a name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/**
 * Contains the parameters that all hosts share. The fields are separate, since a whole URL would
 * show its password wherever a pool is printed.
 */
export type PostgresLogin = Pick<
  ClientConfig,
  "user" | "password" | "database" | "options" | "ssl" | "enableChannelBinding"
>;

interface PostgresUrl {
  readonly hosts: readonly PostgresHost[];
  readonly login: PostgresLogin;
}

const DEFAULT_PORT = 5432;

/** Maps each parameter to its accepted values. */
const PARAMETERS = new Map<string, readonly string[] | "all">([
  ["host", "all"],
  ["port", "all"],
  ["user", "all"],
  ["password", "all"],
  ["dbname", "all"],
  ["options", "all"],
  ["sslrootcert", "all"],
  ["sslcert", "all"],
  ["sslkey", "all"],
  ["sslmode", ["disable", "require", "verify-ca", "verify-full", "no-verify"]],
  // The driver cannot require channel binding: it falls back if the server does not offer it.
  ["channel_binding", ["disable", "prefer"]],
  ["target_session_attrs", ["any", "read-write", "primary"]],
]);

/**
 * Parses `postgres://user:password@one:5432,two:5432/database?parameter=value`, also with sockets.
 * Every `sslmode` except `disable` and `no-verify` verifies the certificate and its host name.
 *
 * @throws For any unknown parameter: a misspelt `sslmode` must not disable encryption. The message
 * never repeats the URL, which can contain a password.
 */
export function parsePostgresUrl(text: string): PostgresUrl {
  if (!/^postgres(ql)?:\/\//.test(text)) throw createUrlFault("it must start with postgres://");
  const [, credentials = "", hostList, path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?#]*@)?([^@/?#]*)(\/[^@?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (hostList === undefined) throw createUrlFault("special characters must be percent-encoded");
  const parameters = new URLSearchParams(query);
  checkParameters(parameters);
  const ssl = parameters.get("sslmode");
  if (ssl === "require" || ssl === "verify-ca") parameters.set("sslmode", "verify-full");
  const parsed = parseWithoutHost(`${credentials}placeholder${path}?${parameters}`);
  return {
    hosts: parseHostParameters(parameters) ?? parseHosts(hostList),
    login: {
      user: parsed.user || undefined,
      password: parsed.password || undefined,
      database: parameters.get("dbname") ?? (parsed.database || undefined),
      options: parameters.get("options") ?? undefined,
      ssl: typeof parsed.ssl === "object" ? { ...parsed.ssl } : false,
      enableChannelBinding: parameters.get("channel_binding") === "prefer",
    },
  };
}

/**
 * Returns whether passwords would cross a network unencrypted although the URL sets no `sslmode`.
 */
export function isSilentlyPlain(text: string): boolean {
  if (/[?&]sslmode=/.test(text)) return false;
  return parsePostgresUrl(text).hosts.some(
    ({ host }) => !host.startsWith("/") && !isLoopbackHost(host),
  );
}

/** Returns whether the text is a valid URL with a password, in the user part or in a parameter. */
export const hasPassword = (text: string): boolean =>
  tryCall(() => parsePostgresUrl(text).login.password) !== undefined;

function checkParameters(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    const accepted = PARAMETERS.get(name);
    // The message leaves out the unknown name, which may be part of a password.
    if (accepted === undefined) {
      throw createUrlFault(`unknown parameter: it accepts ${[...PARAMETERS.keys()].join(", ")}`);
    }
    if (parameters.getAll(name).length > 1) throw createUrlFault(`${name} is given twice`);
    if (accepted !== "all" && !accepted.includes(value)) {
      throw createUrlFault(`${name} accepts ${accepted.join(", ")}`);
    }
  }
}

function parseWithoutHost(rest: string): ClientConfig {
  try {
    return parseIntoClientConfig(`postgres://${rest}`);
  } catch (error) {
    // The message names a certificate file that cannot be read. Other messages may repeat the URL.
    const reason = getErrorMessage(error);
    throw createUrlFault(
      reason.startsWith("ENOENT") || reason.startsWith("EACCES") ? reason : "it is not a valid URL",
    );
  }
}

/** Parses hosts as libpq does: `?host=/run/postgresql`, with several hosts separated by commas. */
function parseHostParameters(parameters: URLSearchParams): readonly PostgresHost[] | undefined {
  const portTexts = parameters.get("port")?.split(",") ?? [];
  const hosts = parameters.get("host")?.split(",");
  return hosts?.map((host, at) => ({ host, port: parsePort(portTexts[at] ?? portTexts[0]) }));
}

/** Parses the hosts of the URL. Without a host, the database is on this machine. */
function parseHosts(text: string): readonly PostgresHost[] {
  if (text === "") return [{ host: "localhost", port: DEFAULT_PORT }];
  return text.split(",").map((address) => {
    const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(address) ?? [];
    const name = tryCall(() => decodeURIComponent(host.replace(/^\[(.*)\]$/, "$1")));
    if (!name) throw createUrlFault("a host is empty or not valid percent-encoding");
    return { host: name, port: parsePort(port) };
  });
}

function parsePort(text: string | undefined): number {
  const port = Number(text || DEFAULT_PORT);
  if (port >= 1 && port <= 65_535) return port;
  throw createUrlFault("a port must be a number from 1 to 65535");
}

export function createUrlFault(problem: string): Fault {
  return new Fault("database_url_invalid", `invalid database URL: ${problem}`);
}
