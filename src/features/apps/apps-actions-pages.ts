import { attributeToAdmin, type NewAuditEvent } from "../../audit/events.ts";
import type { IconScheme, UserId } from "../../db/records.ts";
import { splitNames } from "../../http/choices.ts";
import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import type { APP_FORMS } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import type {
  AppField,
  AppFormValues,
  AppProblemField,
  FormProblem,
  Notice,
} from "../../pages/page-data.ts";
import { getWords, type MessageName, shortenText } from "../../pages/words.ts";
import { createFields } from "../../recipes/fill-recipe.ts";
import type { Recipe } from "../../recipes/recipe.ts";
import { readRecipe } from "../../recipes/recipe-files.ts";
import type { UserContext } from "../context.ts";
import type { AppFields, FieldProblem } from "./app-fields.ts";
import { type IconProblem, removeAppIcon, setAppIcon } from "./app-icons.ts";
import { readAppData, readNewAppData, toAddedApp, toShownClient } from "./apps-pages.ts";
import { letIn } from "./let-in.ts";
import {
  type AddAppOutcome,
  addApp,
  changeApp,
  makeAppSecret,
  removeApp,
  revokeAppSecret,
} from "./manage-apps.ts";

type AppForm = (typeof APP_FORMS)[number];

/** Says which page follows a form. */
type Result =
  /** The page of the app follows, with a notice if the app has changed. */
  | { readonly kind: "done"; readonly id: string; readonly notice: Notice | undefined }
  /** The page of all apps follows: the app was removed, or does not exist. */
  | { readonly kind: "removed" | "no-app" }
  /** Only the response to this form shows the secret. */
  | { readonly kind: "secret"; readonly id: string; readonly secret: string }
  /** Only the response to this form shows what to enter in a known app. */
  | { readonly kind: "added"; readonly data: AppAddedData }
  | { readonly kind: "problem"; readonly problem: FormProblem<AppProblemField> };

type AppAddedData = ReturnType<typeof toAddedApp>;

/** Runs the form of this name, and shows its outcome. */
export async function postApps(name: AppForm, context: UserContext, form: Form): Promise<Answer> {
  const { paths, views, request } = context;
  const result = await actions[name](context, form);
  switch (result.kind) {
    case "problem":
      return showProblem(name, context, form, result.problem);
    case "secret": {
      // The secret is shown once, so no query that could fail runs here.
      const { id, secret } = result;
      const data = { kind: "secret", id, secret, client: toShownClient(context, id) } as const;
      return views.page(context, "app", data);
    }
    case "added":
      return views.page(context, "app", result.data);
    case "removed":
      return redirect(paths.apps, [createNoticeCookie(request, "appIsRemoved")]);
    case "no-app":
      return redirect(paths.apps);
    case "done": {
      const { id, notice } = result;
      const cookies = notice === undefined ? [] : [createNoticeCookie(request, notice)];
      return redirect(`${paths.apps}/${id}`, cookies);
    }
  }
}

/** Returns the services of the rules. Log entries say which administrator made the change. */
const createAppServices = ({ rules, user, client }: UserContext) => ({
  ...rules,
  record: (event: NewAuditEvent) => rules.events.record(attributeToAdmin(event, user, client)),
});

