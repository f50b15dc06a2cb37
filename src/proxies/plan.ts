import { GROUP } from "../db/tables.ts";
import { formatUrlHost, toConnectableHost } from "../gate/reach.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { HANDOFF } from "../http/paths.ts";
import { normalizeHost, PLAIN_HOST } from "../lib/host-name.ts";
import { isAtOrBelow, isInDomains } from "../lib/return-target.ts";
import { findMissingScope } from "../lib/session-reach.ts";
import { ProxyOptionError, type ProxyOptions } from "./options.ts";
import { type ChosenApp, chooseApps } from "./registered-apps.ts";

/** The names are `app`, `app2` and so on, or come from the hosts. */
export interface PlannedApp extends ChosenApp {
  /** Lists the gate's paths on the app's host. `gateFolders` lists prefixes of further paths. */
  readonly gatePaths: readonly string[];
  readonly gateFolders: readonly string[];
}

/**
 * Contains the values of a configuration. Each text is safe to print in every configuration format.
 */
export interface ProxyPlan {
  /** Contains the host and port of the gate. */
  readonly gate: string;
  /** Names the gate's own host, if it has one. */
  readonly gateHost: string | undefined;
  /**
   * `scheme` and `port` are what browsers write before and after a host name. Both are empty for
   * HTTPS on its default port.
   */
  readonly scheme: "" | "http://";
  readonly port: string;
  readonly apps: readonly PlannedApp[];
  /** Contains what the gate requires of users and hosts as a query, or an empty text. */
  readonly lists: string;
  /** Contains a regular expression for the public paths, without its anchors. */
  readonly publicPaths: string | undefined;
  /** Limits how long the proxy may cache a response, in seconds. */
  readonly remember: string | undefined;
  /** Contains a path whose queries contain codes. These codes must not appear in any log. */
  readonly secretPath: string | undefined;
  /** Says which apps are not in the configuration, or cannot be opened. */
  readonly warnings: readonly string[];
}

type Piece = string | undefined | readonly (string | undefined)[];

/** Joins the parts that are not empty. */
export const joinPieces = (parts: Piece, by = "\n"): string =>
  [parts].flat().filter(Boolean).join(by);

/**
 * Formats a template and keeps its backslashes. A part of several lines gets the indentation of its
 * place. An empty part that is alone on its line removes the line.
 */
export const block = (
  { raw: [first = "", ...others] }: TemplateStringsArray,
  ...parts: readonly Piece[]
): string =>
  others.reduce(
    (text, next, at) => {
      const part = joinPieces(parts[at]);
      const margin = /(?<=\n)[ \t]*$/.exec(text)?.[0];
      if (margin === undefined) return text + part + next;
      if (part === "" && next.startsWith("\n"))
        return text.slice(0, -margin.length || undefined) + next.slice(1);
      return text + part.replace(/\n(?!\n|$)/g, `\n${margin}`) + next;
    },
    first.replace(/^\n/, ""),
  );

/**
 * Lists the gate's paths on a host that it shares. `GATE_FOLDERS` lists prefixes of its other
 * paths.
 */
const GATE_PATHS: readonly string[] = [
  ...["/login", "/setup", "/logout", "/apps"],
  ...["/latchkey.css", "/latchkey.js", "/latchkey-passkeys.js", "/latchkey-logo"],
];
const GATE_FOLDERS: readonly string[] = ["/account/", "/link/", "/login/", "/latchkey-icons/"];

/** @throws ProxyOptionError */
export function createPlan(settings: Settings, options: ProxyOptions): ProxyPlan {
  const publicUrl = URL.parse(settings.publicUrl ?? "");
  const publicHost = publicUrl?.hostname;
  const authHost = options.authHost ?? publicHost;
  const gateHost = authHost === undefined ? undefined : requirePlainHost("the gate", authHost);
  if (publicHost !== undefined && gateHost !== publicHost) {
    throw new ProxyOptionError(
      `--auth-host is ${gateHost}, but PUBLIC_URL is ${settings.publicUrl}`,
    );
  }
  if (settings.port === 0) throw new ProxyOptionError("PORT is 0: set the port of the gate");
  const gate = parseServer(
    `http://${formatUrlHost(toConnectableHost(settings.host))}:${settings.port}`,
  );
  const registered =
    options.registered &&
    chooseApps(options.registered, { gate, gateHost, publicUrl: publicUrl ?? undefined });
  const chosen = registered?.apps ?? options.apps.map(parseApp);
  if (chosen.length === 0) throw new ProxyOptionError(explainNoApp(registered?.warnings));
  const hosts = new Set(chosen.map(({ host }) => host));
  if (hosts.size < chosen.length) throw new ProxyOptionError("two apps have the same host");
  const unreachable = chosen.flatMap(({ host }) => {
    const missing = findMissingScope(host, settings);
    return missing === undefined
      ? []
      : `the session of the sign-in at ${gateHost} does not reach ${host}, so nobody could open it: set ${missing}`;
  });
  if (registered === undefined && unreachable[0] !== undefined) {
    throw new ProxyOptionError(unreachable[0]);
  }
  const apps = chosen.map((app) => ({ ...app, ...planGate(app.host, gateHost, settings) }));
  const { protocol, port } = publicUrl ?? registered?.firstUrl ?? { protocol: "https:", port: "" };
  // An app that is removed later must not leave its host open to every user.
  const query = registered === undefined ? [] : ["apps=only"];
  return {
    gate,
    gateHost: gateHost !== undefined && hosts.has(gateHost) ? undefined : gateHost,
    scheme: protocol === "http:" ? "http://" : "",
    port: port === "" ? "" : `:${port}`,
    apps,
    lists: query
      .concat((["users", "groups"] as const).flatMap((kind) => formatList(kind, options[kind])))
      .join("&"),
    publicPaths: createPublicPattern(options.publicPaths),
    remember: parseRemember(options.remember, settings),
    secretPath: apps.some(({ gatePaths }) => gatePaths.includes(HANDOFF)) ? HANDOFF : undefined,
    warnings: [...(registered?.warnings ?? []), ...unreachable],
  };
}

