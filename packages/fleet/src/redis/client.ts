import type { EventEmitter } from 'node:events'
import { HeadgateError } from '@headgate/gateway/ports'
import { Cluster, type CommonRedisOptions, type DNSLookupFunction, Redis } from 'iovalkey'
import { createBreaker } from './breaker.ts'
import type { RedisScript } from './script.ts'
import { type RedisAddress, readRedisUrl } from './url.ts'

/** Options of {@link openRedis}. */
export interface RedisClientOptions {
  /** Called once when Redis becomes unreachable, with the reason. */
  onUnreachable(reason: string): void
  /** Called once when Redis is reachable again. */
  onReachable(): void
  /** Called once when Redis refuses calls, until one succeeds, with its message. */
  onRefusal(message: string): void
  /** Maximum duration of a call, in milliseconds; default 50. */
  readonly deadlineMs?: number | undefined
  /** Maximum time to wait for the first connection, in milliseconds; default 1,000. */
  readonly connectMs?: number | undefined
  /** Time without data after which an awaited connection is replaced, in milliseconds; default 5,000. */
  readonly silenceMs?: number | undefined
}

/** Numbers of calls by result, since the start. */
export interface RedisCalls {
  answered: number
  /** Calls without an answer in time, or without a connection. */
  failed: number
  /** Calls that Redis answered with an error. */
  refused: number
  /** Calls that were not sent, since Redis was unreachable. */
  skipped: number
}

/**
 * Connection to Redis or Valkey. A call takes at most its deadline, and is not sent while Redis is unreachable: no
 * caller waits for a stopped server. A call that failed may have been carried out.
 */
export interface RedisClient {
  readonly isReachable: boolean
  readonly calls: Readonly<RedisCalls>
  /**
   * Runs a command.
   * @throws HeadgateError `unavailable` if Redis does not answer in time, or answers with an error
   */
  call(command: string, ...args: readonly (string | number)[]): Promise<unknown>
  /**
   * Runs a script. The keys must have the same hash tag.
   * @throws HeadgateError, as `call` does
   */
  run(script: RedisScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>
  /** Receives messages of a channel from now on. Messages are lost while Redis is unreachable. */
  subscribe(channel: string, onMessage: (message: string) => void): void
  /** Closes all connections. Open calls fail. */
  close(): void
}

const DEADLINE_MS = 50
const CONNECT_MS = 1_000
/** Interval of attempts to connect, in milliseconds. */
const RECONNECT_MS = 100
/** Time limit of a connection and of its login, in milliseconds. */
const HANDSHAKE_MS = 3_000
/** Time without data after which an awaited connection is replaced, in milliseconds. */
const SILENCE_MS = 5_000
/** Idle time after which the system checks a connection, in milliseconds. */
const KEEP_ALIVE_MS = 10_000
/** Maximum redirections of a command in a cluster that moves its slots. */
const REDIRECTIONS = 3

/**
 * Connects to Redis. Resolves when it is connected, or after `connectMs` without a connection; it then connects later.
 * @param url address, see `readRedisUrl`
 * @throws HeadgateError if the URL is not valid
 *
 * @example
 * ```ts
 * const redis = await openRedis('redis://127.0.0.1:6379', { onUnreachable: warn, onReachable: note, onRefusal: warn })
 * await redis.call('ping') // 'PONG'
 * ```
 */
export async function openRedis(url: string, options: RedisClientOptions): Promise<RedisClient> {
  const { deadlineMs = DEADLINE_MS, connectMs = CONNECT_MS, silenceMs = SILENCE_MS } = options
  const address = addressOf(url)
  const last = { error: `no connection within ${connectMs.toLocaleString('en')} ms` }
  const client = connect(address, silenceMs, last)
  const calls: RedisCalls = { answered: 0, failed: 0, refused: 0, skipped: 0 }
  let isRefusing = false
  let reason = ''

  const breaker = createBreaker({
    probe: () => within(deadlineMs, send(client, 'ping', [])),
    onOpen: (why) => {
      reason = why
      options.onUnreachable(why)
    },
    onClose: options.onReachable,
  })
  const failed = (error: unknown): HeadgateError => {
    const message = messageOf(error)
    if (isReplyError(error)) {
      calls.refused += 1
      if (!isRefusing) options.onRefusal(message)
      isRefusing = true
    } else {
      calls.failed += 1
      breaker.failed(message)
    }
    // The error itself has the arguments of its command, which may be a password.
    return new HeadgateError('unavailable', `Redis failed: ${message}`)
  }
  const guarded = async (act: () => Promise<unknown>): Promise<unknown> => {
    if (breaker.isOpen) {
      calls.skipped += 1
      throw new HeadgateError('unavailable', `Redis is unreachable: ${reason}`)
    }
    try {
      const value = await within(deadlineMs, act())
      calls.answered += 1
      isRefusing = false
      breaker.succeeded()
      return value
    } catch (error) {
      throw failed(error)
    }
  }
  const channels = createChannels(() => connectSubscriber(address, client))
  if (!(await isReady(client, connectMs))) breaker.open(last.error)
  return {
    calls,
    get isReachable() {
      return !breaker.isOpen
    },
    call: (command, ...args) => guarded(() => send(client, command, args)),
    run: (script, keys, args) => guarded(() => evaluate(client, script, [keys.length, ...keys, ...args])),
    subscribe: channels.subscribe,
    close() {
      breaker.end()
      channels.close()
      client.disconnect()
    },
  }
}

type Connection = Redis | Cluster

function addressOf(url: string): RedisAddress {
  const reading = readRedisUrl(url)
  if ('address' in reading) return reading.address
  throw new HeadgateError('invalid-request', `HEADGATE_REDIS_URL is not valid: ${reading.problem}`, {
    param: 'HEADGATE_REDIS_URL',
  })
}

/** Options of every connection. Commands are neither queued nor repeated: they may have been carried out. */
const COMMON: CommonRedisOptions = {
  connectionName: 'headgate',
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  autoResendUnfulfilledCommands: false,
  autoResubscribe: false,
  connectTimeout: HANDSHAKE_MS,
  keepAlive: KEEP_ALIVE_MS,
  retryStrategy: () => RECONNECT_MS,
  // A former master refuses writes after a failover.
  reconnectOnError: ({ message }) => message.startsWith('READONLY'),
}

/** Connection for commands. `last.error` follows its errors. */
function connect(address: RedisAddress, silenceMs: number, last: { error: string }): Connection {
  const client = connectTo(address, { ...COMMON, commandTimeout: HANDSHAKE_MS, socketTimeout: silenceMs })
  eventsOf(client).on('error', (error: unknown) => {
    last.error = messageOf(error)
  })
  return client
}

/** Connection for messages. A cluster has a separate connection for them. */
function connectSubscriber(address: RedisAddress, client: Connection): Connection {
  if (client instanceof Cluster) return client
  const subscriber = connectTo(address, COMMON)
  // The connection for commands reports the same errors.
  eventsOf(subscriber).on('error', () => {})
  return subscriber
}

function connectTo({ mode, hosts, isTls, db, master, sentinel, ...login }: RedisAddress, common: CommonRedisOptions) {
  const { username, password } = login
  const options = {
    ...common,
    ...(isTls && { tls: {} }),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
  }
  if (mode === 'cluster')
    return new Cluster([...hosts], {
      enableOfflineQueue: false,
      clusterRetryStrategy: () => RECONNECT_MS,
      maxRedirections: REDIRECTIONS,
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      slotsRefreshTimeout: HANDSHAKE_MS,
      redisOptions: options,
      ...(isTls && { dnsLookup: keepHost }),
    })
  if (mode === 'single') return new Redis({ ...options, ...hosts[0], family: 0, db })
  return new Redis({
    ...options,
    db,
    name: master,
    sentinels: [...hosts],
    sentinelRetryStrategy: () => RECONNECT_MS,
    sentinelCommandTimeout: HANDSHAKE_MS,
    ...(isTls && { enableTLSForSentinelMode: true, sentinelTLS: {} }),
    ...(sentinel.username !== undefined && { sentinelUsername: sentinel.username }),
    ...(sentinel.password !== undefined && { sentinelPassword: sentinel.password }),
  })
}

/** Keeps the name of a host, since certificates name hosts, not addresses. */
const keepHost: DNSLookupFunction = (host, done) => done(null, host)

/** Events of both kinds of connections. */
function eventsOf(connection: EventEmitter): EventEmitter {
  return connection
}

function send(client: Connection, command: string, args: readonly (string | number)[]): Promise<unknown> {
  return client.call(command, [...args])
}

/** Runs a script by its hash. A server that does not know it yet gets its source. */
async function evaluate(
  client: Connection,
  { sha, source }: RedisScript,
  args: readonly (string | number)[],
): Promise<unknown> {
  try {
    return await send(client, 'evalsha', [sha, ...args])
  } catch (error) {
    if (!messageOf(error).startsWith('NOSCRIPT')) throw error
    return send(client, 'eval', [source, ...args])
  }
}

/** True once the client is connected; false after `ms` milliseconds without a connection. */
async function isReady(client: Connection, ms: number): Promise<boolean> {
  if (client.status === 'ready') return true
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, ms, false)
  eventsOf(client).once('ready', () => resolve(true))
  const isConnected = await promise
  clearTimeout(timer)
  return isConnected
}

