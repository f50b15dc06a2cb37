import { type Flaw, testFlaws } from "./flaws.ts";
import { PUBLIC_URL } from "./sample-people.ts";

const flaws: readonly Flaw[] = [
  {
    attack: "link-origin",
    what: "makes links to the host of the request, although it knows its own",
    server: { linkOrigin: ({ headers }) => `https://${headers.host}` },
    finding:
      /^invite with Host: elsewhere\.example makes a link to https:\/\/elsewhere\.example\//m,
  },
  {
    attack: "link-origin",
    what: "makes links to the host that any client claims",
    server: {
      linkOrigin: ({ headers }) =>
        headers["x-forwarded-host"] === undefined
          ? PUBLIC_URL
          : `https://${headers["x-forwarded-host"]}`,
    },
    finding: /^reset with X-Forwarded-Host: elsewhere\.example makes a link/m,
  },
  {
    attack: "link-origin",
    what: "believes the header Forwarded of any client",
    server: {
      linkOrigin: ({ headers }) => {
        const [, host] = /host=([^;]+)/.exec(headers.forwarded ?? "") ?? [];
        return host === undefined ? PUBLIC_URL : `https://${host}`;
      },
    },
    finding: /with Forwarded: host=elsewhere\.example;proto=https makes a link/,
  },
];

testFlaws(flaws);
