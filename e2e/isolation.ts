import { spawnSync } from 'node:child_process'

const ISOLATED = 'HEADGATE_E2E_ISOLATED'
/** Timeout for all clients one after the other, on a busy machine. Milliseconds. */
const MOST_MS = 3_600_000

/** Arguments for a separate network namespace: of root, or of a user in a user namespace. */
const UNSHARE = [['-n'], ['-r', '-n']]

const LOOPBACK_UP = 'ip link set lo up'

/** Tells if this process has no network. */
export function isIsolated(): boolean {
  return process.env[ISOLATED] === '1'
}

/**
 * Runs this program again in a namespace in which only this machine is reachable. Returns its exit code; undefined if
 * namespaces are not available.
 */
export function runIsolated(): number | undefined {
  const flags = UNSHARE.find(
    (one) => spawnSync('unshare', [...one, 'sh', '-c', LOOPBACK_UP], { stdio: 'ignore' }).status === 0,
  )
  if (!flags) return undefined
  const args = [
    ...flags,
    'sh',
    '-c',
    `${LOOPBACK_UP} && exec "$@"`,
    'sh',
    process.execPath,
    ...process.execArgv,
    ...process.argv.slice(1),
  ]
  const { status } = spawnSync('unshare', args, {
    stdio: 'inherit',
    env: { ...process.env, [ISOLATED]: '1' },
    timeout: MOST_MS,
  })
  return status ?? 1
}
