import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createThread } from '../src/thread.ts'
import { temporaryFolder } from './temporary.ts'

describe('A thread', () => {
  it('that crashes says why, and is not started again within a minute', async () => {
    const { promise, resolve } = Promise.withResolvers<string>()
    const folder = join(temporaryFolder({ file: '' }), 'file')
    const thread = createThread({
      name: 'writer',
      data: { sources: {}, folder, watch: false },
      onNews: () => undefined,
      onCrash: resolve,
    })
    expect(thread.start()).toBe(true)
    thread.hold(true)
    expect(await promise).toMatch(/ENOTDIR|EEXIST|not a directory/)
    expect(thread.start()).toBe(false)
  })

  it('that was closed is not started again, and its end is no crash', async () => {
    const crashes: string[] = []
    const data = join(temporaryFolder(), 'index.db')
    const thread = createThread({
      name: 'reader',
      data,
      onNews: () => undefined,
      onCrash: (reason) => crashes.push(reason),
    })
    onTestFinished(() => thread.close())
    expect(thread.start()).toBe(true)
    await thread.close()
    expect(thread.start()).toBe(false)
    expect(crashes).toEqual([])
  })
})
