import { formatDatabaseLocation } from "../db/location.ts";
import { isSetupTokenExpected } from "../features/setup/setup-token.ts";
import { openStore } from "../gate/open-store.ts";
import { LOCAL_FIELDS } from "../gate/reach.ts";
import { getSettingName } from "../gate/settings/table.ts";
import { formatSetupLink } from "../gate/setup-state.ts";
import { makeSetupToken, readTokenFile } from "../gate/setup-token-file.ts";
import { makeNamedFolder } from "../lib/files/data-dir.ts";
import { STORE_SETTINGS } from "./accounts.ts";
import { type Command, SUCCESS } from "./command.ts";

export const command: Command = {
  details:
    "The link contains a new setup token, which every gate on this database then requires. An older link stops working.",
  settings: [
    ...STORE_SETTINGS,
    ...LOCAL_FIELDS.map(getSettingName),
    ...["SETUP_TOKEN_FILE", "PUBLIC_URL", "ALLOWED_HOSTS"],
  ],
  examples: [
    "latchkey setup-link",
    "PUBLIC_URL=https://auth.example.org latchkey setup-link --env-file latchkey.env",
  ],

  async run(settings, _options, terminal) {
    const { setupTokenFile: file, database, dataDir } = settings;
    const { text } = await readTokenFile(file);
    if (isSetupTokenExpected(text)) {
      return terminal.fail(
        `${file} has a setup token, which the gate requires: open the setup page with it, or delete the file`,
      );
    }
    await makeNamedFolder("DATA_DIR", dataDir);
    await using store = await openStore(settings, "create");
    if (await store.users.any()) {
      return terminal.fail("there is already an account, so setup is closed");
    }
    const token = makeSetupToken();
    await store.setupToken.replace(token);
    terminal.print(formatSetupLink(settings, token));
    // A gate on another database does not accept the link.
    const location = formatDatabaseLocation(database);
    terminal.complain(`the token is in ${location}: start the gate on the same database`);
    return SUCCESS;
  },
};
