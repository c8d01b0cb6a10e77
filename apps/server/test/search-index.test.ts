import { describe, expect, it } from 'vitest'
import { progressBar } from '../src/commands/progress-bar.ts'
import { command, run } from './program.ts'
import { temporaryFolder } from './temporary.ts'

describe('headgate search index', () => {
  it('indexes a folder, says what is left out, and how to search in it', async () => {
    const skipped = Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`docs/bad${i}.txt`, 'a\0b']))
    const folder = temporaryFolder({ 'docs/a.md': '# A\nwords', 'docs/b.md': '# B\nwords', ...skipped })
    const { code, stdout, stderr } = await run(['search', 'index', './docs'], { folder })
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '2 documents are in the index.\n25 skipped:\n  docs/bad0.txt: binary: it contains NUL bytes\n',
    )
    expect(stdout).toContain('  and 5 more\n')
    expect(stdout).toContain('{"search":{"engines":{"docs":{"backend":"local","path":"./docs"}}}}')
  })

  it('knows the engine of the configuration that has the folder', async () => {
    const config = {
      search: { engines: { handbook: { backend: 'local', path: 'docs', baseUrl: 'https://example.com/' } } },
    }
    const folder = temporaryFolder({ 'docs/a.md': '# A', 'headgate.config.json': config })
    const { stdout } = await command(['search', 'index', 'docs'], { folder })
    expect(stdout).toBe('1 document is in the index.\nSearches with cx=handbook use this index.\n')
  })

  it('wants one path', async () => {
    expect(await command(['search', 'index'], { folder: temporaryFolder() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('takes one path'),
    })
  })
})

describe('A progress bar', () => {
  it('is drawn again and again on a terminal', () => {
    const written: string[] = []
    let time = 0
    const bar = progressBar(
      (text) => written.push(text),
      true,
      () => time,
    )
    bar.show({ done: 0, total: 10_000 })
    time = 12_000
    bar.show({ done: 5_120, total: 10_000 })
    bar.end()
    expect(written).toEqual([
      `\r[${'-'.repeat(30)}] 0/10,000 documents  0 s`,
      `\r[${'#'.repeat(15)}${'-'.repeat(15)}] 5,120/10,000 documents  12 s`,
      '\n',
    ])
  })

  it('is a line every few seconds elsewhere', () => {
    const written: string[] = []
    let time = 0
    const bar = progressBar(
      (text) => written.push(text),
      false,
      () => time,
    )
    for (time = 0; time <= 12_000; time += 500) bar.show({ done: time, total: 20_000 })
    bar.end()
    expect(written).toEqual(['5,000/20,000 documents  5 s\n', '10,000/20,000 documents  10 s\n'])
  })
})
