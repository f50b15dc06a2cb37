import { isDeepStrictEqual } from "node:util";
import { readPagesById } from "../../db/read-pages.ts";
import {
  ADMINS,
  type App,
  type FoundUser,
  NO_PASSWORD,
  toPublicUser,
  type UserId,
} from "../../db/records.ts";
import type { StoreParts } from "../../db/store.ts";
import {
  type AppDetails,
  type AppFields,
  applyFields,
  settleClientType,
  toAppDetails,
} from "../../features/apps/app-fields.ts";
import {
  applyProfileFields,
  type KnownProfile,
  type ProfileFields,
} from "../../features/profile/set-profile.ts";
import { isAdmin } from "../../identity/groups.ts";
import { isUsableUsername, nameKeyOf } from "../../lib/names.ts";
import { digestText } from "../../lib/random-text.ts";
import { createRefusal, quote } from "../accounts.ts";
import type { FileDocument, FileProblem, ReportProblem } from "./read-document.ts";
import {
  explainProfile,
  reportField,
  type WantedApp,
  type WantedState,
  type WantedUser,
} from "./wanted-state.ts";

/** Says that a field changes. The values are as the command shows them. */
export interface FieldChange {
  readonly field: string;
  readonly from: string;
  readonly to: string;
}

/** Describes one step of the command, which is one line of its output. */
export type Step =
  | { readonly kind: "add-user"; readonly user: WantedUser }
  | ({ readonly kind: "set-groups"; readonly groups: readonly string[] } & ChangedUser)
  | ({ readonly kind: "set-profile"; readonly profile: ProfileFields } & ChangedUser)
  | { readonly kind: "remove-user"; readonly id: UserId; readonly username: string }
  | { readonly kind: "add-app"; readonly app: WantedApp }
  | {
      readonly kind: "change-app";
      readonly id: string;
      /** Absent if only the secret changes. Without secrets, a client gets one with any change. */
      readonly fields: AppFields | undefined;
      /** The text of a secret that the app does not have yet. */
      readonly secret: string | undefined;
      readonly changes: readonly FieldChange[];
    }
  | { readonly kind: "remove-app"; readonly id: string };

interface ChangedUser {
  readonly id: UserId;
  readonly username: string;
  readonly changes: readonly FieldChange[];
}

/** Contains the steps in the order in which they work. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly problems: readonly FileProblem[];
  /** Names what the file does not name. Users are only listed on request. */
  readonly unlisted: { readonly users: readonly string[]; readonly apps: readonly string[] };
}

/** Contains what a plan reads. */
export interface CurrentState {
  readonly users: Pick<StoreParts["users"], "findByName" | "isNameUsed" | "read">;
  readonly profiles: Pick<StoreParts["profiles"], "findUserId">;
  readonly apps: Pick<StoreParts["apps"], "list" | "listSecrets">;
}

/** The state of a database that does not exist yet. */
export const NOTHING: CurrentState = {
  users: {
    findByName: async () => undefined,
    isNameUsed: async () => false,
    read: async () => [],
  },
  profiles: { findUserId: async () => undefined },
  apps: { list: async () => [], listSecrets: async () => [] },
};

/** What happens to users and apps that the file does not name. */
export type Unlisted = "leave" | "list" | "remove";

/** Compares the file with the database. */
export async function makePlan(
  current: CurrentState,
  { users, apps }: WantedState,
  { createProblem }: FileDocument,
  unlisted: Unlisted,
): Promise<Plan> {
  const problems: FileProblem[] = [];
  const report: ReportProblem = (path, text) => void problems.push(createProblem(path, text));
  const found = await findUsers(current, users ?? [], report);
  const others = unlisted === "leave" ? [] : await listOthers(current, users, found);
  const fate = users === undefined ? "leave" : unlisted;
  await checkAdmins(current, found, fate, report);
  await checkEmails(current, found, report);
  const all = await current.apps.list();
  const appSteps: Step[] = [];
  for (const wanted of apps ?? []) {
    const app = all.find(({ id }) => id === wanted.id);
    const step = await planApp(current, wanted, app, report);
    if (step !== undefined) appSteps.push(step);
  }
  const otherApps =
    apps === undefined ? [] : all.filter(({ id }) => !apps.some((wanted) => wanted.id === id));
  const steps: readonly Step[] = [
    ...sortSteps(found.flatMap((user) => planUser(user, report))),
    ...appSteps,
    ...(unlisted === "remove" ? otherApps.map(({ id }): Step => ({ kind: "remove-app", id })) : []),
    ...(fate === "remove"
      ? others.map(({ id, username }): Step => ({ kind: "remove-user", id, username }))
      : []),
  ];
  return {
    steps,
    problems,
    unlisted: {
      users: others.map(({ username }) => username),
      apps: otherApps.map(({ id }) => id),
    },
  };
}

