import { splitNames } from "../../http/choices.ts";
import type { Form } from "../../http/form.ts";
import type { Answer } from "../../http/responses.ts";
import { readSession } from "../../http/session-cookie.ts";
import type { FieldsOf, KeyField, PageData } from "../../pages/page-data.ts";
import { formatDate, formatTime, type MessageName } from "../../pages/words.ts";
import type { UserContext } from "../context.ts";
import { redirectToAccount } from "../redirects.ts";
import { showPage } from "../show-page.ts";
import { type AddKeyOutcome, addKey, revokeKey } from "./manage-keys.ts";

const DAY_SECONDS = 86_400;
const DAYS = [30, 90, 365];

interface KeyProblem {
  readonly message: MessageName;
  readonly fields: FieldsOf<KeyField>;
}

const problems: Readonly<Record<Exclude<AddKeyOutcome["kind"], "added">, KeyProblem>> = {
  "name-missing": { message: "fieldMissing", fields: ["key_name"] },
  "name-invalid": { message: "nameInvalid", fields: ["key_name"] },
  "host-invalid": { message: "hostInvalid", fields: ["key_hosts"] },
  "too-many": { message: "tooMany", fields: ["key_name"] },
};

/** Shows the user's API keys. */
export async function getKeys(context: UserContext): Promise<Answer> {
  return showPage(context, "keys", await readKeysData(context));
}

async function readKeysData({
  rules,
  views,
  request,
  user,
}: UserContext): Promise<Extract<PageData["keys"], { readonly kind: "list" }>> {
  const locale = views.locale(request);
  const keys = await rules.store.keys.listOf(user.id);
  const list = keys.map(({ id, name, hosts = [], createdAt, expiresAt, usedAt }) => ({
    id,
    name,
    hosts,
    isUsed: usedAt !== undefined,
    ...formatTime(locale, usedAt ?? createdAt),
    expires: expiresAt && formatDate(locale, expiresAt),
  }));
  return { kind: "list", list };
}

/** Adds an API key. Only the response to this form shows the new key. */
export async function postAddKey(context: UserContext, form: Form): Promise<Answer> {
  const { views, request } = context;
  const days = DAYS.find((choice) => `${choice}` === form("days")) ?? 365;
  const lifetime = form("days") === "never" ? "never" : days * DAY_SECONDS;
  const hosts = splitNames(form("hosts")).filter((host) => host !== "");
  // An API key must not open anything that the session that adds it could not open.
  const factors = readSession(context.rules, context.request)?.factors;
  const limits = form("hosts") === "" ? {} : { hosts };
  const key = { name: form("name"), ...limits, lifetime, factors } as const;
  const outcome = await addKey(context.rules, context.user, key, context.client);
  // The key is shown once, so no query that could fail runs here.
  if (outcome.kind === "added") {
    return views.page(context, "keys", { kind: "made", text: outcome.text });
  }
  const { message, fields } = problems[outcome.kind];
  const problem = { message: views.message(request, message), fields };
  return views.page(
    context,
    "keys",
    { ...(await readKeysData(context)), problem },
    { status: 422 },
  );
}

export async function postRevokeKey(context: UserContext, form: Form): Promise<Answer> {
  await revokeKey(context.rules, form("key"), context.user, context.client);
  return redirectToAccount("keys", context, { notice: "keyIsRevoked" });
}