const actions: Readonly<Record<AppForm, (context: UserContext, form: Form) => Promise<Result>>> = {
  async add(context, form) {
    if (lacksGroups(form)) return createProblem(context, "groupsMissing", "who");
    const id = form("id").trim();
    const recipe = readRecipe(form("recipe"));
    const url = form("url").trim();
    if (recipe !== undefined && url === "") return createProblem(context, "fieldMissing", "url");
    const needsIssuer = recipe?.ways[0].way === "oidc";
    if (needsIssuer && toShownClient(context, id).issuer === undefined)
      return createProblem(context, "needsPublicUrl", "url");
    const fields = {
      ...readFields(context, form),
      ...(recipe && createSettings(context, recipe, url)),
      name: form("name"),
    };
    const services = createAppServices(context);
    const outcome = await (id === "" ? addApp(services, fields) : addApp(services, fields, id));
    if (outcome.kind !== "added") return toProblem(context, outcome, recipe);
    const { app, secret } = outcome;
    if (recipe !== undefined) {
      const { name } = app;
      return {
        kind: "added",
        data: toAddedApp(context, recipe, { id: app.id, name, url, secret }),
      };
    }
    return secret === undefined
      ? { kind: "done", id: app.id, notice: "changeIsSaved" }
      : { kind: "secret", id: app.id, secret };
  },

  async change(context, form) {
    const id = form("app");
    const card = readCard(form);
    const hasGroups = card === "access" || card === "all";
    if (hasGroups && lacksGroups(form)) return createProblem(context, "groupsMissing", "who");
    const fields = readFields(context, form);
    const outcome = await changeApp(createAppServices(context), id, fields);
    if (outcome.kind === "no-app") return { kind: "no-app" };
    if (outcome.kind !== "changed") return toProblem(context, outcome);
    return outcome.secret === undefined
      ? { kind: "done", id, notice: getNotice(fields) }
      : { kind: "secret", id, secret: outcome.secret };
  },

  async "add-redirect"(context, form) {
    const [id, uri] = [form("app"), form("redirect")];
    const outcome = await changeApp(createAppServices(context), id, ({ redirects }) => ({
      redirects: redirects.includes(uri) ? redirects : [...redirects, uri],
    }));
    if (outcome.kind === "no-app") return { kind: "no-app" };
    if (outcome.kind !== "changed") return toProblem(context, outcome);
    return outcome.secret === undefined
      ? { kind: "done", id, notice: "changeIsSaved" }
      : { kind: "secret", id, secret: outcome.secret };
  },

  async remove(context, form) {
    return { kind: await removeApp(createAppServices(context), form("app")) };
  },

  async secret(context, form) {
    const id = form("app");
    const outcome = await makeAppSecret(createAppServices(context), id);
    switch (outcome.kind) {
      case "made":
        return { kind: "secret", id, secret: outcome.secret };
      case "too-many":
        return createProblem(context, "tooMany", "secret");
      case "no-app":
        return { kind: "no-app" };
      case "not-confidential":
        return { kind: "done", id, notice: undefined };
    }
  },

  async "revoke-secret"(context, form) {
    const id = form("app");
    const secretId = form("secret") || undefined;
    const outcome = await revokeAppSecret(createAppServices(context), id, secretId);
    if (outcome === "no-app") return { kind: "no-app" };
    return { kind: "done", id, notice: outcome === "revoked" ? "secretIsRevoked" : undefined };
  },

  async "let-in"(context, form) {
    const id = form("app");
    const userId = form("user") as UserId;
    const outcome = await letIn(createAppServices(context), id, userId, form("group"));
    switch (outcome) {
      case "no-app":
        return { kind: "no-app" };
      case "no-user":
        return { kind: "done", id, notice: undefined };
      case "group-unfit":
        return createProblem(context, "groupUnfit", "refused");
      case "too-many-groups":
        return createProblem(context, "tooManyGroups", "refused");
      case "let-in":
        return { kind: "done", id, notice: "personIsIn" };
    }
  },

  async icon(context, form) {
    const id = form("app");
    const image = form.file ?? new Uint8Array();
    const outcome = await setAppIcon(createAppServices(context), id, readScheme(form), image);
    switch (outcome.kind) {
      case "set":
        return { kind: "done", id, notice: "changeIsSaved" };
      case "no-app":
        return { kind: "no-app" };
      default:
        return createProblem(context, iconProblems[outcome.kind], "icon");
    }
  },

  async "remove-icon"(context, form) {
    const id = form("app");
    const app = await context.rules.store.apps.find(id);
    if (app === undefined) return { kind: "no-app" };
    const outcome = await removeAppIcon(createAppServices(context), id, readScheme(form));
    return { kind: "done", id, notice: outcome === "removed" ? "changeIsSaved" : undefined };
  },
};

