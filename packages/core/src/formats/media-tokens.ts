import { isObject, type Json, text } from '../canonical/json.ts'

/** Media of a body and their effect on its maximum number of tokens. */
export interface MediaTokens {
  /** Adjustment to the body's bytes: tokens of images minus the bytes of the images. Can be negative. */
  readonly tokens: number
  readonly hasImages: boolean
  /** True if the body has content with unknown tokens, such as a document, sound, video, or stored file. */
  readonly isOpen: boolean
}

/** Maximum tokens of an image at any vendor. One of eight tiles at gpt-4o-mini is 48,169. */
const IMAGE = 49_152

const IMAGES = /^(?:input_)?image(?!_generation)|^computer_screenshot$/
/** Types of blocks that may have more tokens than bytes. */
const OPEN =
  /^(?:input_)?(?:file(?!_search)|audio|video|document|pdf)|_upload$|^item_reference$|^image_generation_call$/
/** Fields with the content of a conversation. */
const TURNS = ['messages', 'system', 'contents', 'systemInstruction', 'system_instruction', 'prompt', 'input'] as const
const KEPT = ['cachedContent', 'cached_content', 'previous_response_id', 'conversation', 'container'] as const

/** Length of an inline image: base64, plain or as a data URL. */
function bytesOf(block: Json): number {
  const places = [block['source'], block['image_url'], block['inlineData'], block['inline_data'], block]
  for (const place of places) {
    if (!isObject(place)) continue
    const found = text(place['data']) ?? text(place['url'])
    if (found !== undefined) return found.length
  }
  return text(block['image_url'])?.length ?? 0
}

/** True for a prompt template that the vendor stores. */
function isTemplate(prompt: unknown): boolean {
  return isObject(prompt) && prompt['id'] !== undefined
}

type MediaKind = 'image' | 'open' | undefined

function kindOf(block: Json): MediaKind {
  const type = text(block['type'])
  if (type !== undefined && IMAGES.test(type)) return 'image'
  if (type === 'document' && isObject(block['source']) && /^(?:text|content)$/.test(String(block['source']['type'])))
    return undefined
  if (type !== undefined && OPEN.test(type)) return 'open'
  for (const name of ['inlineData', 'inline_data', 'fileData', 'file_data', 'input_audio', 'file'] as const) {
    const media = block[name]
    if (isObject(media))
      return /^image\//.test(text(media['mimeType']) ?? text(media['mime_type']) ?? '') ? 'image' : 'open'
  }
  return undefined
}

/** Media in a body's conversation, at any depth. */
export function mediaIn(json: Json): MediaTokens {
  let tokens = 0
  let hasImages = false
  let isOpen = KEPT.some((name) => json[name] !== undefined && json[name] !== null) || isTemplate(json['prompt'])
  const left: unknown[] = []
  for (const name of TURNS) if (typeof json[name] === 'object') left.push(json[name])
  while (left.length > 0) {
    const value = left.pop()
    if (Array.isArray(value)) {
      for (const one of value) if (typeof one === 'object') left.push(one)
    } else if (isObject(value)) {
      const kind = kindOf(value)
      if (kind === 'image') {
        tokens += IMAGE - bytesOf(value)
        hasImages = true
      } else if (kind === 'open') isOpen = true
      else for (const name in value) if (typeof value[name] === 'object') left.push(value[name])
    }
  }
  return { tokens, hasImages, isOpen }
}
