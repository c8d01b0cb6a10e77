/** The oldest Node that core runs on, as in `engines` of package.json. */
const OLDEST = [22, 19] as const

const found = process.versions.node
const [major = 0, minor = 0] = found.split('.').map(Number)

if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
  throw new Error(
    `@headgate/core needs Node ${OLDEST.join('.')} or newer, and this is Node ${found}: install a newer one from https://nodejs.org/en/download, or run this program by \`npx -y node@24 <its file>\`.`,
  )

// Evaluated for what it throws.
export {}
