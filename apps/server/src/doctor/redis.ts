import { redisUrlProblem } from '@headgate/fleet'
import type { Environment } from '../config/substitution.ts'
import type { DoctorFinding } from './finding.ts'

/** Time limits of the checks, in milliseconds. */
const CONNECT_MS = 3_000
const DEADLINE_MS = 2_000
/** Oldest version that tests use. */
const OLDEST = [7, 0] as const

/** Checks that Redis responds and keeps its counts, if `HEADGATE_REDIS_URL` is set. */
export async function checkRedis({ HEADGATE_REDIS_URL: url }: Environment): Promise<readonly DoctorFinding[]> {
  // A configuration with an invalid URL has an error already.
  if (!url || redisUrlProblem(url) !== undefined) return []
  const { openRedis } = await import('@headgate/fleet/redis')
  let reason = ''
  const redis = await openRedis(url, {
    connectMs: CONNECT_MS,
    deadlineMs: DEADLINE_MS,
    onUnreachable: (why) => {
      reason = why
    },
    onReachable: () => {},
    onRefusal: () => {},
  })
  try {
    if (!redis.isReachable) return [unreachable(reason)]
    return findingsOf(String(await redis.call('info')))
  } catch (error) {
    return [unreachable(error instanceof Error ? error.message : String(error))]
  } finally {
    redis.close()
  }
}

const about = 'redis'

function unreachable(reason: string): DoctorFinding {
  return {
    state: 'wrong',
    about,
    text: `Redis is unreachable: ${reason}`,
    advice:
      'Check HEADGATE_REDIS_URL and the server. The gateway starts without it, and uses its part of each rate limit.',
  }
}

function findingsOf(info: string): readonly DoctorFinding[] {
  const fields = new Map(
    info.split('\r\n').map((line): [string, string] => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon), line.slice(colon + 1)]
    }),
  )
  const valkey = fields.get('valkey_version')
  const version = fields.get('redis_version') ?? ''
  const policy = fields.get('maxmemory_policy')
  return [
    { state: 'ok', about, text: `${valkey ? `Valkey ${valkey}` : `Redis ${version}`} responds` },
    ...(isOlder(version)
      ? [{ state: 'note' as const, about, text: `Redis ${version} is older than the tested versions, 7.0 and later` }]
      : []),
    ...(policy === undefined || policy === 'noeviction'
      ? []
      : [
          {
            state: 'note' as const,
            about,
            text: `maxmemory-policy is ${policy}: Redis may delete counts, and rate limits may be exceeded`,
            advice: 'Set maxmemory-policy to noeviction.',
          },
        ]),
  ]
}

function isOlder(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])
}
