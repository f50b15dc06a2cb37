import { networkInterfaces } from "node:os";
import { AnyFault, Unavailable } from "../core/base/fault.ts";
import { judgeHost } from "../core/hosts/allowed-hosts.ts";
import { isLoopbackHost } from "../core/hosts/loopback.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup/setup-token.ts";
import type { UserStore } from "../core/store.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { inUrl, reachOf, schemeOf } from "./reach.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";
import {
  deleteSetupToken,
  isMadeToken,
  makeSetupToken,
  readTokenFile,
} from "./setup-token-file.ts";

/** Whether setup takes a token in any case: a lost database must not open it to the next visitor. */
export const isTokenRequired = (
  settings: Parameters<typeof reachOf>[0] & Pick<Settings, "setupTokenAtStart">,
): boolean => settings.setupTokenAtStart === "auto" && reachOf(settings) === "others";

const RETRY_AFTER_SECONDS = 2;

/**
 * The setup token of the gate. Where one is required, setup is refused while there is none. Elsewhere,
 * setup requires none while the file cannot be read, which is logged once per reason.
 */
export function setupTokenOf(
  settings: Settings,
  store: { readonly users: Pick<UserStore, "any"> },
  log: Pick<GateLog, "warn">,
): SetupTokenSource {
  const { setupTokenFile: file } = settings;
  let reported: string | undefined;
  return {
    async read() {
      const { text, unreadable: reason } = await readTokenFile(file);
      if (!isTokenRequired(settings)) {
        const warning = "the setup token file cannot be read: setup requires no token";
        if (reason !== undefined && reason !== reported) log.warn({ file, reason }, warning);
        reported = reason;
        return text;
      }
      if (reason !== undefined) {
        const problem = `the setup token file cannot be read: ${reason}`;
        throw new AnyFault("setup_token_unusable", problem);
      }
      // The setup that makes the account deletes the file after that.
      if (isSetupTokenExpected(text) || (await store.users.any())) return text;
      const problem = "there is no setup token: restart the gate or run `latchkey setup-link`";
      throw new Unavailable("setup_token_missing", problem, RETRY_AFTER_SECONDS);
    },
    delete: () => deleteSetupToken(file),
  };
}

/** Whether there is an account; if not, the token that creating it takes. */
type SetupState = "done" | "open" | { readonly token: string };

/** Writes the setup token if one is required and there is none. */
export async function prepareSetup(
  settings: Settings,
  store: { readonly users: Pick<UserStore, "any"> },
  setupToken: SetupTokenSource,
): Promise<SetupState> {
  if (await store.users.any()) return "done";
  const token = isTokenRequired(settings)
    ? await requiredToken(settings)
    : // A temporary read error counts as a token, because setup then refuses every request.
      await setupToken.read().catch(() => "unknown");
  return isSetupTokenExpected(token) ? { token } : "open";
}

async function requiredToken(settings: Settings): Promise<string> {
  try {
    const { text, unreadable } = await readTokenFile(settings.setupTokenFile);
    if (unreadable !== undefined) throw new AnyFault("setup_token_unusable", unreadable);
    return isSetupTokenExpected(text) ? text : await makeSetupToken(settings);
  } catch (error) {
    const reason = error instanceof AnyFault ? error.message : fileErrorReason(error);
    throw new AnyFault(
      "setup_token_unusable",
      `no account yet, and no setup token in ${settings.setupTokenFile}: ${reason} (fix this, create the account with latchkey user add --create, or set SETUP_TOKEN=off to let anyone create it)`,
      { cause: error },
    );
  }
}

/** While there is no account, logs where to create it, and for which host names that works. */
export function reportSetup(state: SetupState, settings: Settings, log: GateLog): void {
  if (state === "done") return;
  if (state === "open" && reachOf(settings) === "others") {
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
function setupAddress(state: Exclude<SetupState, "done">, settings: Settings): string {
  if (state === "open") return `${baseUrlOf(settings)}/setup`;
  if (isMadeToken(state.token)) return setupLink(settings, state.token);
  return `${baseUrlOf(settings)}/setup with the setup token`;
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
