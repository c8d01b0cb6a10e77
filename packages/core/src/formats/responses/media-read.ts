import type { MediaBlock } from '../../canonical/block.ts'
import { stringField, wordField, wrong } from '../../canonical/fields.ts'
import { type Json, text } from '../../canonical/json.ts'
import { keepExtensions, unknownFields } from '../../canonical/vendor-extensions.ts'
import { dataBlock, imageBlock, readAudioPart } from '../chat-completions/media-read.ts'
import { ID } from './wire.ts'

const IMAGE_FIELDS: ReadonlySet<string> = new Set(['type', 'image_url', 'file_id', 'detail', 'prompt_cache_breakpoint'])
const FILE_FIELDS: ReadonlySet<string> = new Set([
  'type',
  'file_data',
  'file_url',
  'file_id',
  'filename',
  'prompt_cache_breakpoint',
])
const AUDIO_FIELDS: ReadonlySet<string> = new Set(['type', 'input_audio', 'prompt_cache_breakpoint'])
const DETAILS = ['auto', 'low', 'high', 'original'] as const

export function readImage(part: Json, at: string): MediaBlock {
  const url = stringField(part, 'image_url', at)
  const id = stringField(part, 'file_id', at)
  if (url === undefined && id === undefined) throw wrong(`${at}.image_url`, 'an http(s) URL or a data URL', undefined)
  const block: MediaBlock =
    url === undefined
      ? { type: 'media', at, kind: 'image', source: { type: 'file', id: id ?? '' } }
      : imageBlock(url, at, `${at}.image_url`)
  const detail = wordField(part, 'detail', at, DETAILS)
  if (detail && detail !== 'original') block.detail = detail
  const fields = {
    ...(detail === 'original' && { detail }),
    ...(url !== undefined && id !== undefined && { file_id: id }),
  }
  return keepExtensions(
    block,
    ID,
    unknownFields(part, IMAGE_FIELDS, Object.keys(fields).length > 0 ? fields : undefined),
  )
}

/** Reads a file: its content, a URL, or the id of a file at the provider. */
export function readFile(part: Json, at: string): MediaBlock {
  const block = fileBlock(part, at)
  const name = stringField(part, 'filename', at)
  if (name !== undefined) block.name = name
  return keepExtensions(block, ID, unknownFields(part, FILE_FIELDS, otherSources(part)))
}

const SOURCES = ['file_data', 'file_url', 'file_id'] as const

/** Sources after the first one, which takes precedence. */
function otherSources(part: Json): Json | undefined {
  const [, ...others] = SOURCES.filter((key) => part[key] !== undefined && part[key] !== null)
  return others.length > 0 ? Object.fromEntries(others.map((key) => [key, part[key]])) : undefined
}

function fileBlock(part: Json, at: string): MediaBlock {
  const data = stringField(part, 'file_data', at)
  if (data !== undefined) return dataBlock(data, at, `${at}.file_data`)
  const url = stringField(part, 'file_url', at)
  if (url !== undefined) return dataBlock(url, at, `${at}.file_url`)
  const id = stringField(part, 'file_id', at)
  if (id === undefined) throw wrong(`${at}.file_data`, 'a data URL or the base64 of a PDF', undefined)
  return { type: 'media', at, kind: 'document', source: { type: 'file', id } }
}

export function readAudio(part: Json, at: string): MediaBlock {
  const { block, fields } = readAudioPart(part, at)
  return keepExtensions(block, ID, unknownFields(part, AUDIO_FIELDS, fields))
}

const GENERATED_FIELDS: ReadonlySet<string> = new Set(['type', 'id', 'status', 'result', 'output_format'])

/** Image of a hosted tool. Undefined while it is unfinished, or if it was withheld. */
export function readGenerated(item: Json, at: string): MediaBlock | undefined {
  const data = text(item['result'])
  if (!data) return undefined
  const block: MediaBlock = {
    type: 'media',
    at,
    kind: 'image',
    mime: `image/${text(item['output_format']) ?? 'png'}`,
    source: { type: 'base64', data },
  }
  const id = text(item['id'])
  if (id !== undefined) block.ref = id
  const status = text(item['status']) ?? 'completed'
  return keepExtensions(
    block,
    ID,
    unknownFields(item, GENERATED_FIELDS, status === 'completed' ? undefined : { status }),
  )
}
