import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'

/** File in the data directory with the URL of the running gateway. */
const FILE = 'running-address'
/** Time within which a running gateway accepts a connection, in milliseconds. */
const PATIENCE_MS = 1_000

/** Notes the URL of the gateway for commands. */
export function noteAddress(dataDir: string, url: string): void {
  writeFileSync(join(dataDir, FILE), `${url}\n`, { mode: 0o600 })
}

/** Removes the note, unless another gateway has written its own. */
export function forgetAddress(dataDir: string, url: string): void {
  if (readNote(dataDir) === url) rmSync(join(dataDir, FILE), { force: true })
}

/** Port of the gateway that runs with a data directory; undefined = none runs, or only on another machine. */
export async function runningPort(dataDir: string): Promise<number | undefined> {
  const url = readNote(dataDir)
  if (url === undefined || !URL.canParse(url)) return undefined
  const { hostname, port, protocol } = new URL(url)
  const number = Number(port || (protocol === 'https:' ? 443 : 80))
  return (await accepts(hostname.replace(/^\[|\]$/g, ''), number)) ? number : undefined
}

function readNote(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, FILE), 'utf8').trim()
  } catch {
    return undefined
  }
}

/** True if a server accepts connections. A gateway that was killed leaves its note. */
function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: PATIENCE_MS })
    const end = (isThere: boolean) => (): void => {
      socket.destroy()
      resolve(isThere)
    }
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false))
  })
}
