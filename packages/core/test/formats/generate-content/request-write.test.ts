import { describe, expect, it } from 'vitest'
import type { Block, MediaBlock } from '../../../src/canonical/block.ts'
import { assistant, call, contents, errorOf, GEMINI, read, result, system, user, write } from './values.ts'

const HALF = { ...GEMINI, model: 'gemini-2.5-flash' }
const image = (more: Partial<MediaBlock> = {}): Block => ({
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  at: 'messages[0].content[1]',
  source: { type: 'base64', data: 'aGk=' },
  ...more,
})
const link = (url: string, kind: MediaBlock['kind'] = 'image', more: Partial<MediaBlock> = {}): Block => ({
  type: 'media',
  kind,
  at: 'messages[0].content[1]',
  source: { type: 'url', url },
  ...more,
})

describe('system prompts and turns', () => {
  it('case 125: all leading system prompts become one instruction, in order', () => {
    const { body } = write({ messages: [system('a'), system('b'), { ...system('c'), developer: true }, user('hi')] })
    expect(body['systemInstruction']).toEqual({ parts: [{ text: 'a' }, { text: 'b' }, { text: 'c' }] })
  })

  it('case 127: a later system prompt is a reminder in its place', () => {
    expect(contents([user('a'), assistant('b'), system('c'), user('d')])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'model', parts: [{ text: 'b' }] },
      { role: 'user', parts: [{ text: '<system-reminder>\nc\n</system-reminder>' }, { text: 'd' }] },
    ])
  })

  it('case 128: a system prompt between call and result follows the result', () => {
    expect(contents([assistant(call('a', 'f')), system('c'), user(result('a', 'x'))])).toMatchObject([
      {},
      { parts: [{ functionResponse: { name: 'f' } }, { text: '<system-reminder>\nc\n</system-reminder>' }] },
    ])
  })

  it('case 130: nothing but a system prompt is refused', () => {
    expect(errorOf(() => contents([system('a')])).kind).toBe('invalid-request')
  })

  it('case 133: empty text is left out; a conversation of nothing else keeps one', () => {
    expect(contents([user('', 'a', '')])).toEqual([{ role: 'user', parts: [{ text: 'a' }] }])
    expect(contents([user('')])).toEqual([{ role: 'user', parts: [{ text: '' }] }])
  })

  it('case 134: an empty turn of the assistant is left out', () => {
    expect(contents([user('a'), assistant(''), user('b')])).toEqual([
      { role: 'user', parts: [{ text: 'a' }] },
      { role: 'user', parts: [{ text: 'b' }] },
    ])
  })

  it('case 135: an empty system prompt is left out', () => {
    expect(write({ messages: [system(''), user('a')] }).body).not.toHaveProperty('systemInstruction')
  })

  it('stands before the first turn for models that know no instructions', () => {
    const { body } = write({ messages: [system('a'), user('b')] }, { model: 'gemma-3-27b-it', signer: 'gemini' })
    expect(body).toEqual({ contents: [{ role: 'user', parts: [{ text: 'a' }, { text: 'b' }] }] })
  })

  it('declares what turns can not carry', () => {
    const { lost } = write({
      messages: [
        {
          role: 'user',
          name: 'ann',
          at: 'messages[0]',
          blocks: [{ type: 'text', text: 'a', at: 'messages[0].content[0]', cache: {} }],
        },
        {
          role: 'user',
          at: 'messages[1]',
          blocks: [
            {
              type: 'text',
              text: 'b',
              at: 'messages[1].content[0]',
              extensions: { format: 'messages', fields: { x: 1 } },
            },
          ],
        },
      ],
    })
    expect(lost).toEqual(['messages[0].content[0].cache_control', 'messages[1].content[0].x', 'messages[0].name'])
  })
})

describe('media', () => {
  const turn = (block: Block, target = GEMINI): unknown =>
    (contents([user(block)], target) as [{ parts: [unknown] }])[0].parts[0]

  it('is inline as base64', () => {
    expect(turn(image())).toEqual({ inlineData: { mimeType: 'image/png', data: 'aGk=' } })
    expect(turn({ type: 'media', kind: 'audio', mime: 'audio/wav', source: { type: 'base64', data: 'aGk=' } })).toEqual(
      {
        inlineData: { mimeType: 'audio/wav', data: 'aGk=' },
      },
    )
    expect(turn({ type: 'media', kind: 'document', mime: 'text/plain', source: { type: 'text', text: 'hé' } })).toEqual(
      {
        inlineData: { mimeType: 'text/plain', data: 'aMOp' },
      },
    )
  })

  it.each([
    ['https://a.com/x.webp?s=1', 'image' as const, 'image/webp'],
    ['https://a.com/x', 'image' as const, 'image/jpeg'],
    ['https://a.com/x', 'document' as const, 'application/pdf'],
  ])('by URL %s (%s) is passed on with a type', (url, kind, mimeType) => {
    expect(turn(link(url, kind))).toEqual({ fileData: { fileUri: url, mimeType } })
  })

  it('case 157: by URL is refused where the provider does not open URLs', () => {
    const gemini = { ...GEMINI, facts: { imageUrls: false } }
    for (const kind of ['image', 'document'] as const) {
      const error = errorOf(() => turn(link('https://a.com/x?token=secret', kind), gemini))
      expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].content[1]' })
      expect(error.message).not.toContain('secret')
    }
    expect(
      turn(link('https://a.com/x.pdf', 'document'), { ...GEMINI, facts: { imageUrls: false, pdfUrls: true } }),
    ).toHaveProperty('fileData')
  })

  it('case 158: files of the Files API and films of YouTube are passed on', () => {
    const gemini = { ...GEMINI, facts: { imageUrls: false } }
    const file = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
    expect(turn({ type: 'media', kind: 'image', source: { type: 'file', id: file } }, gemini)).toEqual({
      fileData: { fileUri: file },
    })
    expect(turn(link('https://www.youtube.com/watch?v=1', 'video'), gemini)).toEqual({
      fileData: { fileUri: 'https://www.youtube.com/watch?v=1' },
    })
  })

  it('case 170: a file of another provider is refused', () => {
    const error = errorOf(() =>
      turn({ type: 'media', kind: 'image', at: 'messages[0].content[0]', source: { type: 'file', id: 'file-1' } }),
    )
    expect(error).toMatchObject({ kind: 'invalid-request', param: 'messages[0].content[0]' })
  })

  it('case 168: a file name is a loss, unless the caller speaks this format', () => {
    const { body, lost } = write({ messages: [user(image({ name: 'a.png' }))] })
    expect(JSON.stringify(body)).not.toContain('a.png')
    expect(lost).toEqual(['messages[0].content[1].name'])
    const own = read({
      contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'aGk=', displayName: 'a.png' } }] }],
    })
    expect(contents(own.messages)).toMatchObject([{ parts: [{ inlineData: { displayName: 'a.png' } }] }])
  })

  it('case 175: detail is a resolution on Gemini 3, and a loss before', () => {
    expect(turn(image({ detail: 'low' }))).toMatchObject({ mediaResolution: { level: 'MEDIA_RESOLUTION_LOW' } })
    const { body, lost } = write({ messages: [user(image({ detail: 'high' }))] }, HALF)
    expect(JSON.stringify(body)).not.toContain('mediaResolution')
    expect(lost).toEqual(['messages[0].content[1].detail'])
  })
})
