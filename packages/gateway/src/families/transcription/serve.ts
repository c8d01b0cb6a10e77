import { invalid } from '@headgate/core/errors'
import { tokensOf, type UsageBound } from '../../cost/bound.ts'
import { headerOf } from '../../edge/sink.ts'
import { finishExchange } from '../../http/exchange.ts'
import type { Context } from '../../serve/context.ts'
import type { Core } from '../../serve/core.ts'
import { route } from '../../serve/route.ts'
import { upstreamAccessOf } from '../../serve/trace.ts'
import { serveUnary, type UnaryResponse } from '../../serve/unary.ts'
import { type CandidateCall, callSupport, upstreamCaller } from '../../serve/upstream-caller.ts'
import { AUDIO_TYPES, audioFacts } from '../../uploads/duration/duration.ts'
import { isForm } from '../../uploads/multipart.ts'
import { contentOf } from '../../uploads/rewritten-form.ts'
import { readUpload, type Upload } from '../../uploads/upload.ts'
import { planFor, type TranscriptionCall, type TranscriptionPlan, withSurcharges } from './plan.ts'
import { renderTranscript } from './render.ts'
import { relayTranscript } from './stream.ts'
import { readTranscription } from './wire.ts'

/** Fewest bytes of a second of sound, for files whose length cannot be read. */
const BYTES_PER_SECOND = 1_000
/** Tokens of one second of sound, and of its text, at most. */
const TOKENS_PER_SECOND = 25

/** Worst-case usage: the length of the recording, or its tokens. */
function boundOf({ milliseconds, file, input }: TranscriptionCall, { surcharges }: TranscriptionPlan): UsageBound {
  const length = milliseconds ?? Math.ceil((file.content.size / BYTES_PER_SECOND) * 1_000)
  const tokens = Math.ceil((length / 1_000) * TOKENS_PER_SECOND)
  const prompt = Buffer.byteLength(input.prompt ?? '')
  return {
    input: tokens + prompt,
    output: tokens,
    audioInput: tokens,
    perhaps: Object.fromEntries(['milliseconds', ...surcharges].map((unit) => [unit, length])),
  }
}

/** Calls a candidate. @throws HeadgateError */
async function callCandidate(
  asked: TranscriptionCall,
  plan: TranscriptionPlan,
  asking: CandidateCall,
): Promise<UnaryResponse> {
  const { core, context, candidate, signal, accounts } = asking
  const { name } = candidate.instance
  const { provider } = candidate.endpoint
  const bound = (): UsageBound => boundOf(asked, plan)
  if (plan.way === 'native') {
    const call = upstreamCaller(core, context, candidate, signal, accounts)
    const given = await call(bound, (options) =>
      finishExchange(upstreamAccessOf(core, context, name, provider), provider, plan.request, plan.read, options),
    )
    return { bytes: given.bytes, type: given.type, given }
  }
  const { milliseconds, translates, input } = asked
  const given = await callSupport(asking, bound, plan, (transcript) => ({
    transcript,
    usage: withSurcharges(transcript.usage ?? lengthOf(transcript.seconds, milliseconds), plan.surcharges),
    model: transcript.model ?? candidate.model,
  }))
  const { format, hasWords, isStream } = input
  const options = { format, hasWords, isStream, translates, milliseconds, usage: given.usage }
  const { body, type } = renderTranscript(given.transcript, options)
  return { bytes: Buffer.from(body), type, given }
}

function lengthOf(seconds: number | undefined, milliseconds: number | undefined) {
  const length = seconds === undefined ? milliseconds : Math.ceil(seconds * 1_000)
  return length === undefined ? undefined : { input: 0, output: 0, units: { milliseconds: length } }
}

/** Serves one request for a transcript. @throws HeadgateError for the caller. */
export async function serveTranscription(core: Core, context: Context, translates: boolean): Promise<void> {
  if (!isForm(headerOf(context.incoming, 'content-type')))
    throw invalid('content-type', 'The body must be a multipart form (multipart/form-data) with the field file.')
  const upload = await readUpload(context, core.spools, core.limits.upload)
  try {
    await serveUpload(core, context, upload, translates)
  } finally {
    await upload.close()
  }
}

async function serveUpload(core: Core, context: Context, upload: Upload, translates: boolean): Promise<void> {
  const model = upload.text('model')
  if (model === undefined || model === '') throw invalid('model', 'The field model is missing.')
  const input = readTranscription(upload)
  const { start, end, filename = '', type } = input.file
  const { spool } = upload
  const facts = await audioFacts({
    size: end - start,
    bytes: (from, to) => spool.bytes(start + from, start + to),
  })
  const mime = type === undefined || type === 'application/octet-stream' ? facts && AUDIO_TYPES[facts.kind] : type
  const name =
    /\.[a-z0-9]{1,5}$/i.test(filename) || !facts ? filename || 'audio' : `${filename || 'audio'}.${facts.kind}`
  const asked: TranscriptionCall = {
    upload,
    input,
    file: { name, type: mime ?? 'application/octet-stream', content: contentOf(upload, input.file) },
    milliseconds: facts?.milliseconds,
    translates,
  }
  return serveUnary<TranscriptionPlan>(core, context, {
    family: 'transcription',
    format: translates ? 'translations' : 'transcriptions',
    model,
    estimate: () => ({ input: tokensOf(Buffer.byteLength(input.prompt ?? '')), output: 0 }),
    candidates: async () => route(core, context, { model, family: 'transcription' }),
    plan: (candidate) => planFor(asked, candidate),
    bound: (plan) => boundOf(asked, plan),
    call: (plan, asking) => callCandidate(asked, plan, asking),
    relay: (plan, asking) =>
      plan.way === 'native' && input.isStream ? relayTranscript(asked, plan, boundOf(asked, plan), asking) : undefined,
  })
}
