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
  {
    attack: "session-end",
    what: "ends only the other sessions that it has recorded",
    server: {
      endSession({ sessions, ended }, user, jti) {
        for (const [one, id] of sessions)
          if (id === user.id && [one, "others"].includes(jti)) ended.add(one);
      },
    },
    finding: /without a record outlives/,
  },
];

testFlaws(flaws);