const readScheme = (form: Form): IconScheme => (form("scheme") === "dark" ? "dark" : "light");

const iconProblems: Readonly<Record<IconProblem, MessageName>> = {
  empty: "iconMissing",
  "too-large": "iconTooLarge",
  "type-unknown": "iconUnknown",
};

const getNotice = ({ state }: AppFields): Notice => {
  if (state === undefined) return "changeIsSaved";
  return state === "on" ? "appIsOn" : "appIsOff";
};

/** Shows the page again, with what was entered and a message at the wrong field. */
async function showProblem(
  name: AppForm,
  context: UserContext,
  form: Form,
  problem: FormProblem<AppProblemField>,
): Promise<Answer> {
  const { paths, views } = context;
  if (name === "add") {
    const data = await readNewAppData(context, form("recipe"));
    const entered = { ...data.form, ...readEntered(form, "all") };
    const shown = { ...data, form: entered, problem: problem as FormProblem<AppField> };
    return views.page(context, "newApp", shown, { status: 422 });
  }
  const data = await readAppData(context, form("app"));
  if (data === undefined) return redirect(paths.apps);
  const entered = name === "change" ? readEntered(form, readCard(form)) : {};
  const shown = { ...data, form: { ...data.form, ...entered, id: data.form.id }, problem };
  return views.page(context, "app", shown, { status: 422 });
}

/** Lists the fields of each card on the page of an app. */
const CARD_FIELDS = {
  looks: ["name", "section", "url", "upstream"],
  access: ["factor", "consent"],
  oidc: ["redirects", "sign_out_redirects", "backchannel", "public", "signing"],
  state: [],
} as const satisfies Readonly<Record<string, readonly AppField[]>>;

type Card = keyof typeof CARD_FIELDS;

/** Returns which card was sent. A form without a card has all fields. */
function readCard(form: Form): Card | "all" {
  const card = form("card");
  return Object.hasOwn(CARD_FIELDS, card) ? (card as Card) : "all";
}

/** Returns what was entered in a card, so that it is shown again. */
function readEntered(form: Form, card: Card | "all"): Partial<AppFormValues> {
  const all = [...Object.values(CARD_FIELDS).flat(), "id"] as const;
  const fields: readonly AppField[] = card === "all" ? all : CARD_FIELDS[card];
  const entered = Object.fromEntries(fields.map((name) => [name, form(name)]));
  if (card !== "all" && card !== "access") return entered;
  // A list of groups that was entered as text has no checkboxes.
  const isChosen = form("who") !== "";
  const isEveryone = isChosen ? form("who") === "everyone" : form("groups").trim() === "";
  return {
    ...entered,
    who: isEveryone ? "everyone" : "groups",
    groups: readChosen(form).join(","),
    new_group: isChosen ? form("new_group") : form("groups"),
  };
}

/** A URI contains no space, so lines and spaces separate a list. */
const readList = (text: string): readonly string[] => text.split(/\s+/).filter((uri) => uri !== "");

/** Returns the groups whose checkboxes are on. The form says which groups it offers. */
const readChosen = (form: Form): readonly string[] =>
  form("offered")
    .split(",")
    .filter((group) => group !== "" && form(`group-${group}`) !== "");

const readNewGroups = (form: Form): readonly string[] =>
  splitNames(form("new_group")).filter((group) => group !== "");

/** Reads the groups of an app: with checkboxes, or as one text with commas. */
function readGroups(form: Form): readonly string[] {
  switch (form("who")) {
    case "everyone":
      return [];
    case "groups":
      return [...readChosen(form), ...readNewGroups(form)];
    default:
      return form("groups").trim() === "" ? [] : splitNames(form("groups"));
  }
}

/** Without any group, the app would be open to everyone. */
const lacksGroups = (form: Form): boolean =>
  form("who") === "groups" && readGroups(form).length === 0;

