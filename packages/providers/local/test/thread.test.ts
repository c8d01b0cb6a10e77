import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createThread, type EmbedThread } from '../src/thread.ts'
import { failureOf } from './provider.ts'

/** A thread whose model is quick: a text's vector is its length. `hold` waits until it is released, `crash` ends it. */
const QUICK = `
  const { parentPort, workerData } = require('node:worker_threads')
  parentPort.on('message', (texts) => {
    if (texts.includes('crash')) throw new Error('out of memory')
    if (texts.includes('hold')) Atomics.wait(workerData, 0, 0)
    parentPort.postMessage({ vectors: texts.map((text) => [text.length]), tokens: texts.length })
  })`

interface Opened {
  readonly thread: EmbedThread
  readonly workers: readonly Worker[]
  ask(text: string, signal?: AbortSignal): Promise<unknown>
  /** Lets go what is held. */
  release(): void
}

function open(): Opened {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  const workers: Worker[] = []
  const thread = createThread(() => {
    const worker = new Worker(QUICK, { eval: true, workerData: gate, execArgv: [] })
    workers.push(worker)
    return worker
  })
  onTestFinished(() => thread.close())
  return {
    thread,
    workers,
    ask: (text, signal = new AbortController().signal) => thread.ask([text], signal),
    release() {
      Atomics.store(gate, 0, 1)
      Atomics.notify(gate, 0)
    },
  }
}

const answered = (text: string) => ({ vectors: [[text.length]], tokens: 1 })

describe('The thread of the model', () => {
  it('is started by the first order, once for all that come while it starts, and answers each its own', async () => {
    const { workers, ask } = open()
    expect(workers).toHaveLength(0)
    const texts = ['a', 'bb', 'ccc', 'dddd', 'eeeee']
    expect(await Promise.all(texts.map((text) => ask(text)))).toEqual(texts.map(answered))
    expect(await ask('six')).toEqual(answered('six'))
    expect(workers).toHaveLength(1)
  })

  it('forgets an order that is aborted while it waits, and the others are answered', async () => {
    const { ask, release } = open()
    const caller = new AbortController()
    const held = ask('hold')
    const [waits, after] = [ask('crash', caller.signal), ask('after')]
    const reason = new Error('the caller has left')
    caller.abort(reason)
    await expect(waits).rejects.toBe(reason)
    release()
    expect(await Promise.all([held, after])).toEqual([answered('hold'), answered('after')])
    await expect(ask('late', caller.signal)).rejects.toBe(reason)
  })

  it('lets a caller go whose order it works on, and gives its answer to nobody else', async () => {
    const { ask, release } = open()
    const caller = new AbortController()
    const held = ask('hold', caller.signal)
    const after = ask('afterwards')
    caller.abort(new Error('the caller has left'))
    await expect(held).rejects.toThrow('the caller has left')
    release()
    expect(await after).toEqual(answered('afterwards'))
  })

  it('that crashes fails the order that it works on; the next one starts it again', async () => {
    const { workers, ask } = open()
    const [crash, next] = [failureOf(ask('crash')), ask('next')]
    expect(await crash).toMatchObject({
      kind: 'upstream',
      message: expect.stringMatching(/it exited/),
      cause: { message: 'out of memory' },
    })
    expect(await next).toEqual(answered('next'))
    expect(workers).toHaveLength(2)
  })

  it('that ends while nothing is asked is started again as well', async () => {
    const { workers, ask } = open()
    await ask('one')
    await workers[0]?.terminate()
    expect(await ask('two')).toEqual(answered('two'))
    expect(workers).toHaveLength(2)
  })

  it('that is closed leaves nobody waiting, and takes no more orders', async () => {
    const { workers, thread, ask } = open()
    const failures = [failureOf(ask('hold')), failureOf(ask('waits'))]
    await thread.close()
    const closed = { kind: 'upstream', message: expect.stringMatching(/was closed/) }
    expect(await Promise.all([...failures, failureOf(ask('late'))])).toMatchObject([closed, closed, closed])
    expect([workers.length, workers[0]?.threadId]).toEqual([1, -1])
    await thread.close()
  })

  it.each([
    ['has answered', 'await vectors'],
    ['is closed while it loads', 'setImmediate(() => provider.close())'],
  ])('does not keep the process from ending once it %s', async (_, then) => {
    const program = `
      import { local } from '@headgate/provider-local'
      const provider = local({})
      const request = { model: provider.known[0].id, inputs: ['The cat'], encoding: 'float' }
      const vectors = provider.embeddings.run(request, new AbortController().signal, { lose() {} })
      vectors.then(({ vectors }) => console.log(vectors[0].length), ({ kind }) => console.log(kind))
      ${then}`
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      ['--conditions=@headgate/source', '--input-type=module', '--eval', program],
      { cwd: import.meta.dirname, timeout: 60_000 },
    )
    expect([stdout.trim(), stderr]).toEqual([then.startsWith('await') ? '512' : 'upstream', ''])
  })
})
