import { describe, expect, it } from 'vitest'
import type { MediaBlock, MediaSource } from '../../../src/canonical/block.ts'
import { encodeText } from '../../../src/canonical/media.ts'
import type { ChatFacts } from '../../../src/canonical/target.ts'
import { at, NEWEST, user, write } from './support.ts'

const PNG = 'iVBORw0KGgo='
const PDF = 'JVBERi0xLjQ='

function media(kind: MediaBlock['kind'], source: MediaSource, more: Partial<MediaBlock> = {}, facts?: ChatFacts) {
  const block: MediaBlock = { type: 'media', kind, source, at: 'messages[0].content[0]', ...more }
  const { body, lost } = write({ messages: [user(block)] }, { ...NEWEST, facts })
  return { block: at(body, 'messages', 0, 'content', 0), lost }
}
const base64 = (data: string): MediaSource => ({ type: 'base64', data })
const url = (address: string): MediaSource => ({ type: 'url', url: address })

describe('Media in a messages request', () => {
  it.each([
    ['its media type', PNG, 'image/png', 'image/png'],
    ['the type of its bytes where there is none', PNG, undefined, 'image/png'],
    ['the type of its bytes where the given one is wrong', PNG, 'image/jpeg', 'image/png'],
    ['case 153: image/jpeg', '/9j/4AAQ', 'image/jpeg', 'image/jpeg'],
  ])('sends an image with %s', (_, data, mime, sent) => {
    expect(media('image', base64(data), mime === undefined ? {} : { mime }).block).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: sent, data },
    })
  })

  it('case 154: refuses images that the vendor does not take', () => {
    expect(() => media('image', base64('Qk0='), { mime: 'image/bmp' })).toThrow(
      expect.objectContaining({ param: 'messages[0].content[0]', message: expect.stringContaining('image/bmp') }),
    )
  })

  it('case 156: sends an https URL as it is, and refuses others', () => {
    expect(media('image', url('https://x.test/a.png')).block).toEqual({
      type: 'image',
      source: { type: 'url', url: 'https://x.test/a.png' },
    })
    expect(() => media('image', url('http://x.test/a.png'))).toThrow(/https/)
    expect(() => media('document', url('gs://bucket/a.pdf'))).toThrow(/https/)
    expect(() => media('image', url('https://x.test/a.png'), {}, { imageUrls: false })).toThrow(/as base64/)
  })

  it('cases 163, 164: sends a PDF as a document, with its name as the title', () => {
    expect(media('document', base64(PDF), { mime: 'application/pdf', name: 'paper.pdf' }).block).toEqual({
      type: 'document',
      source: { type: 'base64', media_type: 'application/pdf', data: PDF },
      title: 'paper.pdf',
    })
  })

  it('case 169: sends the text of a text file', () => {
    expect(media('document', base64(encodeText('Grüße')), { mime: 'text/plain' }).block).toEqual({
      type: 'document',
      source: { type: 'text', media_type: 'text/plain', data: 'Grüße' },
    })
    expect(media('document', base64(encodeText('a,b')), { mime: 'text/csv' }).lost).toEqual([
      'changed messages[0].content[0].media_type',
    ])
  })

  it('refuses a document of another type, sound and film', () => {
    expect(() => media('document', base64('UEsDBA=='), { mime: 'application/zip' })).toThrow(/PDF or text/)
    expect(() => media('audio', base64('AAAA'), { mime: 'audio/wav' })).toThrow(/audio/)
    expect(() => media('video', url('https://x.test/a.mp4'))).toThrow(/video/)
  })

  it('case 170: refuses the file of another provider, and sends its own', () => {
    expect(() => media('document', { type: 'file', id: 'file-1' })).toThrow(/another provider/)
    expect(
      media('document', { type: 'file', id: 'file_1' }, { extensions: { format: 'messages', fields: {} } }).block,
    ).toEqual({
      type: 'document',
      source: { type: 'file', file_id: 'file_1' },
    })
  })

  it('case 175: drops the detail of an image and says so', () => {
    expect(media('image', base64(PNG), { detail: 'high' }).lost).toEqual(['dropped messages[0].content[0].detail'])
    expect(media('image', base64(PNG), { detail: 'auto' }).lost).toEqual([])
  })
})
