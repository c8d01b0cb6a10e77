import type { Json } from '../../../core/src/canonical/json.ts'
import { HeadgateError } from '../../../core/src/errors.ts'
import { formats } from '../../../core/src/formats/index.ts'
import { readFrames } from '../../../core/src/formats/sse.ts'
import { type Medium, translateRequest, translateResponse, translateStream } from '../../../core/src/translate.ts'
import type { FormatId } from '../../../core/test/recordings/recordings.ts'
import type { Outcome, Run } from './run.ts'

/**
 * What a run comes to without a gateway: for callers of a format that has no path yet. Whatever the format itself does
 * is done, and nothing beside it.
 *
 * @param signer who signs reasoning at the provider
 */
export async function runBare(run: Run, signer: string | undefined): Promise<Outcome> {
  try {
    return await (run.from === run.to ? passed(run) : translated(run, signer))
  } catch (error) {
    if (HeadgateError.is(error)) return refused(run.from, error)
    throw error
  }
}

function refused(from: FormatId, error: HeadgateError): Outcome {
  const body = JSON.stringify(formats.get(from)?.writeError(error, 'req_1'))
  return { status: error.status, headers: new Headers(), body, row: undefined, sent: undefined }
}

async function translated(run: Run, signer: string | undefined): Promise<Outcome> {
  const { from, to, model, stream, served } = run
  const request = JSON.parse(run.body) as Json
  const provided = { model, ...(signer !== undefined && { signer }) }
  const asked = await sentFor(request, { from, to, stream, ...provided })
  const sent = JSON.stringify(asked.body)
  if (served.status !== 200) throw failureOf(run)
  if (stream !== /event-stream/.test(served.contentType)) throw new HeadgateError('upstream', 'That is no such answer.')
  const options = { from: to, to: from, request, ...provided }
  if (!stream) {
    const { body, lost } = translateResponse(JSON.parse(textOf(served.chunks)) as Json, options)
    return outcome(
      JSON.stringify(body),
      [...asked.lost, ...lost.map((loss) => ({ ...loss, path: `response.${loss.path}` }))],
      sent,
    )
  }
  const translation = translateStream(chunksOf(served.chunks), options)
  const pieces: Uint8Array[] = []
  for await (const piece of translation) pieces.push(piece)
  const lost = translation.lost.map((loss) => ({ ...loss, path: `response.${loss.path}` }))
  return outcome(textOf(pieces), [...asked.lost, ...lost], sent)
}

type Lost = NonNullable<Outcome['row']>['losses']

function outcome(body: string, losses: Lost, sent: string): Outcome {
  const headers = new Headers(
    losses.some(({ path }) => !path.startsWith('response.')) ? { 'headgate-lost': 'some' } : {},
  )
  return { status: 200, headers, body, row: { losses }, sent }
}

/** The request as it is sent, with what its URLs lead to. */
async function sentFor(request: Json, options: Parameters<typeof translateRequest>[1]) {
  const first = translateRequest(request, options)
  if (first.fetch.length === 0) return first
  const withMedia: Record<string, Medium> = {}
  for (const { url } of first.fetch) {
    const answer = await fetch(url)
    const mime = answer.headers.get('content-type')
    withMedia[url] = { data: new Uint8Array(await answer.arrayBuffer()), ...(mime !== null && { mime }) }
  }
  return translateRequest(request, { ...options, withMedia })
}

function failureOf({ to, served }: Run): HeadgateError {
  const read = formats.get(to)?.readError(served.status, textOf(served.chunks))
  return new HeadgateError(read?.kind ?? 'upstream', read?.message ?? '')
}

/**
 * Between a caller and a provider of one format nothing is to be done: no edit of the request, and an answer that is
 * known as whole.
 */
function passed({ from, body, model, stream, served }: Run): Outcome {
  const format = formats.get(from)
  if (!format) throw new TypeError(`There is no format "${from}".`)
  if (served.status !== 200) throw failureOf({ from, to: from, body, model, stream, served })
  const { edits, rewrite } = format.normalize(JSON.parse(body) as Json, { model })
  const sent = edits.length === 0 && !rewrite ? body : ''
  const text = textOf(served.chunks)
  if (!stream) {
    const answer = JSON.parse(text) as Json
    if (format.isResponse?.(answer) === false) throw new HeadgateError('upstream', 'That is no answer.')
    return outcome(text, [], sent)
  }
  const watch = format.usageReader()
  for (const frame of readFrames(text)) watch.push(frame)
  const end =
    watch.complete || watch.error ? '' : format.writeStreamError(new HeadgateError('cut', 'It was cut.'), 'req_1')
  return outcome(text + end, [], sent)
}

function textOf(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString('utf8')
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks
}
