import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { testCall } from '../packages/conformance/src/test-call.ts'
import { local } from '../packages/search/local/src/index.ts'
import { percentile } from './load.ts'

/**
 * Time and memory of the local search index: `node --conditions=@headgate/source bench/local-index.ts [--documents
 * 10000]`.
 *
 * Indexes documents of 3 to 6 KB with the word distribution of a natural language in a separate folder, while one
 * caller searches continuously.
 */
const { values } = parseArgs({ options: { documents: { type: 'string', default: '10000' } } })
const count = Number(values.documents)
const folder = mkdtempSync(join(tmpdir(), 'headgate-bench-'))
const random = generator(1)
const words = vocabulary(50_000)
const anyWord = zipf(words)

try {
  await run()
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function run(): Promise<void> {
  const { bytes, titles } = writeDocuments()
  console.log(
    `${count} documents, ${(bytes / 1e6).toFixed(1)} MB, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}`,
  )

  const backend = local({ path: join(folder, 'documents') })
  const { search, start, index, close } = backend
  if (!('run' in search) || !start || !index || !close) throw new Error('The backend does not run in-process.')
  const warn = (message: string) => console.log(message)
  start({ dataDir: folder, onWarning: warn })

  const { signal } = new AbortController()
  let done = 0
  let isDone = false
  const began = performance.now()
  const indexing = index({
    signal,
    onProgress: (progress) => {
      done = progress.done
    },
  }).finally(() => {
    isDone = true
  })

  const ask = async (q: string, site?: string) => {
    const from = performance.now()
    const siteSearch = site ? { include: [{ host: 'local.invalid', path: site }], exclude: [] } : undefined
    await search.run(
      { q, limit: 10, offset: 0, page: 0, parameters: {}, ...(siteSearch && { siteSearch }) },
      signal,
      testCall(),
    )
    return performance.now() - from
  }
  await ask('warm up')
  const during: number[] = []
  for (let i = 0; !isDone; i++) during.push(await ask(...query(i, titles)))
  const report = await indexing
  const seconds = (performance.now() - began) / 1_000
  console.log(
    `indexed: ${report.documents} documents in ${seconds.toFixed(1)} s (${done} reported), ${report.skipped.length} skipped`,
  )
  console.log(`searches meanwhile: ${figures(during)}`)

  const after: number[] = []
  for (let i = 0; i < 2_000; i++) after.push(await ask(...query(i, titles)))
  console.log(`searches afterwards: ${figures(after)}`)
  const common: number[] = []
  for (let i = 0; i < 200; i++) common.push(await ask(words.slice(i % 10, (i % 10) + 1 + (i % 6)).join(' ')))
  console.log(`of 1 to 6 of the most common words: ${figures(common)}`)

  const again = performance.now()
  await index({ signal, onProgress: () => undefined })
  console.log(`nothing changed: ${(performance.now() - again).toFixed(0)} ms`)
  const memory = process.memoryUsage.rss() / 1e6
  console.log(`memory of the process: ${memory.toFixed(0)} MB`)
  await close()
}

/** Words, titles, phrases, misspelled words and searches of one folder, in turn. */
function query(index: number, titles: readonly string[]): [string, string?] {
  const several = (most: number) => Array.from({ length: 1 + Math.floor(random() * most) }, anyWord).join(' ')
  const title = titles[Math.floor(random() * titles.length)] ?? ''
  if (index % 10 === 7) return [`"${title.split(' ').slice(0, 2).join(' ')}"`]
  if (index % 10 === 8) return [`${several(1)}xq ${several(2)}`]
  if (index % 10 === 9) return [several(2), '/7']
  return [index % 10 < 2 ? title : several(4)]
}

function writeDocuments(): { bytes: number; titles: string[] } {
  const titles: string[] = []
  let bytes = 0
  for (let i = 0; i < count; i++) {
    const title = Array.from({ length: 4 }, anyWord).join(' ')
    const size = 3_000 + random() * 3_000
    let text = `# ${title}\n`
    while (text.length < size) text += `\n## ${anyWord()}\n\n${Array.from({ length: 60 }, anyWord).join(' ')}\n`
    const inside = join(folder, 'documents', String(i % 10))
    if (i < 10) mkdirSync(inside, { recursive: true })
    writeFileSync(join(inside, `${i}.md`), text)
    titles.push(title)
    bytes += text.length
  }
  return { bytes, titles }
}

function figures(latencies: readonly number[]): string {
  const sorted = [...latencies].sort((a, b) => a - b)
  const at = (share: number) => `${percentile(sorted, share).toFixed(1)} ms`
  return `${latencies.length}, p50 ${at(50)}, p99 ${at(99)}, max ${(sorted.at(-1) ?? 0).toFixed(1)} ms`
}

function vocabulary(size: number): string[] {
  const parts = [
    'ba',
    'ce',
    'di',
    'fo',
    'gu',
    'ha',
    'je',
    'ki',
    'lo',
    'mu',
    'na',
    'pe',
    'ri',
    'so',
    'tu',
    'va',
    'we',
    'xi',
    'yo',
    'zu',
    'stra',
    'plen',
  ]
  const found = new Set<string>()
  while (found.size < size)
    found.add(
      Array.from({ length: 2 + Math.floor(random() * 3) }, () => parts[Math.floor(random() * parts.length)]).join(''),
    )
  return [...found]
}

/** Random words from a list, with the nth about 1/n as frequent as the first. */
function zipf(list: readonly string[]): () => string {
  let sum = 0
  const sums = list.map((_, index) => (sum += 1 / (index + 2.7)))
  return () => {
    const wanted = random() * sum
    let low = 0
    let high = sums.length - 1
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sums[middle] ?? 0) < wanted) low = middle + 1
      else high = middle
    }
    return list[low] ?? ''
  }
}

/** Seeded random numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
