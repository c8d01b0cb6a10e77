import { parentPort, workerData } from 'node:worker_threads'
import { HeadgateError } from '@headgate/gateway/ports'
import { announce, serveCalls } from '../../src/threads/serve.ts'

/** What the worker of a test does when it is asked. */
export type AnsweringCalls = {
  thread(): Promise<number>
  say(text: string): Promise<string>
  refuse(): Promise<never>
  die(): Promise<never>
  neverAnswer(): Promise<never>
  close(): Promise<void>
}

const port = parentPort
if (!port) throw new TypeError('This is a worker.')
const begun = Date.now()
/** How often it fails to begin. */
let fails = Number(workerData.fails)
announce(port, 'begun', begun)

serveCalls(port, async (): Promise<AnsweringCalls> => {
  if (fails-- > 0) throw new Error('not yet')
  return {
    thread: async () => begun,
    say: async (text) => text,
    refuse: async () => {
      throw new HeadgateError('invalid-request', 'No.', { param: 'word', retryAfterMs: 5, status: 417 })
    },
    die: async () => process.exit(1),
    neverAnswer: () => new Promise(() => {}),
    close: async () => announce(port, 'closed'),
  }
})
