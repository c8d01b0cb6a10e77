import { type Call, type EmbeddingsRequest, type EmbeddingsResponse, HeadgateError } from '@headgate/core/provider'
import type { Refused } from './messages.ts'
import { DIMENSIONS, MODEL, MOST_CHARACTERS, tooLong } from './model.ts'
import type { EmbedThread } from './thread.ts'

/** Inputs per call of the model. More are not faster, take more memory, and delay other requests. */
const STEP = 8

/** Embeds a batch in steps, so that an abort stops it and short requests do not wait for long ones. */
export async function embed(
  thread: EmbedThread,
  { model, inputs, dimensions, use }: EmbeddingsRequest,
  signal: AbortSignal,
  { lose }: Pick<Call, 'lose'>,
): Promise<EmbeddingsResponse> {
  if (model !== MODEL)
    throw new HeadgateError(
      'unknown-model',
      `The model ${model} does not exist: the only in-process model is ${MODEL}.`,
    )
  if (dimensions !== undefined && dimensions !== DIMENSIONS)
    lose('dimensions', `vectors of ${MODEL} have ${DIMENSIONS} and cannot be shortened`, 'changed')
  if (use !== undefined) lose('input_type', `${MODEL} has one kind of vectors`)
  const texts = inputs.filter((input) => typeof input === 'string')
  const book = texts.find(({ length }) => length > MOST_CHARACTERS)
  if (book !== undefined) throw failure(tooLong(`${book.length} characters`))
  const vectors: (readonly number[])[] = []
  let tokens = 0
  for (let at = 0; at < texts.length; at += STEP) {
    const answer = await thread.ask(texts.slice(at, at + STEP), signal)
    if ('refused' in answer) throw failure(answer)
    vectors.push(...answer.vectors)
    tokens += answer.tokens
  }
  return { vectors, model, usage: { input: tokens, output: 0 } }
}

function failure({ refused, message }: Refused): HeadgateError {
  return new HeadgateError(refused, message)
}
