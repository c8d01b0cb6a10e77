import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSqlite } from '../src/database/sqlite.ts'
import { temporaryFolder } from './support/stores.ts'

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

describe('A new SQLite store', () => {
  it('waits for another process that writes the file when it switches to WAL', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    const writer = new Worker(WRITER, { eval: true, workerData: file })
    const end = once(writer, 'exit')
    onTestFinished(() => end.then(() => {}))
    await once(writer, 'message')
    const connection = openSqlite(file)
    expect(connection.database.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' })
    await connection.close()
  })
})

describe('An open SQLite store', () => {
  it.runIf(existsSync('/proc/locks'))('keeps its locks when the same process opens it again', async () => {
    const file = join(temporaryFolder(), 'headgate.db')
    const locks = (): readonly string[] =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(`:${statSync(file).ino} `))
        .map((line) => line.replace(/^\d+: /, ''))
    const first = openSqlite(file)
    first.database.exec('CREATE TABLE a (b)')
    const held = locks()
    expect(held).not.toEqual([])
    const second = openSqlite(file)
    expect(locks()).toEqual(held)
    await second.close()
    expect(locks()).toEqual(held)
    await first.close()
  })
})
