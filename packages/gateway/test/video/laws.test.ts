import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { memoryTasks } from '../../src/index.ts'
import type { Task, TaskStatus } from '../../src/ports.ts'
import { startUpstream, type UpstreamCall } from '../support/upstream.ts'
import { keptTask, startVideos, videoProvider } from './support.ts'

const FINAL: readonly TaskStatus[] = ['succeeded', 'failed', 'cancelled', 'expired']

type Answer = { readonly status: number; readonly body: unknown } | 'reset' | 'cut'

const answers: fc.Arbitrary<Answer> = fc.oneof(
  fc.constantFrom<Answer>(
    { status: 200, body: { state: 'waiting' } },
    { status: 200, body: { state: 'working' } },
    { status: 200, body: { state: 'pondering' } },
    { status: 404, body: {} },
    { status: 429, body: { error: { message: 'Slower.' } } },
    { status: 503, body: 'Full.' },
    'reset',
    'cut',
  ),
  fc.record({ status: fc.constantFrom(200, 201, 204, 302, 400, 401, 418, 500), body: fc.jsonValue() }),
  fc.constantFrom<Answer>(
    { status: 200, body: { state: 'done', url: 'https://films.example/1.mp4', seconds: 5 } },
    { status: 200, body: { state: 'done', url: 7, seconds: 'many' } },
    { status: 200, body: { state: 'broken', why: { deep: [] } } },
  ),
)

function play(call: UpstreamCall, answer: Answer): void {
  if (answer === 'reset') call.reset()
  else if (answer !== 'cut') call.answer(answer.status, answer.body)
  else {
    call.head(200, { 'content-length': '99' })
    void call.write('{"state":').then(call.cut)
  }
}

describe('Whatever an upstream answers', () => {
  it('a task never leaves the state that it ended in, and ends when it runs out', async () => {
    const scripts = new Map<string, Answer[]>()
    const upstream = await startUpstream((call) => {
      const script = scripts.get(call.path.split('/').at(-1) ?? '') ?? []
      play(call, script.shift() ?? { status: 503, body: {} })
    })
    const store = memoryTasks()
    /** All states of each task, as they were written. */
    const written = new Map<string, TaskStatus[]>()
    const change = async (task: Task): Promise<boolean> => {
      const isDone = await store.change(task)
      if (isDone) written.get(task.id)?.push(task.status)
      return isDone
    }
    const { get, warnings, rows } = await startVideos(
      { providers: [videoProvider(upstream.origin)] },
      { store: { ...store, change } },
    )
    const sequences = fc.sample(fc.array(answers, { maxLength: 12 }), { numRuns: 150, seed: Date.now() % 1e6 })
    const ids = await Promise.all(
      sequences.map(async (sequence, at) => {
        const id = `cgt-${at}`
        scripts.set(`upstream-${at}`, [...sequence])
        written.set(id, [])
        const own = { ref: { id: `upstream-${at}` }, expiresAt: Date.now() + 6_000, intent: `intent-${at}` }
        await store.add(keptTask({ id }, own), 0)
        return id
      }),
    )
    await vi.waitFor(
      async () => {
        const seen = await Promise.all(ids.map((id) => get(id)))
        for (const [status] of seen) expect(status).toBe(200)
        for (const [at, [, { status }]] of seen.entries())
          expect([sequences[at], status]).toEqual([
            sequences[at],
            expect.toSatisfy((one: TaskStatus) => FINAL.includes(one)),
          ])
      },
      { timeout: 20_000, interval: 500 },
    )
    for (const states of written.values()) {
      const first = states.findIndex((status) => FINAL.includes(status))
      expect(new Set(states.slice(first)).size).toBe(1)
      expect(states.join()).not.toMatch(/running,queued/)
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(ids.length)
    expect(rows).toHaveLength(ids.length)
    expect(warnings).toEqual([])
  })
})
