import { dirname, resolve } from "node:path";
import { APP_ID } from "../../db/tables.ts";
import { type AppFields, applyFields, type FieldProblem } from "../../features/apps/app-fields.ts";
import { explainFieldProblem } from "../../features/apps/explain-problem.ts";
import { isUsableSecret } from "../../features/apps/manage-apps.ts";
import { applyProfileFields, type ProfileFields } from "../../features/profile/set-profile.ts";
import { normalizeGroups } from "../../identity/groups.ts";
import { getErrorMessage } from "../../lib/fault.ts";
import { formatFileError } from "../../lib/files/file-error.ts";
import { readSmallFile } from "../../lib/files/small-file.ts";
import { findNearest } from "../../lib/find-nearest.ts";
import { isObject } from "../../lib/json.ts";
import { createRefusal, quote } from "../accounts.ts";
import { createRecipeFields, readChosenRecipe } from "../recipe.ts";
import { createProfileError } from "../user.ts";
import { APP_FIELDS, type FileField, type FileFields, USER_FIELDS } from "./file-fields.ts";
import type { FileDocument, FileProblem, Path, ReportProblem } from "./read-document.ts";

/** Describes a user as the file wants it. An absent field keeps its value. */
export interface WantedUser {
  readonly path: Path;
  readonly username: string;
  readonly groups: readonly string[] | undefined;
  /** Absent without a field of the profile. */
  readonly profile: ProfileFields | undefined;
}

/** Describes an app as the file wants it. */
export interface WantedApp {
  readonly path: Path;
  readonly id: string;
  readonly fields: AppFields & { readonly name: string };
  /** Contains the text of the secret file. */
  readonly secret: string | undefined;
}

/** Contains a file without a problem that shows before the database is read. */
export interface WantedState {
  /** Absent if the file does not have the section. */
  readonly users: readonly WantedUser[] | undefined;
  readonly apps: readonly WantedApp[] | undefined;
}

const MAX_SECRET_FILE_BYTES = 4_096;

/**
 * Checks everything that the file says.
 *
 * @param folder Relative paths of secret files start here.
 */
export function readWantedState(
  document: FileDocument,
  folder: string,
): { readonly state: WantedState; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const report: ReportProblem = (path, text) =>
    void problems.push(document.createProblem(path, text));
  const { value } = document;
  const root = isObject(value) ? value : {};
  if (value === null || (root.users === undefined && root.apps === undefined))
    report([], "the file must have users or apps");
  const sections = { $schema: true, users: true, apps: true };
  for (const name of Object.keys(root)) {
    if (!Object.hasOwn(sections, name)) report([name], explainUnknown(name, Object.keys(sections)));
  }
  const users = readList(root, "users", report)?.flatMap(
    (item, at) => readUser(item, ["users", at], report) ?? [],
  );
  const apps = readList(root, "apps", report)?.flatMap(
    (item, at) => readApp(item, ["apps", at], folder, report) ?? [],
  );
  reportRepeated(users ?? [], ({ username }) => username, "username", report);
  reportRepeated(users ?? [], getVerifiedEmail, "email", report);
  reportRepeated(apps ?? [], ({ id }) => id, "id", report);
  reportRepeated(apps ?? [], ({ secret }) => secret, "secretFile", report);
  return { state: { users, apps }, problems };
}

/** Returns the address that the file verifies, in the form in which one account can have it. */
const getVerifiedEmail = ({ profile }: WantedUser): string | undefined =>
  profile?.emailIs === "verified" ? profile.email?.toLowerCase() : undefined;

function readList(
  root: Readonly<Record<string, unknown>>,
  name: "users" | "apps",
  report: ReportProblem,
): readonly unknown[] | undefined {
  const value = root[name];
  if (value === undefined || Array.isArray(value)) return value;
  report([name], "this must be a list; an empty one is []");
  return [];
}

/** Reports items that have the same key, each with the line of the first one. */
function reportRepeated<Item extends { readonly path: Path }>(
  items: readonly Item[],
  getKey: (item: Item) => string | undefined,
  field: string,
  report: ReportProblem,
): void {
  const first = new Map<string, Item>();
  for (const item of items) {
    const key = getKey(item);
    if (key === undefined) continue;
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, item);
    else report([...item.path, field], `${earlier.path[0]}[${earlier.path[1]}] has it already`);
  }
}

