import { makeNamedFolder } from "../files/data-dir.ts";
import { openIfExists } from "../gate/open-store.ts";
import { LOCAL_FIELDS } from "../gate/reach.ts";
import { tokenFileIn } from "../gate/settings/settings.ts";
import { nameOf } from "../gate/settings/table.ts";
import { setupLink } from "../gate/setup-state.ts";
import { makeSetupToken } from "../gate/setup-token-file.ts";
import { STORE_SETTINGS } from "./accounts.ts";
import { type Command, SUCCESS } from "./command.ts";

export const command: Command = {
  details:
    "The link contains a new setup token, which the gate then requires. An older link stops working.",
  settings: [
    ...STORE_SETTINGS,
    ...LOCAL_FIELDS.map(nameOf),
    ...["SETUP_TOKEN_FILE", "PUBLIC_URL", "ALLOWED_HOSTS"],
  ],
  examples: [
    "latchkey setup-link",
    "PUBLIC_URL=https://auth.example.org latchkey setup-link --env-file latchkey.env",
  ],

  async run(settings, _options, terminal) {
    await using store = await openIfExists(settings);
    if ((await store?.users.any()) === true) {
      return terminal.fail("there is already an account, so setup is closed");
    }
    await makeNamedFolder("DATA_DIR", settings.dataDir);
    terminal.print(setupLink(settings, await makeSetupToken(settings)));
    // A gate with another token file does not accept the link.
    const { setupTokenFile: file, dataDir } = settings;
    const same = file === tokenFileIn(dataDir) ? "DATA_DIR" : "SETUP_TOKEN_FILE";
    terminal.complain(`the token is in ${file}: start the gate with the same ${same}`);
    return SUCCESS;
  },
};
