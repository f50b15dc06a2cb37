import { join } from "node:path";
import type { TestContext } from "node:test";
import { openSqlite } from "../../src/db/sqlite/store.ts";
import type { Auth } from "../../src/index.ts";
import { type Answer, type Sending, send } from "../support/client.ts";
import { execute } from "../support/database.ts";
import { OWNER } from "../support/gate.ts";
import { inSeconds, mint } from "../support/mint.ts";
import { type AppOptions, authWith } from "../support/options.ts";
import { type RecordedLine, recordingLog } from "../support/recording-log.ts";
import { tempDir } from "../support/temp-dir.ts";
import type { AppParts, Framework, Served } from "./framework.ts";

export interface RunningAdapter {
  readonly url: string;
  readonly auth: Auth;
  readonly databaseFile: string;
  /** The server log lines of Latchkey. */
  readonly log: readonly RecordedLine[];
  /** How often a protected handler ran. */
  reached(): number;
  send(path: string, sending?: Sending): Promise<Answer>;
  /** Inserts an account without the setup page and returns a session token for it. */
  addAccount(username?: string): string;
}

export { SETUP_FORM } from "../support/gate.ts";

/** Starts an application with Latchkey and a real database. */
export async function startWith(
  t: TestContext,
  start: (parts: AppParts) => Promise<Served>,
  options: AppOptions = {},
): Promise<RunningAdapter> {
  const databaseFile = join(await tempDir(t), "app.db");
  const store = await openSqlite({ file: databaseFile });
  const log = recordingLog();
  const auth = authWith({ store, log, ...options });
  let reached = 0;
  const served = await start({
    auth,
    reach: () => {
      reached += 1;
    },
  });
  t.after(async () => {
    await served.stop();
    await auth.close();
    store.close();
  });
  return {
    url: served.url,
    auth,
    databaseFile,
    log: log.lines,
    reached: () => reached,
    send: (path, sending) => send(`${served.url}${path}`, sending),
    addAccount(username = OWNER.username) {
      const insert = `INSERT INTO latchkey_users (id, username, password_hash) VALUES ('id-${username}', '${username}', 'no hash')`;
      execute(databaseFile, insert);
      return mint({ user_id: `id-${username}`, exp: inSeconds(600) });
    },
  };
}

export const startApp = (
  t: TestContext,
  framework: Framework,
  options: AppOptions = {},
): Promise<RunningAdapter> => startWith(t, (parts) => framework.start(parts), options);
