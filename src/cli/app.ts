import { resolve } from "node:path";
import type { IconScheme } from "../db/records.ts";
import {
  type AppDetails,
  type AppFields,
  type FieldProblem,
  settleClientType,
} from "../features/apps/app-fields.ts";
import { type IconProblem, MAX_ICON_BYTES, recognizeIcon } from "../features/apps/app-icons.ts";
import {
  explainFieldProblem,
  explainIconProblem,
  isFieldProblem,
} from "../features/apps/explain-problem.ts";
import type { AddAppOutcome } from "../features/apps/manage-apps.ts";
import type { Settings } from "../gate/settings/settings.ts";
import { Fault } from "../lib/fault.ts";
import { formatFileError } from "../lib/files/file-error.ts";
import { toPrintableJson } from "../lib/files/printable.ts";
import { readSmallFile, type SmallFile } from "../lib/files/small-file.ts";
import {
  type Accounts,
  createAccountCommand,
  nameDatabase,
  openAccounts,
  quote,
  STORE_SETTINGS,
} from "./accounts.ts";
import {
  type Command,
  type CommandOption,
  formatCount,
  type Operand,
  type OptionValues,
  SUCCESS,
  type Terminal,
  UsageError,
} from "./command.ts";
import { createListCommand, formatMinute, formatRows, JSON_LINES } from "./listing.ts";
import {
  type ChosenRecipe,
  createRecipeFields,
  listInstructions,
  RECIPE_OPTIONS,
  readChosenRecipe,
} from "./recipe.ts";

const ID: Operand = { name: "id", need: "required" };

/** Lists what `add` and `change` set. The account API has the same fields. */
const FIELD_OPTIONS: readonly CommandOption[] = [
  { name: "url", value: "url", about: "where people open the app; forward auth finds it by host" },
  { name: "upstream", value: "url", about: "where a proxy forwards to: scheme, host and port" },
  { name: "groups", value: "groups", about: "who may open it, with commas; by default all users" },
  { name: "factor", value: "number", about: "2 requires a second factor; by default 1" },
  { name: "section", value: "text", about: "the heading under which the launcher shows it" },
  { name: "icon", value: "file", about: "SVG, PNG, WebP or AVIF, to 512 KiB", completes: "file" },
  { name: "icon-dark", value: "file", about: "the icon on dark pages", completes: "file" },
  {
    name: "redirect",
    value: "uri",
    about: "where a sign-in with OpenID Connect returns; can be repeated",
    repeats: true,
  },
  {
    name: "sign-out-redirect",
    value: "uri",
    about: "where a sign-out of the app returns; can be repeated",
    repeats: true,
  },
  { name: "backchannel", value: "url", about: "where the app learns that a session has ended" },
  { name: "public", about: "a client that cannot keep a secret, such as a phone app" },
  { name: "consent", about: "ask each person before the app learns who they are" },
  {
    name: "signing",
    value: "algorithm",
    about: "RS256 (default) or ES256, for ID tokens",
    completes: ["RS256", "ES256"],
  },
  { name: "off", about: "keep its settings, and let nobody open it" },
];

const ICON_OPTIONS: Readonly<Record<string, IconScheme>> = { icon: "light", "icon-dark": "dark" };

