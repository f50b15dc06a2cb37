import { messageOf } from "../../core/base/fault.ts";
import { copy } from "../../core/transfer/copy.ts";
import { type Place, parsePlace, shownPlace } from "../../db/place.ts";
import { databaseExists, explained } from "../../db/sqlite/file.ts";
import { requireOwnName } from "../../db/sqlite/own-files.ts";
import { refuseOtherSchema } from "../../db/sqlite/schema.ts";
import { cannotUse, openPlace, type UsedStore } from "../../gate/open-store.ts";
import { readSecret } from "../../gate/settings/sources.ts";
import { type Command, type OptionValues, UsageError } from "../command.ts";
import { amountsText, transferFault } from "./transfer.ts";

export const command: Command = {
  details:
    "Copies all users with their sessions, and all log entries, or nothing, and compares both databases. The target must be empty; an SQLite file is created.",
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
    const from = sideIn("from", options);
    const to = sideIn("to", options);
    if (to.place.kind === "sqlite") requireOwnName(to.place.file);
    await using source = await openSide(from, "refuse");
    await using target = await openSide(to, "create");
    // A signal ends the process at once, which undoes the copy.
    const outcome = await copy(source.transfer, target.transfer, (step, counts) =>
      terminal.progress(
        `${step}: ${[...counts].map(([table, { count }]) => `${table} ${count}`).join(", ")}`,
      ),
    ).catch((error) => {
      throw transferFault("copy", error);
    });
    switch (outcome.kind) {
      case "source-empty":
        return terminal.fail(
          `${from.name} has no users and no log entries: there is nothing to copy`,
        );
      case "target-occupied":
        // Also refuses to copy a database into itself, under any name.
        return terminal.fail(
          `${to.name} already has ${amountsText(outcome)}: copy into an empty database`,
        );
      case "copied":
        return terminal.succeed(
          `Copied ${amountsText(outcome)} from ${from.name} to ${to.name}; both are the same`,
        );
    }
  },
};

/** A database, and its name for messages, which never contains a password. */
interface Side {
  readonly name: string;
  readonly place: Place;
}

/** The database that --from or --to names. */
function sideIn(option: "from" | "to", { [option]: given }: OptionValues): Side {
  if (typeof given !== "string") {
    const taken = "sqlite:PATH or a postgres:// URL, or @FILE with one in it";
    throw new UsageError(`copy needs --${option}, with ${taken}`);
  }
  const { content, problem } = given.startsWith("@")
    ? readSecret(given.slice(1))
    : { content: given };
  if (content === undefined) throw new UsageError(`--${option} names ${problem}`);
  try {
    const place = parsePlace(content);
    return { name: shownPlace(place), place };
  } catch (error) {
    throw new UsageError(`--${option}: ${messageOf(error)}`);
  }
}

async function openSide({ name, place }: Side, missing: "create" | "refuse"): Promise<UsedStore> {
  try {
    if (place.kind === "sqlite" && databaseExists(place.file)) {
      await refuseOtherSchema(place.file, missing === "create" ? "accept" : "refuse");
    }
    return await openPlace(place, missing);
  } catch (error) {
    throw cannotUse(name, place.kind === "sqlite" ? explained(place.file, error) : error);
  }
}
