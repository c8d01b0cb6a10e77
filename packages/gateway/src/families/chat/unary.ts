import type { ChatResponse, Loss, Reply, ResponseSummary, Usage } from '@headgate/core/canonical'
import { exactJson, isObject, type Json, ownPaths, parseWith, restoreResponse } from '@headgate/core/canonical'
import type { HttpResponse } from '@headgate/core/contract'
import { asError, HeadgateError, reworded } from '@headgate/core/errors'
import { takeTurn } from '#transport'
import { now } from '../../clock.ts'
import { type Chunks, createChunks } from '../../edge/chunks.ts'
import { lostHeader } from '../../edge/lost.ts'
import { createOutline, type Outline } from '../../edge/outline.ts'
import type { ResponseHeaders } from '../../edge/sink.ts'
import { hasLongNumber } from '../../edge/splice.ts'
import { createResponseMemory } from '../../http/memory.ts'
import { LARGE_BODY } from '../../http/turns.ts'
import type { UpstreamHeaders } from '../../http/upstream.ts'
import { readWholeResponse } from '../../http/whole-response.ts'
import type { Consumer, RunningAttempt } from '../../serve/attempt.ts'
import { sendHead } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { explain, failureOf } from '../../serve/failure.ts'
import type { ChatCall } from './chat-call.ts'
import type { ChatPlan, RemotePlan } from './plan.ts'
import { storeResponse } from './responses/storage.ts'
import { type ChatResult, settle } from './settle.ts'

/** A complete response for the caller. A large one can be in pieces. */
interface Whole {
  readonly body: Uint8Array | string | readonly Uint8Array[]
  readonly summary: ResponseSummary
  readonly losses: readonly Loss[]
}

/** Request facts for the writer of the caller's format. */
export function replyOf(chat: ChatCall, remote?: RemotePlan): Reply {
  const { slot: storage } = chat
  // A provider of the caller's format stores the response itself.
  const isHere = storage !== undefined && (storage.background || remote?.format !== chat.format)
  return {
    id: chat.context.id,
    model: chat.model,
    request: chat.canonical(),
    framing: chat.framing,
    ...(isHere && { storage }),
  }
}

export function summaryOf(response: ChatResponse): ResponseSummary {
  const finish = response.choices[0]?.finish
  return {
    ...(response.usage && { usage: response.usage }),
    ...(finish && { finish }),
    ...(response.model !== undefined && { model: response.model }),
    ...(response.id !== undefined && { id: response.id }),
  }
}

/** A canonical response in the caller's format. */
export function wholeOf(response: ChatResponse, chat: ChatCall, remote?: RemotePlan): Whole {
  const losses: Loss[] = []
  const body = JSON.stringify(chat.format.writeResponse(response, replyOf(chat, remote), losses))
  return { body, summary: summaryOf(response), losses }
}

/**
 * Response body after the adapter's patch. If the body is rewritten, numbers in tool arguments are exact.
 * @throws HeadgateError `upstream` if the body is not a JSON object.
 */
export function patchedAnswer({ native, support, call }: RemotePlan, { body, bytes }: HttpResponse): Json {
  if (!isObject(body)) throw new HeadgateError('upstream', "The provider's response is not a JSON object.")
  const isWritten = !native || support.patchResponse !== undefined
  const text = isWritten ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined
  const exact = text && hasLongNumber(text) ? parseWith(exactJson, text.toString('utf8')) : undefined
  const given = isObject(exact) ? exact : body
  return support.patchResponse?.(given, call) ?? given
}

/** Usage of a failed attempt with its model's price; undefined = the upstream reported none. */
export function usedBy(
  core: Core,
  { context }: ChatCall,
  { candidate }: ChatPlan,
  usage: Usage | undefined,
): RunningAttempt['used'] {
  return usage && { usage, price: core.priceOf(candidate, context.startedAt) }
}

/** Usage in the body of an error or unusable response. */
export function usageIn({ format }: RemotePlan, body: unknown): Usage | undefined {
  if (!isObject(body)) return undefined
  try {
    return format.summarize ? format.summarize(body).usage : format.readResponse(body).usage
  } catch {
    return undefined
  }
}

/** Reads a response. `bytes` are the upstream's bytes. */
function read(chat: ChatCall, remote: RemotePlan, answer: HttpResponse, bytes: Whole['body']): Whole {
  const patched = patchedAnswer(remote, answer)
  if (remote.native) {
    if (chat.format.isResponse?.(patched) === false)
      throw new HeadgateError('upstream', `The response does not have the format ${chat.format.id}.`)
    if (chat.slot?.background) chat.slot.save({ ...patched, id: chat.slot.id, background: true })
    return {
      body: patched === answer.body ? bytes : JSON.stringify(patched),
      summary: chat.format.summarize(patched),
      losses: [],
    }
  }
  const signer = remote.target.signer
  const response = remote.format.readResponse(patched, signer === undefined ? {} : { signer })
  const whole = wholeOf(restoreResponse(response, remote.restore), chat, remote)
  return { ...whole, losses: ownPaths(whole.losses, patched, remote.format.fieldNames) }
}

/** Response headers of a provider's response. */
export function servedHeaders(
  plan: ChatPlan,
  upstream: UpstreamHeaders,
  contentType: string,
  losses: readonly Loss[],
): ResponseHeaders {
  const headers: ResponseHeaders = { 'content-type': contentType, 'headgate-vendor': plan.candidate.instance.name }
  const lost = lostHeader(losses)
  if (lost !== undefined) headers['headgate-lost'] = lost
  for (const name of plan.remote?.support.responseHeaders ?? []) {
    // An upstream's rate limits concern the gateway, not its callers.
    const value = name.includes('ratelimit') ? undefined : upstream[name]
    if (value !== undefined) headers[name] = value
  }
  return headers
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  let size = 0
  for (const { length } of pieces) size += length
  return size
}