/** A user of the file with the account of this name, if there is one. */
interface UserMatch {
  readonly wanted: WantedUser;
  readonly account: FoundUser | undefined;
}

async function findUsers(
  { users }: CurrentState,
  wantedUsers: readonly WantedUser[],
  report: ReportProblem,
): Promise<readonly UserMatch[]> {
  const found: UserMatch[] = [];
  const takenNames = new Set<string>();
  for (const wanted of wantedUsers) {
    const { username, path } = wanted;
    let account = await users.findByName(username);
    if (account === undefined && (await users.isNameUsed(username))) {
      // Another process can have added the user in between.
      account = await users.findByName(username);
      takenNames.add(nameKeyOf(username));
    }
    // An account that exists can have any name, for example after an import.
    const problem = account === undefined ? takeName(username, takenNames) : undefined;
    if (problem !== undefined)
      report([...path, "username"], createRefusal(problem, username).message);
    else if (account?.passwordHash === NO_PASSWORD)
      report([...path, "username"], `${quote(username)} is a guest: choose another username`);
    else found.push({ wanted, account });
  }
  return found;
}

/** Adds a name to those that are taken, or returns why no new account can get it. */
function takeName(
  username: string,
  takenNames: Set<string>,
): "username-invalid" | "username-used" | undefined {
  if (!isUsableUsername(username)) return "username-invalid";
  const key = nameKeyOf(username);
  if (takenNames.has(key)) return "username-used";
  takenNames.add(key);
  return undefined;
}

/** Lists the accounts that the file does not name. Guests end by themselves. */
async function listOthers(
  { users }: CurrentState,
  wanted: WantedState["users"],
  found: readonly UserMatch[],
): Promise<readonly FoundUser[]> {
  if (wanted === undefined) return [];
  const named = new Set(found.map(({ account }) => account?.id));
  const others: FoundUser[] = [];
  for await (const page of readPagesById(users.read))
    others.push(
      ...page.filter(({ id, passwordHash }) => !named.has(id) && passwordHash !== NO_PASSWORD),
    );
  return others;
}

const listGroups = ({ wanted, account }: UserMatch): readonly string[] =>
  wanted.groups ?? account?.groups ?? [];

/** Returns whether the user is an administrator who stays, after the file is applied. */
const staysAdmin = (match: UserMatch): boolean =>
  match.account?.endsAt === undefined && listGroups(match).includes(ADMINS);

/** Reports users who would no longer be administrators, if no other one remained. */
async function checkAdmins(
  { users }: CurrentState,
  found: readonly UserMatch[],
  unlisted: Unlisted,
  report: ReportProblem,
): Promise<void> {
  if (found.some(staysAdmin)) return;
  if (unlisted === "remove") {
    report(
      ["users"],
      "--prune needs a user of the group admins here: no administrator would remain",
    );
    return;
  }
  const losing = found.filter(
    ({ wanted, account }) =>
      account !== undefined &&
      account.endsAt === undefined &&
      account.groups?.includes(ADMINS) === true &&
      wanted.groups?.includes(ADMINS) === false,
  );
  if (losing.length === 0) return;
  const named = new Set(found.map(({ account }) => account?.id));
  for await (const page of readPagesById(users.read)) {
    const remains = page.some(
      (user) => !named.has(user.id) && user.endsAt === undefined && isAdmin(toPublicUser(user)),
    );
    if (remains) return;
  }
  for (const { wanted } of losing)
    report([...wanted.path, "groups"], createRefusal("last-admin", wanted.username).message);
}

/** Reports addresses that another account has verified, and keeps after the file is applied. */
async function checkEmails(
  { profiles }: CurrentState,
  found: readonly UserMatch[],
  report: ReportProblem,
): Promise<void> {
  for (const { wanted, account } of found) {
    const applied = applyWantedProfile(account?.profile ?? {}, wanted.profile);
    if (typeof applied === "string" || applied.verifiedEmail === undefined) continue;
    const holder = await profiles.findUserId(applied.verifiedEmail);
    if (holder === undefined || holder === account?.id) continue;
    const other = found.find((match) => match.account?.id === holder);
    const kept = other && applyWantedProfile(other.account?.profile ?? {}, other.wanted.profile);
    const isGivenUp = typeof kept === "object" && kept.verifiedEmail !== applied.verifiedEmail;
    if (!isGivenUp)
      report([...wanted.path, "email"], createRefusal("email-taken", applied.email ?? "").message);
  }
}

