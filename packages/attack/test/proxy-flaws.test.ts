import type { IncomingHttpHeaders } from "node:http";
import { type Flaw, testFlaws } from "./flaws.ts";
import { correct } from "./sample-behaviour.ts";

/** The client's headers of these names, which the proxy passes on. */
const claimed = (headers: IncomingHttpHeaders, names: RegExp): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => names.test(name)));

const passingOn = (names: RegExp): Flaw["server"] => ({
  passedOn: (request, user) => ({
    ...correct.passedOn(request, user),
    ...claimed(request.headers, names),
  }),
});

const flaws: readonly Flaw[] = [
  {
    attack: "proxy-headers",
    what: "passes on the client's Remote-User",
    server: passingOn(/^remote-user$/),
    finding: /^Remote-User: the app receives "remote-user: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on a name that apps read as Remote-User",
    server: passingOn(/^remote~user$/),
    finding: /^Remote~User: the app receives "remote~user: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on the client's X-Forwarded-Host",
    server: passingOn(/^x-forwarded-host$/),
    finding: /^X-Forwarded-Host: the app receives "x-forwarded-host: elsewhere\.example"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on a header that chooses another page",
    server: passingOn(/^x-script-name$/),
    finding: /^X-Script-Name: the app receives "x-script-name: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on another spelling of X-Forwarded-For",
    server: passingOn(/^x\.forwarded-for$/),
    finding: /^X\.Forwarded-For: the app receives "x\.forwarded-for: 203\.0\.113\.7"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on trailers that the app reads as headers",
    server: {
      passedOn: (request, user) => ({ ...correct.passedOn(request, user), ...request.trailers }),
    },
    finding: /^trailer Remote-User: the app receives "remote-user: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on the trailers that the request announces",
    server: {
      passedOn: (request, user) => ({
        ...correct.passedOn(request, user),
        ...(request.headers.trailer !== undefined && request.trailers),
      }),
    },
    finding:
      /^announced trailer X-Script-Name: the app receives "x-script-name: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "passes on a header that chooses another method",
    server: passingOn(/^x-http-method-override$/),
    finding:
      /^X-HTTP-Method-Override: the app receives "x-http-method-override: latchkey-attack"$/m,
  },
  {
    attack: "proxy-headers",
    what: "drops the headers that Connection names",
    server: {
      passedOn(request, user) {
        const dropped = String(request.headers.connection).toLowerCase().split(", ");
        const passed = Object.entries(correct.passedOn(request, user));
        return Object.fromEntries(passed.filter(([name]) => !dropped.includes(name)));
      },
    },
    finding: /^Connection: X-Forwarded-Proto: the app does not receive x-forwarded-proto$/m,
  },
  {
    attack: "proxy-headers",
    what: "leaves a second session cookie",
    server: {
      passedOn: (request, user) => ({
        ...correct.passedOn(request, user),
        cookie: request.headers.cookie?.replace(/session=[^;]*/, ""),
      }),
    },
    finding: /^Cookie: session=\*; session=\*: the app receives the session token$/m,
  },
  {
    attack: "proxy-headers",
    what: "names another user",
    server: {
      passedOn: (request, user) => ({ ...correct.passedOn(request, user), "remote-user": "else" }),
    },
    finding: /^as another user: the app receives "remote-user: else"$/m,
  },
];

testFlaws(flaws);
