import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/canonical/json.ts'
import type { TranslatedFormat } from '../../src/translate.ts'
import { A, CLAUDE, G, GPT, O, send } from './way.ts'

const R = 'responses'
const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
const data = btoa('PK\x03\x04')

const asked = (mimeType: string): Json => ({
  contents: [{ role: 'user', parts: [{ inlineData: { mimeType, data } }] }],
})

describe('Media whose type the vendor does not take', () => {
  it.each<[string, TranslatedFormat, { model: string }]>([
    ['image/heic', O, GPT],
    ['image/heic', R, GPT],
    ['image/heic', A, CLAUDE],
    ['image/avif', O, GPT],
    [DOCX, O, GPT],
    [DOCX, A, CLAUDE],
  ])('%s is refused for %s, with what to send instead', (mime, to, target) => {
    expect(() => send(G, to, asked(mime), { ...target })).toThrow(
      expect.objectContaining({
        status: 400,
        message: expect.stringMatching(new RegExp(`${mime.slice(0, 10)}.*Send `)),
      }),
    )
  })

  it.each<[string, TranslatedFormat, { model: string }]>([
    ['image/webp', O, GPT],
    ['image/gif', R, GPT],
    ['application/pdf', O, GPT],
    [DOCX, R, GPT],
    [DOCX, O, { model: 'other' }],
  ])('%s is sent to %s', (mime, to, target) => {
    expect(JSON.stringify(send(G, to, asked(mime), { ...target }).body)).toContain(`data:${mime};base64,${data}`)
  })

  it('is left to the vendor where the caller speaks its format', () => {
    const content = [{ type: 'file', file: { filename: 'a.docx', file_data: `data:${DOCX};base64,${data}` } }]
    expect(JSON.stringify(send(O, O, { model: 'm', messages: [{ role: 'user', content }] }, GPT).body)).toContain(DOCX)
  })
})
