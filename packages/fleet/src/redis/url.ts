/** Host and port of a server. */
export interface RedisHost {
  readonly host: string
  readonly port: number
}

/** Login of a Redis server. */
export interface RedisLogin {
  readonly username?: string | undefined
  readonly password?: string | undefined
}

/** Address of one Redis server, of the Sentinels of a server, or of a cluster. */
export interface RedisAddress extends RedisLogin {
  readonly mode: 'single' | 'sentinel' | 'cluster'
  /** Servers, or Sentinels; at least one. */
  readonly hosts: readonly RedisHost[]
  readonly isTls: boolean
  /** Number of the database; 0 in a cluster. */
  readonly db: number
  /** Name of the master in its Sentinels; empty in other modes. */
  readonly master: string
  /** Login of the Sentinels, if they have one. */
  readonly sentinel: RedisLogin
}

/** Address, or the reason why the URL is not valid. The reason never contains the password. */
export type RedisUrlReading = { readonly address: RedisAddress } | { readonly problem: string }

const FORM =
  /^redis(?<tls>s?)(?:\+(?<mode>sentinel|cluster))?:\/\/(?:(?<login>[^/?#]*)@)?(?<hosts>[^/?#@]+)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/
const HOST = /^(?<host>\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(?<port>\d{1,5}))?$/i
const ALLOWED =
  'a URL such as redis://user:password@host:6379/0, redis+sentinel://host:26379,host2:26379/master or redis+cluster://host:6379,host2:6379; rediss for TLS'
const PORT = 6_379
const SENTINEL_PORT = 26_379
/** Parameters of a URL with Sentinels. */
const PARAMETERS: readonly string[] = ['sentinelUsername', 'sentinelPassword']

/**
 * Reads a URL with the address of Redis.
 *
 * @example
 * ```ts
 * readRedisUrl('redis://127.0.0.1:6379') // { address: { mode: 'single', hosts: [{ host: '127.0.0.1', … }], … } }
 * readRedisUrl('http://127.0.0.1') // { problem: 'allowed: a URL such as redis://…' }
 * ```
 */
export function readRedisUrl(url: string): RedisUrlReading {
  const { tls = '', mode = 'single', login, hosts = '', path = '', query = '' } = FORM.exec(url)?.groups ?? {}
  if (hosts === '') return { problem: `allowed: ${ALLOWED}` }
  const servers = hosts.split(',').map((text) => hostOf(text, mode === 'sentinel' ? SENTINEL_PORT : PORT))
  if (!servers.every((server) => server !== undefined)) return { problem: 'one of the hosts or ports is not valid' }
  if (mode === 'single' && servers.length > 1)
    return { problem: 'several hosts need redis+sentinel:// or redis+cluster://' }
  const own = loginOf(login)
  if (!own) return { problem: 'the part before @ must be user:password or :password, in percent-encoding' }
  const sentinel = sentinelOf(mode === 'sentinel', query)
  if (!sentinel) return { problem: `allowed parameters: ${PARAMETERS.join(', ')} with redis+sentinel://` }
  const place = placeOf(mode, path)
  if (typeof place === 'string') return { problem: place }
  const isMode = mode === 'sentinel' || mode === 'cluster' ? mode : 'single'
  return { address: { mode: isMode, hosts: servers, isTls: tls === 's', sentinel, ...place, ...own } }
}

/** Reason why a URL is not an address of Redis; undefined = it is one. The reason never contains the password. */
export function redisUrlProblem(url: string): string | undefined {
  const reading = readRedisUrl(url)
  return 'problem' in reading ? reading.problem : undefined
}

function hostOf(text: string, usualPort: number): RedisHost | undefined {
  const { host, port = String(usualPort) } = HOST.exec(text)?.groups ?? {}
  const number = Number(port)
  if (host === undefined || number < 1 || number > 65_535) return undefined
  return { host: host.replace(/^\[|\]$/g, ''), port: number }
}

/** Login of the part before `@`; undefined if it is not valid. */
function loginOf(login: string | undefined): RedisLogin | undefined {
  if (login === undefined) return {}
  const colon = login.indexOf(':')
  if (colon < 0) return undefined
  const username = decoded(login.slice(0, colon))
  const password = decoded(login.slice(colon + 1))
  if (username === undefined || !password) return undefined
  return { ...(username !== '' && { username }), password }
}

function sentinelOf(hasSentinels: boolean, query: string): RedisLogin | undefined {
  const given = new URLSearchParams(query)
  const names = [...given.keys()]
  if (names.some((name) => !hasSentinels || !PARAMETERS.includes(name))) return undefined
  const [username, password] = PARAMETERS.map((name) => given.get(name) ?? undefined)
  return { ...(username !== undefined && { username }), ...(password !== undefined && { password }) }
}

/** Database and master of the path, or a problem. */
function placeOf(mode: string, path: string): Pick<RedisAddress, 'db' | 'master'> | string {
  const [first = '', second = '', ...more] = path.split('/')
  const [master, db] = mode === 'sentinel' ? [decoded(first), second] : ['', first]
  if (more.length > 0 || (mode !== 'sentinel' && second !== '') || !/^\d{0,5}$/.test(db))
    return 'the part after the hosts must be the number of a database'
  if (mode === 'sentinel' && !master) return 'redis+sentinel:// needs the name of the master after the hosts'
  if (mode === 'cluster' && Number(db) > 0) return 'a cluster has only the database 0'
  return { db: Number(db), master: master ?? '' }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
