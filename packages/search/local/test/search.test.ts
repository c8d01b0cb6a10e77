import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { configSchema } from '../src/config.ts'
import { LOCK_FILE } from '../src/messages.ts'
import { nameOf, sourcesOf } from '../src/sources.ts'
import { openIndexed, openLocal } from './open.ts'
import { temporaryFolder } from './temporary.ts'

const filler = 'Other words stand here so that the text is long. '.repeat(60)

describe('A search', () => {
  it('finds documents with all its words, the title first, with link, type and snippet', async () => {
    const path = temporaryFolder({
      'a b/guide.md': `# Rotating keys\n\n${filler}\n\nEvery key can be rotated by its owner at midnight.\n\n${filler}`,
      'other.txt': `Of rotating keys nothing stands in the title: rotating keys, rotating keys. ${filler}`,
      'third.html': '<title>Third</title><p>Nothing of that.</p>',
    })
    const { search } = await openIndexed({ path, baseUrl: 'https://docs.example.com/base' })
    const page = await search('rotated MIDNIGHT')
    expect(page.total).toBe(1)
    expect(page.items[0]).toMatchObject({
      title: 'Rotating keys',
      link: 'https://docs.example.com/base/a%20b/guide.md',
      mime: 'text/markdown',
    })
    expect(page.items[0]?.snippet).toContain('can be rotated by its owner at midnight')
    expect(page.items[0]?.snippet?.length).toBeLessThan(260)
    expect((await search('rotating keys')).items.map(({ title }) => title)).toEqual(['Rotating keys', 'other'])
  })

  it('takes any of the words when no document has all, and beginnings of unknown ones', async () => {
    const path = temporaryFolder({
      'a.md': '# Alpha\nconfiguration',
      'b.md': '# Beta\nsomething',
      'c.md': '# Gamma\nnone',
    })
    const { titles } = await openIndexed({ path })
    expect(await titles('configur something')).toEqual(expect.arrayContaining(['Alpha', 'Beta']))
    expect(await titles('zzz')).toEqual([])
  })

  it('says what may have been meant', async () => {
    const { search } = await openIndexed({ path: temporaryFolder({ 'a.md': '# Gateway\nof providers' }) })
    expect(await search('gatway')).toMatchObject({ items: [], total: 0, correction: 'gateway' })
    expect((await search('gateway')).correction).toBeUndefined()
    expect((await search('qqqqqqqq')).correction).toBeUndefined()
  })

  it('counts exactly, and its pages are one list', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 57 }, (_, i) => [`${i}.md`, `# Page ${i}\ncommon ${'common '.repeat(i % 5)} word`]),
    )
    const { search } = await openIndexed({ path: temporaryFolder(files) })
    const whole = await search('common', { limit: 100 })
    expect(whole).toMatchObject({ total: 57, more: false })
    const pages = await Promise.all([0, 10, 20, 30, 40, 50].map((offset) => search('common', { offset })))
    expect(pages.flatMap(({ items }) => items)).toEqual(whole.items)
    expect(pages.map(({ more }) => more)).toEqual([true, true, true, true, true, false])
    expect(await search('common', { offset: 60 })).toMatchObject({ items: [], total: 57 })
    const { search: again } = await openIndexed({ path: temporaryFolder(files) })
    expect((await again('common', { limit: 100 })).items.map(({ title }) => title)).toEqual(
      whole.items.map(({ title }) => title),
    )
  })

  it('is right in all of a list that is too long to weigh', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 3_200 }, (_, i) => [
        `${i % 4}/${i}.md`,
        `# ${i === 3_100 ? 'Everywhere' : i}\neverywhere and often`,
      ]),
    )
    const { search } = await openIndexed({ path: temporaryFolder(files) })
    const { items, total } = await search('everywhere often', { limit: 100 })
    expect(total).toBe(3_200)
    expect(items[0]?.title).toBe('Everywhere')
    const seen = new Set<string>()
    for (let offset = 0; offset < 500; offset += 100)
      for (const { link } of (await search('everywhere often', { limit: 100, offset })).items) seen.add(link)
    expect(seen.size).toBe(500)
  })

  it('reads no operators of the index out of what a caller writes', async () => {
    const { search } = await openIndexed({ path: temporaryFolder({ 'a.md': '# Plain\nnear title text' }) })
    for (const q of [
      '"',
      '"""',
      'NEAR(a b)',
      'a OR',
      'AND',
      'NOT x',
      'title:plain',
      '^a',
      '*',
      '(',
      'a*"b',
      '-',
      '- -"',
      "';--",
      '\u0000',
      '{a}:b',
      'x'.repeat(2_000),
      '🙂',
      'a '.repeat(1_000),
    ])
      expect((await search(q)).total, q).toBeTypeOf('number')
    expect((await search('NEAR(title)')).total).toBe(1)
  })

  it('ignores accents and case', async () => {
    const { search } = await openIndexed({ path: temporaryFolder({ 'a.md': '# Café\nStraße nach Málaga' }) })
    for (const q of ['cafe', 'CAFÉ', 'malaga', 'straße']) expect((await search(q)).total, q).toBe(1)
    expect((await search('malaga')).items[0]?.snippet).toContain('Málaga')
  })

  it.each([
    ['Chinese', '全文搜索引擎支持中文分词', ['搜索', '中文', '全文搜索', '持']],
    ['Japanese', '日本語の文書を検索する', ['検索', '日本語', '文書']],
    ['Korean', '검색엔진은 문서를 찾는다', ['검색', '문서']],
    ['Thai', 'การค้นหาเอกสารภาษาไทย', ['ค้นหา', 'เอกสาร', 'ภาษาไทย']],
    ['Hindi', 'हिन्दी में दस्तावेज़ खोजें', ['हिन्दी', 'दस्तावेज़']],
  ])('finds words of %s', async (_, text, words) => {
    const { search } = await openIndexed({
      path: temporaryFolder({ 'a.md': `# One\n${filler}\n\n${text}`, 'b.md': '# Two\nEnglish, 英语' }),
    })
    for (const word of words) {
      const { items } = await search(word)
      expect(
        items.map(({ title }) => title),
        word,
      ).toEqual(['One'])
      expect(items[0]?.snippet).toContain(word)
    }
    expect((await search('英文')).items.map(({ title }) => title)).not.toContain('One')
  })
})

