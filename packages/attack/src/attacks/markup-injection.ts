import { type Attack, CONCURRENCY, forEach, type Tally } from "../attack.ts";
import { Skipped } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import type { HttpResponse } from "../http/response.ts";
import { send, type Target } from "../target.ts";

/** What a template would make of 99991*9973: nine digits, so that no port or time has them by chance. */
const PRODUCT = "997210243";

/** Scripts that browsers would run, and expressions that template engines would evaluate. */
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
  "<%= 99991*9973 %>",
  "<%- 99991*9973 %>",
  "<%~ 99991*9973 %>",
  "%><%= 99991*9973 %>",
  "{{99991*9973}}",
  "{{{99991*9973}}}",
  "{%print(99991*9973)%}",
  "\u0024{99991*9973}",
  "#{99991*9973}",
  "*{99991*9973}",
  "@(99991*9973)",
  "[[99991*9973]]",
  "+ADw-script+AD4-x7q()+ADw-/script+AD4-",
  "\u0000<script>x7q()</script>",
  "\u2028<script>x7q()</script>",
  "\uff1cscript\uff1ex7q()",
];

const meaning = "A link or a form can run a script in your pages, or code in the server.";
const counted = { meaning, noun: "texts", verb: "became markup" } as const;

export const markupInjection: Attack = {
  ...counted,
  name: "markup-injection",
  about: "scripts and templates in URLs, forms, headers and the account name",
  needs: [],

  async run(target, tally) {
    await tryAll(target, tally, (payload) => requestsWith(target, payload));
    await tryAccountName(target, tally);
  },
};

/** The setup form shows the submitted values again only while there is no account. */
export const markupInSetup: Attack = {
  ...counted,
  name: "markup-in-setup",
  about: "scripts and templates in a rejected setup form",
  needs: [],

  async run(target, tally) {
    if (target.state === "configured") throw new Skipped("an account already exists");
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
  requests: (payload: string) => readonly HttpRequest[],
): Promise<void> {
  await forEach(payloads.flatMap(requests), CONCURRENCY, async (request) => {
    tally.tried();
    const what = injected(await send(target, request));
    if (what !== undefined) tally.gotThrough(`${request.path.slice(0, 100)}: ${what}`);
  });
}

/** Everything that a page might repeat. None of it is a sign-in attempt. */
function requestsWith({ account }: Target, payload: string): readonly HttpRequest[] {
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

function injected({ headers, body }: HttpResponse): string | undefined {
  if (!headers.some(([name, value]) => /^content-type$/i.test(name) && /html/.test(value))) return;
  if (/<(script|svg|img|iframe)[^>]*x7q|<script>x7q/i.test(body)) return "an injected element";
  if (/<[^<>"]*("[^"]*"[^<>"]*)*\son\w+\s*=\s*["']?x7q/i.test(body))
    return "an injected event handler";
  if (/\b(href|src|action)="\s*javascript:/i.test(body)) return "an injected javascript: URL";
  return body.includes(PRODUCT) ? "a template was evaluated" : undefined;
}

/** The account created by setup-race has markup in its name, which its pages show. */
async function tryAccountName(target: Target, tally: Tally): Promise<void> {
  const session = target.account?.token;
  if (session === undefined || !target.fresh) return;
  for (const request of [
    { path: "/" },
    { path: "/account/password", form: {} },
    { path: "/login" },
  ]) {
    tally.tried();
    const { body } = await send(target, { ...request, session });
    // The name begins with an element around an expression.
    if (body.includes("<b>\u0024{") || body.includes(PRODUCT))
      tally.gotThrough(`${request.path} shows the account name as markup`);
  }
}
