import { isSetupTokenExpected } from "../../core/setup-token.ts";
import { setupTokenFile } from "../setup-token-file.ts";
import type { Check } from "./check.ts";
import { broken, fine } from "./finding.ts";
import { seenDatabase } from "./patient.ts";
import { reachOf } from "./reach.ts";

export const accountsCheck: Check = {
  name: "accounts",
  settings: ["HOST", "DATA_DIR", "DATABASE_URL", "SETUP_TOKEN_FILE", "PUBLIC_URL"],

  async look(patient) {
    const database = await seenDatabase(patient);
    if (database === "unknown") return [];
    if (database !== "missing") {
      if (database.contents?.hasUsers === true) return [fine("there is an account")];
      if (database.contents === undefined && database.schema > 0) return [];
    }
    const token = await setupTokenFile(patient.settings.setupTokenFile).read();
    if (isSetupTokenExpected(token)) {
      return [fine("there is no account yet, and setup asks for a token")];
    }
    if (reachOf(patient) === "this-machine") {
      return [fine("there is no account yet, and setup can be reached from this machine alone")];
    }
    return [
      broken(
        "there is no account yet, and whoever reaches the gate first can make it",
        "run latchkey setup-link, and open the link that it prints",
      ),
    ];
  },
};
