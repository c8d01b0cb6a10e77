import type { Edit, Frame, Normalization } from '../../canonical/format.ts'
import { isObject, type Json, objects, parse } from '../../canonical/json.ts'
import { parseDataUrl, sniff } from '../../canonical/media.ts'
import { dataUrl, hasScheme, isDataUrl, readBase64 } from '../../canonical/media-source.ts'
import type { Target } from '../../canonical/target.ts'
import { signaturesIn } from './foreign-signatures.ts'
import { hasFunctionsOnly } from './models.ts'

/**
 * Normalizations of a caller's body: documents in the vendor's encoding, usage in the stream (its frame is hidden from
 * callers who did not request it), no signatures of other vendors, and, except for OpenAI's models, functions instead
 * of free-text tools. Other fields stay unchanged.
 */
export function normalize(body: Json, target: Target): Normalization {
  const amendment = edited(body, target)
  const { sealed, edits, lost } = signaturesIn(body, target.signer)
  if (sealed || (hasFunctionsOnly(target) && hasCustomTools(body))) return { ...amendment, rewrite: true }
  return edits.length > 0 ? { ...amendment, edits: [...amendment.edits, ...edits], lost } : amendment
}

function hasCustomTools({ tools, messages }: Json): boolean {
  return (
    objects(tools).some(isCustom) || objects(messages).some((message) => objects(message['tool_calls']).some(isCustom))
  )
}

function isCustom({ type }: Json): boolean {
  return type === 'custom'
}

function edited(body: Json, target: Target): Normalization {
  const edits = documentEdits(body, target)
  if (body['stream'] !== true || (target.facts?.usageInStream ?? 'asked') !== 'asked') return { edits }
  const options = body['stream_options']
  if (isObject(options)) {
    if (options['include_usage'] === true) return { edits }
    edits.push({ path: ['stream_options', 'include_usage'], value: true })
  } else edits.push({ path: ['stream_options'], value: { include_usage: true } })
  return { edits, hides: isUsageOnly }
}

function isUsageOnly(frame: Frame): boolean {
  if (!frame.data.includes('"usage"')) return false
  const chunk = parse(frame.data)
  return isObject(chunk) && Array.isArray(chunk['choices']) && chunk['choices'].length === 0 && isObject(chunk['usage'])
}

function documentEdits(body: Json, target: Target): Edit[] {
  const edits: Edit[] = []
  const messages: unknown[] = Array.isArray(body['messages']) ? body['messages'] : []
  messages.forEach((message, index) => {
    const content = isObject(message) ? message['content'] : undefined
    if (!Array.isArray(content)) return
    content.forEach((part: unknown, position) => {
      const file = isObject(part) && part['type'] === 'file' ? part['file'] : undefined
      if (isObject(file)) edits.push(...fileEdits(file, ['messages', index, 'content', position, 'file'], target))
    })
  })
  return edits
}

function fileEdits(file: Json, path: readonly (string | number)[], target: Target): Edit[] {
  const data = file['file_data']
  if (typeof data !== 'string' || data === '') return []
  const raw = target.facts?.documents === 'raw'
  if (isDataUrl(data)) {
    const inline = raw ? parseDataUrl(data) : undefined
    return inline ? [{ path: [...path, 'file_data'], value: inline.data }] : []
  }
  if (raw || hasScheme(data)) return []
  const [, message, , part] = path
  const clean = readBase64(data, `messages[${message}].content[${part}].file.file_data`)
  const edits: Edit[] = [{ path: [...path, 'file_data'], value: dataUrl(sniff(clean) ?? 'application/pdf', clean) }]
  if (file['filename'] === undefined) edits.push({ path: [...path, 'filename'], value: 'document.pdf' })
  return edits
}
