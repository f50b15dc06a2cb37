import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { AnyFault, messageOf, reasonOf } from "../../core/base/fault.ts";
import { type CopyOutcome, copy } from "../../core/transfer/copy.ts";
import {
  cannotUse,
  closing,
  type OpenStore,
  openPostgresAt,
  type UsedStore,
} from "../../gate/open-store.ts";
import { readSecret } from "../../gate/settings/sources.ts";
import { type Place, readPlace } from "../../stores/place.ts";
import { readPostgresUrl } from "../../stores/postgres/url.ts";
import { databaseExists, explained } from "../../stores/sqlite/file.ts";
import { refuseOtherSchema } from "../../stores/sqlite/schema.ts";
import { openSqlite } from "../../stores/sqlite/store.ts";
import { type Command, type OptionValues, UsageError } from "../command.ts";
import type { Ports } from "../terminal.ts";
import { transferFault } from "./fault.ts";
import { amountsText, progressDisplay } from "./progress.ts";

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
    await using source = await open(from, "refuse");
    await using target = await open(to, "create");
    const outcome = await copyShown(source, target, terminal.ports);
    if (outcome.kind !== "copied") return terminal.fail(problemOf(outcome, from.name, to.name));
    return terminal.succeed(
      `Copied ${amountsText(outcome)} from ${from.name} to ${to.name}; both are the same`,
    );
  },
};

/** The database that --from or --to names. */
interface Side {
  /** For messages: never contains a password. */
  readonly name: string;
  readonly place: Place;
}

function sideIn(option: "from" | "to", values: OptionValues): Side {
  const given = values[option];
  if (typeof given !== "string") {
    throw new UsageError(`copy needs --${option}, with ${TAKEN}`);
  }
  const text = given.startsWith("@") ? contentOf(given.slice(1), option) : given;
  try {
    const place = readPlace(text);
    return { name: nameOf(place), place };
  } catch (error) {
    throw new UsageError(`--${option}: ${messageOf(error)}`);
  }
}

const TAKEN = "sqlite:PATH or a postgres:// URL, or @FILE with one in it";

function contentOf(path: string, option: string): string {
  const { content, problem } = readSecret(path);
  if (content === undefined) throw new UsageError(`--${option} names ${problem}`);
  return content;
}

function nameOf(place: Place): string {
  if (place.kind === "sqlite") return `sqlite:${place.file}`;
  const { hosts, login } = readPostgresUrl(place.url);
  const addresses = hosts.map(({ host, port }) => `${host.toLowerCase()}:${port}`).sort();
  return `postgres://${addresses.join(",")}/${login.database ?? login.user ?? ""}`;
}

async function open({ name, place }: Side, missing: Missing): Promise<UsedStore> {
  try {
    const opening: Promise<OpenStore> =
      place.kind === "sqlite" ? openFile(place.file, missing) : openPostgresAt(place.url, missing);
    return closing(await opening);
  } catch (error) {
    throw cannotUse(name, place.kind === "sqlite" ? explained(place.file, error) : error);
  }
}

type Missing = "create" | "refuse";

async function openFile(file: string, missing: Missing): Promise<OpenStore> {
  if (databaseExists(file))
    await refuseOtherSchema(file, missing === "create" ? "accept" : "refuse");
  else if (missing === "refuse") throw new AnyFault("database_missing", "the file does not exist");
  else if (!existsSync(dirname(file)))
    throw new AnyFault("folder_missing", "the folder does not exist");
  return openSqlite({ file, missing });
}

/** A signal ends the process at once, which undoes the copy. */
async function copyShown(from: OpenStore, to: OpenStore, { stderr }: Ports): Promise<CopyOutcome> {
  using display = progressDisplay(stderr);
  try {
    return await copy(from.transfer, to.transfer, display.show);
  } catch (error) {
    throw transferFault("copy", error);
  }
}

function problemOf(
  outcome: Exclude<CopyOutcome, { kind: "copied" }>,
  from: string,
  to: string,
): string {
  switch (outcome.kind) {
    case "source-empty":
      return `${from} has no users and no log entries: there is nothing to copy`;
    case "target-occupied":
      // Also refuses to copy a database into itself, under any name.
      return `${to} already has ${amountsText(outcome)}: copy into an empty database`;
    case "not-compared":
      return `everything was copied to ${to}, but not compared: ${reasonOf(outcome.reason)}`;
    case "different": {
      const differences = outcome.differences.map(
        ({ of, copied, found }) => `the ${of} in ${to} differ (${copied} copied, ${found} found)`,
      );
      return `${differences.join(", ")}: was something written there meanwhile? Copy into an empty database again`;
    }
  }
}