const applyWantedProfile = (known: KnownProfile, wanted: ProfileFields | undefined) =>
  wanted === undefined ? known : applyProfileFields(known, wanted);

function planUser({ wanted, account }: UserMatch, report: ReportProblem): readonly Step[] {
  const { username, groups, profile } = wanted;
  const known = account?.profile ?? {};
  const applied = applyWantedProfile(known, profile);
  if (typeof applied === "string") {
    reportProfile(applied, wanted, report);
    return [];
  }
  if (account === undefined) return [{ kind: "add-user", user: wanted }];
  const { id } = account;
  const steps: Step[] = [];
  const moves = groups === undefined ? [] : compare("groups", account.groups, groups);
  if (groups !== undefined && moves.length > 0)
    steps.push({ kind: "set-groups", id, username, groups, changes: moves });
  const changes = [
    ...compare("name", known.name, applied.name),
    ...compare("email", formatEmail(known), formatEmail(applied)),
  ];
  if (profile !== undefined && changes.length > 0)
    steps.push({ kind: "set-profile", id, username, profile, changes });
  return steps;
}

const reportProfile = (
  outcome: Parameters<typeof explainProfile>[0],
  { path, username, profile = {} }: WantedUser,
  report: ReportProblem,
): void => report([...path, "emailVerified"], explainProfile(outcome, username, profile));

const formatEmail = ({ email, verifiedEmail }: KnownProfile): string | undefined =>
  email && `${email} (${verifiedEmail === undefined ? "unverified" : "verified"})`;

type FieldValue = string | number | readonly string[] | undefined;

/** Lists the change of a field, or nothing if it stays. */
function compare(field: string, from: FieldValue, to: FieldValue): readonly FieldChange[] {
  const [old, changed] = [toList(from), toList(to)];
  if (isDeepStrictEqual(old, changed)) return [];
  return [{ field, from: formatList(old), to: formatList(changed) }];
}

const toList = (value: FieldValue): readonly (string | number)[] => [value ?? []].flat();

const formatList = (values: readonly (string | number)[]): string => values.join(", ") || "none";

/** Administrators come first, so that none of them is the last one who leaves the group. */
const sortSteps = (steps: readonly Step[]): readonly Step[] =>
  steps.toSorted((one, other) => getRank(one) - getRank(other));

function getRank(step: Step): number {
  if (step.kind === "add-user") return step.user.groups?.includes(ADMINS) === true ? 0 : 1;
  return step.kind === "set-groups" && step.groups.includes(ADMINS) ? 0 : 2;
}

const SHOWN_FIELDS = [
  ...["name", "section", "url", "upstream", "groups", "factors", "clientType", "redirects"],
  ...["signOutRedirects", "backchannelUrl", "consent", "signing", "state"],
] as const satisfies readonly (keyof AppDetails)[];

async function planApp(
  { apps }: CurrentState,
  wanted: WantedApp,
  app: App | undefined,
  report: ReportProblem,
): Promise<Step | undefined> {
  const { id, path, secret } = wanted;
  const known = app ?? { id, name: wanted.fields.name, createdAt: new Date(0) };
  const fields = settleClientType(wanted.fields, toAppDetails(known));
  const applied = applyFields(known, fields);
  if ("kind" in applied) {
    reportField(applied, path, report);
    return undefined;
  }
  const isConfidential = applied.clientType === "confidential";
  if (secret !== undefined && !isConfidential) {
    report([...path, "secretFile"], "only an app with redirects that is not public has a secret");
    return undefined;
  }
  if (app === undefined) return { kind: "add-app", app: wanted };
  const [from, to] = [toAppDetails(app), toAppDetails(applied)];
  const secrets = isConfidential ? await apps.listSecrets(id) : [];
  const isGiven = secret !== undefined && !secrets.some(({ hash }) => hash === digestText(secret));
  // A crash after the app was added can have left it without a secret.
  const isMissing = isConfidential && secrets.length === 0;
  const fieldChanges = SHOWN_FIELDS.flatMap((field) => compare(field, from[field], to[field]));
  const changes: readonly FieldChange[] = [
    ...fieldChanges,
    ...(isGiven
      ? compare("secret", secrets.length === 0 ? "none" : "another", "of secretFile")
      : []),
    ...(isMissing && secret === undefined ? compare("secret", "none", "new") : []),
  ];
  if (changes.length === 0) return undefined;
  return {
    kind: "change-app",
    id,
    fields: fieldChanges.length > 0 || isMissing ? fields : undefined,
    secret: isGiven ? secret : undefined,
    changes,
  };
}
