import { existsSync } from "node:fs";
import { isSetupTokenExpected } from "../core/setup-token.ts";
import { barrierTo } from "../gate/files/ownership.ts";
import { reachOf } from "../gate/reach.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { setupTokenFile } from "../gate/setup-token-file.ts";
import type { Check } from "./check.ts";
import { type Finding, ok, problem } from "./finding.ts";
import { seenDatabase } from "./installation.ts";

export const accountsCheck: Check = {
  name: "accounts",
  settings: [
    ...["HOST", "DATA_DIR", "DATABASE_URL", "SETUP_TOKEN_FILE", "PUBLIC_URL"],
    "TRUSTED_PROXIES",
  ],

  async look(installation) {
    const database = await seenDatabase(installation);
    if (database === "unknown") return [];
    if (database !== "missing") {
      if (database.contents?.hasUsers === true) return [ok("there is an account")];
      if (database.contents === undefined && database.schema > 0) return [];
    }
    const { settings } = installation;
    let reason: string | undefined;
    const source = setupTokenFile(settings.setupTokenFile, (why) => {
      reason = why;
    });
    const token = await source.read();
    if (isSetupTokenExpected(token)) reason = await barredReason(settings);
    if (reason !== undefined) return [unreadable(settings.setupTokenFile, reason)];
    if (isSetupTokenExpected(token)) {
      return [ok("there is no account yet, and setup asks for a token")];
    }
    if (reachOf(settings, installation.url) === "this-machine") {
      return [ok("there is no account yet, and setup can be reached from this machine alone")];
    }
    return [
      problem(
        "there is no account yet, and whoever reaches the gate first can make it",
        "run latchkey setup-link, and open the link that it prints",
      ),
    ];
  },
};

/** Checked only as root, which can read every file: the gate runs as the owner of the data folder. */
async function barredReason(settings: Settings): Promise<string | undefined> {
  const { setupTokenFile: file, dataDir } = settings;
  const isAskable = process.geteuid?.() === 0 && existsSync(dataDir);
  const barrier = isAskable ? await barrierTo(file, dataDir) : undefined;
  if (barrier === undefined) return undefined;
  const bars = barrier === file ? "" : ` in ${barrier}`;
  return `permission denied${bars} to the owner of ${dataDir}`;
}

const unreadable = (file: string, reason: string): Finding =>
  problem(
    `the gate cannot read the setup token file ${file}, so setup asks for no token: ${reason}`,
    "run latchkey setup-link as root, with SETUP_TOKEN_FILE unset or in a folder that the gate's user can enter",
  );
