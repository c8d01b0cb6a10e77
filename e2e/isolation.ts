import { spawnSync } from 'node:child_process'

const ISOLATED = 'HEADGATE_E2E_ISOLATED'
/** All clients one after the other, on a machine that does much else. */
const MOST_MS = 3_600_000

/** A network namespace of one's own: of the administrator, or of a user in a user namespace. */
const UNSHARE = [['-n'], ['-r', '-n']]

const LOOPBACK_UP = 'ip link set lo up'

/** Whether this process is the one without a network. */
export function isIsolated(): boolean {
  return process.env[ISOLATED] === '1'
}

/**
 * Runs this program again where nothing but this machine can be reached. Its exit code; undefined where that does not
 * work.
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
