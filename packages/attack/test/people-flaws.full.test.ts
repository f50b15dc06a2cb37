import { type Flaw, testFlaws } from "./flaws.ts";
import { correct, decoded } from "./sample-behaviour.ts";
import { isAdmin, managesPeople, PUBLIC_URL } from "./sample-people.ts";

/** The IDs of users who have been administrators. */
const remembered = new Set<string>();

const flaws: readonly Flaw[] = [
  {
    attack: "administrators-pages",
    what: "shows all accounts to every user",
    server: { maySee: (user) => user !== undefined },
    finding: /^a member: GET \/account\/people shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "shows all accounts without a session",
    server: { maySee: (user) => user === undefined || isAdmin(user) },
    finding: /^without a session: GET \/account\/activity shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "shows all accounts at another spelling of the path",
    server: {
      pathOf: (request) => correct.pathOf(request).replace(/^\/+/, "/"),
      maySee: (user, { url }) => isAdmin(user) || url?.startsWith("//") === true,
    },
    finding: /^a member: GET \/\/account\/people shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "hides the page from other users, but takes their forms",
    server: { mayAct: (user) => user !== undefined },
    finding: /^a member: POST \/account\/people\/invite changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "lets every user change groups only",
    server: {
      mayAct: (user, { url }) => isAdmin(user) || (user && url?.endsWith("/groups")) === true,
    },
    finding: /^a member: POST \/account\/people\/groups changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "lets every user sign others out",
    server: {
      mayAct: (user, { url }) => isAdmin(user) || (user && url?.endsWith("/sign-out")) === true,
    },
    finding: /^a member: POST \/account\/people\/sign-out changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "takes the forms without a session",
    server: { mayAct: (user) => user === undefined || isAdmin(user) },
    finding: /^without a session: POST \/account\/people\/invite changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "does not verify the signature of a session",
    server: { userIdIn: (token) => String(decoded(token.split(".")[1]).user_id) },
    finding: /^a forged session: GET \/account\/people shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "believes the groups that any client claims",
    server: {
      mayAct: (user, { headers }) =>
        isAdmin(user) || (user && headers["remote-groups"] === "admins") === true,
    },
    finding: /^a member who claims to be an administrator: POST .* changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "counts guests in the group as administrators",
    server: { mayAct: (user) => user?.groups?.includes("admins") === true },
    finding: /^a guest in the group: POST .* changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "remembers who has been an administrator",
    server: {
      maySee(user) {
        if (user && isAdmin(user)) remembered.add(user.id);
        return user !== undefined && remembered.has(user.id);
      },
    },
    finding: /^an administrator who has left the group: GET .* shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "signs no administrator out",
    server: { endSession: () => undefined },
    finding: /^an administrator who was signed out: GET .* shows accounts$/m,
  },
  {
    attack: "administrators-pages",
    what: "takes forms long after the sign-in",
    server: { isRecent: () => true },
    finding: /^an administrator who signed in eleven minutes ago: POST .* changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "takes forms of other sites",
    server: { isCrossSite: () => false },
    finding: /^another site: POST .* changes something$/m,
  },
  {
    attack: "administrators-pages",
    what: "takes a link as a form",
    server: {
      formIn(request, fields) {
        const { searchParams } = new URL(request.url ?? "", "http://x");
        return request.method === "GET"
          ? new Map(searchParams)
          : managesPeople.formIn(request, fields);
      },
    },
    finding: /^a link: GET .* changes something$/m,
  },
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
