import { type Answer, headerOf } from "./answers.ts";
import { type Attack, FEW, forEach, type Tally } from "./attack.ts";
import { ELSEWHERE, elsewhere, leadsElsewhere } from "./elsewhere.ts";
import { placesIn } from "./markup.ts";
import {
  type Account,
  changePassword,
  isSuccess,
  newAddress,
  ownHost,
  send,
  signIn,
  type Target,
} from "./target.ts";

/** The names under which software takes the way back. */
const PARAMETERS = ["return_to", "next", "redirect", "redirect_uri", "url"];

export const openRedirects: Attack = {
  name: "open-redirects",
  about: "links to this address that lead to another site",
  meaning: "A link to your own address can lead people to a site that only looks like yours.",
  noun: "requests",
  verb: "led elsewhere",
  needs: [],

  async run(target, tally) {
    const own = [ownHost(target), ...(target.workshop?.ownHosts ?? [])];
    const forms = [...new Set(own.flatMap(elsewhere))];
    const proxied = (await send(target, { path: "/forward-auth" })).status !== 404;
    await forEach(forms, FEW, async (form) => {
      await byQuery(target, form, tally);
      if (!/[\r\n\0]/.test(form)) await byHeader(target, form, proxied, tally);
    });
    await byHost(target, tally);
    if (target.account === undefined || !target.fresh) return;
    await bySignIn(target, target.account, forms, tally);
    await byReferer(target, target.account, forms, tally);
  },
};

/** A target that is accepted goes along: into the form of the page, or from the setup to the sign-in. */
async function byQuery(target: Target, form: string, tally: Tally): Promise<void> {
  const query = PARAMETERS.map((name) => `${name}=${encodeURIComponent(form)}`).join("&");
  for (const page of ["/login", "/setup"]) {
    const answer = await send(target, { path: `${page}?${query}` });
    judge(target, `${page}?return_to=${form}`, answer, tally);
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
  judge(target, `the gate asked with ${form}`, asked, tally);
}

/** With an account of our own to spend: the redirect that follows a sign-in. */
async function bySignIn(
  target: Target,
  { username, password }: Account,
  forms: readonly string[],
  tally: Tally,
): Promise<void> {
  const some = forms.filter((_, at) => at % 8 === 0);
  const groups = some.flatMap((_, at) => (at % 5 === 0 ? [some.slice(at, at + 5)] : []));
  await forEach(groups, FEW, async (group) => {
    const from = await newAddress(target);
    for (const form of group) {
      const answer = await signIn(target, { username, password, return_to: form }, { from });
      if (isSuccess(answer)) judge(target, `a sign-in with ${form}`, answer, tally);
    }
  });
}

/** The page that is reloaded after a password change is the one that the form was sent from. */
async function byReferer(
  target: Target,
  account: Account,
  forms: readonly string[],
  tally: Tally,
): Promise<void> {
  const some = forms.filter((form, at) => at % 16 === 0 && !/[\r\n\0]/.test(form));
  await forEach(some, FEW, async (Referer) => {
    const answer = await changePassword(target, account, { Referer });
    judge(target, `a password change at ${Referer}`, answer, tally);
  });
}

/** A Host of the attacker's, as a cache in front could be made to pass on. */
async function byHost(target: Target, tally: Tally): Promise<void> {
  for (const path of ["/", "/login", "/setup", "/account/password"]) {
    for (const [name, value] of [
      ["Host", ELSEWHERE],
      ["X-Forwarded-Host", ELSEWHERE],
      ["Forwarded", `host=${ELSEWHERE};proto=https`],
    ] as const) {
      const answer = await send(target, { path, headers: { [name]: value } });
      judge(target, `${path} with ${name}: ${value}`, answer, tally);
    }
  }
}

function judge(target: Target, what: string, answer: Answer, tally: Tally): void {
  tally.tried();
  const own = new URL(target.url);
  const refresh = headerOf(answer, "refresh")?.replace(/^.*?url=/i, "");
  const redirect = headerOf(answer, "hx-redirect");
  for (const place of [answer.location, refresh, redirect, ...placesIn(answer.body)]) {
    if (place === undefined || !leadsElsewhere(place, own)) continue;
    tally.gotThrough(`${what} leads to ${place}`);
  }
}