export const add: Command = {
  details:
    "Prints what to enter in the app. An app with --redirect or --public signs in with OpenID Connect; its secret is not shown again. An app without them is for forward auth and the launcher. With --recipe, the other options are only needed for what differs from the recipe.",
  operands: [{ name: "name", need: "optional" }],
  options: [
    ...RECIPE_OPTIONS,
    { name: "id", value: "id", about: "also the client ID; by default made from the name" },
    ...FIELD_OPTIONS,
  ],
  settings: [...STORE_SETTINGS, "PUBLIC_URL"],
  examples: [
    "latchkey app add --recipe immich --url https://photos.example.org --groups family",
    "latchkey app add Wiki --url https://wiki.example.org --groups family",
    "latchkey app add Photos --redirect https://photos.example.org/auth/callback",
  ],

  async run(settings, options, terminal) {
    const recipe = readChosenRecipe(options);
    const name = options.name ?? recipe?.recipe.name;
    if (typeof name !== "string") throw new UsageError("app add needs a name, or --recipe");
    const fields = { ...(recipe && createRecipeFields(recipe, options)), ...readFields(options) };
    const icons = readIcons(options);
    if (recipe !== undefined) requireIssuer(recipe, settings);
    await using accounts = await openAccounts(settings, terminal);
    const id = options.id ?? (options.name === undefined ? recipe?.id : undefined);
    const outcome = await accounts.apps.add({
      ...fields,
      name,
      ...(typeof id === "string" && { id }),
    });
    if (outcome.kind !== "added") throw createAddError(outcome, options);
    await setIcons(accounts, outcome.app.id, icons);
    const title = `Added the app ${quote(outcome.app.id)}`;
    const added = { app: outcome.app, secret: outcome.secret };
    if (recipe === undefined) printEntries(title, added, settings, terminal);
    else await printInstructions(title, recipe, added, settings, terminal);
    nameDatabase(settings, terminal);
    return SUCCESS;
  },
};

export const change: Command = {
  details:
    'Changes only what is given, within a second on every gate. An empty value removes what is set, such as --section "". A --redirect or --sign-out-redirect replaces the whole list: repeat it for each URI. Without redirects, an app with a secret no longer signs in with OpenID Connect.',
  operands: [ID],
  options: [
    { name: "name", value: "name", about: "what people call the app" },
    ...FIELD_OPTIONS.map(
      (option): CommandOption =>
        option.value === undefined ? option : { ...option, acceptsEmpty: true },
    ),
    { name: "no-public", about: "a client with a secret again" },
    { name: "no-consent", about: "do not ask each person" },
    { name: "on", about: "let people open it again after --off" },
  ],
  settings: [...STORE_SETTINGS, "PUBLIC_URL"],
  examples: [
    "latchkey app change photos --groups family,friends --factor 2",
    'latchkey app change photos --section "" --icon photos.svg',
    "latchkey app change photos --redirect https://a.example.org/cb --redirect https://b.example.org/cb",
  ],

  async run(settings, options, terminal) {
    const id = String(options.id);
    const fields = readFields(options);
    const icons = readIcons(options);
    if (Object.keys(fields).length + icons.length === 0)
      throw new UsageError("app change needs an option that says what to change");
    await using accounts = await openAccounts(settings, terminal);
    const app = await findApp(accounts, id);
    const outcome = await accounts.apps.change(id, settleClientType(fields, app));
    if (isFieldProblem(outcome)) throw createFieldError(outcome);
    if (outcome.kind === "no-app") throw createNoAppError(id);
    await setIcons(accounts, id, icons);
    const title = `Changed the app ${quote(id)}`;
    if (outcome.secret === undefined) terminal.print(`${title}.`);
    else {
      const changed = await findApp(accounts, id);
      printEntries(title, { app: changed, secret: outcome.secret }, settings, terminal);
    }
    nameDatabase(settings, terminal);
    return SUCCESS;
  },
};

export const remove: Command = createAccountCommand({
  details:
    "Ends every sign-in to the app. Its secrets, its icons and what people have agreed to are removed, and another app can have its ID.",
  operands: [ID],
  examples: ["latchkey app remove photos"],

  async change({ apps }, { id }) {
    if ((await apps.remove(String(id))) === "no-app") throw createNoAppError(id);
    return `Removed the app ${quote(id)}.`;
  },
});

