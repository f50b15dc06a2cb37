import assert from "node:assert/strict";
import type { Answer } from "./client.ts";
import { alertsIn, fieldNamed } from "./markup.ts";

/** The expected message of a rejected form, and its fields. */
export interface Problem {
  readonly status: number;
  readonly message: string;
  readonly fields: readonly string[];
}

/** Asserts one message, at the first field, and that exactly these fields are marked. */
export function assertProblem(answer: Answer, problem: Problem, all: readonly string[]): void {
  const { status, body, headers } = answer;
  const { message, fields } = problem;
  const [first = ""] = fields;
  assert.equal(status, problem.status);
  assert.equal(headers["content-type"], "text/html; charset=utf-8");
  assert.deepEqual(alertsIn(body), [message]);
  const atField = `<div id="${first}-problem"><p class="problem" role="alert">${message}</p></div>`;
  assert.ok(body.includes(atField), body);
  assert.equal(body.split(message).length, 2, "only at the field");
  assert.deepEqual(marked(body, all, "aria-invalid"), fields);
  assert.deepEqual(marked(body, all, "autofocus"), [first]);
  const described = all.filter((name) => describedBy(body, name).includes(`${first}-problem`));
  assert.deepEqual(described, fields);
  for (const id of all.flatMap((name) => describedBy(body, name))) {
    assert.ok(body.includes(` id="${id}"`), `#${id} exists`);
  }
  assert.match(body, /<title>Problem: [^<]+<\/title>/, "in the page title");
}

const marked = (body: string, all: readonly string[], attribute: string): readonly string[] =>
  all.filter((name) => fieldNamed(body, name)[attribute] !== undefined);

const describedBy = (body: string, name: string): readonly string[] =>
  fieldNamed(body, name)["aria-describedby"]?.split(" ") ?? [];
