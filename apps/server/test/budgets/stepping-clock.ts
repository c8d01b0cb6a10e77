import { syncBuiltinESMExports } from 'node:module'
import threads, { type WorkerOptions } from 'node:worker_threads'

/**
 * Preload of a program under test: a wall clock that steps forward and back every 600 ms, in all threads. Each process
 * has other steps at a time. Timers and `performance.now()` do not step, as on a machine whose time is set.
 */
const STEPS = [0, 2 * 86_400_000, 0, -3_600_000, 5_000, -5_000]
const EVERY = 600
const now = Date.now.bind(Date)

function stepped(): number {
  const real = now()
  return real + (STEPS[(Math.floor(real / EVERY) + process.pid) % STEPS.length] ?? 0)
}

globalThis.Date = new Proxy(Date, {
  construct: (Real, args, target) => Reflect.construct(Real, args.length === 0 ? [stepped()] : args, target),
  get: (Real, name, receiver) => (name === 'now' ? stepped : Reflect.get(Real, name, receiver)),
})

// Threads do not inherit preloads.
threads.Worker = class extends threads.Worker {
  constructor(file: string | URL, options: WorkerOptions = {}) {
    super(file, Object.assign({}, options, { execArgv: [...(options.execArgv ?? []), `--import=${import.meta.url}`] }))
  }
}
syncBuiltinESMExports()
