import fc from 'fast-check'
import type { Block, Citation, Signature } from '../../src/canonical/block.ts'
import type { Reply } from '../../src/canonical/format.ts'
import type { Delta, Part } from '../../src/canonical/part.ts'
import type { ChatResponse, Choice, Finish } from '../../src/canonical/response.ts'
import type { Usage } from '../../src/canonical/usage.ts'
import { maybe, words } from './conversations.ts'

type Sketch = (mark: string) => Block

const signature = fc.constantFrom('claude', 'gemini', 'other').map(
  (signer) =>
    (mark: string): Signature => ({ signer, value: Buffer.from(`signed ${mark}`).toString('base64') }),
)

const signed = fc.option(signature, { nil: undefined })

const text: fc.Arbitrary<Sketch> = fc.tuple(words, fc.boolean()).map(([more, cited]) => (mark) => {
  const said = `${mark} ${more}.`
  const citation: Citation = { url: `https://example.com/${mark}`, title: mark, start: 0, end: said.length }
  return { type: 'text', text: said, ...(cited && { citations: [citation] }) }
})

const reasoning: fc.Arbitrary<Sketch> = fc.tuple(words, signed).map(([more, sign]) => (mark) => ({
  type: 'reasoning',
  text: `${mark} ${more}.`,
  ...(sign && { signature: sign(mark) }),
}))

const json = fc
  .dictionary(fc.constantFrom('a', 'b', 'größe'), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 })
  .map((value) => JSON.stringify(value))

const call: fc.Arbitrary<Sketch> = fc
  .tuple(fc.constantFrom('get_weather', 'f'), json, signed)
  .map(([name, args, sign]) => (mark) => ({
    type: 'tool-call',
    id: `call_${mark}`,
    name,
    arguments: args,
    ...(sign && { signature: sign(mark) }),
  }))

const image: fc.Arbitrary<Sketch> = fc.constant((mark) => ({
  type: 'media',
  kind: 'image',
  mime: 'image/png',
  source: { type: 'base64', data: Buffer.from(`bytes of ${mark}`).toString('base64') },
}))

const usage: fc.Arbitrary<Usage> = fc
  .tuple(
    fc.nat(1000),
    fc.nat(1000),
    maybe('cacheRead', fc.nat(100)),
    maybe('cacheWrite', fc.integer({ min: 1, max: 100 })),
    maybe('reasoning', fc.nat(50)),
  )
  .map(([input, output, read, write, reasoned]) => ({
    input: input + 200,
    output: output + 50,
    ...read,
    ...write,
    ...reasoned,
  }))

/** A finish that goes with the blocks: the readers put others right. */
function finishOf(blocks: readonly Block[], isLong: boolean): Finish {
  if (isLong) return { reason: 'length' }
  return { reason: blocks.some((block) => block.type === 'tool-call') ? 'tool-calls' : 'stop' }
}

const choice = (kinds: fc.Arbitrary<Sketch>) =>
  fc.record({ sketches: fc.array(kinds, { minLength: 1, maxLength: 5 }), isLong: fc.boolean() })

function repliesOf(kinds: fc.Arbitrary<Sketch>, most: number): fc.Arbitrary<ChatResponse> {
  return fc
    .tuple(fc.array(choice(kinds), { minLength: 1, maxLength: most }), maybe('usage', usage))
    .map(([drawn, counted]) => {
      let count = 0
      const choices = drawn.map(({ sketches, isLong }): Choice => {
        const blocks = sketches.map((sketch) => sketch(`m${count++}`))
        return { blocks, finish: finishOf(blocks, isLong) }
      })
      return { id: 'answer-1', model: 'a-model', created: 1_750_000_000, choices, ...counted }
    })
}

/** Answers of any kind, with up to three choices. */
export const replies = repliesOf(fc.oneof({ weight: 3, arbitrary: text }, reasoning, call, image), 3)
/** Answers of one choice. */
export const single = repliesOf(fc.oneof({ weight: 3, arbitrary: text }, reasoning, call, image), 1)

/** What the writers know of the request. */
export const REPLY: Reply = {
  id: 'req-1',
  model: 'm',
  request: { model: 'm', messages: [], stream: true, streamUsage: true, paths: {} },
}

interface Opened {
  readonly index: number
  readonly choice: number
  readonly deltas: Delta[]
}

/** A block as it begins, and what is added to it; `cuts` say where texts are cut. */
function opened(block: Block, cuts: readonly number[]): { start: Block; deltas: Delta[] } {
  if (block.type === 'tool-call')
    return {
      start: { ...block, arguments: '' },
      deltas: pieces(block.arguments, cuts).map((more) => ({ arguments: more })),
    }
  if (block.type !== 'text' && block.type !== 'reasoning') return { start: block, deltas: [] }
  const deltas: Delta[] = pieces(block.text, cuts).map((more) => ({ text: more }))
  if (block.type === 'text' && block.citations) deltas.push({ citations: block.citations })
  if (block.signature) deltas.push({ signature: block.signature })
  return { start: { type: block.type, text: '' }, deltas }
}

function pieces(whole: string, cuts: readonly number[]): string[] {
  const places = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].sort((a, b) => a - b)
  return [...places, whole.length]
    .map((end, index) => whole.slice(places[index - 1] ?? 0, end))
    .filter((piece) => piece !== '')
}

/**
 * A stream that amounts to the answer, its texts cut anywhere. Calls stay open to the end, and their fragments
 * interleave, as some servers do; other blocks follow each other. `turns` says whose fragment is next.
 */
export function streamOf(response: ChatResponse, cuts: readonly number[], turns: readonly number[]): Part[] {
  const { choices, usage: counted, ...start } = response
  const parts: Part[] = [{ type: 'start', ...start }]
  const calls: Opened[] = []
  choices.forEach(({ blocks }, number) => {
    blocks.forEach((block, index) => {
      const { start: begun, deltas } = opened(block, cuts)
      parts.push({ type: 'block-start', index, block: begun, choice: number })
      if (block.type === 'tool-call') calls.push({ index, choice: number, deltas })
      else
        parts.push(...deltas.map((delta): Part => ({ type: 'block-delta', index, delta, choice: number })), {
          type: 'block-end',
          index,
          choice: number,
        })
    })
  })
  parts.push(...interleaved(calls, turns))
  if (counted) parts.push({ type: 'usage', usage: counted })
  return [...parts, ...choices.map(({ finish }, number): Part => ({ type: 'finish', finish, choice: number }))]
}

/** The fragments of calls that are open at once, in the order of the `turns`; they end one after the other. */
function interleaved(calls: readonly Opened[], turns: readonly number[]): Part[] {
  const parts: Part[] = []
  const open = calls.filter(({ deltas }) => deltas.length > 0)
  for (let turn = 0; open.length > 0; turn++) {
    const place = (turns[turn % turns.length] ?? 0) % open.length
    const next = open[place]
    const delta = next?.deltas.shift()
    if (next && delta) parts.push({ type: 'block-delta', index: next.index, delta, choice: next.choice })
    if (next?.deltas.length === 0) open.splice(place, 1)
  }
  return [...parts, ...calls.map(({ index, choice }): Part => ({ type: 'block-end', index, choice }))]
}

/** Where to cut, and whose turn it is. */
export const dice = fc.tuple(
  fc.array(fc.nat(50), { maxLength: 4 }),
  fc.array(fc.nat(5), { minLength: 1, maxLength: 8 }),
)
