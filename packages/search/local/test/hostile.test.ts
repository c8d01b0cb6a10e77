import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startExtractor } from '../src/extract/extractor.ts'
import { kindOf } from '../src/kind.ts'
import { openIndexed } from './open.ts'
import { pdf } from './pdf.ts'
import { temporaryFolder, writeFiles } from './temporary.ts'

describe('Hostile files', () => {
  it('are left out with a reason, and the rest is found', async () => {
    const outside = temporaryFolder({ 'secret.md': '# Secret\noutside', 'folder/secret.md': '# Secret too\noutside' })
    const path = temporaryFolder({
      'good.md': '# Good\ninside',
      'huge.md': 'x'.repeat(5_001),
      'nul.txt': 'a\0b',
      'controls.txt': '\u0001\u0002\u0003abc',
      'latin.md': Uint8Array.of(0x41, 0xe9, 0x41),
      'utf16.txt': Uint8Array.of(0xff, 0xfe, 0x69, 0, 0x6e, 0),
      'locked.pdf': pdf('inside', { locked: true }),
      'broken.pdf': '%PDF-1.7\nnothing',
      'renamed.pdf': 'inside',
      'picture.png': 'inside',
      '.hidden.md': '# Hidden\ninside',
      '.git/x.md': '# Git\ninside',
      'node_modules/a/README.md': '# Module\ninside',
      'empty.md': '',
    })
    symlinkSync(join(outside, 'secret.md'), join(path, 'link.md'))
    symlinkSync(join(outside, 'folder'), join(path, 'linked-folder'))
    symlinkSync('/etc/passwd', join(path, 'passwd.txt'))
    symlinkSync(join(path, 'good.md'), join(path, 'link-inside.md'))
    symlinkSync('nowhere.md', join(path, 'dangling.md'))
    symlinkSync('.', join(path, 'loop'))
    mkdirSync(join(path, 'folder.md'))

    const { search, index } = await openIndexed({ path, maxFileBytes: 5_000 })
    const { documents, skipped } = await index()
    expect(Object.fromEntries(skipped.map(({ path: at, reason }) => [at.slice(path.length + 1), reason]))).toEqual({
      'broken.pdf': 'broken: it cannot be read as a PDF',
      'controls.txt': 'binary: it contains many control characters',
      'dangling.md': 'is a broken symbolic link',
      'huge.md': 'huge: 5001 bytes, 5000 are allowed',
      'latin.md': 'broken encoding: it is not UTF-8',
      'link.md': 'is a symbolic link out of the folder',
      'linked-folder': 'is a symbolic link out of the folder',
      'locked.pdf': 'encrypted',
      'nul.txt': 'binary: it contains NUL bytes',
      'passwd.txt': 'is a symbolic link out of the folder',
      'renamed.pdf': 'broken: it does not begin like a PDF',
    })
    expect(documents).toBe(3)
    expect((await search('inside')).items.map(({ title }) => title)).toEqual(['Good'])
    expect((await search('outside')).total).toBe(0)
    expect((await search('in')).items.map(({ title }) => title)).toContain('utf16')
  })

  it.skipIf(process.platform === 'win32')('that are no files are never opened', async () => {
    const path = temporaryFolder({ 'good.md': '# Good\ninside' })
    execFileSync('mkfifo', [join(path, 'pipe.md')])
    const server = createServer().listen(join(path, 'socket.txt'))
    onTestFinished(() => void server.close())
    symlinkSync('/dev/zero', join(path, 'zero.txt'))

    const { index, titles } = await openIndexed({ path })
    const { skipped } = await index()
    expect(skipped.map(({ reason }) => reason).sort()).toEqual([
      'is a symbolic link out of the folder',
      'is not a regular file',
      'is not a regular file',
    ])
    expect(await titles('inside')).toEqual(['Good'])
  })

  it('that keep their reader busy or break it cost their time and nothing else', async () => {
    const extractor = startExtractor(1_500)
    onTestFinished(() => extractor.close())
    const encode = (text: string) => new TextEncoder().encode(text)
    const markdown = kindOf('a.md')
    const text = kindOf('a.txt')
    if (!markdown || !text) throw new Error('Kinds are missing.')
    const bomb = encode('<!--'.repeat(1_000_000))
    const [late, good] = await Promise.all([
      extractor.extract({ bytes: bomb, kind: markdown }),
      extractor.extract({ bytes: encode('fine'), kind: text }),
    ])
    expect(late).toEqual({ reason: 'takes more than 1.5 s to read' })
    expect(good).toEqual({ text: 'fine' })
  })

  it('that are mended are found, and good ones that go bad are not', async () => {
    const path = temporaryFolder({ 'a.md': 'a\0b', 'b.md': '# Was good\nwords' })
    const { titles, index } = await openIndexed({ path, watch: false })
    expect(await titles('words')).toEqual(['Was good'])
    writeFiles(path, { 'a.md': '# Mended\nwords', 'b.md': 'a\0words' })
    expect((await index()).skipped).toEqual([{ path: join(path, 'b.md'), reason: 'binary: it contains NUL bytes' }])
    expect(await titles('words')).toEqual(['Mended'])
  })

  it('a source that does not exist is said, and does not keep the others from being found', async () => {
    const path = temporaryFolder({ 'a.md': '# There\nwords', 'script.sh': 'words' })
    const { titles, index } = await openIndexed({
      path: [join(path, 'missing'), join(path, 'a.md'), join(path, 'script.sh')],
    })
    expect(await titles('words')).toEqual(['There'])
    expect((await index()).skipped).toEqual([
      { path: join(path, 'missing'), reason: 'does not exist' },
      { path: join(path, 'script.sh'), reason: 'is not Markdown, HTML, text or PDF' },
    ])
  })

  it('a document may have more paragraphs, lines and words than anybody reads', async () => {
    const path = temporaryFolder()
    writeFileSync(join(path, 'long.txt'), `${'word '.repeat(300_000)}\nneedle`)
    writeFileSync(join(path, 'unbroken.txt'), 'x'.repeat(1_000_000))
    const { titles } = await openIndexed({ path })
    expect(await titles('needle')).toEqual(['long'])
  })
})
