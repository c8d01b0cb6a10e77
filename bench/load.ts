import { Pool } from 'undici'

/** Request that is repeated. */
export interface Shot {
  readonly path: string
  readonly headers: Record<string, string>
  readonly body: string
}

export interface LoadResult {
  /** Milliseconds, sorted. */
  readonly latencies: number[]
  readonly failures: number
}

function shoot(pool: Pool, shot: Shot): Promise<{ ok: boolean; ms: number }> {
  const start = performance.now()
  return new Promise((resolve) => {
    let status = 0
    const done = (ok: boolean): void => resolve({ ok, ms: performance.now() - start })
    pool.dispatch(
      { path: shot.path, method: 'POST', headers: shot.headers, body: shot.body },
      {
        onRequestStart() {},
        onResponseStart(_, answered) {
          status = answered
        },
        onResponseData() {},
        onResponseEnd: () => done(status === 200),
        onResponseError: () => done(false),
      },
    )
  })
}

/** Sends a request repeatedly over a number of connections, one after the other on each. */
export async function load(
  port: number,
  shot: Shot,
  options: { requests: number; connections: number },
): Promise<LoadResult> {
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: options.connections, pipelining: 1 })
  const latencies: number[] = []
  let left = options.requests
  let failures = 0
  const worker = async (): Promise<void> => {
    while (left-- > 0) {
      const { ok, ms } = await shoot(pool, shot)
      if (ok) latencies.push(ms)
      else failures++
    }
  }
  await Promise.all(Array.from({ length: options.connections }, worker))
  await pool.close()
  latencies.sort((a, b) => a - b)
  return { latencies, failures }
}

/** Percentile of sorted values. */
export function percentile(sorted: readonly number[], hundredths: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * hundredths) / 100))] ?? Number.NaN
}

/**
 * Interval that contains the true median with a probability of at least 95 %, by order statistics, so without an
 * assumption about the distribution. All values if there are fewer than six.
 */
export function medianInterval(values: readonly number[]): readonly [low: number, high: number] {
  const sorted = [...values].sort((a, b) => a - b)
  const { length } = sorted
  let skipped = 0
  let share = 0.5 ** length
  for (let tail = share; 2 * tail <= 0.05 && skipped < (length - 1) >> 1; tail += share) {
    skipped++
    share *= (length - skipped + 1) / skipped
  }
  const place = Math.max(0, skipped - 1)
  return [sorted[place] ?? Number.NaN, sorted[length - 1 - place] ?? Number.NaN]
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return percentile(sorted, 50)
}
