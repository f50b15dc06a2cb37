import { AnyFault, codeOf, Unavailable } from "../core/base/fault.ts";
import { isLoopbackHost } from "../core/hosts/loopback.ts";
import { isSetupTokenExpected, type SetupTokenSource } from "../core/setup/setup-token.ts";
import type { UserStore } from "../core/store.ts";
import { fileErrorReason } from "../files/file-error.ts";
import { reachOf } from "./reach.ts";
import type { GateLog } from "./server-log.ts";
import type { Settings } from "./settings/settings.ts";
import { isMadeToken, makeSetupToken, setupLink } from "./setup-link.ts";
import { setupTokenFile } from "./setup-token-file.ts";

/** Whether setup takes a token in any case: a lost database must not open it to the next visitor. */
export const isTokenRequired = (
  settings: Parameters<typeof reachOf>[0] & Pick<Settings, "setupTokenAtStart">,
): boolean => settings.setupTokenAtStart === "auto" && reachOf(settings) === "others";

const MISSING = "setup_token_missing";
const RETRY_AFTER_SECONDS = 2;

/** The setup token of the gate. Where one is required, setup is refused while there is none. */
export function setupTokenOf(
  settings: Settings,
  store: { readonly users: Pick<UserStore, "any"> },
  log: GateLog,
): SetupTokenSource {
  const { setupTokenFile: path } = settings;
  if (!isTokenRequired(settings)) {
    return setupTokenFile(path, (reason) => {
      const text = "the setup token file cannot be read: setup requires no token";
      log.warn({ file: path, reason }, text);
    });
  }
  const file = setupTokenFile(path, (reason) => {
    throw new AnyFault("setup_token_unusable", `the setup token file cannot be read: ${reason}`);
  });
  return {
    ...file,
    async read() {
      const stored = await file.read();
      // The setup that makes the account deletes the file after that.
      if (isSetupTokenExpected(stored) || (await store.users.any())) return stored;
      const text = "there is no setup token: restart the gate or run `latchkey setup-link`";
      throw new Unavailable(MISSING, text, RETRY_AFTER_SECONDS);
    },
  };
}

/** `token`: creating the first account takes the setup token. */
type SetupState =
  | { readonly kind: "done" | "open" }
  | { readonly kind: "token"; readonly token: string };

/** Writes the setup token if one is required and there is none. */
export async function prepareSetup(
  settings: Settings,
  store: { readonly users: Pick<UserStore, "any"> },
  setupToken: SetupTokenSource,
): Promise<SetupState> {
  if (await store.users.any()) return { kind: "done" };
  const token = isTokenRequired(settings)
    ? await requiredToken(settings, setupToken)
    : // A temporary read error counts as a token, because setup then refuses every request.
      await setupToken.read().catch(() => "unknown");
  return isSetupTokenExpected(token) ? { kind: "token", token: token.trim() } : { kind: "open" };
}

async function requiredToken(
  settings: Settings,
  setupToken: SetupTokenSource,
): Promise<string | undefined> {
  try {
    return await setupToken.read().catch((error) => {
      if (codeOf(error) === MISSING) return makeSetupToken(settings);
      throw error;
    });
  } catch (error) {
    // Of the database, which the gate waits for.
    if (error instanceof Unavailable) throw error;
    const reason = error instanceof AnyFault ? error.message : fileErrorReason(error);
    throw new AnyFault(
      "setup_token_unusable",
      `no account yet, and no setup token in ${settings.setupTokenFile}: ${reason} (fix this, create the account with latchkey user add --create, or set SETUP_TOKEN=off to let anyone create it)`,
      { cause: error },
    );
  }
}

/** While there is no account, logs where to create it, and for which host names that works. */
export function reportSetup(
  state: SetupState,
  settings: Settings,
  url: string,
  log: GateLog,
): void {
  if (state.kind === "done") return;
  if (state.kind === "open" && reachOf(settings) === "others") {
    log.warn(
      {},
      "no account yet, and anyone who can reach this server can create it: remove SETUP_TOKEN=off to require a token",
    );
  }
  log.info({}, `No account yet. Open ${placeOf(state, settings, url)} to create it.`);
  if (isLoopbackHost(settings.host) && settings.allowedHosts === "loopback-setup") {
    log.info({}, setupHostsIn(settings));
  }
}

/** The link is logged on purpose: only who can read the log is to create the account. */
function placeOf(state: SetupState, settings: Settings, url: string): string {
  if (state.kind === "token" && isMadeToken(state.token)) {
    const port = Number(new URL(url).port) || settings.port;
    return setupLink({ ...settings, port }, state.token);
  }
  const how = state.kind === "token" ? " with the setup token" : "";
  return `${settings.publicUrl ?? url}/setup${how}`;
}

function setupHostsIn({ publicUrl, cookieDomain }: Settings): string {
  const own = [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...(cookieDomain === undefined ? [] : [cookieDomain, `*.${cookieDomain}`]),
  ].map((host) => `, ${host}`);
  return `Until then, setup answers for localhost and loopback addresses${own.join("")}. To allow other host names, set PUBLIC_URL or ALLOWED_HOSTS.`;
}
