import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { type HttpResponse, headerOf } from "../http/response.ts";
import { FOREIGN_HOST, foreignTargets, isForeign } from "../payloads/foreign-targets.ts";
import {
  type Account,
  changePassword,
  isSuccess,
  newAddress,
  ownHost,
  send,
  signIn,
  type Target,
} from "../target.ts";

/** Query parameters and form fields that software uses for the return target. */
const PARAMETERS = ["return_to", "next", "redirect", "redirect_uri", "url"];

export const openRedirects: Attack = {
  name: "open-redirects",
  about: "links to this server that redirect to another site, or from https to http",
  meaning: "A link to your own server can send users to a site that imitates yours.",
  noun: "requests",
  verb: "redirected to another site",
  needs: [],

  async run(target, tally) {
    const hosts = [ownHost(target), ...otherUrls(target).map(({ host }) => host)];
    const forms = [...new Set(hosts.flatMap(foreignTargets))];
    const proxied = (await send(target, { path: "/forward-auth" })).status !== 404;
    await forEach(forms, CONCURRENCY, async (form) => {
      await byQuery(target, form, tally);
      if (!/[\r\n\0]/.test(form)) await byHeader(target, form, proxied, tally);
    });
    await byHost(target, tally);
    if (target.account === undefined || !target.fresh) return;
    await bySignIn(target, target.account, forms, tally);
    await byReferer(target, target.account, forms, tally);
  },
};

const otherUrls = ({ access }: Target): readonly URL[] =>
  (access?.otherUrls ?? []).map((url) => new URL(url));

/** An accepted target appears in the form of the page or in the redirect to the sign-in. */
async function byQuery(target: Target, form: string, tally: Tally): Promise<void> {
  const query = PARAMETERS.map((name) => `${name}=${encodeURIComponent(form)}`).join("&");
  for (const page of ["/login", "/setup"]) {
    const response = await send(target, { path: `${page}?${query}` });
    judge(target, `${page}?return_to=${form}`, response, tally);
  }
}

async function byHeader(
  target: Target,
  form: string,
  proxied: boolean,
  tally: Tally,
): Promise<void> {
  const headers = {
    Accept: "text/html",
    Referer: form,
    "X-Forwarded-Host": form.replace(/^https?:\/\//i, ""),
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Uri": form.startsWith("/") ? form : "/",
    "X-Original-URL": form,
  };
  const out = await send(target, { path: "/logout", form: { return_to: form }, headers });
  judge(target, `a sign-out with ${form}`, out, tally);
  if (!proxied) return;
  const asked = await send(target, { path: "/forward-auth?deny=401", headers });
  judge(target, `forward auth with ${form}`, asked, tally);
}

/** The redirect after a sign-in. */
async function bySignIn(
  target: Target,
  { username, password }: Account,
  forms: readonly string[],
  tally: Tally,
): Promise<void> {
  const some = forms.filter((_, at) => at % 8 === 0);
  const groups = some.flatMap((_, at) => (at % 5 === 0 ? [some.slice(at, at + 5)] : []));
  await forEach(groups, CONCURRENCY, async (group) => {
    const from = await newAddress(target);
    for (const form of group) {
      const response = await signIn(target, { username, password, return_to: form }, { from });
      if (isSuccess(response)) judge(target, `a sign-in with ${form}`, response, tally);
    }
  });
}

/** The refresh after a password change redirects to the page in Referer. */
async function byReferer(
  target: Target,
  account: Account,
  forms: readonly string[],
  tally: Tally,
): Promise<void> {
  const some = forms.filter((form, at) => at % 16 === 0 && !/[\r\n\0]/.test(form));
  await forEach(some, CONCURRENCY, async (Referer) => {
    const response = await changePassword(target, account, { Referer });
    judge(target, `a password change at ${Referer}`, response, tally);
  });
}

/** A forged host, as a request through a cache could carry it. */
async function byHost(target: Target, tally: Tally): Promise<void> {
  for (const path of ["/", "/login", "/setup", "/account/password"]) {
    for (const [name, value] of [
      ["Host", FOREIGN_HOST],
      ["X-Forwarded-Host", FOREIGN_HOST],
      ["Forwarded", `host=${FOREIGN_HOST};proto=https`],
    ] as const) {
      const response = await send(target, { path, headers: { [name]: value } });
      judge(target, `${path} with ${name}: ${value}`, response, tally);
    }
  }
}

function judge(target: Target, what: string, response: HttpResponse, tally: Tally): void {
  tally.tried();
  const own = [new URL(target.url), ...otherUrls(target)];
  const refresh = headerOf(response, "refresh")?.replace(/^.*?url=/i, "");
  const redirect = headerOf(response, "hx-redirect");
  for (const link of [response.location, refresh, redirect, ...linksIn(response.body)]) {
    if (link === undefined || !own.some((url) => isForeign(link, url))) continue;
    tally.gotThrough(`${what} redirects to ${link}`);
  }
}

const ATTRIBUTES = /\b(?:href|src|action|formaction)\s*=\s*"([^"]*)"/gi;
const HIDDEN_TARGETS = /<input[^>]*name="(?:return_to|next|redirect|redirect_uri|url)"[^>]*>/gi;
const REFRESH = /http-equiv\s*=\s*"?refresh"?[^>]*url=([^">]*)/gi;

/** The URLs that a page links or redirects to, or passes on in its forms. */
function linksIn(html: string): readonly string[] {
  const hidden = [...html.matchAll(HIDDEN_TARGETS)].flatMap(
    ([input]) => /value="([^"]*)"/i.exec(input)?.[1] ?? [],
  );
  const others = [...html.matchAll(ATTRIBUTES), ...html.matchAll(REFRESH)];
  return [...hidden, ...others.map(([, value = ""]) => value)].map(unescapeHtml);
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

const unescapeHtml = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole);
