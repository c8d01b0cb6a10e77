import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Opened, openIndexed } from './open.ts'
import { temporaryFolder, writeFiles } from './temporary.ts'

/** Searches until exactly these are found; the test's own time ends it. */
async function findsSoon({ titles }: Opened, q: string, wanted: readonly string[]): Promise<void> {
  for (;;) {
    const found = (await titles(q)).sort()
    if (JSON.stringify(found) === JSON.stringify(wanted)) return
  }
}

describe('A folder that changes', () => {
  it('is followed: new, changed, renamed and removed files, in new folders as well', async () => {
    const path = temporaryFolder({ 'a.md': '# First\nwords', 'sub/b.md': '# Second\nwords' })
    const opened = await openIndexed({ path })
    expect((await opened.titles('words')).sort()).toEqual(['First', 'Second'])

    writeFiles(path, { 'sub/c.md': '# Third\nwords' })
    await findsSoon(opened, 'words', ['First', 'Second', 'Third'])
    writeFiles(path, { 'a.md': '# First anew\nwords' })
    await findsSoon(opened, 'words', ['First anew', 'Second', 'Third'])
    renameSync(join(path, 'sub/b.md'), join(path, 'sub/d.md'))
    await findsSoon(opened, 'words', ['First anew', 'Second', 'Third'])
    mkdirSync(join(path, 'new/deep'), { recursive: true })
    writeFiles(path, { 'new/deep/e.md': '# Deep\nwords' })
    await findsSoon(opened, 'words', ['Deep', 'First anew', 'Second', 'Third'])
    writeFiles(path, { 'new/deep/f.md': '# Deeper\nwords' })
    await findsSoon(opened, 'words', ['Deep', 'Deeper', 'First anew', 'Second', 'Third'])
    rmSync(join(path, 'sub'), { recursive: true })
    await findsSoon(opened, 'words', ['Deep', 'Deeper', 'First anew'])
    expect((await opened.search('Second')).total).toBe(0)
  })

  it('of the same size and within the same moment is noticed', async () => {
    const path = temporaryFolder({ 'a.md': '# Title\nalpha' })
    const opened = await openIndexed({ path, watch: false })
    for (const word of ['bravo', 'gamma', 'delta', 'alpha']) {
      writeFiles(path, { 'a.md': `# Title\n${word}` })
      await opened.index()
      expect((await opened.search(word)).total, word).toBe(1)
    }
  })

  it('keeps to what is wanted of it', async () => {
    const files = { 'a.md': '# A\nwords', 'b.txt': 'words', 'old/c.md': '# C\nwords', 'x/y/d.md': '# D\nwords' }
    const path = temporaryFolder(files)
    const { titles } = await openIndexed({ path, include: ['*.md', '{x,old}/**'], exclude: ['old/**'] })
    expect((await titles('words')).sort()).toEqual(['A', 'D'])
  })
})
