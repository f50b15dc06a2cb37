import { type Answer, readAnswers } from "./answers.ts";
import { type Asking, requestOf } from "./ask.ts";
import { type Attack, CannotTell, type Tally } from "./attack.ts";
import { ownHost, send, sendBytes, sightOf, type Target } from "./target.ts";

const ROUNDS = 8;

export const pipelining: Attack = {
  name: "pipelining",
  about: "many requests on one connection, with and without a session, all sent at once",
  meaning: "Somebody can get the answer that was meant for somebody else.",
  noun: "answers",
  verb: "came in another's place",
  needs: [],

  async run(target, tally) {
    const asked = requests(target);
    const alone = await Promise.all(asked.map((asking) => send(target, asking)));
    for (let round = 0; round < ROUNDS; round += 1) {
      const order = asked.map((_, at) => (at * (round + 2)) % asked.length);
      const answers = await together(
        target,
        order.map((at) => asked[at] ?? { path: "/login" }),
      );
      // A server may close after an error, but not answer the wrong one.
      for (const [place, answer] of answers.entries()) {
        tally.tried();
        const expected = alone[order[place] ?? 0];
        const wanted = asked[order[place] ?? 0];
        if (expected === undefined || wanted === undefined) continue;
        if (kindOf(answer) !== kindOf(expected)) {
          tally.gotThrough(
            `${wanted.method ?? "GET"} ${wanted.path} got another answer than alone`,
          );
        }
      }
    }
    await hiddenInBody(target, tally);
  },
};

/** Eleven, which has no factor in common with any step through them. */
function requests({ account }: Target): readonly Asking[] {
  const session = account?.token;
  return [
    { path: "/login" },
    { path: "/account/password", form: {}, session },
    { path: "/logout" },
    { path: "/account/password", form: {} },
    { path: "/", session },
    { path: "/" },
    { path: "/nowhere" },
    { path: "/account/password", form: {}, session: "nobody" },
    { path: "/login?error=1" },
    { path: "/login", method: "HEAD" },
    { path: "/setup" },
  ];
}

async function together(target: Target, askings: readonly Asking[]): Promise<readonly Answer[]> {
  const bytes = askings.map((asking, at) =>
    requestOf(target.place, {
      ...asking,
      path: `${target.base}${asking.path}`,
      headers: { Connection: at === askings.length - 1 ? "close" : "keep-alive" },
    }),
  );
  const methods = askings.map(({ method }) => method ?? "GET");
  const exchange = await sendBytes(target, Buffer.concat(bytes), methods);
  const { answers } = readAnswers(exchange.bytes, methods, "closed");
  if (answers.length === 0) throw new CannotTell("requests in one go are not answered");
  return answers;
}

/** Without what belongs to the connection, and the account's own log, which goes on growing. */
function kindOf(answer: Answer): string {
  const own = answer.headers.filter(([name]) => !/^(connection|keep-alive|date)$/i.test(name));
  const body = answer.body.replace(/<time .*?<\/time>/g, "");
  return sightOf({ ...answer, headers: own, body });
}

/** A body that reads like a request is a body. */
async function hiddenInBody(target: Target, tally: Tally): Promise<void> {
  const host = `Host: ${ownHost(target)}`;
  const hidden = `GET ${target.base}/login HTTP/1.1\r\n${host}\r\n\r\n`;
  for (const path of ["/logout", "/account/password", "/nowhere"]) {
    tally.tried();
    const request = `POST ${target.base}${path} HTTP/1.1\r\n${host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`;
    const last = `GET ${target.base}/logout HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
    const methods = ["POST", "GET", "GET"];
    const { bytes } = await sendBytes(target, `${request}${last}`, methods);
    const { answers } = readAnswers(bytes, methods, "closed");
    if (answers.length > 2) tally.gotThrough(`the body of POST ${path} was answered as a request`);
  }
}
