import type { ChatRequest, Part } from '@headgate/core/codec'
import { HeadgateError } from '@headgate/core/provider'
import { answerTo, contentOf, type DemoReply, withContent } from './answer.ts'
import { countRequest } from './tokens.ts'

/** Maximum number of choices, as at OpenAI. */
const MOST_CHOICES = 128

/** Chunk of an answer: a few words. */
const PIECE = /[\s\S]{1,12}/gu

/**
 * The answer as parts, one per turn of the event loop, so that an abort is noticed between two parts.
 *
 * @throws the signal's reason when it aborts; HeadgateError `invalid-request` if the request has too many choices
 */
export async function* stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<Part> {
  for (const part of parts(request)) {
    await nextTurn()
    signal.throwIfAborted()
    yield part
  }
}

function* parts(request: ChatRequest): Generator<Part> {
  const input = countRequest(request)
  const answer = answerTo(request)
  const choices = request.n ?? 1
  if (choices > MOST_CHOICES) {
    throw new HeadgateError(
      'invalid-request',
      `The demo returns at most ${MOST_CHOICES} answers, ${choices} were requested.`,
      {
        param: request.paths.n,
      },
    )
  }
  yield { type: 'start', model: 'demo' }
  yield { type: 'usage', usage: { input, output: 0 } }
  for (let choice = 0; choice < choices; choice++) yield* blockParts(answer, choice)
  yield { type: 'usage', usage: { input, output: answer.output * choices } }
  for (let choice = 0; choice < choices; choice++) yield { type: 'finish', finish: answer.finish, choice }
}

function* blockParts({ blocks }: DemoReply, choice: number): Generator<Part> {
  for (const [index, block] of blocks.entries()) {
    yield { type: 'block-start', index, block: withContent(block, ''), choice }
    for (const piece of contentOf(block).match(PIECE) ?? []) {
      yield {
        type: 'block-delta',
        index,
        delta: block.type === 'text' ? { text: piece } : { arguments: piece },
        choice,
      }
    }
    yield { type: 'block-end', index, choice }
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
