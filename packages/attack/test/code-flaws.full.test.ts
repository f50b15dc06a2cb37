import { type Flaw, testFlaws } from "./flaws.ts";
import { isUnused, useSampleCode } from "./sample-codes.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "one-time-codes",
    what: "does not ask for a code if the field is missing",
    server: { codeFits: (codes, code) => code === "" || useSampleCode(codes, code) },
    finding: /^without a code$/m,
  },
  {
    attack: "one-time-codes",
    what: "does not use up codes",
    server: { codeFits: (codes, code) => useSampleCode({ ...codes, lastStep: 0 }, code) },
    finding: /^with a used code$/m,
  },
  {
    attack: "one-time-codes",
    what: "does not use up recovery codes",
    server: { codeFits: (codes, code) => codes.recovery.has(code) || useSampleCode(codes, code) },
    finding: /^one recovery code, 8 times$/m,
  },
  {
    attack: "one-time-codes",
    what: "accepts any number of guesses at the sign-in",
    server: { codeFits: isUnused },
    finding: /^after 20 guesses from as many addresses, within a minute$/m,
  },
];

testFlaws(flaws);
