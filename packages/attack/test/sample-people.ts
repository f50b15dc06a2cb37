import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Behaviour, Fields, Memory, User } from "./sample-behaviour.ts";
import { issueToken } from "./sample-tokens.ts";

export const PUBLIC_URL = "https://auth.test";
const ADMINS = "admins";
const PEOPLE = "/account/people";
const PAGES = [PEOPLE, "/account/links", "/account/activity"];
const TEN_MINUTES = 600;

/** A one-time link: an invitation, or a new password for the account with the ID. */
export interface SampleLink {
  readonly id: string;
  readonly groups: readonly string[];
  /** Of a guest. */
  readonly name: string | undefined;
  readonly userId: string | undefined;
}

/** What the sample server does at the pages for administrators, and what a test can replace. */
export interface PeopleBehaviour {
  maySee(user: User | undefined, request: IncomingMessage): boolean;
  mayAct(user: User | undefined, request: IncomingMessage): boolean;
  isRecent(issuedAt: number): boolean;
  /** The fields of a form, if the request is one. */
  formIn(request: IncomingMessage, fields: Fields): Fields | undefined;
  linkOrigin(request: IncomingMessage): string;
}

export const isAdmin = (user: User | undefined): boolean =>
  user?.groups?.includes(ADMINS) === true && user.guest === undefined;

export const managesPeople: PeopleBehaviour = {
  maySee: isAdmin,
  mayAct: isAdmin,
  isRecent: (issuedAt) => issuedAt > Date.now() / 1_000 - TEN_MINUTES,
  formIn: ({ method }, fields) => (method === "POST" ? fields : undefined),
  linkOrigin: () => PUBLIC_URL,
};

const random = (): string => randomBytes(32).toString("base64url");

/** A status, and the body or, for a redirect, the location. */
type Answered = readonly [status: number, text: string];

const LOGIN: Answered = [303, "/login"];

export interface PeopleVisit {
  readonly parts: Behaviour;
  readonly memory: Memory;
  readonly request: IncomingMessage;
  readonly path: string;
  readonly user: User | undefined;
  /** When the session of the user was issued. */
  readonly issuedAt: number;
  readonly fields: Fields;
}

export const isPeoplePath = (path: string): boolean =>
  PAGES.includes(path) || path.startsWith(`${PEOPLE}/`);

export function answerPeople(visit: PeopleVisit): Answered {
  const { parts, memory, request, path, user } = visit;
  const refused: Answered = user === undefined ? LOGIN : [404, ""];
  const action = path.slice(PEOPLE.length + 1);
  if (PAGES.includes(path)) return parts.maySee(user, request) ? [200, shown(visit)] : refused;
  if (!parts.mayAct(user, request)) return refused;
  const form = parts.formIn(request, visit.fields);
  if (form === undefined) return [405, ""];
  if (user !== undefined && !parts.isRecent(visit.issuedAt)) return [303, "/login?again=1"];
  const link = linkFrom(memory, action, form);
  if (link === undefined) change(parts, memory, action, form);
  return link === undefined
    ? [303, PEOPLE]
    : [200, `<code>${parts.linkOrigin(request)}/link/${link}</code>`];
}

const shown = ({ parts, memory }: PeopleVisit): string =>
  [
    ...memory.users.map(
      ({ id, username, groups = [] }) =>
        `<bdi>${parts.escape(username)}</bdi><input name="user" value="${id}"><input name="groups" value="${groups}">`,
    ),
    ...[...memory.links.values()].map(({ id }) => `<button name="link" value="${id}">`),
  ].join("<br>");

/** The token of the link that the form makes; `undefined` for the other forms. */
function linkFrom(memory: Memory, action: string, form: Fields): string | undefined {
  const id = form.get("user") ?? "";
  if (action === "reset" && memory.users.some((one) => one.id === id))
    return addLink(memory, { groups: [], name: undefined, userId: id });
  if (action !== "invite") return undefined;
  const name = form.get("guest") ? form.get("username") : undefined;
  return addLink(memory, { groups: groupsIn(form), name, userId: undefined });
}

const groupsIn = (form: Fields): readonly string[] =>
  (form.get("groups") ?? "").split(",").filter((name) => name !== "");

function change(parts: Behaviour, memory: Memory, action: string, form: Fields): void {
  const { users, links } = memory;
  for (const [token, { id }] of links)
    if (action === "revoke" && id === form.get("link")) links.delete(token);
  const found = users.findIndex(({ id }) => id === form.get("user"));
  const person = users[found];
  if (person === undefined) return;
  if (action === "groups") users[found] = { ...person, groups: groupsIn(form) };
  if (action === "rename") users[found] = { ...person, username: form.get("username") ?? "" };
  if (action === "sign-out") parts.endSession(memory, person, "others");
  if (action === "remove") users.splice(found, 1);
}

function addLink(memory: Memory, link: Omit<SampleLink, "id">): string {
  const token = issueToken(memory, "link", link.userId ?? "");
  memory.links.set(token, { ...link, id: random() });
  return token;
}

/** The account that uses the link, which is then gone; `undefined` if the form does not fit. */
export function useSampleLink(memory: Memory, token: string, fields: Fields): User | undefined {
  const link = memory.links.get(token);
  const [username = "", password = ""] = [
    link?.name ?? fields.get("username"),
    fields.get("password"),
  ];
  if (link === undefined || username === "") return undefined;
  if (link.name === undefined && (password === "" || password !== fields.get("confirm")))
    return undefined;
  memory.links.delete(token);
  memory.issued.delete(token);
  const guest = link.name !== undefined && ({ guest: true } as const);
  const user = { id: `user-${random()}`, username, password, groups: link.groups, ...guest };
  memory.users.push(user);
  return user;
}
