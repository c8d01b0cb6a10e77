import { Worker } from 'node:worker_threads'
import { type ErrorKind, HeadgateError } from '@headgate/gateway/ports'
import { AWAY, type CallFailure, type CallMessage, type Calls, type ReplyMessage } from './messages.ts'

/** Worker thread that runs calls. A worker that dies or does not answer in time is replaced, and its calls fail. */
export interface WorkerThread<C extends Calls> {
  /**
   * Runs a call.
   * @throws HeadgateError: the error of the worker; `unavailable` if it does not answer in time or dies; `internal`
   * after `close`
   */
  call<Name extends keyof C & string>(name: Name, ...args: Parameters<C[Name]>): Promise<Awaited<ReturnType<C[Name]>>>
  /** Functions of the worker, bound to `call`. */
  readonly calls: Omit<C, 'close'>
  /** Closes the store in the worker and ends it. Pending calls fail. */
  close(): Promise<void>
}

/** Time limits of calls in milliseconds; default 30,000. */
export type CallLimits<C extends Calls> = Readonly<Partial<Record<keyof C & string, number>>>

export interface WorkerThreadOptions<C extends Calls> {
  /** Module of the worker. */
  readonly file: URL
  /** Start parameters of the worker. */
  readonly data: unknown
  /** Called with announcements of the worker. */
  onAnnouncement(name: string, value: unknown): void
  /** Called when the worker has died. */
  onProblem(message: string): void
  readonly limits?: CallLimits<C>
}

const PATIENCE = 30_000
/** Time limit for closing the store, in milliseconds. */
const FAREWELL = 1_000
/**
 * Delay before a dead worker is replaced without a call, in milliseconds. It doubles while workers die before their
 * first message.
 */
const REPLACE = { first: 1_000, most: 60_000 }
/** Maximum number of pending calls. More of them mean that the store is unreachable. */
const WAITING = 10_000

interface PendingThreadCall {
  resolve(value: unknown): void
  reject(error: Error): void
  readonly timer: NodeJS.Timeout
}

export function createThread<C extends Calls>(options: WorkerThreadOptions<C>): WorkerThread<C> {
  const { file, data, onAnnouncement, onProblem, limits } = options
  const waiting = new Map<number, PendingThreadCall>()
  let worker: Worker | undefined
  let closing = false
  let last = 0
  let pause = REPLACE.first
  let replacing: NodeJS.Timeout | undefined

  const settle = (id: number): PendingThreadCall | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    clearTimeout(one?.timer)
    if (waiting.size === 0) worker?.unref()
    return one
  }

  const failAll = (message?: string): void => {
    for (const id of [...waiting.keys()]) settle(id)?.reject(message === undefined ? closed() : away(message))
  }

  const listen = (message: ReplyMessage): void => {
    pause = REPLACE.first
    if ('announced' in message) {
      onAnnouncement(message.announced, message.value)
      return
    }
    const one = settle(message.id)
    if ('failure' in message) one?.reject(errorOf(message.failure))
    else one?.resolve(message.value)
  }

  const begin = (): Worker => {
    const one = new Worker(file, {
      workerData: data,
      execArgv: [
        // Node 22 warns about `node:sqlite` once per thread.
        '--disable-warning=ExperimentalWarning',
        // A thread that runs from its source needs the sources of other packages too.
        ...(file.pathname.endsWith('.ts') ? ['--conditions=@headgate/source'] : []),
      ],
    })
    one.on('message', listen)
    one.on('error', (error) => onProblem(`A store thread died and is replaced: ${error.message}`))
    one.on('exit', () => {
      if (worker === one) worker = undefined
      if (closing) return
      failAll('A store thread died. Try again.')
      // Other parts rely on the worker's announcements.
      replacing = setTimeout(() => (worker ??= begin()), pause).unref()
      pause = Math.min(pause * 2, REPLACE.most)
    })
    one.unref()
    return one
  }

  const ask = (name: string, args: readonly unknown[], limit: number): Promise<unknown> => {
    if (waiting.size >= WAITING)
      return Promise.reject(away('The store does not answer, and too many calls are waiting. Try again later.'))
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const id = ++last
    const timer = setTimeout(() => {
      settle(id)?.reject(away(`The store did not answer within ${limit / 1_000} s.`))
      // The call may wait forever, such as for a connection whose peer is gone.
      void worker?.terminate()
    }, limit)
    waiting.set(id, { resolve, reject, timer })
    worker ??= begin()
    worker.ref()
    worker.postMessage({ id, name, args } satisfies CallMessage)
    return promise
  }

  // Started early, so that the first call does not wait for it.
  worker = begin()

  const call: WorkerThread<C>['call'] = (name, ...args) => {
    if (closing) return Promise.reject(closed())
    return ask(name, args, limits?.[name] ?? PATIENCE) as Promise<Awaited<ReturnType<C[typeof name]>>>
  }

  return {
    call,
    calls: boundTo(call),
    async close() {
      closing = true
      clearTimeout(replacing)
      // Calls that are unfinished by then are not committed.
      if (worker) await ask('close', [], FAREWELL).catch(() => {})
      await worker?.terminate()
      failAll()
    },
  }
}

/** Object whose functions call the worker's functions of the same name. */
function boundTo<C extends Calls>(call: WorkerThread<C>['call']): C {
  const bound = new Map<string, unknown>()
  const functionOf = (name: keyof C & string): unknown => {
    const known = bound.get(name) ?? ((...args: Parameters<C[typeof name]>) => call(name, ...args))
    bound.set(name, known)
    return known
  }
  return new Proxy<C>({} as C, { get: (_, name) => functionOf(String(name)) })
}

function away(message: string): HeadgateError {
  return new HeadgateError(AWAY.kind, message, AWAY)
}

function closed(): HeadgateError {
  return new HeadgateError('internal', 'The store is closed.')
}

function errorOf({ kind, message, ...details }: CallFailure): Error {
  return new HeadgateError((kind as ErrorKind | undefined) ?? 'internal', message, details)
}
