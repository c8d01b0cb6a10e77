import { Pool } from 'undici'
import { median, type Shot } from './load.ts'

const WARM_UP = 500
const REQUESTS = 1_000
/** Stands in the first event with text, whatever the format, and in none before it. */
const FIRST = 'word0 '

/** A stream and where it is asked for. */
export interface Asked {
  readonly port: number
  readonly shot: Shot
}

/** What the first text of a stream takes, in microseconds: medians. */
export interface FirstText {
  readonly scenario: string
  readonly floor: number
  readonly headgate: number
  /** Median of the differences, request by request. */
  readonly added: number
}

/** Microseconds from the request until its first text is here. The rest of the stream is read as well. */
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
          first === undefined ? reject(new Error(`no text came: ${text.slice(0, 200)}`)) : resolve(first),
        onResponseError: (_, error) => reject(error),
      },
    )
  })
}

/**
 * Compares one scenario without load: one request at a time, in turns, so that a machine whose speed drifts slows both.
 */
export async function firstText(scenario: string, floor: Asked, headgate: Asked): Promise<FirstText> {
  const pools = [floor, headgate].map(
    ({ port }) => new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 1 }),
  )
  const [direct, through] = pools
  if (!direct || !through) throw new Error('There is nothing to compare.')
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
