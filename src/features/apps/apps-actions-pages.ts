import { attributeToAdmin } from "../../audit/events.ts";
import type { Form } from "../../http/form.ts";
import { createNoticeCookie } from "../../http/notice.ts";
import type { APP_FORMS } from "../../http/paths.ts";
import { type Answer, redirect } from "../../http/responses.ts";
import type { AppField, AppFormValues, FormProblem } from "../../pages/page-data.ts";
import { getWords, type MessageName, shortenText } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import type { AppFields, FieldProblem } from "./app-fields.ts";
import { readAppData, readAppsData, toShownClient } from "./apps-pages.ts";
import {
  type AddAppOutcome,
  type AppServices,
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
  | { readonly kind: "done"; readonly id: string; readonly isChanged: boolean }
  /** The page of all apps follows: the app was removed, or does not exist. */
  | { readonly kind: "removed" | "no-app" }
  /** Only the response to this form shows the secret. */
  | { readonly kind: "secret"; readonly id: string; readonly secret: string }
  | { readonly kind: "problem"; readonly problem: FormProblem<AppField | "secret"> };

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
    case "removed":
      return redirect(paths.apps, [createNoticeCookie(request, "changeIsSaved")]);
    case "no-app":
      return redirect(paths.apps);
    case "done": {
      const notices = result.isChanged ? [createNoticeCookie(request, "changeIsSaved")] : [];
      return redirect(`${paths.apps}/${result.id}`, notices);
    }
  }
}

/** Returns the services of the rules. Log entries say which administrator made the change. */
const createAppServices = ({ rules, user, client }: UserContext): AppServices => ({
  ...rules,
  record: (event) => rules.events.record(attributeToAdmin(event, user, client)),
});

const actions: Readonly<Record<AppForm, (context: UserContext, form: Form) => Promise<Result>>> = {
  async add(context, form) {
    const id = form("id").trim();
    const fields = readFields(context, form);
    const services = createAppServices(context);
    const outcome = await (id === "" ? addApp(services, fields) : addApp(services, fields, id));
    if (outcome.kind !== "added") return toProblem(context, outcome);
    const { app, secret } = outcome;
    return secret === undefined
      ? { kind: "done", id: app.id, isChanged: true }
      : { kind: "secret", id: app.id, secret };
  },

  async change(context, form) {
    const id = form("app");
    const outcome = await changeApp(createAppServices(context), id, readFields(context, form));
    if (outcome.kind === "no-app") return { kind: "no-app" };
    if (outcome.kind !== "changed") return toProblem(context, outcome);
    return outcome.secret === undefined
      ? { kind: "done", id, isChanged: true }
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
        return { kind: "done", id, isChanged: false };
    }
  },

  async "revoke-secret"(context, form) {
    const id = form("app");
    const outcome = await revokeAppSecret(createAppServices(context), id);
    if (outcome === "no-app") return { kind: "no-app" };
    return { kind: "done", id, isChanged: outcome === "revoked" };
  },
};

/** Shows the page again, with what was entered and a message at the wrong field. */
async function showProblem(
  name: AppForm,
  context: UserContext,
  form: Form,
  problem: FormProblem<AppField | "secret">,
): Promise<Answer> {
  const { paths, views } = context;
  if (name === "add") {
    const data = await readAppsData(context);
    const entered = readEntered(form, data.form);
    const shown = { ...data, form: entered, problem: problem as FormProblem<AppField> };
    return views.page(context, "apps", shown, { status: 422 });
  }
  const data = await readAppData(context, form("app"));
  if (data === undefined) return redirect(paths.apps);
  const entered = name === "change" ? { ...readEntered(form, data.form), id: data.form.id } : {};
  const shown = { ...data, form: { ...data.form, ...entered }, problem };
  return views.page(context, "app", shown, { status: 422 });
}

const readEntered = (form: Form, fields: AppFormValues): AppFormValues =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, form(name)])) as Record<
    AppField,
    string
  >;

/** A URI contains no space, so lines and spaces separate a list. */
const readList = (text: string): readonly string[] => text.split(/\s+/).filter((uri) => uri !== "");

/**
 * Reads the fields of an app. Redirect addresses make the app a client of OpenID Connect, and no
 * other app has the fields of one.
 */
function readFields({ oidc }: UserContext, form: Form): AppFields & { readonly name: string } {
  const redirects = readList(form("redirects"));
  const signOutRedirects = readList(form("sign_out_redirects"));
  const backchannelUrl = form("backchannel").trim();
  const usesOidc = redirects.length + signOutRedirects.length > 0 || backchannelUrl !== "";
  const secretType = usesOidc ? "confidential" : "none";
  return {
    name: form("name"),
    section: form("section"),
    url: form("url").trim(),
    upstream: form("upstream").trim(),
    groups: form("groups").trim() === "" ? [] : form("groups").replaceAll(/\s/g, "").split(","),
    factors: form("factor") === "" ? 1 : 2,
    ...(oidc !== undefined && {
      clientType: form("public") === "" ? secretType : "public",
      redirects,
      signOutRedirects,
      backchannelUrl,
      consent: form("consent") === "" ? "none" : "ask",
      signing: form("signing") === "ES256" ? "ES256" : "RS256",
    }),
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
  "groups-invalid": ["groupsInvalid", "groups"],
  "redirect-missing": ["redirectMissing", "redirects"],
  "too-many-redirects": ["tooManyRedirects", "redirects"],
  "id-invalid": ["appIdInvalid", "id"],
  "id-taken": ["appIdTaken", "id"],
  // The form cannot send these.
  "factors-invalid": ["formUnreadable", "name"],
  "client-type-invalid": ["formUnreadable", "name"],
  "signing-invalid": ["formUnreadable", "name"],
  "consent-invalid": ["formUnreadable", "name"],
  "oidc-missing": ["redirectMissing", "redirects"],
};

const createProblem = (
  { views, request }: UserContext,
  message: MessageName,
  field: AppField | "secret",
): Result => ({
  kind: "problem",
  problem: { message: views.message(request, message), fields: [field] },
});

function toProblem(context: UserContext, outcome: Problem): Result {
  if (!("problem" in outcome)) return createProblem(context, ...problems[outcome.kind]);
  const { urlProblems } = getWords(context.views.locale(context.request));
  // The page capitalizes the first letter of a message, which would change a URL.
  const message = `${urlProblems[outcome.problem]} (${shortenText(outcome.value)})`;
  return { kind: "problem", problem: { message, fields: [urlFields[outcome.kind]] } };
}
