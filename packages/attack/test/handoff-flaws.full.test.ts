import { type Flaw, testFlaws } from "./flaws.ts";
import { issue } from "./sample-behaviour.ts";
import { begunIn, handsOver } from "./sample-handoffs.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "handoff",
    what: "accepts a stolen code without the cookie of a browser",
    server: {
      fitsBrowser: (handoff, cookies) =>
        begunIn(cookies) === "" || handsOver.fitsBrowser(handoff, cookies),
    },
    finding: /in a browser that did not begin/,
  },
  {
    attack: "handoff",
    what: "accepts a code in any browser that has begun",
    server: { fitsBrowser: (_, cookies) => begunIn(cookies) !== "" },
    finding: /in another browser that began/,
  },
  {
    attack: "handoff",
    what: "compares the cookie with its hash without hashing it",
    server: {
      fitsBrowser: (handoff, cookies) =>
        begunIn(cookies) === handoff.browser || handsOver.fitsBrowser(handoff, cookies),
    },
    finding: /the hash of the cookie counts/,
  },
  {
    attack: "handoff",
    what: "looks for any cookie that fits",
    server: {
      fitsBrowser: (handoff, cookies) =>
        cookies.split("; ").some((one) => handsOver.fitsBrowser(handoff, one)),
    },
    finding: /beside the cookie of another/,
  },
  {
    attack: "handoff",
    what: "accepts a code at another host",
    server: { fitsHost: () => true },
    finding: /a code of one host counts at another/,
  },
  {
    attack: "handoff",
    what: "accepts a code of another gate",
    server: {
      takeHandoff: (memory, code) =>
        handsOver.takeHandoff(memory, code) ?? { userId: "user-0", host: "", browser: "" },
      fitsBrowser: (handoff, cookies) =>
        handoff.host === "" || handsOver.fitsBrowser(handoff, cookies),
      fitsHost: (handoff, host) => handoff.host === "" || handsOver.fitsHost(handoff, host),
    },
    finding: /a code of another gate counts/,
  },
  {
    attack: "handoff",
    what: "accepts a code again",
    server: { takeHandoff: ({ handoffs }, code) => handoffs.get(code) },
    finding: /counts twice at the same moment[\s\S]*a code counts again/,
  },
  {
    attack: "handoff",
    what: "lets a sibling host set the cookie of the browser",
    server: {
      begunCookie: (value) => handsOver.begunCookie(value).replace("Secure", "Domain=other.test"),
    },
    finding: /another host can set the cookie/,
  },
  {
    attack: "handoff",
    what: "sends codes to hosts outside its list",
    server: { isHandoffHost: () => true },
    finding: /a code goes to https:/,
  },
  {
    attack: "handoff",
    what: "sends its codes on as referrers",
    server: { handoffHeaders: {} },
    finding: /sent on as a referrer/,
  },
  {
    attack: "handoff",
    what: "logs its codes",
    server: {
      logsHandoff: ({ lines, handoffs }, url) => void lines.push(url, ...handoffs.keys()),
    },
    finding: /the server log contains a code/,
  },
  {
    attack: "handoff",
    what: "accepts the session of another host at the sign-in",
    server: { boundToken: issue },
    finding: /a session of another host is accepted by the sign-in/,
  },
  {
    attack: "handoff",
    what: "accepts the session of one host at all",
    server: { isBoundTo: () => true },
    finding: /the session of photos\.other\.test is accepted at wiki\.third\.test/,
  },
  {
    attack: "handoff",
    what: "compares what a URL parser makes of the requested host",
    server: {
      isBoundTo: (host, requested) => URL.parse(`http://${requested}`)?.hostname === host,
    },
    finding: /the session of photos\.other\.test is accepted at photos%2eother\.test/,
  },
];

testFlaws(flaws);