const explainUnknown = (name: string, known: readonly string[]): string => {
  const near = findNearest(known, name);
  return `unknown field${near === undefined ? "" : `. Did you mean ${near}?`}`;
};

/** Contains the fields of an item that have the right type. */
interface ItemFields {
  /** True if the item has the field, also with a value of the wrong type, which is reported. */
  has(name: string): boolean;
  text(name: string): string | undefined;
  texts(name: string): readonly string[] | undefined;
  get(name: string): unknown;
}

/** Checks the types of all fields. Returns `undefined` if the item is not an object. */
function readFields(
  item: unknown,
  fields: FileFields,
  path: Path,
  report: ReportProblem,
): ItemFields | undefined {
  if (!isObject(item)) {
    report(path, `this must have fields, such as ${Object.keys(fields)[0]}`);
    return undefined;
  }
  const accepted = new Map<string, unknown>();
  for (const [name, value] of Object.entries(item)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) report([...path, name], explainUnknown(name, Object.keys(fields)));
    else if (hasType(value, field)) accepted.set(name, value);
    else report([...path, name], explainType(field));
  }
  return {
    has: (name) => Object.hasOwn(item, name),
    text: (name) => accepted.get(name) as string | undefined,
    texts: (name) => accepted.get(name) as readonly string[] | undefined,
    get: (name) => accepted.get(name),
  };
}

function hasType(value: unknown, field: FileField): boolean {
  switch (field.kind) {
    case "text":
      return typeof value === "string";
    case "texts":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "flag":
      return typeof value === "boolean";
    case "choice":
      return field.values.some((word) => word === value);
  }
}

function explainType(field: FileField): string {
  switch (field.kind) {
    case "text":
      return "this must be a text; put a number in quotes";
    case "texts":
      return "this must be a list of texts; an empty one is []";
    case "flag":
      return "this must be true or false";
    case "choice":
      return `this must be ${field.values.join(" or ")}`;
  }
}

function readUser(item: unknown, path: Path, report: ReportProblem): WantedUser | undefined {
  const fields = readFields(item, USER_FIELDS, path, report);
  if (fields === undefined) return undefined;
  const username = fields.text("username");
  if (username === undefined || username === "") {
    if (username === "" || !fields.has("username"))
      report([...path, "username"], createRefusal("username-missing", username).message);
    return undefined;
  }
  const groups = normalizeGroups(fields.texts("groups") ?? []);
  if (groups === "invalid" || fields.texts("groups")?.includes("") === true)
    report(
      [...path, "groups"],
      "a user has up to 32 groups of lower-case letters, digits and hyphens",
    );
  return {
    path,
    username,
    groups: fields.texts("groups") && groups !== "invalid" ? groups : undefined,
    profile: readProfile(fields, username, path, report),
  };
}

function readProfile(
  fields: ItemFields,
  username: string,
  path: Path,
  report: ReportProblem,
): ProfileFields | undefined {
  const [name, email] = [fields.text("name"), fields.text("email")];
  const isVerified = fields.get("emailVerified");
  if (name === undefined && email === undefined && isVerified === undefined) return undefined;
  const profile: ProfileFields = {
    ...(name !== undefined && { name: name.trim() }),
    ...(email !== undefined && { email: email.trim() }),
    ...(isVerified !== undefined && { emailIs: isVerified === true ? "verified" : "unverified" }),
  };
  const applied = applyProfileFields({}, profile);
  // Without an address here, that of the account counts.
  if (typeof applied === "string" && !(applied === "email-missing" && email === undefined)) {
    const field = applied === "name-invalid" ? "name" : "email";
    report([...path, field], explainProfile(applied, username, profile));
  }
  return profile;
}

/** Explains why a profile cannot be set. */
export const explainProfile = (
  outcome: Parameters<typeof createProfileError>[0],
  user: string,
  { name, email }: ProfileFields,
): string =>
  outcome === "email-missing"
    ? "there is no address to be verified: add email"
    : createProfileError(outcome, { user, name, email }).message;

