import { type Flaw, testFlaws } from "./flaws.ts";
import { correct, decoded, issue } from "./sample-behaviour.ts";
import { useSampleCode } from "./sample-codes.ts";
import { handsOver } from "./sample-handoffs.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "token-purposes",
    what: "takes an API key as a session",
    server: {
      isFor: (purpose, expected) =>
        purpose === expected || (purpose === "key" && expected === "session"),
    },
    finding: /^key taken as session cookie$/m,
  },
  {
    attack: "token-purposes",
    what: "takes any token that it has issued for a remembered device",
    server: { isFor: (purpose, expected) => purpose === expected || expected === "device" },
    finding: /^key taken as device cookie$/m,
  },
  {
    attack: "token-purposes",
    what: "takes any token that it has issued as an API key",
    server: { isFor: (purpose, expected) => purpose === expected || expected === "key" },
    finding:
      /^remembered device taken as Bearer\n[\s\S]*^remembered device taken as password of Basic$/m,
  },
  {
    attack: "token-purposes",
    what: "takes any token that it has issued for a one-time link",
    server: { isFor: (purpose, expected) => purpose === expected || expected === "link" },
    finding: /^remembered device taken as address of a link$/m,
  },
  {
    attack: "token-purposes",
    what: "takes everything that it has signed as a session",
    server: {
      userIdIn: (token) =>
        correct.userIdIn(token) ??
        (decoded(token.split(".")[0]).typ === "assertion+jwt"
          ? String(decoded(token.split(".")[1]).user_id)
          : undefined),
    },
    finding: /^assertion taken as session cookie$/m,
  },
  {
    attack: "token-purposes",
    what: "takes a session as an API key",
    server: {
      tokenIn: (request) =>
        /^Bearer (.*)/.exec(request.headers.authorization ?? "")?.[1] ?? correct.tokenIn(request),
    },
    finding: /^session taken as Bearer$/m,
  },
  {
    attack: "token-purposes",
    what: "takes the session of another host as its own",
    server: { boundToken: issue },
    finding: /^session of another host taken as session cookie$/m,
  },
  {
    attack: "token-purposes",
    what: "takes a one-time link for a hand-off code",
    server: {
      takeHandoff: (memory, code) =>
        memory.links.has(code)
          ? [...memory.handoffs.values()].at(-1)
          : handsOver.takeHandoff(memory, code),
    },
    finding: /^one-time link taken as hand-off code$/m,
  },
  {
    attack: "token-purposes",
    what: "takes the text of a remembered device as a code",
    server: {
      codeFits: (codes, code) => /^[\w-]{43}$/.test(code) || useSampleCode(codes, code),
    },
    finding: /^remembered device taken as code of a sign-in$/m,
  },
  {
    attack: "token-purposes",
    what: "takes a code as a password",
    server: {
      passwordFits: async (user, password) =>
        user !== undefined && (user.password === password || /^\d{6}$/.test(password)),
    },
    finding: /^one-time code taken as password$/m,
  },
  {
    attack: "token-purposes",
    what: "turns codes on with anything in the form",
    server: { sealedFits: () => true },
    finding: /^session taken as confirmation of codes$/m,
  },
];

testFlaws(flaws);
