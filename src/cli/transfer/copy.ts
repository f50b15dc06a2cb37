import { copyStore } from "../../db/copy-store.ts";
import {
  type DatabaseLocation,
  formatDatabaseLocation,
  parseDatabaseLocation,
} from "../../db/location.ts";
import { requireOwnName } from "../../db/sqlite/database-files.ts";
import { explainError, hasDatabase } from "../../db/sqlite/file.ts";
import { refuseOtherSchema } from "../../db/sqlite/schema.ts";
import { createUseFault, type DisposableStore, openDatabase } from "../../gate/open-store.ts";
import { readSecret } from "../../gate/settings/sources.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { type Command, type OptionValues, UsageError } from "../command.ts";
import { createTransferFault, formatAmounts } from "./transfer.ts";

export const command: Command = {
  details:
    "Copies all users with their sessions, all apps and all log entries, or nothing, and compares both databases. The target must be empty; an SQLite file is created.",
  options: [
    {
      name: "from",
      value: "database",
      about: "the source: sqlite:PATH, a postgres:// URL, or @FILE with one of them in it",
    },
    { name: "to", value: "database", about: "the target, in the same form" },
  ],
  settings: [],
  examples: ["latchkey copy --from sqlite:data/latchkey.db --to postgres://localhost/latchkey"],

  async run(_settings, options, terminal) {
    const from = parseSide("from", options);
    const to = parseSide("to", options);
    if (to.location.kind === "sqlite") requireOwnName(to.location.file);
    await using source = await openSide(from, "refuse");
    await using target = await openSide(to, "create");
    // A signal ends the process at once, which undoes the copy.
    const outcome = await copyStore(source.transfer, target.transfer, (step, counts) =>
      terminal.showProgress(
        `${step}: ${[...counts].map(([table, { count }]) => `${table} ${count}`).join(", ")}`,
      ),
    ).catch((error) => {
      throw createTransferFault("copy", error);
    });
    switch (outcome.kind) {
      case "source-empty":
        return terminal.fail(
          `${from.name} has no users and no log entries: there is nothing to copy`,
        );
      case "target-occupied":
        // This case also refuses to copy a database into itself, under any name.
        return terminal.fail(
          `${to.name} already has ${formatAmounts(outcome)}: copy into an empty database`,
        );
      case "copied":
        return terminal.succeed(
          `Copied ${formatAmounts(outcome)} from ${from.name} to ${to.name}; both are the same`,
        );
    }
  },
};

/** Contains a database and its name for messages. The name never contains a password. */
interface Side {
  readonly name: string;
  readonly location: DatabaseLocation;
}

/** Parses the database that --from or --to names. */
function parseSide(option: "from" | "to", { [option]: text }: OptionValues): Side {
  if (typeof text !== "string") {
    const accepted = "sqlite:PATH or a postgres:// URL, or @FILE with one in it";
    throw new UsageError(`copy needs --${option}, with ${accepted}`);
  }
  const { content, problem } = text.startsWith("@") ? readSecret(text.slice(1)) : { content: text };
  if (content === undefined) throw new UsageError(`--${option} names ${problem}`);
  try {
    const location = parseDatabaseLocation(content);
    return { name: formatDatabaseLocation(location), location };
  } catch (error) {
    throw new UsageError(`--${option}: ${getErrorMessage(error)}`);
  }
}

async function openSide(
  { name, location }: Side,
  missing: "create" | "refuse",
): Promise<DisposableStore> {
  try {
    if (location.kind === "sqlite" && hasDatabase(location.file)) {
      await refuseOtherSchema(location.file, missing === "create" ? "accept" : "refuse");
    }
    return await openDatabase(location, missing);
  } catch (error) {
    throw createUseFault(
      name,
      location.kind === "sqlite" ? explainError(location.file, error) : error,
    );
  }
}