/** Sends a complete response after its usage row is recorded, and ends the attempt. */
export function sendWhole(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  attempt: RunningAttempt,
  whole: Whole,
  headers: UpstreamHeaders,
  result: Pick<ChatResult, 'servedFrom'> = {},
): void {
  const { context } = chat
  const body = typeof whole.body === 'string' ? Buffer.from(whole.body) : whole.body
  const losses =
    whole.losses.length === 0
      ? plan.losses
      : [...plan.losses, ...whole.losses.map((loss) => ({ ...loss, path: `response.${loss.path}` }))]
  const send = (): undefined => {
    if (context.gone) return
    const head = servedHeaders(plan, headers, 'application/json', losses)
    head['content-length'] = String(body instanceof Uint8Array ? body.length : sizeOf(body))
    sendHead(context, 200, head)
    if (body instanceof Uint8Array) return void context.sink.end(body)
    for (const piece of body) context.sink.write(piece)
    context.sink.end()
  }
  attempt.commit()
  context.firstByteAt = now()
  attempt.done('served', () => {
    const settled = settle(core, chat, plan, {
      status: 200,
      why: 'served',
      summary: whole.summary,
      losses: whole.losses,
      ...result,
    })
    const kept = storeResponse(core, chat, plan, whole.summary)
    if (kept) return kept.then(() => settled).then(send)
    return settled ? settled.then(send) : send()
  })
}

/** Bytes to outline in one turn, about 6 ms of work. */
const SLICE = 4 * 1024 * 1024

/** Outlines a large body in slices. `later` runs a job in a later turn. */
function outlined(
  pieces: readonly Uint8Array[],
  later: (job: () => void) => void,
  done: (outline: Outline) => void,
): void {
  const outline = createOutline()
  let next = 0
  const slice = (): void => {
    for (let size = 0; next < pieces.length && size < SLICE; next++) {
      const piece = pieces[next] as Uint8Array
      size += piece.length
      outline.add(piece)
    }
    if (next < pieces.length) later(slice)
    // The outline of many small values is still large and takes long to parse.
    else if (outline.size >= LARGE_BODY) later(() => done(outline))
    else done(outline)
  }
  later(slice)
}

/**
 * A large response with only a parsed outline; undefined if it is not a JSON object. The caller gets the original
 * pieces.
 */
function outlinedAnswer(answer: HttpResponse, chunks: Chunks): HttpResponse | undefined {
  if (!isObject(answer.body)) return undefined
  const { status, headers, body } = answer
  return {
    status,
    headers,
    body,
    get bytes() {
      return chunks.whole()
    },
  }
}

/**
 * Consumer that reads a complete response before it sends a byte, so that an invalid response can be retried with
 * another candidate.
 */
export function unaryConsumer(
  core: Core,
  chat: ChatCall,
  plan: ChatPlan,
  remote: RemotePlan,
  attempt: RunningAttempt,
): Consumer {
  const chunks = createChunks()
  const { instance, endpoint, model } = plan.candidate
  const memory = createResponseMemory(chat.context.memory)
  let size = 0
  let headers: UpstreamHeaders = {}
  const failed = (error: HeadgateError): void => {
    memory.release()
    attempt.done(error)
  }
  const fail = (error: HeadgateError): void => failed(reworded(error, `${instance.name}: ${error.message}`))

  const give = (answer: HttpResponse, bytes: Whole['body']): void => {
    const error = failureOf(answer, remote.format, endpoint.provider)
    if (error) {
      attempt.refused = answer.status >= 400
      attempt.used = usedBy(core, chat, plan, usageIn(remote, answer.body))
      failed(explain(error, instance.name, model, endpoint.provider))
      return
    }
    let whole: Whole
    try {
      whole = read(chat, remote, answer, bytes)
    } catch (cause) {
      const why = HeadgateError.is(cause) ? cause.message : `The response is not valid ${remote.format.id}.`
      attempt.used = usedBy(core, chat, plan, usageIn(remote, answer.body))
      failed(new HeadgateError('upstream', `${instance.name}: ${why}`, { cause }))
      return
    }
    sendWhole(core, chat, plan, attempt, whole, headers)
  }
  const giveWhole = (): void => {
    const bytes = chunks.whole()
    give(readWholeResponse(attempt.status ?? 0, headers, bytes), bytes)
  }
  const later = (job: () => void): void => {
    const unlessOver = (): void => {
      if (!attempt.isOver()) job()
    }
    takeTurn(unlessOver).catch((error: unknown) => fail(asError(error)))
  }

  return {
    head(status, given) {
      attempt.status = status
      headers = given
      memory.head(given)
    },
    data(chunk) {
      memory.data(chunk.length)
      size += chunk.length
      if (size > core.limits.answer)
        failed(new HeadgateError('upstream', `${instance.name} responded with more than ${core.limits.answer} bytes.`))
      else chunks.add(chunk)
    },
    end() {
      chat.context.answeredAt = now()
      if (size < LARGE_BODY) return giveWhole()
      // Rewriting, storing and error messages need the complete text.
      const needsWhole = !remote.native || remote.support.patchResponse || chat.slot?.background
      if (needsWhole || attempt.status !== 200) return later(giveWhole)
      outlined(chunks.parts(), later, (outline) => {
        const answer = outlinedAnswer(readWholeResponse(200, headers, outline.whole()), chunks)
        if (answer) give(answer, chunks.parts())
        else later(giveWhole)
      })
    },
    fail,
    stop: failed,
  }
}
