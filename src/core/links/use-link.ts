import { randomBytes } from "node:crypto";
import { type Client, networkRequester } from "../limits/requester.ts";
import type { EventLog } from "../log/event-log.ts";
import { eventOf } from "../log/events.ts";
import { isTooShort } from "../passwords/password-length.ts";
import type { Passwords } from "../passwords/passwords.ts";
import { type NewUser, NO_PASSWORD, type User } from "../records.ts";
import { nextSecond } from "../sessions/end-sessions.ts";
import type { IssuedToken } from "../sessions/session-token.ts";
import { type StartSessionPorts, startSession } from "../sessions/start-session.ts";
import type { UserMemory } from "../sessions/user-memory.ts";
import { type FindLinkPorts, findLink, type OpenLink } from "./find-link.ts";

export interface UseLinkPorts extends StartSessionPorts, FindLinkPorts {
  readonly users: Pick<UserMemory, "forget">;
  readonly passwords: Passwords;
  readonly events: Pick<EventLog, "record">;
}

export interface LinkForm {
  readonly username: string;
  readonly password: string;
  readonly confirm: string;
}

/** What is wrong with the form. The link can still be used. */
export type LinkProblem =
  | "username-or-password-missing"
  | "passwords-differ"
  | "password-too-short"
  | "username-taken";

export type UseLinkOutcome =
  /** As for `findLink`: it cannot be used, or another request was first. */
  | { readonly kind: "gone" }
  | { readonly kind: LinkProblem; readonly open: OpenLink }
  | { readonly kind: "entered"; readonly user: User; readonly token: IssuedToken }
  /** Without a session: the sign-in still asks for a one-time code. */
  | { readonly kind: "password-reset" };

const GONE: UseLinkOutcome = { kind: "gone" };

/** Uses a link with what its page has asked for. */
export async function useLink(
  ports: UseLinkPorts,
  token: string,
  form: LinkForm,
  client: Client,
): Promise<UseLinkOutcome> {
  const open = await findLink(ports, token, client);
  if (open === undefined) return GONE;
  const isGuest = open.link.purpose === "guest";
  const username = open.username ?? form.username;
  const kind = isGuest ? undefined : problemOf({ ...form, username });
  if (kind !== undefined) return { kind, open };
  switch (open.link.purpose) {
    case "invite":
      return acceptInvitation(ports, open, { ...form, username }, client);
    case "guest":
      return enterAsGuest(ports, open, client);
    case "reset":
    case "reset-codes-off":
      return resetByLink(ports, open, form, client);
  }
}

function problemOf({ username, password, confirm }: LinkForm): LinkProblem | undefined {
  if (username === "" || password === "") return "username-or-password-missing";
  if (password !== confirm) return "passwords-differ";
  return isTooShort(password) ? "password-too-short" : undefined;
}

async function acceptInvitation(
  ports: UseLinkPorts,
  open: OpenLink,
  { username, password }: LinkForm,
  client: Client,
): Promise<UseLinkOutcome> {
  const passwordHash = await ports.passwords.hash(password, networkRequester(client));
  const { endsAt } = open.link;
  const user = await insertFor(ports, open, { username, passwordHash, ...(endsAt && { endsAt }) });
  if (user === "taken") return { kind: "username-taken", open };
  return user === "gone" ? GONE : entered(ports, user, client);
}

async function enterAsGuest(
  ports: UseLinkPorts,
  open: OpenLink,
  client: Client,
): Promise<UseLinkOutcome> {
  const { name = "guest", guestSeconds, expiresAt } = open.link;
  const endsAt =
    guestSeconds === undefined ? expiresAt : new Date(ports.clock.now() + guestSeconds * 1_000);
  for (let username = name; ; username = `${name} ${randomBytes(2).toString("hex")}`) {
    const user = await insertFor(ports, open, { username, passwordHash: NO_PASSWORD, endsAt });
    if (user === "gone") return GONE;
    if (user !== "taken") return entered(ports, user, client);
  }
}

function insertFor(
  { store, clock }: UseLinkPorts,
  { link: { id, groups } }: OpenLink,
  user: NewUser,
): Promise<User | "taken" | "gone"> {
  const now = new Date(clock.now());
  return store.links.useForAccount(id, { ...user, ...(groups && { groups }) }, now);
}

function entered(ports: UseLinkPorts, user: User, client: Client): UseLinkOutcome {
  ports.events.record(eventOf("link_use", { user, client }));
  return { kind: "entered", user, token: startSession(ports, user, client) };
}

async function resetByLink(
  ports: UseLinkPorts,
  { link: { id } }: OpenLink,
  { password }: LinkForm,
  client: Client,
): Promise<UseLinkOutcome> {
  const hash = await ports.passwords.hash(password, networkRequester(client));
  const change = { hash, endBefore: nextSecond(ports.clock) };
  const now = new Date(ports.clock.now());
  const user = await ports.store.links.useForPassword(id, change, now);
  if (user === "gone") return GONE;
  ports.users.forget(user.id);
  ports.events.record(eventOf("link_use", { user, client }));
  return { kind: "password-reset" };
}
