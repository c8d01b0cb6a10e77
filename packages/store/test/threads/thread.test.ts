import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type CallLimits, createThread } from '../../src/threads/thread.ts'
import type { AnsweringCalls } from './answering.worker.ts'

function open({ limits = {}, fails = 0 }: { limits?: CallLimits<AnsweringCalls>; fails?: number } = {}) {
  const announced: string[] = []
  const problems: string[] = []
  const thread = createThread<AnsweringCalls>({
    file: new URL('answering.worker.ts', import.meta.url),
    data: { fails },
    onAnnouncement: (name) => announced.push(name),
    onProblem: (problem) => problems.push(problem),
    limits,
  })
  onTestFinished(() => thread.close())
  return { thread, announced, problems }
}

describe('A thread', () => {
  it('answers each call with what came of it', async () => {
    const { thread, announced } = open()
    const [said, refused] = await Promise.allSettled([thread.call('say', 'hello'), thread.call('refuse')])
    expect(said).toMatchObject({ value: 'hello' })
    expect(refused).toMatchObject({
      reason: { kind: 'invalid-request', message: 'No.', param: 'word', retryAfterMs: 5, status: 417 },
    })
    expect(announced).toEqual(['begun'])
  })

  it('that dies fails the calls that it had, and is replaced, also where nobody calls', async () => {
    const { thread, announced } = open()
    const results = await Promise.allSettled([
      thread.call('neverAnswer'),
      thread.call('die'),
      thread.call('neverAnswer'),
    ])
    for (const result of results)
      expect(result).toMatchObject({ reason: { kind: 'unavailable', message: expect.stringContaining('thread died') } })
    await vi.waitUntil(() => announced.length === 2, { timeout: 20_000 })
    expect(await thread.call('say', 'again')).toBe('again')
    expect(announced).toEqual(['begun', 'begun'])
  })

  it('that could not begin tries again at the next call', async () => {
    const { thread } = open({ fails: 2 })
    await expect(thread.call('say', 'hello')).rejects.toThrow('not yet')
    expect(await thread.call('say', 'hello')).toBe('hello')
  })

  it('that does not answer in time fails the call, and is replaced', async () => {
    const { thread, announced } = open({ limits: { neverAnswer: 3_000 } })
    const other = expect(thread.call('say', 'hello')).resolves.toBe('hello')
    await expect(thread.call('neverAnswer')).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'The store did not answer within 3 s.',
    })
    await other
    await vi.waitUntil(() => announced.length === 2, { timeout: 20_000 })
    expect(await thread.call('say', 'hello')).toBe('hello')
  })

  it('has 10,000 calls wait at most', async () => {
    const { thread } = open()
    const waiting = Array.from({ length: 10_000 }, () => thread.call('neverAnswer'))
    const ended = Promise.allSettled(waiting)
    await expect(thread.call('say', 'hello')).rejects.toThrow('too many calls are waiting')
    await thread.close()
    expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
  })

  it('that is closed lets go first, and takes no calls', async () => {
    const { thread, announced } = open()
    await thread.call('say', 'hello')
    const waiting = thread.call('neverAnswer')
    const ended = expect(waiting).rejects.toThrow('The store is closed')
    await thread.close()
    await ended
    await expect(thread.call('say', 'hello')).rejects.toThrow('The store is closed')
    expect(announced).toEqual(['begun', 'closed'])
  })
})
