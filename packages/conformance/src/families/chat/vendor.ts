import { CHUNKINGS, type Chunking, framesOf } from '../../chunkings.ts'
import { failuresByStatus } from '../../failures/status.ts'
import { framings, type StreamFraming, type VendorFrame } from '../../framing.ts'
import { object } from '../../json.ts'
import type { Received, UpstreamReply } from '../../upstream.ts'
import type { ChatUpstreamFacts, FormatFacts, Lacking, WireFacts, WrittenAnswer } from './facts.ts'
import { failures, type VendorFailures } from './failures/index.ts'
import type { AnswerMeaning, RequestMeaning } from './meaning.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { readFrames } from './wire/frames.ts'
import { type Wire, wires } from './wire/index.ts'

/** Simulated vendor, independent of its format. */
export interface Vendor {
  /** Format of callers whose bytes can be forwarded unchanged; chat completions if the vendor has its own wire. */
  readonly caller: Wire
  /** The vendor's format, if it is a format of core. */
  readonly wire: Wire | undefined
  /** Chunkings of its streams. */
  readonly chunkings: readonly Chunking[]
  /** Meaning of a request, and the vendor's reasons to reject it. */
  read(request: Received): { readonly asked: RequestMeaning; readonly refusals: readonly string[] }
  /** Capabilities that the scenario needs and the vendor lacks. */
  lacking(scenario: Scenario): readonly Lacking[]
  /** Meaning of its response. */
  meaning(scenario: Scenario): AnswerMeaning
  /** Whole response. */
  whole(scenario: Scenario): Extract<UpstreamReply, { kind: 'whole' }>
  /** Frames of the streamed response. */
  frames(scenario: Scenario): readonly Uint8Array[]
  /** Stream of these pieces. */
  stream(
    pieces: readonly Uint8Array[],
    end?: 'close' | 'cut' | 'silence',
    headers?: Readonly<Record<string, string>>,
  ): UpstreamReply
  readonly failures: Omit<VendorFailures, 'frame'>
  /** Failure within a stream. Undefined if the vendor documents none. */
  errorFrame(message: string): Uint8Array | undefined
}

export function vendorFor(upstream: ChatUpstreamFacts): Vendor {
  const { frame = 'sse', lacks = [], job } = upstream
  const framing = typeof frame === 'string' ? framings[frame] : frame
  const meaning = ({ meaning }: Scenario): AnswerMeaning => {
    const { usage } = meaning
    return {
      ...meaning,
      ...(lacks.includes('reasoning') && { reasoning: '' }),
      ...(usage && lacks.includes('cache') && { usage: { input: usage.input, output: usage.output } }),
    }
  }
  return {
    chunkings: job ? [] : CHUNKINGS.filter(({ isOfText }) => framing.isText || !isOfText),
    lacking: ({ asked }) => lacks.filter((kind) => (kind === 'tools' ? usesTools(asked) : hasMedia(asked, kind))),
    meaning,
    stream: (pieces, end, headers) => ({
      kind: 'stream',
      pieces,
      headers: { 'content-type': framing.contentType, ...headers },
      ...(end && { end }),
    }),
    ...(upstream.format === undefined ? ofOwnWire(upstream, framing, meaning) : ofFormat(upstream, framing)),
    ...(job && { errorFrame: () => undefined }),
  }
}

type FormatVendor = Omit<Vendor, 'chunkings' | 'lacking' | 'meaning' | 'stream'>

function hasMedia({ said }: RequestMeaning, kind: Lacking): boolean {
  return said.some((one) => 'media' in one && (one.media.startsWith('image/') ? 'image' : 'pdf') === kind)
}

/** Tells if a request offers tools, or contains calls or results of tools. */
export function usesTools({ said, tools = [] }: RequestMeaning): boolean {
  return tools.length > 0 || said.some((one) => 'call' in one || 'result' in one)
}

/** Not a problem if the path names the model. */
const MODEL_IS_MISSING = '`model` is missing'

function ofFormat({ format, frame, path }: FormatFacts, framing: StreamFraming): FormatVendor {
  const isInPath = JSON.stringify(path).includes('{model}')
  const wire = wires[format]
  const { answers, body, frame: error } = failures[format]
  const framed = (source: string): Uint8Array[] => (frame === undefined ? framesOf(source) : reframed(source, framing))
  return {
    caller: wire,
    wire,
    read({ body }) {
      const refusals = wire.refuses(object(body)).filter((reason) => !(isInPath && reason === MODEL_IS_MISSING))
      return { asked: wire.readRequest(object(body)), refusals }
    },
    whole: (scenario) => ({ kind: 'whole', body: scenario.answers[format].body }),
    frames: (scenario) => framed(scenario.answers[format].stream),
    failures: { answers, body },
    errorFrame: (message) => framed(error(message))[0],
  }
}

/** Server-sent events in another framing. */
function reframed(source: string, framing: StreamFraming): Uint8Array[] {
  return readFrames(source).frames.map((one) => framing.write(one))
}

function ofOwnWire(upstream: WireFacts, framing: StreamFraming, meaning: Vendor['meaning']): FormatVendor {
  const body = (status: number, message: string): object => upstream.error?.(status, message) ?? { message }
  const write = (scenario: Scenario): WrittenAnswer => upstream.write(meaning(scenario))
  const own = upstream.failures ?? []
  return {
    caller: wires['chat-completions'],
    wire: undefined,
    read(request) {
      try {
        return { asked: upstream.read(request), refusals: [] }
      } catch (error) {
        return {
          asked: { said: [] },
          refusals: [`\`read\` of the facts throws: ${error instanceof Error ? error.message : String(error)}`],
        }
      }
    },
    whole: (scenario) => ({ kind: 'whole', body: write(scenario).body }),
    frames: (scenario) => write(scenario).stream.map((one: VendorFrame) => framing.write(one)),
    failures: { answers: [...failuresByStatus(body), ...own], body },
    errorFrame(message) {
      const error = upstream.errorFrame?.(message)
      return error && framing.write(error)
    },
  }
}
