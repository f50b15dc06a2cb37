import { existsSync } from "node:fs";
import type { DatabaseContents } from "../db/inspection.ts";
import { ADMINS, type UserId } from "../db/records.ts";
import { getCodesPurpose } from "../features/codes/check-code.ts";
import { isSetupTokenExpected } from "../features/setup/setup-token.ts";
import { getReach, REACH_FIELDS } from "../gate/reach.ts";
import { isTokenRequired } from "../gate/setup-state.ts";
import { readTokenFile } from "../gate/setup-token-file.ts";
import { createSeals } from "../identity/seals.ts";
import { DEVELOPMENT_SECRET } from "../identity/session-token.ts";
import { findBarrier } from "../lib/files/ownership.ts";
import { type Check, createCheck, type Finding, hint, ok, problem } from "./check.ts";
import { readContents } from "./installation.ts";

export const checkAccounts: Check = createCheck(
  "accounts",
  ["dataDir", "database", "setupTokenFile", "setupTokenAtStart", ...REACH_FIELDS],
  async (installation) => {
    const { settings, url } = installation;
    const contents = await readContents(installation);
    if (contents === undefined) return undefined;
    if (contents.hasUsers) return reportAdmin(contents);
    const { text, unreadable } = await readTokenFile(settings.setupTokenFile);
    const isRequired = isTokenRequired(settings);
    const reason =
      text === undefined
        ? unreadable
        : await explainDenial(settings.setupTokenFile, settings.dataDir);
    if (reason !== undefined) {
      const effect = isRequired ? "the gate does not start" : "setup requires no token";
      return problem(
        `the gate cannot read the setup token file ${settings.setupTokenFile}, so ${effect}: ${reason}`,
        "leave SETUP_TOKEN_FILE unset and remove what is there, or let the user of the gate read it",
      );
    }
    const takesToken = isRequired || isSetupTokenExpected(text) || contents.hasSetupToken;
    if (takesToken) return ok("no account yet; setup requires a token");
    if (getReach(settings, url) === "this-machine") {
      return ok("no account yet; only this machine can reach setup");
    }
    return problem(
      "no account yet, and anyone who can reach the gate can create the first one",
      "run latchkey setup-link, and open the link that it prints",
    );
  },
);

/** Checks the accounts of an app, whose setup has its own options. */
export const checkAppAccounts: Check = createCheck(
  "accounts",
  ["database"],
  async (installation) => {
    const contents = await readContents(installation);
    if (contents === undefined || contents.hasUsers) return contents && reportAdmin(contents);
    return hint(
      "no account yet",
      "open the app's setup page: its first visitor creates the account",
    );
  },
);

function reportAdmin({ hasAdmin }: DatabaseContents): Finding {
  if (hasAdmin) return ok("an account exists");
  const remedy = `run latchkey user groups NAME ${ADMINS}, with all groups of that user`;
  return hint(`no account without an end is in the group ${ADMINS}`, remedy);
}

/**
 * Explains why the gate cannot read a file. Only root runs this check, because root can read every
 * file while the gate runs as the owner of the data folder.
 */
async function explainDenial(file: string, dataDir: string): Promise<string | undefined> {
  if (process.geteuid?.() !== 0 || !existsSync(dataDir)) return undefined;
  const barrier = await findBarrier(file, dataDir);
  if (barrier === undefined) return undefined;
  const where = barrier === file ? "" : ` in ${barrier}`;
  return `permission denied${where} to the owner of ${dataDir}`;
}

/**
 * Checks the secret that sealed the codes. With another AUTH_SECRET, accounts with codes are locked
 * out.
 */
export const checkCodes: Check = createCheck(
  "one-time codes",
  ["database", "secret", "previousSecrets"],
  async (installation) => {
    const { secret = DEVELOPMENT_SECRET, previousSecrets } = installation.settings;
    const codes = (await readContents(installation))?.codes ?? [];
    if (codes.length === 0) return undefined;
    const seals = createSeals(secret, previousSecrets);
    const unreadable = codes.filter(
      ({ userId, sealed }) => seals.open(sealed, getCodesPurpose(userId as UserId)) === undefined,
    );
    if (unreadable.length === 0) return ok("AUTH_SECRET opens the one-time codes of all accounts");
    return problem(
      `AUTH_SECRET does not open the one-time codes of ${unreadable.length} of ${codes.length} accounts, which cannot sign in with them`,
      "add the secret from before to AUTH_SECRET_PREVIOUS, or run latchkey user codes off NAME for each of them",
    );
  },
);
