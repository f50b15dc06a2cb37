import { parse } from "pg-connection-string";
import { Fault, messageOf } from "../../core/fault.ts";
import { isLoopbackHost } from "../../core/loopback.ts";

export interface PostgresHost {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/** What is the same for whichever host is connected to. */
export interface PostgresLogin {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly options: string | undefined;
  readonly ssl: false | Readonly<Record<string, unknown>>;
  readonly enableChannelBinding: boolean;
}

export interface PostgresUrl {
  readonly hosts: readonly PostgresHost[];
  readonly login: PostgresLogin;
}

/** The values that each parameter takes; `undefined` stands for any. */
const PARAMETERS: Readonly<Record<string, readonly string[] | undefined>> = {
  host: undefined,
  port: undefined,
  user: undefined,
  password: undefined,
  dbname: undefined,
  options: undefined,
  sslmode: ["disable", "require", "verify-ca", "verify-full", "no-verify"],
  sslrootcert: undefined,
  sslcert: undefined,
  sslkey: undefined,
  channel_binding: ["disable", "prefer"],
  target_session_attrs: ["any", "read-write", "primary"],
};

const DEFAULT_PORT = 5432;

/**
 * Reads `postgres://user:password@one:5432,two:5432/database?parameter=value`, sockets included.
 * What would not be heeded is refused: a misspelt `sslmode` must not mean no encryption. Every mode
 * but `disable` and `no-verify` checks the certificate and the name in it. No error repeats the URL,
 * which has a password in it.
 */
export function readPostgresUrl(text: string): PostgresUrl {
  if (!/^postgres(ql)?:\/\//.test(text)) throw invalid("it has to start with postgres://");
  const [, credentials = "", hosts, path = "", query = ""] =
    /^postgres(?:ql)?:\/\/([^/?#]*@)?([^@/?#]*)(\/[^@?#]*)?(?:\?([^#]*))?$/.exec(text) ?? [];
  if (hosts === undefined) {
    throw invalid("special characters in its parts have to be percent-encoded");
  }
  const parameters = new URLSearchParams(query);
  checkParameters(parameters);
  const ssl = parameters.get("sslmode");
  if (ssl === "require" || ssl === "verify-ca") parameters.set("sslmode", "verify-full");
  const parsed = parsedWithoutHost(`${credentials}placeholder${path}?${parameters}`);
  return {
    hosts: hostsNamed(parameters) ?? hostsIn(hosts),
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

/** Whether accounts would cross a network in the clear without anybody having said so. */
export function isSilentlyPlain(text: string): boolean {
  if (/[?&]sslmode=/.test(text)) return false;
  return readPostgresUrl(text).hosts.some(
    ({ host }) => !host.startsWith("/") && !isLoopbackHost(host),
  );
}

/** Whether it is a URL that can be used and that has a password, wherever in it. */
export function hasPassword(text: string): boolean {
  try {
    return readPostgresUrl(text).login.password !== undefined;
  } catch {
    return false;
  }
}

function checkParameters(parameters: URLSearchParams): void {
  for (const [name, value] of parameters) {
    // What it is instead is not repeated: it may be a piece of a password.
    if (!Object.hasOwn(PARAMETERS, name)) {
      throw invalid(`a parameter is none of ${Object.keys(PARAMETERS).join(", ")}`);
    }
    if (parameters.getAll(name).length > 1) throw invalid(`${name} is there twice`);
    // The driver binds where the server offers to, and logs in without where it does not.
    if (name === "channel_binding" && value === "require") {
      throw invalid(
        "channel_binding=require cannot be kept to: sslmode=verify-full makes sure of the server, and channel_binding=prefer binds where it can",
      );
    }
    const taken = PARAMETERS[name];
    if (taken !== undefined && !taken.includes(value)) {
      throw invalid(`${name} takes ${taken.join(", ")}`);
    }
  }
}

function parsedWithoutHost(rest: string): ReturnType<typeof parse> {
  try {
    return parse(`postgres://${rest}`);
  } catch (error) {
    // A certificate file that cannot be read is worth naming; an URL error is not.
    const reason = messageOf(error);
    throw invalid(
      reason.startsWith("ENOENT") || reason.startsWith("EACCES") ? reason : "it is no URL",
    );
  }
}

/** As libpq has it: `?host=/run/postgresql`, several of them separated by commas. */
function hostsNamed(parameters: URLSearchParams): readonly PostgresHost[] | undefined {
  const ports = parameters.get("port")?.split(",") ?? [];
  const portAt = (at: number): number => portIn(ports[at] ?? ports[0]);
  return parameters
    .get("host")
    ?.split(",")
    .map((host, at) => ({ host, port: portAt(at) }));
}

/** Without any, this machine. */
function hostsIn(text: string): readonly PostgresHost[] {
  if (text === "") return [{ host: "localhost", port: DEFAULT_PORT }];
  return text.split(",").map((one) => {
    const [, host = "", port] = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(one) ?? [];
    const name = decoded(host.replace(/^\[(.*)\]$/, "$1"));
    if (name === "") throw invalid("one of its hosts is none");
    return { host: name, port: portIn(port) };
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("one of its hosts is none");
  }
}

function portIn(text: string | undefined): number {
  const port = Number(text || DEFAULT_PORT);
  if (port >= 1 && port <= 65_535) return port;
  throw invalid("a port is a number from 1 to 65535");
}

function invalid(problem: string): Fault {
  return new Fault("database_url_invalid", `the database URL cannot be used: ${problem}`);
}