export const secret: Command = createAccountCommand({
  details:
    "Prints a second client secret, which is not shown again. Both are valid until the older one is revoked, so that the app can change its secret without a break.",
  operands: [ID],
  options: [{ name: "revoke", about: "revoke the older of two secrets instead" }],
  examples: ["latchkey app secret photos", "latchkey app secret photos --revoke"],

  async change({ apps }, { id, revoke }) {
    if (revoke === true) {
      const outcome = await apps.revokeSecret(String(id));
      if (outcome === "no-app") throw createNoAppError(id);
      if (outcome === "only-one") {
        const text = `the app ${quote(id)} has no older secret: make the new one first with latchkey app secret`;
        throw new Fault("refused", text);
      }
      return `Revoked the older secret of the app ${quote(id)}.`;
    }
    const outcome = await apps.addSecret(String(id));
    switch (outcome.kind) {
      case "made":
        return outcome.secret;
      case "no-app":
        throw createNoAppError(id);
      case "not-confidential": {
        const text = `the app ${quote(id)} has no secret: it is a public client, or does not sign in with OpenID Connect`;
        throw new Fault("refused", text);
      }
      case "too-many": {
        const text = `the app ${quote(id)} has two secrets: revoke the older one first with latchkey app secret ${id} --revoke`;
        throw new Fault("refused", text);
      }
    }
  },
});

export const rotateKeys: Command = createAccountCommand({
  details:
    "Makes new keys for what apps verify: ID tokens, sign-outs and assertions. The earlier keys stay published for 30 days. Without this command, keys are replaced after 90 days.",
  examples: ["latchkey app rotate-keys"],

  async change({ apps }) {
    return (await apps.rotateKeys()) === "rotated"
      ? "Replaced the signing keys. The earlier ones stay valid for 30 days."
      : "There are no signing keys yet: the first sign-in to an app makes them.";
  },
});

export const list: Command = createListCommand<AppDetails>({
  details: "In the order of their IDs.",
  examples: ["latchkey app list", "latchkey app list --json"],
  async *read({ apps }) {
    yield await apps.list();
  },
  columns: { ID: 0, NAME: 0, STATE: 5, GROUPS: 0, FACTOR: 6, "SIGN-IN": 0, URL: 0 },
  toCells: ({ id, name, state, groups, factors, clientType, url = "" }) => [
    ...[id, name, state, groups.join(","), String(factors), signInNames[clientType], url],
  ],
  toObject: toJson,
});

const signInNames: Readonly<Record<AppDetails["clientType"], string>> = {
  confidential: "OpenID Connect",
  public: "OpenID Connect (public)",
  none: "",
};

export const show: Command = {
  details: "Shows what is known of an app. Its secrets are never shown.",
  operands: [ID],
  options: [JSON_LINES],
  settings: [...STORE_SETTINGS, "PUBLIC_URL"],
  examples: ["latchkey app show photos", "latchkey app show photos --json"],

  async run(settings, { id, json }, terminal) {
    await using accounts = await openAccounts(settings, terminal, "read");
    const { secrets, icons, ...app } = await findApp(accounts, id);
    if (json === true) {
      terminal.print(toPrintableJson({ ...toJson(app), secrets, icons }));
      return SUCCESS;
    }
    const made = secrets.map((at) => `made ${formatMinute(at)}`).join(", ");
    const isClient = app.clientType !== "none";
    const rows = {
      ID: app.id,
      Name: app.name,
      State: app.state === "on" ? "on" : "off, nobody may open it",
      Section: app.section,
      URL: app.url,
      Upstream: app.upstream,
      Groups: app.groups.join(", ") || "all users except guests",
      Factor: String(app.factors),
      Icons: icons.join(", "),
      "Sign-in": signInNames[app.clientType] || "forward auth",
      ...(isClient && {
        ...listClientRows(app, settings),
        Secrets: made && `${formatCount(secrets.length, "secret")}, ${made}`,
        "Redirect URIs": app.redirects.join(", "),
        "Sign-out redirect URIs": app.signOutRedirects.join(", "),
        "Back-channel URL": app.backchannelUrl,
        Consent: app.consent === "ask" ? "each person is asked" : "nobody is asked",
        Signing: app.signing,
      }),
      Added: formatMinute(app.createdAt),
    };
    await terminal.printAll(formatRows(rows));
    return SUCCESS;
  },
};

