import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { openIndexStore } from '../src/store.ts'
import { temporaryFolder } from './temporary.ts'

/** Writes the file named by `workerData` in a transaction that stays open for a while. */
const WRITER = `
  const { DatabaseSync } = require('node:sqlite')
  const { parentPort, workerData } = require('node:worker_threads')
  const database = new DatabaseSync(workerData)
  database.exec('BEGIN IMMEDIATE; CREATE TABLE a (b)')
  parentPort.postMessage('writing')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  database.exec('COMMIT')
  database.close()
`

it('A new index waits for another process that writes the file when it switches to WAL', async () => {
  const file = join(temporaryFolder(), 'index.db')
  const writer = new Worker(WRITER, { eval: true, workerData: file })
  const end = once(writer, 'exit')
  onTestFinished(() => end.then(() => {}))
  await once(writer, 'message')
  const warnings: string[] = []
  const store = openIndexStore(file, (message) => warnings.push(message))
  expect([store.documents(), warnings]).toEqual([0, []])
  store.close()
})
