import { createHash } from 'node:crypto'
import { basename, extname } from 'node:path'
import type { Change } from '../document.ts'
import type { Extractor } from '../extract/extractor.ts'
import { squeeze } from '../extract/html.ts'
import { kindOf, typeOf } from '../kind.ts'
import type { Entry } from '../store.ts'
import { readFileBytes, stampOf } from './read.ts'

/** File found by a walk. */
export interface FoundFile {
  readonly path: string
  readonly url: string
}

export interface FileOptions {
  readonly known: Entry | undefined
  /** Maximum size of a file in bytes. */
  readonly most: number
  readonly extractor: Extractor
}

/** Reads a file if it has changed; undefined otherwise. */
export async function readDocument(
  { path, url }: FoundFile,
  { known, most, extractor }: FileOptions,
): Promise<Change | undefined> {
  const kind = kindOf(path)
  if (!kind || (known && stampOf(path) === known.stamp)) return undefined

  const file = readFileBytes(path, most)
  if ('reason' in file) return { kind: 'skip', path, stamp: stampOf(path) ?? '', reason: file.reason }
  const { bytes, stamp, modified } = file
  const hash = createHash('sha256').update(bytes).digest('base64')
  if (known?.hash === hash) return { kind: 'keep', path, stamp }

  const found = await extractor.extract({ bytes, kind })
  if ('reason' in found) return { kind: 'skip', path, stamp, reason: found.reason }
  const document = {
    title: squeeze(found.title ?? '') || basename(path, extname(path)),
    text: found.text,
    url: found.url ?? url,
    type: typeOf(path),
    mime: kind.mime,
    lang: found.lang,
    published: found.date,
    date: found.date ?? new Date(modified).toISOString(),
  }
  return { kind: 'put', path, stamp, hash, document }
}
