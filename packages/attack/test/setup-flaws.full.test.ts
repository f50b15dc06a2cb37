import { setTimeout as pause } from "node:timers/promises";
import { type Flaw, testFlaws } from "./flaws.ts";
import { correct } from "./sample-behaviour.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "dns-rebinding",
    what: "has an open setup for every host",
    server: { isOwnHost: () => true },
    finding: /POST with .*Host: evil\.example:\d+: 303[\s\S]*an account was created/,
  },
  {
    attack: "dns-rebinding",
    what: "accepts hosts that start with its address",
    server: { isOwnHost: ({ headers }) => headers.host?.startsWith("127.0.0.1") === true },
    finding: /Host: 127\.0\.0\.1\.evil\.example/,
  },
  {
    attack: "dns-rebinding",
    what: "takes the host from X-Forwarded-Host",
    server: {
      isOwnHost: (request) =>
        request.headers["x-forwarded-host"] === "localhost" || correct.isOwnHost(request),
    },
    finding: /X-Forwarded-Host: localhost: 303/,
  },
  {
    attack: "setup-race",
    what: "checks for an account before it inserts one",
    server: {
      async insertFirst({ users }, user) {
        if (users.length > 0) return "too-late";
        await pause(20);
        users.push(user);
        return "inserted";
      },
    },
    finding: /accounts were created/,
  },
  {
    attack: "setup-again",
    what: "leaves the setup open",
    server: {
      isSetupOpen: () => true,
      async insertFirst({ users }, user) {
        if (users.length === 0) users.push(user);
        return users[0] === user ? "inserted" : "too-late";
      },
    },
    finding: /POST \/setup: 200|GET \/setup: 200/,
  },
  {
    attack: "setup-again",
    what: "creates further accounts through //setup",
    server: {
      isSetupOpen: (memory, request) =>
        correct.isSetupOpen(memory, request) || request.url === "//setup",
      pathOf: (request) => correct.pathOf(request).replace("//", "/"),
      async insertFirst({ users }, user) {
        if (users.length > 0 && user.username.includes("attack 1")) return "too-late";
        users.push(user);
        return "inserted";
      },
    },
    finding: /POST \/\/setup: 303/,
  },
  {
    attack: "setup-again",
    what: "takes the method from a header",
    server: {
      isSetupOpen: (memory, { headers }) =>
        memory.users.length === 0 || headers["x-http-method-override"] === "POST",
    },
    finding: /\/setup\?username=/,
  },
  {
    attack: "setup-token",
    what: "accepts any token",
    server: { setupToken: "right", setupTokenFits: () => true },
    finding: /no token/,
  },
  {
    attack: "setup-token",
    what: "accepts a missing token",
    server: {
      setupToken: "right",
      setupTokenFits: (expected, fields) => (fields.get("token") ?? expected) === expected,
    },
    finding: /no token/,
  },
  {
    attack: "setup-token",
    what: "compares only the beginning",
    server: {
      setupToken: "right",
      setupTokenFits: (expected, fields) =>
        fields.get("token")?.startsWith(expected ?? "") === true,
    },
    finding: /one extra character/,
  },
];

testFlaws(flaws);