describe('A search within limits', () => {
  const files = {
    'guide/install.md': '---\nlang: en\ndate: 2024-01-10\n---\n# Install\nred apple pie',
    'guide/upgrade.md': '---\nlang: pt-BR\ndate: 2025-06-01\n---\n# Upgrade\napple red pie',
    'news.html': '<html lang="de"><title>News</title><p>red apple cake',
    'guidebook.txt': 'red apple and banana',
  }
  const open = () => openIndexed({ path: temporaryFolder(files), baseUrl: 'https://docs.example.com/v1/' })

  it('takes phrases, excluded words and alternatives', async () => {
    const { titles } = await open()
    expect(await titles('red', { exactTerms: 'apple red' })).toEqual(['Upgrade'])
    expect(await titles('"apple red"')).toEqual(['Upgrade'])
    expect((await titles('apple', { excludeTerms: 'pie' })).sort()).toEqual(['News', 'guidebook'])
    expect((await titles('apple -pie -"apple cake"')).sort()).toEqual(['guidebook'])
    expect((await titles('apple', { orTerms: 'cake banana' })).sort()).toEqual(['News', 'guidebook'])
    expect(await titles('red-apple', { excludeTerms: 'pie cake' })).toEqual(['guidebook'])
  })

  it('keeps to sites and their paths', async () => {
    const { titles } = await open()
    const site = (host: string, path = '') => ({ host, path })
    const within = (include: { host: string; path: string }[], exclude: { host: string; path: string }[] = []) => ({
      siteSearch: { include, exclude },
    })
    expect((await titles('apple', within([site('example.com')]))).length).toBe(4)
    expect(await titles('apple', within([site('xample.com')]))).toEqual([])
    expect((await titles('apple', within([site('docs.example.com', '/v1/guide')]))).sort()).toEqual([
      'Install',
      'Upgrade',
    ])
    expect((await titles('apple', within([], [site('docs.example.com', '/v1/guide')]))).sort()).toEqual([
      'News',
      'guidebook',
    ])
  })

  it('keeps to types, languages and dates', async () => {
    const { titles, search } = await open()
    expect(await titles('apple', { fileType: 'HTML' })).toEqual(['News'])
    expect((await titles('apple', { lr: 'pt' })).sort()).toEqual(['Upgrade', 'guidebook'])
    expect((await titles('apple', { dateRestrict: { unit: 'y', count: 1, since: '2025-01-01' } })).sort()).toEqual([
      'News',
      'Upgrade',
      'guidebook',
    ])
    expect((await search('apple', { fileType: 'md', limit: 1 })).total).toBe(2)
  })

  it('says when a document was published only where the document does', async () => {
    const { items } = await (await open()).search('apple')
    expect(Object.fromEntries(items.map(({ title, published }) => [title, published]))).toEqual({
      Install: '2024-01-10T00:00:00.000Z',
      Upgrade: '2025-06-01T00:00:00.000Z',
      News: undefined,
      guidebook: undefined,
    })
  })
})

describe('Without any configuration', () => {
  it('the first search answers out of the documentation of Headgate', async () => {
    const { items } = await openLocal({}).search('configuration file')
    expect(items[0]).toMatchObject({
      title: 'Configuration',
      link: 'https://github.com/headgate/headgate/blob/main/docs/configuration.md',
    })
  })

  it('the first search waits for all of it, so that what is there is found on a busy machine', async () => {
    const dataDir = temporaryFolder()
    const folder = join(dataDir, 'search', nameOf(sourcesOf(configSchema.parse({}))))
    mkdirSync(folder, { recursive: true })
    // Until this is given back nothing is read: a machine that does much else.
    const lock = new DatabaseSync(join(folder, LOCK_FILE))
    lock.exec('BEGIN EXCLUSIVE')
    onTestFinished(() => lock.close())
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const found = openLocal({}, dataDir).search('configuration file')
    vi.advanceTimersByTime(5_000)
    vi.useRealTimers()
    lock.exec('ROLLBACK')
    expect((await found).items[0]?.title).toBe('Configuration')
  })
})
