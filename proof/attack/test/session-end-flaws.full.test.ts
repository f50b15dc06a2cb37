import { type Flaw, testFlaws } from "./flaws.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "session-end",
    what: "lets an account end the sessions of others",
    server: { endSession: ({ ended }, _, jti) => void ended.add(jti) },
    finding: /a session of another account was ended/,
  },
  {
    attack: "session-end",
    what: "accepts a session that its user has ended",
    server: { endSession: () => undefined },
    finding: /an ended session is still accepted/,
  },
];

testFlaws(flaws);
