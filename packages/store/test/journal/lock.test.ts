import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { lockRun } from '../../src/journal/lock.ts'
import { beginRun, journalFolder, removeRun, runsIn } from '../../src/journal/process-run.ts'
import { ids, open, read, recordsOf, temporaryFolder } from './journals.ts'
import { end } from './row.ts'

const SOURCE = '--conditions=@headgate/source'

/** A process that appends to a journal of its own; `next` waits for more of what it has done. */
async function startOwner(dataDir: string) {
  const child = spawn(process.execPath, [SOURCE, join(import.meta.dirname, 'owner.ts'), dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const chunks: AsyncIterator<Buffer> = child.stdout[Symbol.asyncIterator]()
  let said = ''
  const next = async (): Promise<boolean> => {
    const { value, done } = await chunks.next()
    if (!done) said += String(value)
    return !done
  }
  while (!said.includes('\n')) await next()
  const folder = join(journalFolder(dataDir), said.slice(0, said.indexOf('\n')))
  /** Kills it once so many rows are there, and says how many it was told of. */
  const kill = async (rows: number): Promise<number> => {
    const count = () => said.length - said.indexOf('\n') - 1
    while (count() < rows) await next()
    child.kill('SIGKILL')
    while (await next());
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    return count()
  }
  return { child, folder, kill }
}

/** Once the kernel has stopped it. */
async function stopped(pid: number): Promise<void> {
  while (!/^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))) await new Promise(setImmediate)
}

describe('The lock of a life', () => {
  it('is its owner’s while that runs, and whoever asks when it is killed; no row that was told is missing', async () => {
    const dataDir = temporaryFolder()
    const { folder, kill } = await startOwner(dataDir)
    expect(runsIn(journalFolder(dataDir)).map((run) => join(journalFolder(dataDir), run))).toEqual([folder])
    expect(lockRun(folder)).toBeUndefined()
    const announced = await kill(1_000)
    const lock = lockRun(folder)
    expect(lock).toBeDefined()
    expect(lockRun(folder)).toBeUndefined()
    const parts = read(folder)
    expect(parts.flatMap(({ damaged }) => damaged)).toEqual([])
    expect(ids(recordsOf(folder)).length).toBeGreaterThanOrEqual(announced)
    removeRun(folder)
    lock?.release()
    expect([runsIn(journalFolder(dataDir)), lockRun(folder)]).toEqual([[], undefined])
  })

  it.runIf(process.platform === 'linux')('is its owner’s while that is stopped', async () => {
    const { child, folder } = await startOwner(temporaryFolder())
    child.kill('SIGSTOP')
    await stopped(child.pid ?? 0)
    expect(lockRun(folder)).toBeUndefined()
    child.kill('SIGKILL')
    await once(child, 'exit')
    const lock = lockRun(folder)
    expect(lock).toBeDefined()
    lock?.release()
  })

  it('is one for all threads of its owner, also after one of them has asked', async () => {
    const { journal, dataDir } = open()
    const lock = JSON.stringify(join(import.meta.dirname, '../../src/journal/lock.ts'))
    const ask = `
      const { parentPort } = require('node:worker_threads')
      import(${lock}).then(({ lockRun }) => parentPort.postMessage(lockRun(${JSON.stringify(journal.folder)}) !== undefined))`
    const worker = new Worker(ask, { eval: true, execArgv: [SOURCE] })
    const [taken] = await once(worker, 'message')
    await worker.terminate()
    expect(taken).toBe(false)
    // Nor has another process got in by it.
    const other = spawn(
      process.execPath,
      [
        SOURCE,
        '--input-type=module',
        '-e',
        `import { lockRun } from ${lock}; console.log(lockRun(process.argv[1]) !== undefined)`,
        journal.folder,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    const [answer] = await once(other.stdout, 'data')
    expect([String(answer).trim(), runsIn(journalFolder(dataDir))]).toEqual(['false', [journal.run]])
  })

  it('of a life whose owner died before it had one is whoever’s asks', () => {
    const folder = join(journalFolder(temporaryFolder()), '0199a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')
    mkdirSync(folder, { recursive: true })
    const lock = lockRun(folder)
    expect(lock).toBeDefined()
    removeRun(folder)
    lock?.release()
    expect(lockRun(folder)).toBeUndefined()
  })

  it('that can not be opened is said', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'owner.lock'))
    expect(() => lockRun(folder)).toThrow('unable to open database file')
  })
})

describe('Lives', () => {
  it('are folders of their own, oldest first; nothing else in there is one', async () => {
    const dataDir = temporaryFolder()
    const [first, second] = [open({ dataDir }), open({ dataDir })]
    await Promise.all([first.journal.append(end('one')), second.journal.append(end('two'))])
    mkdirSync(join(journalFolder(dataDir), 'other'))
    expect(runsIn(journalFolder(dataDir)).sort()).toEqual([first.journal.run, second.journal.run].sort())
    expect(runsIn(join(dataDir, 'absent'))).toEqual([])
    expect([ids(recordsOf(first.journal.folder)), ids(recordsOf(second.journal.folder))]).toEqual([['one'], ['two']])
  })

  it('are removed but for what somebody else has put there', () => {
    const journals = journalFolder(temporaryFolder())
    const { folder, lock } = beginRun(journals)
    mkdirSync(join(folder, 'notes'))
    removeRun(folder)
    lock.release()
    expect(readdirSync(folder)).toEqual(['notes'])
  })
})