/** Returns the object that `--json` prints. An absent value is `null`. */
function toJson(app: AppDetails): object {
  const { id, name, section, url, upstream, backchannelUrl, createdAt, ...others } = app;
  const texts = { section: section ?? null, url: url ?? null, upstream: upstream ?? null };
  return { id, name, ...texts, ...others, backchannelUrl: backchannelUrl ?? null, createdAt };
}

const listClientRows = (
  { id }: Pick<AppDetails, "id">,
  { publicUrl }: Settings,
): Readonly<Record<string, string>> => {
  const issuer = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const unknown = "set PUBLIC_URL to the address of the gate to see it";
  return {
    Issuer: issuer ?? unknown,
    "Discovery URL": issuer === undefined ? unknown : `${issuer}/.well-known/openid-configuration`,
    "Client ID": id,
  };
};

/** An app with its secret, which is known only when it is made. */
interface AddedApp {
  readonly app: AppDetails;
  readonly secret: string | undefined;
}

/** What a recipe says is worth nothing without the address of the gate. */
function requireIssuer({ recipe }: ChosenRecipe, { publicUrl }: Settings): void {
  if (recipe.ways[0].way === "oidc" && publicUrl === undefined) {
    const text = `${recipe.name} needs the address of the gate: set PUBLIC_URL, or write --public-url`;
    throw new UsageError(text);
  }
}

/** Prints what the recipe says, with the values of the app. */
async function printInstructions(
  title: string,
  chosen: ChosenRecipe,
  { app, secret: clientSecret }: AddedApp,
  { publicUrl = "" }: Settings,
  terminal: Terminal,
): Promise<void> {
  const once = clientSecret === undefined ? "" : "; the secret is not shown again";
  const issuer = URL.parse(publicUrl)?.origin ?? "";
  const { id: clientId, url = "" } = app;
  const lines = listInstructions(chosen, { url, issuer, clientId, clientSecret });
  await terminal.printAll([`${title}. Enter this in ${chosen.recipe.name}${once}:`, "", ...lines]);
}

/** Prints what the operator must enter in the app. */
function printEntries(
  title: string,
  { app, secret: text }: AddedApp,
  settings: Settings,
  terminal: Terminal,
): void {
  if (app.clientType === "none") {
    terminal.print(`${title}.`);
    return;
  }
  const once = text === undefined ? "" : "; the secret is not shown again";
  const rows = { ...listClientRows(app, settings), "Client secret": text };
  terminal.print(
    [
      `${title}. Enter this in the app${once}:`,
      ...formatRows(rows).map((line) => `  ${line}`),
    ].join("\n"),
  );
}

async function findApp({ apps }: Accounts, id: OptionValues[string]) {
  const app = await apps.find(String(id));
  if (app === undefined) throw createNoAppError(id);
  return app;
}

/** Explains why no app was added. */
function createAddError(
  outcome: Exclude<AddAppOutcome, { readonly kind: "added" }>,
  { id, name }: OptionValues,
): Error {
  if (isFieldProblem(outcome)) return createFieldError(outcome);
  if (outcome.kind === "id-taken") {
    const text = `there is already an app with the ID ${quote(outcome.id)}: choose another with --id, or use latchkey app change`;
    return new Fault("refused", text);
  }
  const form =
    "an ID has up to 63 lower-case letters, digits and hyphens, such as photos, but is not the word new";
  return new UsageError(
    id === undefined
      ? `no ID can be made from the name ${quote(name)}: choose one with --id (${form})`
      : `the ID ${quote(id)} is not accepted: ${form}`,
  );
}

