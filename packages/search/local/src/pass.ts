import type { IndexProgress, IndexReport } from '@headgate/core/search'
import type { Extractor } from './extract/extractor.ts'
import { readDocument } from './files/document.ts'
import { type WalkEntry, walk } from './files/walk.ts'
import { inOrder } from './in-order.ts'
import { type Intake, type ReadOutcome, startIntake } from './intake.ts'
import type { Sources } from './sources.ts'
import type { IndexStore } from './store.ts'
import { readFeed } from './web/feed.ts'
import { readPage } from './web/page.ts'
import { readSitemap } from './web/sitemap.ts'

/** Files or pages that are read in parallel. */
const WIDTH = 4

export interface PassOptions {
  readonly store: IndexStore
  readonly sources: Sources
  readonly extractor: Extractor
  /** Also reads sitemaps and feeds. */
  readonly web: boolean
  readonly signal: AbortSignal
  /** Called after each write to the disk. */
  onProgress(progress: IndexProgress): void
  /** Called before a folder is read. */
  onFolder(path: string): void
}

/**
 * Updates an index. Changes written before an abort are kept.
 *
 * @throws the signal's reason when it aborts
 */
export async function bringUpToDate(options: PassOptions): Promise<IndexReport> {
  const intake = startIntake(options)
  await readFiles(intake, options)
  const isWebWhole = options.web && (await readWeb(intake, options))
  return intake.finish((path) => isWebWhole || !/^https?:\/\//.test(path))
}

async function readFiles(intake: Intake, { sources, extractor, onFolder }: PassOptions): Promise<void> {
  const found: Exclude<WalkEntry, { kind: 'folder' }>[] = []
  for (const one of walk(sources)) {
    if (one.kind === 'folder') onFolder(one.path)
    else found.push(one)
  }
  intake.expect(found.length)
  for (const one of found) if (one.kind === 'refused') await intake.refuse(one.path, one.reason)

  const files = found.filter((one) => one.kind === 'file')
  const outcomes = inOrder(files, WIDTH, async (file): Promise<ReadOutcome> => {
    const options = { known: intake.known(file.path), most: sources.maxFileBytes, extractor }
    return (await readDocument(file, options)) ?? { kind: 'same', path: file.path }
  })
  for await (const outcome of outcomes) await intake.take(outcome)
}

/**
 * Reads sitemaps and feeds. Returns false if a part could not be read: documents that were not found may then still
 * exist.
 */
async function readWeb(intake: Intake, { sources, extractor, signal }: PassOptions): Promise<boolean> {
  let isWhole = true
  for (const sitemap of sources.sitemaps) {
    const { pages, refused } = await readSitemap(sitemap, signal)
    intake.expect(pages.length + refused.length)
    for (const { path, reason } of refused) await intake.refuse(path, reason)
    isWhole &&= refused.length === 0
    const outcomes = inOrder(pages, WIDTH, async (page): Promise<ReadOutcome> => {
      const options = { known: intake.known(page.url), most: sources.maxFileBytes, extractor, signal }
      return (await readPage(page, options)) ?? { kind: 'same', path: page.url }
    })
    for await (const outcome of outcomes) await intake.take(outcome)
  }
  for (const feed of sources.feeds) {
    const { changes, refused } = await readFeed(feed, signal)
    intake.expect(changes.length + refused.length)
    for (const { path, reason } of refused) await intake.refuse(path, reason)
    isWhole &&= refused.length === 0
    for (const change of changes) {
      const { path } = change
      const isSame = change.kind === 'put' && intake.known(path)?.hash === change.hash
      await intake.take(isSame ? { kind: 'same', path } : change)
    }
  }
  return isWhole
}