function readApp(
  item: unknown,
  path: Path,
  folder: string,
  report: ReportProblem,
): WantedApp | undefined {
  const fields = readFields(item, APP_FIELDS, path, report);
  if (fields === undefined) return undefined;
  const id = fields.text("id");
  if (id === undefined) {
    if (!fields.has("id")) report(path, "an app needs an id, such as photos");
    return undefined;
  }
  if (!APP_ID.test(id)) {
    report(
      [...path, "id"],
      "an ID has up to 63 lower-case letters, digits and hyphens, such as photos, but is not the word new",
    );
    return undefined;
  }
  const recipe = readRecipeFields(fields, path, report);
  if (recipe === undefined) return undefined;
  const own = Object.keys(APP_FIELDS)
    .filter((name) => !["id", "recipe", "way", "secretFile"].includes(name))
    .flatMap((name) => (fields.get(name) === undefined ? [] : [[name, fields.get(name)] as const]));
  const given: AppFields = { ...recipe, ...Object.fromEntries(own) };
  const { name } = given;
  if (name === undefined) {
    if (!fields.has("name")) report(path, "an app needs a name, or a recipe");
    return undefined;
  }
  const app = { ...given, name };
  const applied = applyFields({ id, name, createdAt: new Date(0) }, app);
  const problem = "kind" in applied ? applied : undefined;
  // What the app lacks here, it can already have in the database.
  if (
    problem !== undefined &&
    problem.kind !== "oidc-missing" &&
    problem.kind !== "redirect-missing"
  )
    reportField(problem, path, report);
  const secretFile = fields.text("secretFile");
  const secret =
    secretFile === undefined
      ? undefined
      : readSecretFile(resolve(folder, secretFile), [...path, "secretFile"], report);
  return { path, id, fields: app, secret };
}

/** Names the field of the file that a problem is about. */
const PROBLEM_FIELDS: Readonly<Record<FieldProblem["kind"], string>> = {
  "name-missing": "name",
  "name-invalid": "name",
  "section-invalid": "section",
  "groups-invalid": "groups",
  "factors-invalid": "factors",
  "client-type-invalid": "clientType",
  "signing-invalid": "signing",
  "consent-invalid": "consent",
  "state-invalid": "state",
  "redirect-missing": "redirects",
  "too-many-redirects": "redirects",
  "oidc-missing": "clientType",
  "url-invalid": "url",
  "upstream-invalid": "upstream",
  "redirect-invalid": "redirects",
  "sign-out-redirect-invalid": "signOutRedirects",
  "backchannel-url-invalid": "backchannelUrl",
};

export const reportField = (problem: FieldProblem, path: Path, report: ReportProblem): void =>
  report([...path, PROBLEM_FIELDS[problem.kind]], explainFieldProblem(problem));

/** Returns the fields of the recipe, which are none without a recipe, or reports a problem. */
function readRecipeFields(
  fields: ItemFields,
  path: Path,
  report: ReportProblem,
): AppFields | undefined {
  const [recipe, way, url] = [fields.text("recipe"), fields.text("way"), fields.text("url")];
  if (recipe === undefined) {
    if (way !== undefined) report([...path, "way"], "this is for an app with a recipe");
    return {};
  }
  if (url === undefined || url === "") {
    report([...path, "recipe"], "an app with a recipe needs a url, at which people open it");
    return undefined;
  }
  try {
    const options = { recipe, url, ...(way !== undefined && { way }) };
    const chosen = readChosenRecipe(options);
    if (chosen === undefined) return {};
    const isClient = chosen.recipe.ways[0].way === "oidc" || fields.has("redirects");
    // An app that has changed its way no longer signs in with OpenID Connect.
    return {
      ...(isClient ? {} : { clientType: "none" }),
      ...createRecipeFields(chosen, options),
    };
  } catch (error) {
    report([...path, "recipe"], getErrorMessage(error));
    return undefined;
  }
}

/** Reads a secret. Its text is never part of a message. */
function readSecretFile(file: string, path: Path, report: ReportProblem): string | undefined {
  try {
    const read = readSmallFile(file, MAX_SECRET_FILE_BYTES);
    const text = read.kind === "content" ? Buffer.from(read.content).toString("latin1").trim() : "";
    if (isUsableSecret(text)) return text;
    const problem =
      read.kind === "not-a-file"
        ? "is not a regular file"
        : "must contain a secret of 32 to 255 letters, digits, hyphens, dots, underscores and tildes; latchkey secret prints one";
    report(path, `${quote(file)} ${problem}`);
  } catch (error) {
    report(path, formatFileError("read the secret", file, error));
  }
  return undefined;
}

/** Returns the folder at which relative paths of a file start. */
export const getFolder = (file: string): string => dirname(resolve(file));
