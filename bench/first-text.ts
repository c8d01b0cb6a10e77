import { Pool } from 'undici'
import { median, type Shot } from './load.ts'

const WARM_UP = 500
const REQUESTS = 1_000
/** Text of the first text event in every format. */
const FIRST = 'word0 '

/** Stream, and the URL of its request. */
export interface Asked {
  readonly port: number
  readonly shot: Shot
}

/** Time to the first text of a stream in microseconds: medians. */
export interface FirstText {
  readonly scenario: string
  readonly floor: number
  readonly headgate: number
  /** Median of the differences of pairs of requests. */
  readonly added: number
}

/** Microseconds from the request until its first text. Also reads the rest of the stream. */
function measure(pool: Pool, shot: Shot): Promise<number> {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    let text = ''
    let first: number | undefined
    pool.dispatch(
      { path: shot.path, method: 'POST', headers: shot.headers, body: shot.body },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_, chunk) {
          if (first !== undefined) return
          text += chunk.toString('latin1')
          if (text.includes(FIRST)) first = (performance.now() - start) * 1_000
        },
        onResponseEnd: () =>
          first === undefined ? reject(new Error(`no first token received: ${text.slice(0, 200)}`)) : resolve(first),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

/**
 * Compares one scenario without load: one request at a time, in turn, so that a drift of the machine's speed affects
 * both.
 */
export async function firstText(scenario: string, floor: Asked, headgate: Asked): Promise<FirstText> {
  const pools = [floor, headgate].map(
    ({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 1 }),
  )
  const [direct, through] = pools
  if (!direct || !through) throw new Error('The comparison has no targets.')
  const floors: number[] = []
  const own: number[] = []
  for (let i = 0; i < WARM_UP + REQUESTS; i++) {
    const [a, b] = [await measure(direct, floor.shot), await measure(through, headgate.shot)]
    if (i < WARM_UP) continue
    floors.push(a)
    own.push(b)
  }
  await Promise.all(pools.map((pool) => pool.close()))
  const added = median(own.map((value, i) => value - (floors[i] ?? Number.NaN)))
  return { scenario, floor: median(floors), headgate: median(own), added }
}
