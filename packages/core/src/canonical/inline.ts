import type { Block, MediaBlock } from './block.ts'
import type { Codec, Format } from './format.ts'
import { sniff } from './media.ts'
import type { ChatRequest } from './request.ts'
import type { Target } from './target.ts'

/** Image or document by URL in a format whose target does not accept the URL, so that its content must be fetched. */
export interface LinkedMedia {
  /** Path of the URL in the body that was read: `messages[0].content[1].image_url`. */
  readonly path: string
  readonly url: string
}

/** Content of a URL. */
export interface FetchedMedia {
  /** Standard base64 without whitespace. */
  readonly data: string
  /** Media type from the server. The first bytes of the content override it. */
  readonly mime?: string | undefined
}

/** Formats and target of a translation. */
export interface TranslationRoute {
  readonly from: Format
  readonly to: Codec
  readonly target: Target
}

const NONE: readonly LinkedMedia[] = []

/** URL of a block that must be inlined. Other media by URL have no inline form, so writers pass or reject them. */
function urlToInline(block: MediaBlock, { to, target }: TranslationRoute): string | undefined {
  if (block.source.type !== 'url' || (block.kind !== 'image' && block.kind !== 'document')) return undefined
  return to.urls.takes(block.source.url, block.kind, target) ? undefined : block.source.url
}

/** Media of a request that must be inlined for the target, once per URL. */
export function linkedMedia(request: ChatRequest, passage: TranslationRoute): readonly LinkedMedia[] {
  let linked: Map<string, LinkedMedia> | undefined
  const look = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      if (block.type === 'tool-result') look(block.blocks)
      if (block.type !== 'media') continue
      const url = urlToInline(block, passage)
      if (url === undefined || linked?.has(url)) continue
      const field = passage.from.urls.field(block.kind)
      linked ??= new Map()
      linked.set(url, { path: block.at === undefined ? field : `${block.at}.${field}`, url })
    }
  }
  for (const message of request.messages) look(message.blocks)
  return linked ? [...linked.values()] : NONE
}

/**
 * Copy of a request with the content of linked media in place of their URLs. URLs without content in `fetched` stay.
 */
export function inlineMedia(
  request: ChatRequest,
  passage: TranslationRoute,
  fetched: (url: string, kind: MediaBlock['kind']) => FetchedMedia | undefined,
): ChatRequest {
  const inlined = (block: Block): Block => {
    if (block.type === 'tool-result') return { ...block, blocks: block.blocks.map(inlined) }
    if (block.type !== 'media') return block
    const url = urlToInline(block, passage)
    const media = url === undefined ? undefined : fetched(url, block.kind)
    return media ? withContent(block, media) : block
  }
  return {
    ...request,
    messages: request.messages.map((message) => ({ ...message, blocks: message.blocks.map(inlined) })),
  }
}

function withContent(block: MediaBlock, { data, mime }: FetchedMedia): MediaBlock {
  const type = sniff(data) ?? mime ?? block.mime
  const kind = type === 'application/pdf' ? 'document' : type?.startsWith('image/') ? 'image' : block.kind
  return { ...block, kind, source: { type: 'base64', data }, ...(type !== undefined && { mime: type }) }
}

/** First bytes of a PNG and a PDF. */
const STAND_INS: Readonly<Partial<Record<MediaBlock['kind'], FetchedMedia>>> = {
  image: { data: 'iVBORw0KGgo=', mime: 'image/png' },
  document: { data: 'JVBERi0=', mime: 'application/pdf' },
}

/**
 * Copy of a request with placeholders for linked media, for finding the losses of writing it before anything is
 * fetched. Not for sending.
 */
export function standInMedia(request: ChatRequest, passage: TranslationRoute): ChatRequest {
  return inlineMedia(request, passage, (_, kind) => STAND_INS[kind])
}