const createNoAppError = (id: OptionValues[string]): Fault =>
  new Fault("refused", `there is no app ${quote(id)}: latchkey app list shows the IDs`);

const createFieldError = (problem: FieldProblem): UsageError =>
  new UsageError(explainFieldProblem(problem));

/** Reads the fields that the options set. The empty text removes a field. */
function readFields(options: OptionValues): AppFields {
  const { name, url, upstream, groups, section, backchannel, factor, signing } = options;
  const texts = { url, upstream, section, backchannelUrl: backchannel };
  const lists = { redirects: options.redirect, signOutRedirects: options["sign-out-redirect"] };
  requireOne(options, "public", "no-public");
  requireOne(options, "consent", "no-consent");
  requireOne(options, "off", "on");
  if (factor !== undefined && !["", "1", "2"].includes(String(factor)))
    throw new UsageError(`--factor takes 1 or 2, but got ${quote(factor)}`);
  return {
    ...(typeof name === "string" && { name }),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => typeof text === "string")),
    ...(typeof groups === "string" && {
      groups: groups === "" ? [] : groups.split(",").map((group) => group.trim()),
    }),
    ...(factor !== undefined && { factors: factor === "2" ? 2 : 1 }),
    ...Object.fromEntries(
      Object.entries(lists).flatMap(([field, uris]) =>
        typeof uris === "object" ? [[field, uris.length === 1 && uris[0] === "" ? [] : uris]] : [],
      ),
    ),
    ...(options.public === true && { clientType: "public" as const }),
    ...(options["no-public"] === true && { clientType: "confidential" as const }),
    ...(options.consent === true && { consent: "ask" as const }),
    ...(options["no-consent"] === true && { consent: "none" as const }),
    ...(signing !== undefined && { signing: signing === "ES256" ? "ES256" : "RS256" }),
    ...(options.off === true && { state: "off" as const }),
    ...(options.on === true && { state: "on" as const }),
  };
}

function requireOne(options: OptionValues, one: string, other: string): void {
  if (options[one] === true && options[other] === true)
    throw new UsageError(`--${one} and --${other} exclude each other: give one of them`);
}

interface GivenIcon {
  readonly scheme: IconScheme;
  readonly file: string;
  /** Without an image, the icon is removed. */
  readonly image: Uint8Array | undefined;
}

/** Reads the icons before anything changes. */
const readIcons = (options: OptionValues): readonly GivenIcon[] =>
  Object.entries(ICON_OPTIONS).flatMap(([option, scheme]) => {
    const file = options[option];
    if (typeof file !== "string") return [];
    return [{ scheme, file, image: file === "" ? undefined : readIcon(file) }];
  });

function readIcon(file: string): Uint8Array {
  let read: SmallFile;
  try {
    read = readSmallFile(resolve(file), MAX_ICON_BYTES);
  } catch (error) {
    throw new Fault("icon_unusable", formatFileError("read the icon", file, error));
  }
  if (read.kind === "not-a-file")
    throw new Fault("icon_unusable", `cannot read the icon ${file}: it is not a regular file`);
  if (read.kind === "too-large") throw createIconError(file, "too-large");
  const recognized = recognizeIcon(read.content);
  if ("problem" in recognized) throw createIconError(file, recognized.problem);
  return read.content;
}

const createIconError = (file: string, problem: IconProblem): Fault =>
  new Fault("icon_unusable", explainIconProblem(file, problem));

async function setIcons(
  { apps }: Accounts,
  id: string,
  icons: readonly GivenIcon[],
): Promise<void> {
  for (const { scheme, file, image } of icons) {
    if (image === undefined) {
      await apps.removeIcon(id, scheme);
      continue;
    }
    const { kind } = await apps.setIcon(id, scheme, image);
    if (kind === "no-app") throw createNoAppError(id);
    if (kind !== "set") throw createIconError(file, kind);
  }
}
