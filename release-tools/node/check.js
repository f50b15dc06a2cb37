// Runs after `npm ci`, on any version of Node.js. npm skips an optional package whose content has
// another digest than package-lock.json, and says nothing: another Node.js would run everything.
const { optionalDependencies } = require("./package.json");

const wanted = Object.entries(optionalDependencies).find(([name]) =>
  name.endsWith(`-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`),
);

function installedVersion(name) {
  try {
    return require(`${name}/package.json`).version;
  } catch {
    return undefined;
  }
}

// For other platforms there is no package, and the Node.js of the machine runs everything.
if (wanted !== undefined) {
  const [name, version] = wanted;
  if (installedVersion(name) !== version) {
    console.error(
      `latchkey: npm has not installed ${name} ${version}: it could not be downloaded, or its digest is not that of package-lock.json (run npm ci again)`,
    );
    process.exitCode = 1;
  }
}
