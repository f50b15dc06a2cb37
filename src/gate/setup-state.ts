import { networkInterfaces } from "node:os";
import { Fault, messageOf, Unavailable } from "../core/base/fault.ts";
import { isLoopbackHost } from "../core/base/loopback.ts";
import { judgeHost } from "../core/hosts/allowed-hosts.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup/setup-token.ts";
import type { StoreParts } from "../db/store.ts";
import { inUrl, reachOf, schemeOf } from "./reach.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";
import { deleteTokenFile, makeSetupToken, readTokenFile } from "./setup-token-file.ts";

/** Whether setup takes a token in any case: a lost database must not open it to the next visitor. */
export const isTokenRequired = (
  settings: Parameters<typeof reachOf>[0] & Pick<Settings, "setupTokenAtStart">,
): boolean => settings.setupTokenAtStart === "auto" && reachOf(settings) === "others";

const RETRY_AFTER_SECONDS = 2;

/** The parts of a store that decide about the setup. */
interface SetupStore {
  readonly users: Pick<StoreParts["users"], "any">;
  readonly setupToken: StoreParts["setupToken"];
}

interface GateSetupToken extends SetupTokenSource {
  /** The operator's own token, or `undefined` if there is none. */
  readOwn(): Promise<string | undefined>;
}

/**
 * The setup token of the gate: the operator's own in the file, or else the one that the database
 * keeps for all gates on it. Where one is required, setup is refused while there is none.
 * Elsewhere, setup requires none while the file cannot be read, which is logged once per reason.
 */
export function setupTokenOf(
  settings: Settings,
  store: SetupStore,
  log: Pick<GateLog, "warn">,
): GateSetupToken {
  const { setupTokenFile: file } = settings;
  let reported: string | undefined;

  async function readOwn(): Promise<string | undefined> {
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
    readOwn,
    async read() {
      const token = (await readOwn()) ?? (await store.setupToken.find());
      // The setup that makes the account removes the token after that.
      const isMissing = token === undefined && isTokenRequired(settings);
      if (!isMissing || (await store.users.any())) return token;
      const problem = "there is no setup token: restart the gate or run `latchkey setup-link`";
      throw new Unavailable("setup_token_missing", problem, RETRY_AFTER_SECONDS);
    },
    delete: () => deleteTokens(store, file),
  };
}

/** Deletes the token of the database, and the operator's own. */
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

/** Whether there is an account; if not, the token that creating it takes, and who has made it. */
type SetupState =
  | { readonly kind: "done" | "open" | "own-token" }
  | { readonly kind: "made-token"; readonly token: string };

/** Makes the setup token if one is required and there is none. */
export async function prepareSetup(
  settings: Settings,
  store: SetupStore,
  setupToken: Pick<GateSetupToken, "readOwn">,
): Promise<SetupState> {
  if (await store.users.any()) return { kind: "done" };
  const isRequired = isTokenRequired(settings);
  try {
    if ((await setupToken.readOwn()) !== undefined) return { kind: "own-token" };
  } catch (error) {
    // Elsewhere this error may pass, and setup refuses every request until it does.
    if (!isRequired) return { kind: "own-token" };
    throw new Fault(
      "setup_token_unusable",
      `no account yet, and ${messageOf(error)} (fix this, create the account with latchkey user add --create, or set SETUP_TOKEN=off to let anyone create it)`,
      { cause: error },
    );
  }
  const { setupToken: kept } = store;
  const token = isRequired ? await kept.keep(makeSetupToken()) : await kept.find();
  return token === undefined ? { kind: "open" } : { kind: "made-token", token };
}

/** While there is no account, logs where to create it, and for which host names that works. */
export function reportSetup(state: SetupState, settings: Settings, log: GateLog): void {
  if (state.kind === "done") return;
  if (state.kind === "open" && reachOf(settings) === "others") {
    log.warn(
      {},
      "no account yet, and anyone who can reach this server can create it: remove SETUP_TOKEN=off to require a token",
    );
  }
  log.info({}, `No account yet. Open ${setupAddress(state, settings)} to create it.`);
  if (isLoopbackHost(settings.host) && settings.allowedHosts === "loopback-setup") {
    log.info(
      {},
      "Until then, setup answers only for loopback names and the hosts of PUBLIC_URL and COOKIE_DOMAIN. To allow other host names, set ALLOWED_HOSTS.",
    );
  }
}

/** The link is logged on purpose: only who can read the log is to create the account. */
function setupAddress(state: SetupState, settings: Settings): string {
  if (state.kind === "made-token") return setupLink(settings, state.token);
  const page = `${baseUrlOf(settings)}/setup`;
  return state.kind === "own-token" ? `${page} with the setup token` : page;
}

/** The link that opens the setup with the token filled in. */
export const setupLink = (settings: Settings, token: string): string =>
  `${baseUrlOf(settings)}/setup?token=${token}`;

/** If both ports are set, plain HTTP redirects to HTTPS once a certificate works. */
function baseUrlOf({ allowedHosts: allowed, ...settings }: Settings): string {
  const { publicUrl, port } = settings;
  if (publicUrl !== undefined) return publicUrl;
  const host = reachableHost(settings.host);
  // A link to a host that is not in ALLOWED_HOSTS would get 421.
  const isRefused = judgeHost({ ...settings, allowed }, host) === "refused";
  return `${schemeOf(settings)}://${isRefused ? (allowed[0] ?? host) : host}:${port}`;
}

/** For a wildcard address, the first external IPv4 address of this machine. */
function reachableHost(host: string): string {
  if (host !== "0.0.0.0" && host !== "::") return inUrl(host);
  const addresses = Object.values(networkInterfaces()).flat();
  const external = addresses.find((one) => one?.family === "IPv4" && !one.internal);
  return external?.address ?? "127.0.0.1";
}
