import { relative, resolve } from 'node:path'
import type { IndexReport } from '@headgate/core/search'
import type { DocumentIndex } from '@headgate/discovery'
import type { BackendInstance } from '@headgate/gateway'
import { HeadgateError } from '@headgate/gateway/ports'
import { loadSettings } from '../config/settings.ts'
import { programFolder } from '../program.ts'
import { type Command, type CommandContext, configOption, dataDirOption, flagsOf, usageError } from './command.ts'
import { progressBar } from './progress-bar.ts'

/** Maximum number of skipped documents that are listed separately. */
const MOST_SKIPPED = 20

export const indexDocuments: Command = {
  name: 'search index',
  words: '<path>',
  summary: 'updates the search index of a folder, and lists skipped documents',
  options: { config: configOption, 'data-dir': dataDirOption },
  async run(context) {
    const [path, ...more] = context.words
    if (path === undefined || more.length > 0)
      throw usageError('search index takes one path: a folder of documents, or a single document.')
    const { findDocumentIndex } = await import('@headgate/discovery')
    const settings = await loadSettings(flagsOf(context.values), context)
    const { folder, environment, note } = context
    const { adapters, search } = settings.config
    const options = { folder, program: programFolder, environment, adapters, search }
    const own = await findDocumentIndex(resolve(folder, path), options, (sentence) => note(`${sentence}\n`))
    const report = await bringUpToDate(own.backend, settings.dataDir, context)
    context.print(reportText(report, own, path))
  },
}

async function bringUpToDate(
  backend: BackendInstance,
  dataDir: string,
  { note, draw }: CommandContext,
): Promise<IndexReport> {
  const controller = new AbortController()
  const stop = () =>
    controller.abort(
      new HeadgateError('canceled', 'Stopped. Indexed documents are kept; run the same command again to continue.'),
    )
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

function reportText({ documents, skipped }: IndexReport, { name, cx }: DocumentIndex, path: string): string {
  const left = skipped.slice(0, MOST_SKIPPED).map(({ path: at, reason }) => `  ${shown(at)}: ${reason}\n`)
  const more =
    skipped.length > MOST_SKIPPED ? `  and ${(skipped.length - MOST_SKIPPED).toLocaleString('en')} more\n` : ''
  const out = skipped.length > 0 ? `${skipped.length.toLocaleString('en')} skipped:\n${left.join('')}${more}` : ''
  const engines = { docs: { backend: name, path } }
  const use =
    cx === undefined
      ? `To search this folder, add an engine to the configuration and pass its name as cx:\n  ${JSON.stringify({ search: { engines } })}\n`
      : `Searches with cx=${cx} use this index.\n`
  return `${documents.toLocaleString('en')} ${documents === 1 ? 'document is' : 'documents are'} in the index.\n${out}${use}`
}

/** Path relative to the current directory if it is below it. */
function shown(path: string): string {
  const near = relative(process.cwd(), path)
  return near === '' || near.startsWith('..') ? path : near
}
