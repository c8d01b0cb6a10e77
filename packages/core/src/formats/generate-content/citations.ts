import { parseArguments } from '../../canonical/arguments.ts'
import { type Block, type Citation, isOwnSearch } from '../../canonical/block.ts'
import { blockFinder, loseCitation, loseDetails } from '../../canonical/citations.ts'
import { compact, isObject, type Json, number, object, objects, text } from '../../canonical/json.ts'
import type { Loss } from '../../canonical/loss.ts'
import { type Offsets, offsetsOf } from './text-offsets.ts'
import { ID } from './wire.ts'

/** Text block of a response, for citations. */
export interface CitableText {
  /** Identity of the block for the caller of this module. */
  readonly key: number
  /** Index of its part. */
  readonly part?: number
  readonly text: string
}

/** Citation with its block. */
export interface BlockCitation {
  readonly key: number
  readonly citation: Citation
}

/**
 * Reads the citations in grounding and recitation metadata. Their offsets are bytes, in a stream of the whole text. The
 * result has UTF-16 code units in the block.
 * @see https://ai.google.dev/gemini-api/docs/google-search
 */
export function readCitations(candidate: Json, passages: readonly CitableText[]): BlockCitation[] {
  if (
    passages.length === 0 ||
    (candidate['groundingMetadata'] === undefined && candidate['citationMetadata'] === undefined)
  )
    return []
  const locate = locator(passages)
  return [...grounded(candidate['groundingMetadata'], locate), ...recited(candidate['citationMetadata'], locate)]
}

interface CitationSpan {
  key: number
  start?: number
  end?: number
}
type Locate = (
  start: number | undefined,
  end: number | undefined,
  part: number | undefined,
  quoted: string | undefined,
) => CitationSpan

function grounded(metadata: unknown, locate: Locate): BlockCitation[] {
  if (!isObject(metadata)) return []
  const chunks = objects(metadata['groundingChunks'])
  return objects(metadata['groundingSupports']).flatMap((support) => {
    const segment = object(support['segment']) ?? {}
    const cited = text(segment['text'])
    const place = locate(
      number(segment['startIndex']) ?? 0,
      number(segment['endIndex']),
      number(segment['partIndex']),
      cited,
    )
    const indices: unknown[] = Array.isArray(support['groundingChunkIndices']) ? support['groundingChunkIndices'] : []
    return indices.flatMap((index): BlockCitation[] => {
      const source = sourceOf(chunks[number(index) ?? -1])
      return source ? [placed(place, source)] : []
    })
  })
}

function sourceOf(chunk: Json | undefined): Citation | undefined {
  const source = [chunk?.['web'], chunk?.['maps'], chunk?.['retrievedContext'], chunk?.['image']].find(isObject)
  const url = text(source?.['uri']) ?? text(source?.['sourceUri'])
  const title = text(source?.['title'])
  if (url === undefined && title === undefined) return undefined
  return compact<Citation>({ url, title })
}

/** Sources of recited text: `citations` on Vertex AI, `citationSources` on the Gemini API. */
function recited(metadata: unknown, locate: Locate): BlockCitation[] {
  if (!isObject(metadata)) return []
  return objects(metadata['citations'] ?? metadata['citationSources']).flatMap((source): BlockCitation[] => {
    const url = text(source['uri'])
    if (url === undefined) return []
    const title = text(source['title'])
    const place = locate(number(source['startIndex']), number(source['endIndex']), undefined, undefined)
    return [placed(place, { url, ...(title !== undefined && { title }) })]
  })
}

function placed(place: CitationSpan, citation: Citation): BlockCitation {
  if (place.start !== undefined) citation.start = place.start
  if (place.end !== undefined) citation.end = place.end
  return { key: place.key, citation }
}

/**
 * Finds the block and position of a span: in the named part, else in the whole text, else by its words. A span that is
 * not found belongs to the last block.
 */
