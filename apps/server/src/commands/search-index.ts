import { relative, resolve } from 'node:path'
import { type BackendInstance, HeadgateError } from '@headgate/core'
import type { IndexReport } from '@headgate/core/search'
import { isBackend } from '../adapters/adapter.ts'
import { BACKENDS } from '../adapters/backends.ts'
import { configure, givenConfig } from '../adapters/choice.ts'
import { findAdapterPackages } from '../adapters/discovery.ts'
import { runsFromSource } from '../adapters/entry.ts'
import { loadAdapters } from '../adapters/registry.ts'
import { loadSettings, type Settings } from '../config/settings.ts'
import { programFolder } from '../program.ts'
import { type Command, type CommandContext, configOption, dataDirOption, flagsOf, usageError } from './command.ts'
import { progressBar } from './progress-bar.ts'

/** Most documents that were left out of which each has its line. */
const MOST_SKIPPED = 20

export const indexDocuments: Command = {
  name: 'search index',
  words: '<path>',
  summary: 'brings the search index of a folder up to date, and says what is left out of it',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [path, ...more] = context.words
    if (path === undefined || more.length > 0) throw usageError('search index takes one path: a folder of documents, or one of them.')
    const settings = await loadSettings(flagsOf(context.values), context)
    const own = await ownIndex(resolve(context.folder, path), settings, context)
    const report = await bringUpToDate(own.backend, settings.dataDir, context)
    context.print(reportText(report, own, path))
  },
}

/** The index of a path, and the engine of the configuration that searches in it. */
interface OwnIndex {
  readonly backend: BackendInstance
  readonly name: string
  readonly cx?: string
}

async function ownIndex(path: string, { config }: Settings, { folder, environment, note }: CommandContext): Promise<OwnIndex> {
  const packages = findAdapterPackages(folder, programFolder, (sentence) => note(`${sentence}\n`)).filter(({ kind }) => kind === 'search')
  const loaded = await loadAdapters(packages, { only: config.adapters, fromSource: runsFromSource() })
  const { backends: configured = {}, engines = {} } = config.search ?? {}
  const adapters = loaded.filter(isBackend)
  const choice = { adapters, configured, environment }
  const names = [
    ...Object.entries(configured).map(([name, { adapter = name }]) => [name, adapter] as const),
    ...adapters.map(({ id }) => [id, id] as const),
  ]

  for (const [name, id] of names) {
    const adapter = adapters.find((one) => one.id === id)
    if (!adapter) continue
    const engine = Object.entries(engines).find(
      ([, { backend, path: of }]) => backend === name && typeof of === 'string' && resolve(folder, of) === path,
    )
    const { backend: _, title: __, sites: ___, ...own } = engine?.[1] ?? { backend: name }
    const value = { ...givenConfig(BACKENDS.own, adapter, name, choice), ...own, path }
    if (!adapter.factory.config.safeParse(value).success) continue
    const place = { path: ['search', 'backends', name], also: BACKENDS.own, takesEnvironment: name === id }
    const backend = configure(adapter, value, place)
    if (backend.index) return { backend, name, ...(engine && { cx: engine[0] }) }
  }
  throw new HeadgateError(
    'invalid-request',
    'No adapter that is installed keeps an index of documents: `headgate adapters` lists those that are.',
  )
}

async function bringUpToDate(backend: BackendInstance, dataDir: string, { note, draw }: CommandContext): Promise<IndexReport> {
  const controller = new AbortController()
  const stop = () =>
    controller.abort(new HeadgateError('cancelled', 'Stopped. What was indexed stays; the same command goes on from there.'))
  const bar = progressBar(draw, process.stderr.isTTY === true)
  process.once('SIGINT', stop).once('SIGTERM', stop)
  try {
    backend.start?.({ dataDir, onWarning: (message) => note(`${message}\n`) })
    const report = await backend.index?.({ signal: controller.signal, onProgress: bar.show })
    return report ?? { documents: 0, skipped: [] }
  } finally {
    bar.end()
    process.off('SIGINT', stop).off('SIGTERM', stop)
    await backend.close?.()
  }
}

function reportText({ documents, skipped }: IndexReport, { name, cx }: OwnIndex, path: string): string {
  const left = skipped.slice(0, MOST_SKIPPED).map(({ path: at, reason }) => `  ${shown(at)}: ${reason}\n`)
  const more = skipped.length > MOST_SKIPPED ? `  and ${(skipped.length - MOST_SKIPPED).toLocaleString('en')} more\n` : ''
  const out = skipped.length > 0 ? `${skipped.length.toLocaleString('en')} left out:\n${left.join('')}${more}` : ''
  const engines = { docs: { backend: name, path } }
  const use =
    cx === undefined
      ? `To search in it, give the configuration an engine, and the search its cx:\n  ${JSON.stringify({ search: { engines } })}\n`
      : `It is what cx=${cx} searches in.\n`
  return `${documents.toLocaleString('en')} ${documents === 1 ? 'document is' : 'documents are'} in the index.\n${out}${use}`
}

/** A path as a reader of the terminal knows it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path)
  return near === '' || near.startsWith('..') ? path : near
}
