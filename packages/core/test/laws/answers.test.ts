import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assemble, partsOf } from '../../src/canonical/assemble.ts'
import type { Format } from '../../src/canonical/format.ts'
import { type Json, parse } from '../../src/canonical/json.ts'
import type { Loss } from '../../src/canonical/loss.ts'
import type { Part } from '../../src/canonical/part.ts'
import type { ChatResponse } from '../../src/canonical/response.ts'
import type { Usage } from '../../src/canonical/usage.ts'
import { readFrames } from '../../src/formats/sse.ts'
import { dice, REPLY, replies, single, streamOf } from './replies.ts'
import { FORMATS } from './targets.ts'

const originOf = ({ signer }: Format) => (signer === undefined ? {} : { signer })

/** The answer as it comes back when it is written and read as a whole. */
function asWhole(format: Format, response: ChatResponse, losses: Loss[] = []): ChatResponse {
  const body = JSON.stringify(format.writeResponse(response, REPLY, losses))
  return format.readResponse(JSON.parse(body) as Json, originOf(format))
}

/** The answer as it comes back when it is written and read as a stream. */
function asStream(format: Format, parts: readonly Part[], losses: Loss[] = []): ChatResponse {
  const writer = format.writeStream(REPLY, losses)
  const stream = parts.map((part) => writer.push(part)).join('') + writer.end()
  const reader = format.readStream(originOf(format))
  return assemble([...readFrames(stream).flatMap((frame) => reader.push(frame)), ...reader.end()])
}

/** What the first choice of an answer says, whatever the blocks that it stands in. */
function sense(response: ChatResponse) {
  const { blocks = [], finish, extensions } = response.choices[0] ?? {}
  const texts = blocks.filter((block) => block.type === 'text')
  // What Google tells at the end of a stream of a text that has ended stays whole beside the answer.
  const beside = [...JSON.stringify(extensions ?? {}).matchAll(/"uri":"([^"]*)"/g)].map(([, uri]) => uri)
  const sources = new Set([...texts.flatMap(({ citations = [] }) => citations.map(({ url }) => url)), ...beside])
  return {
    text: texts.map(({ text }) => text).join(''),
    reasoning: blocks.map((block) => (block.type === 'reasoning' ? block.text : '')).join(''),
    calls: blocks.flatMap((block) =>
      block.type === 'tool-call' ? [{ id: block.id, name: block.name, input: parse(block.arguments) }] : [],
    ),
    media: blocks.flatMap((block) => (block.type === 'media' ? [block.source] : [])),
    citations: [...sources].sort(),
    signature: blocks
      .flatMap((block) => ('signature' in block && block.signature ? [JSON.stringify(block.signature)] : []))
      .sort(),
    finish: finish?.reason,
    usage: told(response.usage ?? { input: 0, output: 0 }),
    id: response.id,
    model: response.model,
  }
}

/** A share of which nothing is told, and one of zero, mean the same where the format can not leave it out. */
function told(usage: Usage) {
  return Object.fromEntries(
    Object.entries(usage).filter(([field, value]) => value !== 0 || field === 'input' || field === 'output'),
  )
}

/** The kinds of blocks in their order; neighboring texts, or thoughts, may be one. */
function order(response: ChatResponse): string[] {
  const kinds = (response.choices[0]?.blocks ?? []).map((block) => block.type)
  return kinds.filter((kind, index) => (kind !== 'text' && kind !== 'reasoning') || kinds[index - 1] !== kind)
}

describe('A stream of parts', () => {
  it('amounts to the answer that it was made of', () => {
    fc.assert(
      fc.property(replies, (response) => {
        expect(assemble(partsOf(response))).toEqual(response)
      }),
    )
  })

  it('amounts to the same answer however its texts are cut and its calls interleave', () => {
    fc.assert(
      fc.property(replies, dice, (response, [cuts, turns]) => {
        expect(assemble(streamOf(response, cuts, turns))).toEqual(response)
      }),
    )
  })
})

describe.each(FORMATS)('An answer in $id', (format) => {
  it('says as a stream what it says as a whole', () => {
    fc.assert(
      fc.property(single, dice, (response, [cuts, turns]) => {
        const [whole, streamed] = [asWhole(format, response), asStream(format, streamOf(response, cuts, turns))]
        expect(sense(streamed)).toEqual(sense(whole))
      }),
      { numRuns: 150 },
    )
  })

  it.each(['a whole', 'a stream'] as const)('is read from %s as it was written, but for declared losses', (way) => {
    fc.assert(
      fc.property(single, (response) => {
        const losses: Loss[] = []
        const given = sense(response)
        const back = sense(
          way === 'a whole' ? asWhole(format, response, losses) : asStream(format, partsOf(response), losses),
        )
        const declared = (field: string): boolean => losses.some((loss) => loss.path.split('.').includes(field))
        const lost = Object.entries(given).filter(
          ([field, value]) => JSON.stringify(value) !== JSON.stringify(back[field as keyof typeof back]),
        )
        expect(lost.filter(([field]) => !declared(field))).toEqual([])
      }),
      { numRuns: 150 },
    )
  })
})

describe.each(FORMATS.filter(({ id }) => id !== 'chat-completions'))('A stream in $id', (format) => {
  it('has its blocks in the order in which they came', () => {
    fc.assert(
      fc.property(single, (response) => {
        expect(order(asStream(format, partsOf(response)))).toEqual(order(asWhole(format, response)))
      }),
      { numRuns: 100 },
    )
  })
})
