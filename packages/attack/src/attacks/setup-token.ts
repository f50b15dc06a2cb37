import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { Skipped } from "../errors.ts";
import type { HttpRequest } from "../http/request.ts";
import { send } from "../target.ts";

const account = { username: "latchkey-attack", password: "let me in", confirm: "let me in" };

export const setupToken: Attack = {
  name: "setup-token",
  about: "setups without the required setup token",
  meaning: "Anyone can create the first account, despite the setup token.",
  noun: "setups",
  verb: "accepted",
  needs: ["fresh"],

  async run(target, tally) {
    const { body } = await send(target, { path: "/setup" });
    if (!/<input[^>]*name="token"/.test(body)) throw new Skipped("the setup requires no token");
    const guesses = requests(target.access?.setupToken);
    await forEach(guesses, CONCURRENCY, async ([what, request]) => {
      tally.tried();
      const { session } = await send(target, { path: "/setup", ...request });
      if (session !== undefined) tally.gotThrough(what);
    });
  },
};

type Guess = readonly [what: string, request: Partial<HttpRequest>];

/** Wrong tokens. If the right one is known, also the right one altered or in the wrong place. */
function requests(right: string | undefined): readonly Guess[] {
  const withToken = (token: string): Partial<HttpRequest> => ({ form: { ...account, token } });
  const plain = new URLSearchParams(account).toString();
  const posted = (body: string): Partial<HttpRequest> => ({ body });
  const guesses: readonly Guess[] = [
    ["no token", { form: account }],
    ...["", " ", "\0", "0", "null", "undefined", "true", "%00", "*", ".*"].map(
      (token): Guess => [`the token ${JSON.stringify(token)}`, withToken(token)],
    ),
    ["token[]", posted(`${plain}&token[]=`)],
    ["a token without a value", posted(`${plain}&token`)],
  ];
  if (right === undefined) return guesses;
  const other = right.toUpperCase() === right ? right.toLowerCase() : right.toUpperCase();
  const json = JSON.stringify({ ...account, token: right });
  return [
    ...guesses,
    ["all but the last character", withToken(right.slice(0, -1))],
    ["one extra character", withToken(`${right}x`)],
    ["the token in the other case", withToken(other)],
    ["the token with a NUL", withToken(`${right}\0`)],
    ["the token in quotes", withToken(`"${right}"`)],
    ["the token twice in a row", withToken(`${right}${right}`)],
    ["a wrong token before the right one", posted(`token=x&${plain}&token=${right}`)],
    ["token[]=", posted(`${plain}&token[]=${right}`)],
    ["Token=", posted(`${plain}&Token=${right}`)],
    ["the token in the query", { path: `/setup?token=${right}`, form: account }],
    ["the token in a header", { form: account, headers: { "X-Setup-Token": right } }],
    ["the token in a cookie", { form: account, headers: { Cookie: `token=${right}` } }],
    ["JSON", { body: json, headers: { "Content-Type": "application/json" } }],
  ];
}