interface Channels extends Pick<RedisClient, 'subscribe'> {
  close(): void
}

/** Channels of one connection, which is opened for the first of them. */
function createChannels(open: () => Connection): Channels {
  const listeners = new Map<string, (message: string) => void>()
  let connection: Connection | undefined
  let retry: NodeJS.Timeout | undefined

  const subscribeAll = (): void => {
    if (connection?.status !== 'ready') return
    connection.subscribe(...[...listeners.keys()]).catch(() => {
      clearTimeout(retry)
      retry = setTimeout(subscribeAll, RECONNECT_MS).unref()
    })
  }
  const opened = (): Connection => {
    const created = open()
    eventsOf(created).on('ready', subscribeAll)
    eventsOf(created).on('message', (channel: string, message: string) => listeners.get(channel)?.(message))
    return created
  }
  return {
    subscribe(channel, onMessage) {
      listeners.set(channel, onMessage)
      connection ??= opened()
      subscribeAll()
    },
    close() {
      clearTimeout(retry)
      connection?.disconnect()
    },
  }
}

/** Rejects if a promise does not settle within `ms` milliseconds. */
function within<Result>(ms: number, settling: Promise<Result>): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  // An answer may have arrived while this process was busy. It is read before the rejection.
  const timer = setTimeout(() => setImmediate(() => reject(new Error(`no answer within ${ms} ms`))), ms)
  return Promise.race([settling, late]).finally(() => clearTimeout(timer))
}

/** True for an error that the server answered. */
function isReplyError(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError'
}

/** Message of an error; its code if it has no message, as several failed attempts to connect. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.message || ('code' in error ? String(error.code) : error.name)
}
