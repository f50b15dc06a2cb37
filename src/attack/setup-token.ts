import type { Asking } from "./ask.ts";
import { type Attack, FEW, forEach, LeftOut } from "./attack.ts";
import { send } from "./target.ts";

const account = { username: "latchkey-attack", password: "let me in", confirm: "let me in" };

export const setupToken: Attack = {
  name: "setup-token",
  about: "a setup without the token that it asks for",
  meaning: "The setup token does not keep strangers from making the first account.",
  noun: "setups",
  verb: "taken",
  needs: ["fresh"],

  async run(target, tally) {
    const { body } = await send(target, { path: "/setup" });
    if (!/<input[^>]*name="token"/.test(body)) throw new LeftOut("the setup asks for no token");
    const guesses = askings(target.workshop?.setupToken);
    await forEach(guesses, FEW, async ([what, asking]) => {
      tally.tried();
      const { session } = await send(target, { path: "/setup", ...asking });
      if (session !== undefined) tally.gotThrough(what);
    });
  },
};

type Guess = readonly [what: string, asking: Partial<Asking>];

/** The token itself is known only where the server is our own: then it comes in wrong places. */
function askings(right: string | undefined): readonly Guess[] {
  const withToken = (token: string): Partial<Asking> => ({ form: { ...account, token } });
  const plain = new URLSearchParams(account).toString();
  const posted = (body: string): Partial<Asking> => ({ body });
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
    ["all of it but the last character", withToken(right.slice(0, -1))],
    ["one character more", withToken(`${right}x`)],
    ["the token in other letters", withToken(other)],
    ["the token with a NUL", withToken(`${right}\0`)],
    ["the token in quotes", withToken(`"${right}"`)],
    ["the token twice in one", withToken(`${right}${right}`)],
    ["a wrong token before the right one", posted(`token=x&${plain}&token=${right}`)],
    ["token[]=", posted(`${plain}&token[]=${right}`)],
    ["Token=", posted(`${plain}&Token=${right}`)],
    ["the token in the query", { path: `/setup?token=${right}`, form: account }],
    ["the token in a header", { form: account, headers: { "X-Setup-Token": right } }],
    ["the token in a cookie", { form: account, headers: { Cookie: `token=${right}` } }],
    ["JSON", { body: json, headers: { "Content-Type": "application/json" } }],
  ];
}
