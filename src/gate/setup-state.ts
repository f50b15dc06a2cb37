import { networkInterfaces } from "node:os";
import type { StoreParts } from "../db/store.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../features/setup/setup-token.ts";
import { judgeHost } from "../lib/allowed-hosts.ts";
import { Fault, getErrorMessage, Unavailable } from "../lib/fault.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { formatUrlHost, getReach, getScheme } from "./reach.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";
import { deleteTokenFile, makeSetupToken, readTokenFile } from "./setup-token-file.ts";

/**
 * Returns whether setup always requires a token. After a database is lost, the next visitor must
 * not be able to create the first account.
 */
export const isTokenRequired = (
  settings: Parameters<typeof getReach>[0] & Pick<Settings, "setupTokenAtStart">,
): boolean => settings.setupTokenAtStart === "auto" && getReach(settings) === "others";

const RETRY_AFTER_SECONDS = 2;

/** Contains the parts of a store that decide about the setup. */
interface SetupStore {
  readonly users: Pick<StoreParts["users"], "any">;
  readonly setupToken: StoreParts["setupToken"];
}

interface GateSetupToken extends SetupTokenSource {
  /** Resolves to the operator's own token, or `undefined` if there is none. */
  readOperatorToken(): Promise<string | undefined>;
}

/**
 * Creates the token source of the gate: the operator's token file, or the token in the shared
 * database. If a token is required, setup is refused without one. Otherwise setup requires no token
 * while the file is unreadable, and each reason is logged once.
 */
export function createGateSetupToken(
  settings: Settings,
  store: SetupStore,
  log: Pick<GateLog, "warn">,
): GateSetupToken {
  const { setupTokenFile: file } = settings;
  let reported: string | undefined;

  async function readOperatorToken(): Promise<string | undefined> {
    const { text, unreadable: reason } = await readTokenFile(file);
    if (reason !== undefined && isTokenRequired(settings)) {
      const problem = `the setup token file ${file} cannot be read: ${reason}`;
      throw new Fault("setup_token_unusable", problem);
    }
    const warning = "the setup token file cannot be read: setup requires no token";
    if (reason !== undefined && reason !== reported) log.warn({ file, reason }, warning);
    reported = reason;
    return isSetupTokenExpected(text) ? text : undefined;
  }

  return {
    readOperatorToken,
    async read() {
      const token = (await readOperatorToken()) ?? (await store.setupToken.find());
      // The setup that creates the account removes the token afterwards.
      const isMissing = token === undefined && isTokenRequired(settings);
      if (!isMissing || (await store.users.any())) return token;
      const problem = "there is no setup token: restart the gate or run `latchkey setup-link`";
      throw new Unavailable("setup_token_missing", problem, RETRY_AFTER_SECONDS);
    },
    delete: () => deleteTokens(store, file),
  };
}

/** Deletes the token in the database and the operator's own token. */
export async function deleteTokens(
  store: Pick<SetupStore, "setupToken">,
  file: string,
): Promise<void> {
  try {
    await store.setupToken.remove();
  } finally {
    await deleteTokenFile(file);
  }
}

/**
 * Describes whether an account exists. Otherwise it tells which token the setup requires, and who
 * has created that token.
 */
type SetupState =
  | { readonly kind: "done" | "open" | "own-token" }
  | { readonly kind: "made-token"; readonly token: string };

/** Creates the setup token if one is required and none exists. */
export async function prepareSetup(
  settings: Settings,
  store: SetupStore,
  setupToken: Pick<GateSetupToken, "readOperatorToken">,
): Promise<SetupState> {
  if (await store.users.any()) return { kind: "done" };
  const isRequired = isTokenRequired(settings);
  try {
    if ((await setupToken.readOperatorToken()) !== undefined) return { kind: "own-token" };
  } catch (error) {
    // If no token is required, this error may pass. Until then, setup refuses every request.
    if (!isRequired) return { kind: "own-token" };
    throw new Fault(
      "setup_token_unusable",
      `no account yet, and ${getErrorMessage(error)} (fix this, create the account with latchkey user add --create, or set SETUP_TOKEN=off to let anyone create it)`,
      { cause: error },
    );
  }
  const { setupToken: storedToken } = store;
  const token = isRequired ? await storedToken.keep(makeSetupToken()) : await storedToken.find();
  return token === undefined ? { kind: "open" } : { kind: "made-token", token };
}

/**
 * Logs where to create the first account, and for which host names that works. Does nothing once an
 * account exists.
 */
export function reportSetup(state: SetupState, settings: Settings, log: GateLog): void {
  if (state.kind === "done") return;
  if (state.kind === "open" && getReach(settings) === "others") {
    log.warn(
      {},
      "no account yet, and anyone who can reach this server can create it: remove SETUP_TOKEN=off to require a token",
    );
  }
  log.info({}, `No account yet. Open ${formatSetupAddress(state, settings)} to create it.`);
  if (isLoopbackHost(settings.host) && settings.allowedHosts === "loopback-setup") {
    log.info(
      {},
      "Until then, setup answers only for loopback names and the hosts of PUBLIC_URL and COOKIE_DOMAIN. To allow other host names, set ALLOWED_HOSTS.",
    );
  }
}

/**
 * The link is logged on purpose, because only people who can read the log may create the account.
 */
function formatSetupAddress(state: SetupState, settings: Settings): string {
  if (state.kind === "made-token") return formatSetupLink(settings, state.token);
  const page = `${getBaseUrl(settings)}/setup`;
  return state.kind === "own-token" ? `${page} with the setup token` : page;
}

/** Formats the link that opens the setup with the token filled in. */
export const formatSetupLink = (settings: Settings, token: string): string =>
  `${getBaseUrl(settings)}/setup?token=${token}`;

/**
 * Returns PUBLIC_URL, or a URL on PORT. With HTTPS_PORT too, plain HTTP redirects to HTTPS once a
 * certificate works.
 */
function getBaseUrl({ allowedHosts: allowed, ...settings }: Settings): string {
  const { publicUrl, port } = settings;
  if (publicUrl !== undefined) return publicUrl;
  const host = findReachableHost(settings.host);
  // A link to a host that is not in ALLOWED_HOSTS would get 421.
  const isRefused = judgeHost({ ...settings, allowed }, host) === "refused";
  return `${getScheme(settings)}://${isRefused ? (allowed[0] ?? host) : host}:${port}`;
}

/** Returns the host, or for a wildcard address the first external IPv4 address of this machine. */
function findReachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return formatUrlHost(host);
  const addresses = Object.values(networkInterfaces()).flat();
  const external = addresses.find((address) => address?.family === "IPv4" && !address.internal);
  return external?.address ?? "127.0.0.1";
}
