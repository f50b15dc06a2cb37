/**
 * Other spellings of a host that URL parsers take for it. A proxy that compares the text chooses
 * another server for them than the guard behind it.
 */
export function changedHosts(host: string): readonly string[] {
  const encodedFirst = `%${host.charCodeAt(0).toString(16)}${host.slice(1)}`;
  return [
    host.replace(".", "%2e"),
    host.replaceAll(".", "%2E"),
    encodedFirst,
    `${host.slice(0, 1)}\u00ad${host.slice(1)}`,
    `\u00ad${host}`,
    `user@${host}`,
    `${host}/`,
    `${host}?`,
    `${host}#`,
    `${host}\\`,
    `${host}..`,
    `${host}, elsewhere.example`,
    `elsewhere.example, ${host}`,
  ];
}
