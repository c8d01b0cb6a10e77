import { describe, expect, it } from 'vitest'
import type { MediaBlock } from '../../src/canonical/block.ts'
import { inlineMedia, linkedMedia, standInMedia, type TranslationRoute } from '../../src/canonical/inline.ts'
import type { ChatRequest, Message } from '../../src/canonical/request.ts'
import type { ChatFacts } from '../../src/canonical/target.ts'
import { chatCompletions } from '../../src/formats/chat-completions/index.ts'
import { generateContent } from '../../src/formats/generate-content/index.ts'
import { formats } from '../../src/formats/index.ts'
import { PDF, PNG } from '../support/media.ts'

const FILES = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
const YOUTUBE = 'https://www.youtube.com/watch?v=abc'

/** Format, kind, URL, facts: whether the URL is passed on. */
const CASES: readonly [string, MediaBlock['kind'], string, ChatFacts, boolean][] = [
  ['messages', 'image', 'https://a/b.png', {}, true],
  ['messages', 'image', 'HTTPS://a/b.png', {}, true],
  ['messages', 'image', 'http://a/b.png', {}, false],
  ['messages', 'image', 'https://a/b.png', { imageUrls: false }, false],
  ['messages', 'document', 'https://a/b.pdf', {}, true],
  ['messages', 'document', 'https://a/b.pdf', { imageUrls: false }, true],
  ['messages', 'document', 'https://a/b.pdf', { pdfUrls: false }, false],
  ['messages', 'document', 'http://a/b.pdf', {}, false],
  ['messages', 'image', YOUTUBE, {}, true],
  ['chat-completions', 'image', 'https://a/b.png', {}, true],
  ['chat-completions', 'image', 'http://a/b.png', {}, true],
  ['chat-completions', 'image', 'https://a/b.png', { imageUrls: false }, false],
  ['chat-completions', 'image', 'gs://a/b.png', {}, false],
  ['chat-completions', 'document', 'https://a/b.pdf', {}, false],
  ['chat-completions', 'document', 'https://a/b.pdf', { pdfUrls: true }, true],
  ['generate-content', 'image', 'https://a/b.png', {}, false],
  ['generate-content', 'image', 'https://a/b.png', { imageUrls: true }, true],
  ['generate-content', 'image', 'https://a/b.png?size=1#c', { imageUrls: true }, true],
  ['generate-content', 'image', 'http://a/b.png', { imageUrls: true }, false],
  ['generate-content', 'image', 'https://a/b', { imageUrls: true }, false],
  ['generate-content', 'image', 'https://a/b.gif', { imageUrls: true }, false],
  ['generate-content', 'image', 'https://a/b.pdf', { imageUrls: true }, false],
  ['generate-content', 'document', 'https://a/b.pdf', { imageUrls: true }, true],
  ['generate-content', 'document', 'https://a/b.pdf', { imageUrls: true, pdfUrls: false }, false],
  ['generate-content', 'image', FILES, { imageUrls: false }, true],
  ['generate-content', 'image', 'gs://a/b.png', { imageUrls: false }, true],
  ['generate-content', 'image', YOUTUBE, { imageUrls: false }, true],
]

describe('A URL of media', () => {
  it.each(CASES)('to %s: %s at %s, where %o, is passed on: %s', (id, kind, url, facts, passes) => {
    expect(formats.get(id)?.urls.takes(url, kind, { model: 'm', facts })).toBe(passes)
  })
})

describe('Media that must be inlined', () => {
  const passage: TranslationRoute = { from: chatCompletions, to: generateContent, target: { model: 'm' } }
  const linked = (url: string, kind: MediaBlock['kind'], at?: string): MediaBlock => ({
    type: 'media',
    kind,
    source: { type: 'url', url },
    ...(at !== undefined && { at }),
  })
  const request = (...blocks: Message['blocks']): ChatRequest => ({
    model: 'm',
    messages: [{ role: 'user', blocks }],
    stream: false,
    streamUsage: false,
    paths: {},
  })
  const sourcesOf = (given: ChatRequest): unknown[] =>
    given.messages.flatMap(({ blocks }) =>
      blocks.map((block) => (block.type === 'media' ? [block.kind, block.mime, block.source] : block.type)),
    )

  it('are images and documents, within tool results as well, each URL once under its first path', () => {
    const given = request(
      linked('https://a/1.png', 'image', 'messages[0].content[0]'),
      { type: 'tool-result', id: '1', blocks: [linked('https://a/2.pdf', 'document', 'messages[0].content[1]')] },
      linked('https://a/1.png', 'image', 'messages[0].content[2]'),
      linked('https://a/3.mp3', 'audio', 'messages[0].content[3]'),
      linked('https://a/4.png', 'image'),
      { type: 'media', kind: 'image', source: { type: 'base64', data: 'AAAA' } },
      { type: 'media', kind: 'image', source: { type: 'file', id: 'file-1' } },
    )
    expect(linkedMedia(given, passage)).toEqual([
      { path: 'messages[0].content[0].image_url', url: 'https://a/1.png' },
      { path: 'messages[0].content[1].file.file_data', url: 'https://a/2.pdf' },
      { path: 'image_url', url: 'https://a/4.png' },
    ])
  })

  it('become what their content is, whatever they were said to be, and nothing that was given changes', () => {
    const given = request(
      linked('https://a/1', 'image'),
      linked('https://a/2', 'document'),
      linked('https://a/3', 'image'),
    )
    const before = structuredClone(given)
    const media = new Map([
      ['https://a/1', { data: PDF.toString('base64'), mime: 'image/png' }],
      ['https://a/2', { data: PNG.toString('base64') }],
      ['https://a/3', { data: 'AAAA', mime: 'image/heic' }],
    ])
    expect(sourcesOf(inlineMedia(given, passage, (url) => media.get(url)))).toEqual([
      ['document', 'application/pdf', { type: 'base64', data: PDF.toString('base64') }],
      ['image', 'image/png', { type: 'base64', data: PNG.toString('base64') }],
      ['image', 'image/heic', { type: 'base64', data: 'AAAA' }],
    ])
    expect(given).toEqual(before)
  })

  it('have stand-ins of their kind, and what has none stays', () => {
    const given = request(linked('https://a/1', 'image'), linked('https://a/2', 'document'), linked(YOUTUBE, 'image'))
    expect(sourcesOf(standInMedia(given, passage))).toMatchObject([
      ['image', 'image/png', { type: 'base64' }],
      ['document', 'application/pdf', { type: 'base64' }],
      ['image', undefined, { type: 'url' }],
    ])
  })
})