function locator(passages: readonly CitableText[]): Locate {
  const whole = passages.map((passage) => passage.text).join('')
  const placeOf = blockFinder(passages)
  const wholeOffsets = offsetsOf(whole)
  const offsets = new Map<CitableText, Offsets>()
  const offsetsIn = (passage: CitableText): Offsets => {
    const known = offsets.get(passage) ?? offsetsOf(passage.text)
    offsets.set(passage, known)
    return known
  }
  const byPart = new Map<number, CitableText>()
  for (const passage of passages)
    if (passage.part !== undefined && !byPart.has(passage.part)) byPart.set(passage.part, passage)
  const find = searcher(whole)
  const last = passages[passages.length - 1]
  const nowhere: CitationSpan = { key: last?.key ?? 0 }
  /** Converts a span of the whole text to a span in the block of its start. */
  const withinPassage = ({ start, end }: TextSpan): CitationSpan => {
    const place = placeOf(start)
    const passage = place && passages[place.index]
    if (!passage) return nowhere
    return { key: passage.key, start: start - place.start, end: Math.min(end - place.start, passage.text.length) }
  }

  return (startByte, endByte, part, quoted) => {
    if (endByte === undefined && quoted === undefined) return nowhere
    const named = part === undefined ? undefined : byPart.get(part)
    if (named && endByte !== undefined) {
      const span = spanIn(named.text, offsetsIn(named), startByte ?? 0, endByte, quoted)
      if (span) return { key: named.key, ...span }
    }
    if (endByte !== undefined) {
      const span = spanIn(whole, wholeOffsets, startByte ?? 0, endByte, quoted)
      if (span) return withinPassage(span)
    }
    const start = quoted ? find(quoted) : -1
    return start === -1 ? nowhere : withinPassage({ start, end: start + (quoted ?? '').length })
  }
}

/**
 * Maximum characters that are searched for quotations per response. Quoted text is usually at its position, so searches
 * are rare.
 */
const MOST_SEARCHED = 16 * 1024 * 1024

/** Creates a function that finds quoted words. It returns -1 if they do not occur, or the limit is exceeded. */
function searcher(source: string): (words: string) => number {
  let left = MOST_SEARCHED
  return (words) => {
    if (left <= 0) return -1
    const found = source.indexOf(words)
    left -= found < 0 ? source.length : found + words.length
    return found
  }
}

interface TextSpan {
  start: number
  end: number
}

/** Span in code units, if it contains the expected words. */
function spanIn(
  source: string,
  offsets: Offsets,
  startByte: number,
  endByte: number,
  quoted: string | undefined,
): TextSpan | undefined {
  const span = { start: offsets.fromBytes(startByte), end: offsets.fromBytes(endByte) }
  if (span.end <= span.start) return undefined
  return quoted === undefined || source.slice(span.start, span.end) === quoted ? span : undefined
}

/** Text with citations. */
export interface CitedText {
  /** Index of the part. Absent for the text of a whole stream. */
  readonly part?: number
  readonly text: string
  readonly citations: readonly Citation[]
  /** Path of the block, for losses. */
  readonly at?: string
}

/** Queries of the gateway's searches in a list of blocks. */
export function queriesOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap((block) => {
    if (block.type !== 'hosted-call' || !isOwnSearch(block)) return []
    return text(parseArguments(block.arguments)?.['query']) ?? []
  })
}

/** Grounding metadata for citations and searches. Undefined without searches and citations that have a URL. */
export function writeGrounding(
  texts: readonly CitedText[],
  queries: readonly string[],
  losses: Loss[],
): Json | undefined {
  const chunks: Json[] = []
  const known = new Map<string, number>()
  const supports: Json[] = []
  for (const cited of texts) {
    const offsets = offsetsOf(cited.text)
    const quote = quoter(cited.text)
    loseDetails(cited, cited.citations, ID, (citation) => citation.cited !== undefined, losses)
    for (const citation of cited.citations) {
      if (citation.url === undefined) {
        loseCitation(cited, losses)
        continue
      }
      const key = `${citation.url}\n${citation.title ?? ''}`
      const index =
        known.get(key) ??
        chunks.push({ web: { uri: citation.url, ...(citation.title !== undefined && { title: citation.title }) } }) - 1
      known.set(key, index)
      supports.push({ segment: segmentOf(citation, cited, offsets, quote), groundingChunkIndices: [index] })
    }
  }
  if (chunks.length === 0 && queries.length === 0) return undefined
  return {
    ...(queries.length > 0 && { webSearchQueries: queries }),
    ...(chunks.length > 0 && { groundingChunks: chunks, groundingSupports: supports }),
  }
}

/** Segment of a citation. A citation without a span applies to the whole block. */
function segmentOf(citation: Citation, cited: CitedText, offsets: Offsets, quote: Quote): Json {
  const { start = 0, end = cited.text.length } = citation
  return {
    ...(cited.part !== undefined && cited.part > 0 && { partIndex: cited.part }),
    startIndex: offsets.toBytes(start),
    endIndex: offsets.toBytes(end),
    ...quote(start, end),
  }
}

/** Returns the text of a span. Omitted once the quotes have several times the length of the text. */
type Quote = (start: number, end: number) => { text?: string }

const TOLD_FREELY = 65_536
const MOST_TOLD = 8

function quoter(source: string): Quote {
  let left = TOLD_FREELY + MOST_TOLD * source.length
  return (start, end) => {
    if (left <= 0) return {}
    const text = source.slice(start, end)
    left -= text.length
    return { text }
  }
}
