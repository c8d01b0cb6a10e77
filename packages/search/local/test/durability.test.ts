import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openFinder } from '../src/finder.ts'
import { openIndexed, openLocal } from './open.ts'
import { temporaryFolder, writeFiles } from './temporary.ts'

function documents(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `${String(i).padStart(5, '0')}.md`,
      `# Page ${i}\nunique${i} and common words ${'more '.repeat(300)}`,
    ]),
  )
}

/** A process that indexes; `lines` are what it says. */
function indexing(path: string, dataDir: string) {
  const script = join(import.meta.dirname, 'indexing.ts')
  const child = spawn(process.execPath, ['--conditions=@headgate/source', script, path, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface({ input: child.stdout }), exit: once(child, 'exit') }
}

function indexFile(dataDir: string): string {
  const [name = ''] = readdirSync(join(dataDir, 'search'))
  return join(dataDir, 'search', name, 'index.db')
}

describe('An index on disk', () => {
  it('has everything that was reported, after a kill in the middle, and then everything once', {
    tags: ['full'],
  }, async () => {
    const path = temporaryFolder(documents(2_000))
    const dataDir = temporaryFolder()
    const { child, lines, exit } = indexing(path, dataDir)
    let reported = 0
    for await (const line of lines) {
      reported = Number(line.split(' ')[0])
      if (reported >= 500) break
    }
    child.kill('SIGKILL')
    await exit
    expect(reported).toBeGreaterThanOrEqual(500)
    expect(reported).toBeLessThan(2_000)

    const finder = openFinder(indexFile(dataDir))
    const query = { limit: 10, offset: 0, page: 0, parameters: {} }
    const missing = Array.from({ length: reported }, (_, i) => i).filter(
      (i) => finder.find({ ...query, q: `unique${i}` }).total !== 1,
    )
    finder.close()
    expect(missing).toEqual([])

    const { search, index } = openLocal({ path, watch: false }, dataDir)
    expect(await index()).toEqual({ documents: 2_000, skipped: [] })
    expect((await search('common words')).total).toBe(2_000)
    expect((await search('unique1999')).items.map(({ title }) => title)).toEqual(['Page 1999'])
  })

  it('answers at once when it is opened again, and is brought up to date', async () => {
    const path = temporaryFolder({ 'a.md': '# One\nwords', 'b.md': '# Two\nwords' })
    const dataDir = temporaryFolder()
    await (await openIndexed({ path }, dataDir)).close()
    writeFiles(path, { 'a.md': '# One again\nwords' })
    const { titles, index } = openLocal({ path }, dataDir)
    expect((await titles('words')).length).toBe(2)
    await index()
    expect((await titles('words')).sort()).toEqual(['One again', 'Two'])
  })

  it('is written by two processes at once without harm', { tags: ['full'] }, async () => {
    const path = temporaryFolder(documents(400))
    const dataDir = temporaryFolder()
    const processes = [indexing(path, dataDir), indexing(path, dataDir)]
    const ends = await Promise.all(
      processes.map(async ({ lines, exit }) => {
        const said: string[] = []
        for await (const line of lines) said.push(line)
        const [code] = await exit
        return [said.at(-1), code]
      }),
    )
    expect(ends).toEqual([
      ['end 400', 0],
      ['end 400', 0],
    ])
    const db = new DatabaseSync(indexFile(dataDir), { readOnly: true })
    onTestFinished(() => db.close())
    expect(db.prepare('PRAGMA integrity_check').get()).toMatchObject({ integrity_check: 'ok' })
    expect({ ...db.prepare('SELECT count(*) AS n, count(DISTINCT url) AS urls FROM documents').get() }).toEqual({
      n: 400,
      urls: 400,
    })
    const { search } = openLocal({ path }, dataDir)
    expect((await search('common')).total).toBe(400)
  })

  it('that is broken is made anew, and the operator is told', async () => {
    const path = temporaryFolder({ 'a.md': '# One\nwords' })
    const dataDir = temporaryFolder()
    await (await openIndexed({ path }, dataDir)).close()
    writeFileSync(indexFile(dataDir), 'this is no database'.repeat(1_000))
    const { titles, warnings, index } = openLocal({ path }, dataDir)
    await index()
    expect(await titles('words')).toEqual(['One'])
    expect(warnings).toEqual([expect.stringContaining('is broken and is recreated')])
  })

  it('that can not be made fails searches and says why, and never hangs', async () => {
    const dataDir = join(temporaryFolder({ file: '' }), 'file')
    const { search, index, warnings } = openLocal({ path: temporaryFolder() }, dataDir)
    await expect(index()).rejects.toMatchObject({ kind: 'upstream' })
    await expect(search('words')).rejects.toMatchObject({ kind: 'upstream' })
    expect(warnings.join('\n')).toMatch(/ENOTDIR|not a directory/)
  })

  it('an order to index can be taken back', async () => {
    const { index, search } = openLocal({ path: temporaryFolder(documents(2_000)) }, temporaryFolder())
    const controller = new AbortController()
    const stopped = index(({ done }) => done > 0 && controller.abort(new Error('enough')), controller.signal)
    await expect(stopped).rejects.toThrow('enough')
    expect((await search('common')).total).toBeGreaterThan(0)
    expect((await index()).documents).toBe(2_000)
  })
})