function parseApp(text: string, at: number): ChosenApp {
  const [name = "", url = ""] = text.split(/=(.*)/s, 2);
  const host = requirePlainHost("--app", name);
  return { name: `app${at === 0 ? "" : at + 1}`, host, server: parseServer(url) };
}

/** Explains why the configuration would have no app. The message names the apps that do not fit. */
function explainNoApp(leftOut: readonly string[] | undefined): string {
  if (leftOut === undefined) return "name each app with --app HOST=URL";
  const how = "give an app --url and --upstream, or name each app with --app HOST=URL";
  return [...leftOut, `no app is left for the configuration: ${how}`].join("; ");
}

function planGate(
  host: string,
  gateHost: string | undefined,
  { cookieDomain, returnDomains }: Settings,
): Pick<PlannedApp, "gatePaths" | "gateFolders"> {
  const isShared = gateHost === undefined || gateHost === host;
  if (isShared) return { gatePaths: GATE_PATHS, gateFolders: GATE_FOLDERS };
  const hasSession = cookieDomain !== undefined && isAtOrBelow(host, cookieDomain);
  const takesOver = !hasSession && isInDomains(host, returnDomains);
  return { gatePaths: takesOver ? [HANDOFF] : [], gateFolders: [] };
}

function requirePlainHost(what: string, text: string): string {
  const host = normalizeHost(text);
  if (host !== undefined && /^[a-z\d]([a-z\d.-]*[a-z\d])?$/.test(host)) return host;
  throw new ProxyOptionError(`${what}: ${JSON.stringify(text)} is not a host name without a port`);
}

function parseServer(text: string): string {
  const url = /^http:\/\/[^\s/?#@\\]+\/?$/.test(text) ? URL.parse(text) : null;
  if (url === null || !PLAIN_HOST.test(url.hostname)) {
    throw new ProxyOptionError(
      `${JSON.stringify(text)} is not a URL such as http://127.0.0.1:8080`,
    );
  }
  return `${url.hostname}:${url.port || 80}`;
}

/**
 * Formats a list. Names are percent-encoded, so that no name ends a word or a block of a
 * configuration.
 */
function formatList(kind: "users" | "groups", text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const names = text.split(",").map((name) => (kind === "groups" ? name.trim() : name));
  if (kind === "groups" && !names.every((name) => GROUP.test(name)))
    throw new ProxyOptionError("--groups takes names of a-z, 0-9 and -, with commas between them");
  return [`${kind}=${names.map(encodeName).join(",")}`];
}

const encodeName = (name: string): string =>
  encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

/**
 * Accepts only spellings that proxy and app read alike, without dots before a name or
 * percent-encoding.
 */
function createPublicPattern(paths: readonly string[]): string | undefined {
  const bare = paths.map((path) => path.replace(/\/$/, ""));
  for (const path of bare) {
    const isOwn =
      GATE_PATHS.includes(path) || GATE_FOLDERS.some((folder) => `${path}/`.startsWith(folder));
    if (isOwn || !/^(\/[\w-][\w.-]*)+$/.test(path)) {
      const reason = isOwn ? "belongs to the gate" : "is not / and letters, digits, -, _ and .";
      throw new ProxyOptionError(`--public: ${JSON.stringify(path)} ${reason}`);
    }
  }
  const all = bare.join("|").replaceAll(".", "\\.");
  return all === "" ? undefined : String.raw`(${all})(/[\w-][\w.-]*)*/?`;
}

/**
 * Parses a cache time. An assertion stays valid for at least 29 more seconds, and nginx caches up
 * to a second longer.
 */
function parseRemember(time: string | undefined, settings: Settings): string | undefined {
  if (time === undefined) return undefined;
  const [most, why] = settings.assertions === "on" ? [20, " with ASSERTIONS=on"] : [60, ""];
  const [, seconds] = /^([1-9]\d?)s$/.exec(time) ?? [];
  if (seconds !== undefined && Number(seconds) <= most) return seconds;
  throw new ProxyOptionError(`--remember takes 1s to ${most}s${why}`);
}
