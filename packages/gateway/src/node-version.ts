/** Oldest supported version of Node, as in `engines` of package.json. */
const OLDEST = [22, 19] as const

const found = process.versions.node
const [major = 0, minor = 0] = found.split('.').map(Number)

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
  throw new Error(
    `@headgate/gateway needs Node ${OLDEST.join('.')} or newer; this is Node ${found}. Install a newer version from https://nodejs.org/en/download, or run this program with \`npx -y node@24 <its file>\`.`,
  )

// Makes this file a module. It is imported for its check.
export {}
