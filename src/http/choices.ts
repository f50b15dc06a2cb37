import type { Form } from "./form.ts";

/**
 * Reads a group of checkboxes. Each has the name of the group, a hyphen and its own name. A hidden
 * field lists their names, since a form does not say which fields it has.
 */
export const readChoices = (form: Form, group: string): readonly string[] =>
  form(`${group}_listed`)
    .split(",")
    .filter((name) => name !== "" && form(`${group}-${name}`) !== "");

/**
 * Splits a typed list of groups or host names, which contain neither spaces nor commas of any
 * script. A list that has only separators has empty names, so that it differs from no list.
 */
export const splitNames = (text: string): readonly string[] =>
  text.trim().split(/[\s,\u060c\u3001\uff0c\uff64]+/);
