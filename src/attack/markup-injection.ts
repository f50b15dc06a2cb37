import type { Answer } from "./answers.ts";
import type { Asking } from "./ask.ts";
import { type Attack, FEW, forEach, LeftOut, type Tally } from "./attack.ts";
import { send, type Target } from "./target.ts";

const PRODUCT = "1337";

/** What browsers would run, and what template engines would compute: 7 times 191. */
const payloads: readonly string[] = [
  "<script>x7q()</script>",
  '"><script>x7q()</script>',
  "'><img src=x7q onerror=x7q()>",
  '" onfocus=x7q() autofocus x="',
  "' onfocus='x7q()' autofocus '",
  "</title><svg onload=x7q()>",
  "</textarea><iframe src=javascript:x7q()>",
  "javascript:x7q()",
  '/"onmouseover=x7q()//',
  "<%= 7*191 %>",
  "<%- 7*191 %>",
  "<%~ 7*191 %>",
  "%><%= 7*191 %>",
  "{{7*191}}",
  "{{{7*191}}}",
  "{%print(7*191)%}",
  "\u0024{7*191}",
  "#{7*191}",
  "*{7*191}",
  "@(7*191)",
  "[[7*191]]",
  "+ADw-script+AD4-x7q()+ADw-/script+AD4-",
  "\u0000<script>x7q()</script>",
  "\u2028<script>x7q()</script>",
  "\uff1cscript\uff1ex7q()",
];

const meaning = "A link or a form can run a script in your pages, or code in the server.";
const counted = { meaning, noun: "texts", verb: "came back as markup" } as const;

export const markupInjection: Attack = {
  ...counted,
  name: "markup-injection",
  about: "scripts and templates in addresses, forms and headers, and in the account's own name",
  needs: [],

  async run(target, tally) {
    await tryAll(target, tally, (payload) => places(target, payload));
    await ownName(target, tally);
  },
};

/** Only while there is no account does the setup's form come back with what was typed. */
export const markupInSetup: Attack = {
  ...counted,
  name: "markup-in-setup",
  about: "scripts and templates in a setup form that comes back",
  needs: [],

  async run(target, tally) {
    if (target.state === "configured") throw new LeftOut("there is an account already");
    await tryAll(target, tally, (payload) => {
      const form = { username: payload, domain: payload, token: payload, return_to: `/${payload}` };
      const query = `?token=${encodeURIComponent(payload)}`;
      return [{ path: "/setup", form }, { path: `/setup${query}` }];
    });
  },
};

async function tryAll(
  target: Target,
  tally: Tally,
  askings: (payload: string) => readonly Asking[],
): Promise<void> {
  await forEach(payloads.flatMap(askings), FEW, async (asking) => {
    tally.tried();
    const what = injected(await send(target, asking));
    if (what !== undefined) tally.gotThrough(`${asking.path.slice(0, 100)}: ${what}`);
  });
}

/** Everything that a page might print again. Nothing here is an attempt to sign in. */
function places({ account }: Target, payload: string): readonly Asking[] {
  const text = encodeURIComponent(payload);
  const headers = {
    "Accept-Language": payload,
    "User-Agent": payload,
    Referer: `http://x/${payload}`,
  };
  const form = { username: payload, domain: payload, token: payload, return_to: `/${payload}` };
  const printable = Object.fromEntries(
    Object.entries(headers).filter(([, value]) => /^[\x20-\x7e]*$/.test(value)),
  );
  return [
    { path: `/login?error=${text}&return_to=${text}&username=${text}&message=${text}` },
    { path: `/login?return_to=/${text}`, headers: printable },
    { path: `/setup?token=${text}&username=${text}&domain=${text}&return_to=/${text}` },
    { path: `/${text}` },
    { path: `/login/${text}?${text}=${text}` },
    { path: "/logout", form, headers: { "Sec-Fetch-Site": "cross-site", ...printable } },
    {
      path: "/account/password",
      form: { ...form, current_password: payload },
      session: account?.token,
    },
  ];
}

function injected({ headers, body }: Answer): string | undefined {
  if (!headers.some(([name, value]) => /^content-type$/i.test(name) && /html/.test(value))) return;
  if (/<(script|svg|img|iframe)[^>]*x7q|<script>x7q/i.test(body))
    return "an element of the attacker's";
  if (/<[^<>"]*("[^"]*"[^<>"]*)*\son\w+\s*=\s*["']?x7q/i.test(body))
    return "an attribute that runs";
  if (/\b(href|src|action)="\s*javascript:/i.test(body)) return "an address that runs";
  return body.includes(PRODUCT) ? "a template was computed" : undefined;
}

/** The account that was made for this has a name full of markup: its own pages print it. */
async function ownName(target: Target, tally: Tally): Promise<void> {
  const session = target.account?.token;
  if (session === undefined || !target.fresh) return;
  for (const asking of [
    { path: "/" },
    { path: "/account/password", form: {} },
    { path: "/login" },
  ]) {
    tally.tried();
    const { body } = await send(target, { ...asking, session });
    if (/<b>|1337/.test(body))
      tally.gotThrough(`${asking.path} prints the account's name as markup`);
  }
}
