import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Socket } from "node:net";

/** Contains a request for a handler that is written for Node's server. */
export interface CollectedRequest {
  readonly method: string;
  /** The path with its query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly remoteAddress: string;
  readonly isEncrypted: boolean;
}

/** Contains the response of such a handler. */
export interface CollectedResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Represents a request to a handler for Node's server. The request may come from any framework, so
 * it has no connection of its own.
 */
export class DetachedRequest extends IncomingMessage {
  constructor({ method, url, headers, body, remoteAddress, isEncrypted }: CollectedRequest) {
    const socket = new Socket();
    Object.defineProperties(socket, {
      encrypted: { value: isEncrypted },
      remoteAddress: { value: remoteAddress },
    });
    super(socket);
    this.method = method;
    this.url = url;
    this.httpVersion = "1.1";
    this.httpVersionMajor = 1;
    this.httpVersionMinor = 1;
    Object.assign(this.headers, headers);
    this.push(body);
    this.push(null);
    this.complete = true;
  }
}

/** Collects a response in memory instead of sending it. */
class DetachedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = [];
  readonly #onEnd: () => void;

  constructor(request: IncomingMessage, onEnd: () => void) {
    super(request);
    this.#onEnd = onEnd;
  }

  override write(chunk: string | Uint8Array): boolean {
    this.#chunks.push(Buffer.from(chunk as Uint8Array));
    return true;
  }

  override end(chunk?: unknown): this {
    if (typeof chunk === "string" || chunk instanceof Uint8Array) this.write(chunk);
    this.finished = true;
    this.emit("finish");
    this.#onEnd();
    return this;
  }

  get collected(): CollectedResponse {
    const body = Buffer.concat(this.#chunks);
    return { status: this.statusCode, headers: this.getHeaders(), body };
  }
}

/** Runs a handler that is written for Node's server, and resolves to its response. */
export async function runNodeHandler(
  handler: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  request: DetachedRequest,
): Promise<CollectedResponse> {
  const ended = Promise.withResolvers<void>();
  const response = new DetachedResponse(request, ended.resolve);
  await Promise.race([handler(request, response).then(() => ended.promise), ended.promise]);
  return response.collected;
}