/** Reads the fields of a card of an app, or all of them. */
function readFields(context: UserContext, form: Form): AppFields {
  const { oidc } = context;
  const consent = form("consent") === "" ? "none" : "ask";
  const looks = {
    name: form("name"),
    section: form("section"),
    url: form("url").trim(),
    upstream: form("upstream").trim(),
  };
  const access = { groups: readGroups(form), factors: form("factor") === "" ? 1 : 2 } as const;
  const card = readCard(form);
  switch (card) {
    case "looks":
      return looks;
    case "access":
      return { ...access, ...(oidc !== undefined && { consent }) };
    case "oidc":
      return oidc === undefined ? {} : readOidcFields(form);
    case "state":
      return { state: form("state") === "off" ? "off" : "on" };
    case "all":
      return {
        ...looks,
        ...access,
        ...(oidc !== undefined && { ...readOidcFields(form), consent }),
      };
  }
}

/**
 * Redirect addresses make the app a client of OpenID Connect, and no other app has the fields of
 * one.
 */
function readOidcFields(form: Form): AppFields {
  const redirects = readList(form("redirects"));
  const signOutRedirects = readList(form("sign_out_redirects"));
  const backchannelUrl = form("backchannel").trim();
  const usesOidc = redirects.length + signOutRedirects.length > 0 || backchannelUrl !== "";
  const secretType = usesOidc ? "confidential" : "none";
  return {
    clientType: form("public") === "" ? secretType : "public",
    redirects,
    signOutRedirects,
    backchannelUrl,
    signing: form("signing") === "ES256" ? "ES256" : "RS256",
  };
}

type Problem = FieldProblem | Exclude<AddAppOutcome, { readonly kind: "added" }>;
type UrlKind = Extract<FieldProblem, { readonly problem: string }>["kind"];

const urlFields: Readonly<Record<UrlKind, AppField>> = {
  "url-invalid": "url",
  "upstream-invalid": "upstream",
  "redirect-invalid": "redirects",
  "sign-out-redirect-invalid": "sign_out_redirects",
  "backchannel-url-invalid": "backchannel",
};

/** Maps each other outcome to its message and its field. */
const problems: Readonly<
  Record<Exclude<Problem["kind"], UrlKind>, readonly [MessageName, AppField]>
> = {
  "name-missing": ["fieldMissing", "name"],
  "name-invalid": ["nameInvalid", "name"],
  "section-invalid": ["nameInvalid", "section"],
  "groups-invalid": ["groupsInvalid", "new_group"],
  "redirect-missing": ["redirectMissing", "redirects"],
  "too-many-redirects": ["tooManyRedirects", "redirects"],
  "id-invalid": ["appIdInvalid", "id"],
  "id-taken": ["appIdTaken", "id"],
  // The form cannot send these.
  "factors-invalid": ["formUnreadable", "name"],
  "client-type-invalid": ["formUnreadable", "name"],
  "signing-invalid": ["formUnreadable", "name"],
  "consent-invalid": ["formUnreadable", "name"],
  "state-invalid": ["formUnreadable", "name"],
  "oidc-missing": ["redirectMissing", "redirects"],
};

const createProblem = (
  { views, request }: UserContext,
  message: MessageName,
  field: AppProblemField,
): Result => ({
  kind: "problem",
  problem: { message: views.message(request, message), fields: [field] },
});

/** Returns the settings of a known app for OpenID Connect, which the form does not ask for. */
function createSettings({ oidc }: UserContext, recipe: Recipe, url: string): AppFields {
  const { name: _, section: __, url: ___, ...settings } = createFields(recipe, url);
  return oidc === undefined ? {} : settings;
}

/** Says what is wrong. For a known app, the URL decides all addresses. */
function toProblem(context: UserContext, outcome: Problem, recipe?: Recipe): Result {
  if (!("problem" in outcome)) return createProblem(context, ...problems[outcome.kind]);
  const { urlProblems } = getWords(context.views.locale(context.request));
  // The page capitalizes the first letter of a message, which would change a URL.
  const message = `${urlProblems[outcome.problem]} (${shortenText(outcome.value)})`;
  const field = recipe === undefined ? urlFields[outcome.kind] : "url";
  return { kind: "problem", problem: { message, fields: [field] } };
}
