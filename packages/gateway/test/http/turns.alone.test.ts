import { setImmediate as nextIteration } from 'node:timers/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { ReadFlow, takeTurn } from '../../src/http/turns.ts'

/** Keeps the event loop from anything else. */
function work(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('Work on large bodies', () => {
  it('runs in order, and leaves the event loop to others for as long as it took', async () => {
    let iterations = 0
    const count = (): unknown => iterations++ < 1_000 && setImmediate(count)
    const jobs = [0, 1, 2].map(() =>
      takeTurn(() => {
        const startedAt = performance.now()
        count()
        work(20)
        return startedAt
      }),
    )
    const [first = 0, second = 0, third = 0] = await Promise.all(jobs)
    expect([second - first, third - second].every((ms) => ms >= 38)).toBe(true)
    expect(iterations).toBeGreaterThan(10)
  })

  it('goes on after work that failed', async () => {
    const broken = takeTurn(() => {
      throw new Error('broken')
    })
    const next = takeTurn(() => 'done')
    await expect(broken).rejects.toThrow('broken')
    expect(await next).toBe('done')
  })
})

const CHUNK = 64 * 1024

describe('Large bodies that are read at the same time', () => {
  const start = (calls: string[], name: string): ReadFlow =>
    new ReadFlow(() => ({ pause: () => calls.push(`${name} pauses`), resume: () => calls.push(`${name} resumes`) }))

  // What other tests in this process have read and asked for counts until two iterations later.
  beforeEach(async () => {
    for (let iteration = 0; iteration < 2; iteration++) {
      start([], 'before').count(CHUNK)
      await nextIteration()
      await nextIteration()
    }
  })

  it('go on one after the other, the oldest one first', async () => {
    const calls: string[] = []
    const flows = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => start(calls, name))
    for (const flow of flows.toReversed()) flow.count(CHUNK)
    expect(calls).toEqual(['second pauses', 'first pauses'])
    while (calls.length < 4) await nextIteration()
    expect(calls.slice(2)).toEqual(['first resumes', 'second resumes'])
  })

  it('stay paused if their reader has paused them', async () => {
    const calls: string[] = []
    const [paused, other] = [start(calls, 'paused'), start(calls, 'other')]
    paused.pause()
    for (const flow of [paused, other]) flow.count(4 * CHUNK)
    expect(calls).toEqual(['paused pauses', 'paused pauses', 'other pauses'])
    while (calls.length < 4) await nextIteration()
    expect(calls.at(-1)).toBe('other resumes')
    paused.resume()
    expect(calls.at(-1)).toBe('paused resumes')
  })

  it('are not counted if they come in small pieces, as streams do', () => {
    const calls: string[] = []
    const stream = start(calls, 'stream')
    for (let piece = 0; piece < 1_000; piece++) stream.count(1_000)
    expect(calls).toEqual([])
  })
})
