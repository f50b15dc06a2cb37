import { setTimeout as pause } from "node:timers/promises";
import { sound } from "./door-parts.ts";
import { type Flaw, findsEach } from "./flaws.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "setup-race",
    what: "looks first and makes the account later",
    door: {
      async makeFirst({ users }, user) {
        if (users.length > 0) return "too-late";
        await pause(20);
        users.push(user);
        return "made";
      },
    },
    finding: /accounts were made at once/,
  },
  {
    attack: "setup-again",
    what: "stays open",
    door: {
      isSetupOpen: () => true,
      async makeFirst({ users }, user) {
        if (users.length === 0) users.push(user);
        return users[0] === user ? "made" : "too-late";
      },
    },
    finding: /POST \/setup: 200|GET \/setup: 200/,
  },
  {
    attack: "setup-again",
    what: "makes an account for everybody who asks",
    door: {
      isSetupOpen: (memory, request) =>
        sound.isSetupOpen(memory, request) || request.url === "//setup",
      pathOf: (request) => sound.pathOf(request).replace("//", "/"),
      async makeFirst({ users }, user) {
        if (users.length > 0 && user.username.includes("attack 1")) return "too-late";
        users.push(user);
        return "made";
      },
    },
    finding: /POST \/\/setup: 303/,
  },
  {
    attack: "setup-again",
    what: "listens to a method that a header names",
    door: {
      isSetupOpen: (memory, { headers }) =>
        memory.users.length === 0 || headers["x-http-method-override"] === "POST",
    },
    finding: /\/setup\?username=/,
  },
  {
    attack: "setup-token",
    what: "takes any token",
    door: { setupToken: "right", setupTokenFits: () => true },
    finding: /no token/,
  },
  {
    attack: "setup-token",
    what: "takes an empty token",
    door: {
      setupToken: "right",
      setupTokenFits: (expected, fields) => (fields.get("token") ?? expected) === expected,
    },
    finding: /no token/,
  },
  {
    attack: "setup-token",
    what: "only compares the beginning",
    door: {
      setupToken: "right",
      setupTokenFits: (expected, fields) =>
        fields.get("token")?.startsWith(expected ?? "") === true,
    },
    finding: /one character more/,
  },
  {
    attack: "guarded-paths",
    what: "guards one spelling of its path only",
    door: {
      pathOf: (request) => sound.pathOf(request).replace(/^\/+$/, "/"),
      isGuarded: ({ url }) => url === "/",
    },
    finding: /GET \/\//,
  },
  {
    attack: "guarded-paths",
    what: "believes a header about its path",
    door: { isGuarded: ({ headers }) => headers["x-original-url"] === undefined },
    finding: /GET \/: 200/,
  },
  {
    attack: "guarded-paths",
    what: "guards GET only",
    door: { isGuarded: ({ method }) => method !== "HEAD" },
    finding: /HEAD \/: 200/,
  },
];

findsEach(flaws);
