import { randomBytes } from "node:crypto";
import { Skipped, Undecided } from "./errors.ts";
import type { Headers } from "./http/request.ts";
import type { HttpResponse } from "./http/response.ts";
import { partsOf } from "./payloads/tokens.ts";
import { type Account, isSuccess, newAddress, send, signIn, type Target } from "./target.ts";

/** The pages for administrators. */
export const PEOPLE = "/account/people";
export const LINKS = "/account/links";
export const ACTIVITY = "/account/activity";

export type Form = Readonly<Record<string, string>>;

/** An account that an attack has created. */
export interface Person {
  readonly id: string;
  readonly username: string;
  readonly password: string;
  readonly token: string;
}

export const randomId = (): string => randomBytes(12).toString("hex");

export const userIdIn = (token: string): string => String(partsOf(token)?.payload.user_id);

/** Earlier attacks end sessions and use up the attempts of this address, and a session gets old. */
export async function freshSession(target: Target): Promise<Account> {
  const { account } = target;
  if (account === undefined) throw new Skipped("there is no account to try it with");
  const { username, password } = account;
  const from = await newAddress(target);
  const response = await signIn(target, { username, password }, { from });
  if (response.session === undefined) throw new Undecided("the sign-in failed");
  return { ...account, token: response.session };
}

/** The account of the setup, which may manage others, with a sign-in just now. */
export async function administrator(target: Target): Promise<Account> {
  const account = await freshSession(target);
  const { status } = await send(target, { path: PEOPLE, session: account.token });
  if (status === 404) throw new Skipped("the server has no pages for administrators");
  if (status !== 200) throw new Undecided(`an administrator's page responds with ${status}`);
  return account;
}

/** Sends a form of the page. */
export const act = (
  target: Target,
  session: string | undefined,
  action: string,
  form: Form,
  headers: Headers = {},
): Promise<HttpResponse> =>
  send(target, { path: `${PEOPLE}/${action}`, form, headers, ...(session && { session }) });

/** The token of a one-time link in a page. */
export const linkTokenIn = ({ body }: HttpResponse): string | undefined =>
  /\/link\/([\w-]{20,})/.exec(body)?.[1];

/** The token of a new one-time link. */
export async function makeLink(
  target: Target,
  { token }: Pick<Account, "token">,
  form: Form,
): Promise<string> {
  const link = linkTokenIn(await act(target, token, "invite", form));
  if (link === undefined) throw new Undecided("an administrator gets no link");
  return link;
}

/** The IDs of the open links, which a page for administrators lists. */
export async function openLinks(
  target: Target,
  { token }: Pick<Account, "token">,
): Promise<readonly string[]> {
  const { body } = await send(target, { path: LINKS, session: token });
  return [...body.matchAll(/name="link" value="([^"]+)"/g)].map(([, id = ""]) => id);
}

/** An account with a name that begins so, in these groups. It uses an invitation. */
export async function join(
  target: Target,
  admin: Pick<Account, "token">,
  start: string,
  groups = "",
): Promise<Person> {
  const link = await makeLink(target, admin, { groups });
  const [username, password] = [`${start}-${randomId()}`, randomId()];
  const form = { username, password, confirm: password };
  return personOf(await useLink(target, link, form), username, password);
}

/** A guest in these groups, who has only a session. */
export async function joinAsGuest(
  target: Target,
  admin: Pick<Account, "token">,
  start: string,
  groups: string,
): Promise<Person> {
  const username = `${start}-${randomId()}`;
  const link = await makeLink(target, admin, { username, groups, guest: "1" });
  return personOf(await useLink(target, link, {}), username, "");
}

const useLink = async (target: Target, link: string, form: Form): Promise<HttpResponse> =>
  send(target, { path: `/link/${link}`, form, from: await newAddress(target) });

function personOf(response: HttpResponse, username: string, password: string): Person {
  const { session: token } = response;
  if (!isSuccess(response) || token === undefined)
    throw new Undecided("an invitation is not accepted");
  return { id: userIdIn(token), username, password, token };
}

/** Removes accounts that an attack has created. */
export async function removePeople(
  target: Target,
  { token }: Pick<Account, "token">,
  people: readonly Pick<Person, "id">[],
): Promise<void> {
  for (const { id } of people) await act(target, token, "remove", { user: id });
}
