import type { Block, CacheMark, RefusalBlock, TextBlock } from '../../canonical/block.ts'
import { readObjects, requiredString, unknownWord, wrong } from '../../canonical/fields.ts'
import { type Json, object, text } from '../../canonical/json.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { readAnnotations } from './citations.ts'
import { readAudio, readFile, readImage } from './media-read.ts'
import { ID } from './wire.ts'

const PARTS = ['input_text', 'input_image', 'input_file', 'input_audio', 'output_text', 'refusal'] as const

/** Content of a message or a tool's result: a string, or a list of parts. */
export function readContent(content: unknown, path: string): Block[] {
  if (content === '') return []
  if (typeof content === 'string') return [{ type: 'text', at: path, text: content }]
  if (!Array.isArray(content)) throw wrong(path, 'a string or a list of parts', content)
  return readObjects(content, path, readPart)
}

function readPart(part: Json, at: string): Block {
  const block = readBare(part, at)
  const cache = readCache(part)
  return cache && (block.type === 'text' || block.type === 'media') ? { ...block, cache } : block
}

function readBare(part: Json, at: string): Block {
  switch (part['type']) {
    case 'input_text':
    case 'output_text':
    case 'text':
      requiredString(part, 'text', at)
      return withLogprobs(readText(part, at), part)
    case 'input_image':
      return readImage(part, at)
    case 'input_file':
      return readFile(part, at)
    case 'input_audio':
      return readAudio(part, at)
    case 'refusal':
      requiredString(part, 'refusal', at)
      return readRefusal(part, at)
    default:
      throw unknownWord(`${at}.type`, part['type'], PARTS)
  }
}

/** Preserves log probabilities in a request among the vendor extensions. */
function withLogprobs(block: TextBlock, { logprobs }: Json): TextBlock {
  if (!Array.isArray(logprobs) || logprobs.length === 0) return block
  return keepExtensions(block, ID, { ...block.extensions?.fields, logprobs })
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'annotations', 'logprobs', 'prompt_cache_breakpoint'])
const REFUSAL_FIELDS: ReadonlySet<string> = new Set(['type', 'refusal'])

/** Text of a request or response. Only responses have log probabilities. */
export function readText(part: Json, at: string): TextBlock {
  const block: TextBlock = { type: 'text', at, text: text(part['text']) ?? '' }
  const citations = readAnnotations(part['annotations'])
  if (citations.length > 0) block.citations = citations
  return keepExtensions(block, ID, unknownFields(part, TEXT_FIELDS))
}

export function readRefusal(part: Json, at: string): RefusalBlock {
  return keepExtensions<RefusalBlock>(
    { type: 'refusal', at, text: text(part['refusal']) ?? '' },
    ID,
    unknownFields(part, REFUSAL_FIELDS),
  )
}

function readCache(part: Json): CacheMark | undefined {
  const mark = object(part['prompt_cache_breakpoint'])
  if (!mark) return undefined
  const ttl = text(mark['ttl'])
  return ttl === undefined ? {} : { ttl }
}
