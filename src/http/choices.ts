import type { Form } from "./form.ts";

/**
 * Reads a group of checkboxes. Each has the name of the group, a hyphen and its own name. A hidden
 * field lists their names, since a form does not say which fields it has.
 */
export const readChoices = (form: Form, group: string): readonly string[] =>
  form(`${group}_listed`)
    .split(",")
    .filter((name) => name !== "" && form(`${group}-${name}`) !== "");
