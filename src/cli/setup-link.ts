import { makeDataDir } from "../files/data-dir.ts";
import { openIfExists } from "../gate/open-store.ts";
import { LOCAL_FIELDS } from "../gate/reach.ts";
import { type Settings, tokenFileIn } from "../gate/settings/settings.ts";
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
    await makeDataDir(settings.dataDir);
    terminal.print(setupLink(settings, await makeSetupToken(settings)));
    // A gate with another token file does not accept the link.
    terminal.complain(`the token is in ${settings.setupTokenFile}: ${sameAs(settings)}`);
    return SUCCESS;
  },
};

const sameAs = ({ setupTokenFile, dataDir }: Settings): string =>
  `start the gate with the same ${setupTokenFile === tokenFileIn(dataDir) ? "DATA_DIR" : "SETUP_TOKEN_FILE"}`;
