import {
  changed,
  dropped,
  encodeText,
  foreignFile,
  type Json,
  loseSignature,
  type MediaBlock,
  refusedMedia,
  refusedUrl,
  sniff,
  under,
} from '@headgate/core/codec'
import type { Writing } from './writing.ts'

/**
 * Formats by media type. @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html
 */
const FORMATS: Readonly<Record<MediaBlock['kind'], Readonly<Record<string, string>>>> = {
  image: { 'image/png': 'png', 'image/jpeg': 'jpeg', 'image/gif': 'gif', 'image/webp': 'webp' },
  document: {
    'application/pdf': 'pdf',
    'text/csv': 'csv',
    'text/html': 'html',
    'text/markdown': 'md',
    'text/plain': 'txt',
    'application/msword': 'doc',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.ms-excel': 'xls',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  },
  audio: {
    'audio/mpeg': 'mp3',
    'audio/mp3': 'mp3',
    'audio/wav': 'wav',
    'audio/x-wav': 'wav',
    'audio/flac': 'flac',
    'audio/ogg': 'ogg',
    'audio/aac': 'aac',
    'audio/opus': 'opus',
    'audio/mp4': 'mp4',
    'audio/webm': 'webm',
  },
  video: {
    'video/mp4': 'mp4',
    'video/webm': 'webm',
    'video/quicktime': 'mov',
    'video/x-matroska': 'mkv',
    'video/x-flv': 'flv',
    'video/mpeg': 'mpeg',
    'video/x-ms-wmv': 'wmv',
    'video/3gpp': 'three_gp',
  },
}

/** Names can contain letters, digits, single spaces, hyphens, parentheses and square brackets. */
function documentName(context: Writing, block: MediaBlock): string {
  const number = ++context.written.documents
  const fit = (block.name ?? '')
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replace(/[^a-zA-Z0-9\s\-()[\]]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
  // Document names must be unique.
  const isTaken = context.request.messages.some(({ blocks }) =>
    blocks.some((other) => other !== block && 'name' in other && other.name === block.name),
  )
  const name = fit === '' ? `Document ${number}` : isTaken ? `${fit} ${number}` : fit
  if (block.name !== undefined && name !== block.name)
    changed(context.losses, under(block, 'name'), 'document names are unique and limited to a few characters')
  return name
}

/** @throws HeadgateError `invalid-request` for media that the API does not support */
export function writeMedia(context: Writing, block: MediaBlock): Json {
  const { kind, source } = block
  if (source.type === 'url') throw refusedUrl(block)
  if (source.type === 'file') throw foreignFile(block)
  const data = source.type === 'text' ? encodeText(source.text) : source.data
  const mime =
    source.type === 'text'
      ? (block.mime ?? 'text/plain')
      : ((kind === 'image' ? sniff(data) : undefined) ?? block.mime ?? sniff(data))
  const plain = kind === 'document' && mime?.startsWith('text/') ? 'txt' : undefined
  const format = (mime === undefined ? undefined : FORMATS[kind][mime]) ?? plain
  if (format === undefined)
    throw refusedMedia(
      block,
      `is ${mime ?? 'of an unknown type'}. Send one of ${Object.keys(FORMATS[kind]).join(', ')}.`,
    )
  if (block.detail !== undefined && block.detail !== 'auto')
    dropped(context.losses, under(block, 'detail'), 'images have no detail level')
  if (block.transcript !== undefined)
    dropped(context.losses, under(block, 'transcript'), 'transcripts are not supported')
  if (kind !== 'document' && block.name !== undefined)
    dropped(context.losses, under(block, 'name'), 'only documents have names')
  loseSignature(block, context.losses)
  const name = kind === 'document' ? { name: documentName(context, block) } : {}
  return { [kind]: { format, ...name, source: { bytes: data } } }
}
