import { ADMINS } from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import type { AppDirectory } from "../apps/app-directory.ts";

/** A form can have 100 fields. More groups can be typed. */
const MAX_CHOICES = 60;

interface GroupServices {
  readonly store: Pick<StoreParts, "people">;
  readonly appDirectory: Pick<AppDirectory, "read">;
}

/** Lists the groups that accounts and apps have, sorted by name. */
export async function listAllGroups({
  store,
  appDirectory,
}: GroupServices): Promise<readonly string[]> {
  const [ofPeople, apps] = await Promise.all([store.people.listGroups(), appDirectory.read()]);
  const ofApps = apps.all.flatMap(({ groups = [] }) => groups);
  return [...new Set([ADMINS, ...ofPeople, ...ofApps])].sort();
}

/** Describes a checkbox for a group. */
export interface GroupChoice {
  readonly name: string;
  readonly isChecked: boolean;
}

/** Returns a checkbox for each group, sorted by name. Those that are checked are always included. */
export const toGroupChoices = (
  all: readonly string[],
  checked: readonly string[],
): readonly GroupChoice[] =>
  [...new Set([...checked, ...all])]
    .slice(0, Math.max(MAX_CHOICES, checked.length))
    .sort()
    .map((name) => ({ name, isChecked: checked.includes(name) }));
