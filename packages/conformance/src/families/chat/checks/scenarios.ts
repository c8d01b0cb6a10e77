import type { Got } from '../../../caller.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import { object } from '../../../json.ts'
import type { Cut } from '../../../pieces.ts'
import type { Reply } from '../../../upstream.ts'
import { answerDifferences, requestDifferences } from '../compare.ts'
import type { ReadAnswer, RequestMeaning } from '../meaning.ts'
import { reasoning } from '../scenarios/reasoning.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { text } from '../scenarios/text.ts'
import type { ChatSubject } from '../subject.ts'
import { usesTools } from '../vendor.ts'
import type { Wire } from '../wire/index.ts'
import { chatRequestProblems } from './request.ts'

/** One exchange: what is asked, in which way it is answered. */
interface Round {
  readonly scenario: Scenario
  readonly wire: Wire
  readonly stream: boolean
  readonly reply: Reply
  /** How the stream was cut, for messages. */
  readonly how: string
}

/** A scenario for callers of one format: whole, and streamed in every cut. */
export function scenarioCheck(scenario: Scenario, wire: Wire): Check<ChatSubject> {
  return {
    name: `serves "${scenario.name}" to callers of ${wire.id}, whole and streamed in every cut`,
    async run(subject) {
      const { vendor } = subject
      const lacking = vendor.lacking(scenario)
      if (lacking.length === 1 && lacking[0] === 'tools') return toolsProblems(subject, scenario, wire)
      if (lacking.length > 0) return refusedProblems(subject, scenario, wire, lacking)
      const frames = subject.upstream.job ? [] : vendor.frames(scenario)
      const rounds: Round[] = [
        { scenario, wire, stream: false, reply: vendor.whole(scenario), how: 'whole' },
        ...(subject.upstream.job
          ? [{ scenario, wire, stream: true, reply: vendor.whole(scenario), how: 'streamed from the whole' }]
          : []),
        ...vendor.cuts.map(
          (cut: Cut): Round => ({
            scenario,
            wire,
            stream: true,
            reply: vendor.stream(cut.pieces(frames)),
            how: `streamed ${cut.name}`,
          }),
        ),
      ]
      const findings: string[] = []
      for (const round of rounds) {
        findings.push(...(await play(subject, round)))
        // A request that is wrong is wrong in every cut, and what follows of it says nothing new.
        if (findings.length > 0) break
      }
      return distinct(findings)
    },
  }
}

/** What callers of a format can ask of a scenario. */
function askedBy({ lacks = [] }: Wire, { asked }: Scenario): RequestMeaning {
  const kept = Object.entries(asked).filter(([option]) => !(lacks as readonly string[]).includes(option))
  return { ...Object.fromEntries(kept), said: asked.said }
}

async function play(subject: ChatSubject, { scenario, wire, stream, reply, how }: Round): Promise<string[]> {
  const { bench, model, upstream, vendor } = subject
  bench.upstream.answer(reply)
  const before = bench.rows.length
  const body = wire.body(scenario.requests[wire.id], model, stream)
  const got = await bench.ask({ path: wire.path(model, stream), body })
  const [request] = bench.upstream.received
  if (!request) return [`"${scenario.name}" of callers of ${wire.id} never got to the upstream: ${said(got, wire)}`]
  const lost = got.headers['headgate-lost'] ?? ''
  const requestProblems = chatRequestProblems(request, subject, { stream, asked: askedBy(wire, scenario), lost })
  const answerProblems = servedProblems(got, subject, { scenario, wire, stream, reply, how })
  const rows = bench.rows.slice(before)
  const { usage } = vendor.meaning(scenario)
  const isCounted =
    (stream && upstream.usageInStream === false) ||
    (rows[0]?.usage?.input === usage?.input && rows[0]?.usage?.output === usage?.output)
  return [
    ...requestProblems,
    ...answerProblems,
    ...(rows.length === 1 ? [] : [`"${scenario.name}", ${how}, left ${rows.length} usage rows.`]),
    ...(isCounted || answerProblems.length > 0
      ? []
      : [
          `"${scenario.name}", ${how}, was accounted with ${JSON.stringify(rows[0]?.usage)}, the upstream counted ${JSON.stringify(usage)}.`,
        ]),
  ]
}

function servedProblems(
  got: Got,
  { bench, upstream, vendor }: ChatSubject,
  { scenario, wire, stream, how }: Round,
): string[] {
  const where = `Callers of ${wire.id} get "${scenario.name}", ${how}, wrongly`
  if (got.status !== 200) return [`${where}: ${said(got, wire)}`]
  const read: ReadAnswer = stream ? wire.readStream(got.text) : wire.readAnswer(got.body)
  const mend = stream
    ? vendor.wire
      ? '`patchFrame`, `framing` and `facts`'
      : '`readStream` of the codec'
    : vendor.wire
      ? '`patchResponse` and `readError`'
      : '`readResponse` of the codec'
  const usageIsKnown = !(stream && upstream.usageInStream === false)
  const problems = [
    ...(got.broken ? ['the connection breaks before its end'] : []),
    ...(read.error === undefined ? [] : [`the stream ends with the error "${read.error}"`]),
    ...read.problems,
    ...answerDifferences(vendor.meaning(scenario), read.meaning, usageIsKnown),
    ...(got.headers['headgate-vendor'] === bench.provider.name ? [] : ['headgate-vendor does not name the provider']),
  ]
  return problems.map((problem) => `${where}: ${problem}. Look at ${mend}.`)
}

/** What the model does not take is refused: an answer to the rest would be one to another question. */
async function refusedProblems(
  { bench, model }: ChatSubject,
  scenario: Scenario,
  wire: Wire,
  lacking: readonly string[],
): Promise<string[]> {
  const findings: string[] = []
  for (const stream of [false, true]) {
    bench.upstream.answer({ kind: 'whole', status: 500, body: 'This must not be asked.' })
    const got = await bench.ask({
      path: wire.path(model, stream),
      body: wire.body(scenario.requests[wire.id], model, stream),
    })
    if (got.status === 400 && wire.readError(got.body) && bench.upstream.received.length === 0) continue
    findings.push(
      `The model takes no ${lacking.join(' and no ')}, so "${scenario.name}" of callers of ${wire.id} is refused with a 400 before it is sent; they got ${said(got, wire)} Say so in the \`inputs\` of the model, or refuse it in \`writeRequest\` of the codec.`,
    )
  }
  return distinct(findings)
}

/**
 * A model without tools: a request with tools is refused, or goes up without them and `headgate-lost` names them. A
 * vendor refuses requests of its own format itself, because they go up as they are.
 */
async function toolsProblems({ bench, model, vendor }: ChatSubject, scenario: Scenario, wire: Wire): Promise<string[]> {
  const findings: string[] = []
  for (const stream of [false, true]) {
    bench.upstream.answer((request) => {
      const { asked, refusals } = vendor.read(request)
      const isRefused = refusals.length > 0 || usesTools(asked)
      const error = {
        kind: 'whole' as const,
        status: 400,
        body: vendor.failures.body(400, 'This model does not support tools.'),
      }
      return isRefused
        ? error
        : stream && vendor.cuts.length > 0
          ? vendor.stream(vendor.frames(text))
          : vendor.whole(text)
    })
    const got = await bench.ask({
      path: wire.path(model, stream),
      body: wire.body(scenario.requests[wire.id], model, stream),
    })
    const [request] = bench.upstream.received
    const isRefused = got.status === 400 && wire.readError(got.body) !== undefined && (!request || wire === vendor.wire)
    if (isRefused || (got.status === 200 && /tool|function/i.test(got.headers['headgate-lost'] ?? ''))) continue
    findings.push(
      `The model calls no tools, and "${scenario.name}" of callers of ${wire.id} got ${said(got, wire)} Set \`tools: false\` for the model in \`known\`, so that such requests are refused; or name \`tools\` in \`drop\`.`,
    )
  }
  return distinct(findings)
}

function said(got: Got, wire: Wire): string {
  return `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
}

/** Who signs what was thought wants it back as it was, and who signs nothing no signature. */
export function signatureCheck(wire: Wire, isRefused: boolean): Check<ChatSubject> {
  return {
    name: isRefused
      ? `sends no signature of a thought to an upstream that refuses it, for callers of ${wire.id}`
      : `gets the upstream's signature of a thought back from callers of ${wire.id}`,
    async run({ bench, model, vendor: { wire: vendor = wire, whole } }) {
      const path = wire.path(model, false)
      bench.upstream.answer(whole(reasoning))
      const given = wire.body(reasoning.requests[wire.id], model, false)
      const first = await bench.ask({ path, body: given })
      bench.upstream.answer(whole(reasoning))
      const second = await bench.ask({ path, body: wire.followUp(given, first.body, ['9 °C, rain']) })
      const [request] = bench.upstream.received
      if (!request) return [`A conversation with signed thoughts did not get to the upstream: ${said(second, wire)}`]
      const due = vendor.followUp(reasoning.requests[vendor.id], reasoning.answers[vendor.id].body, ['9 °C, rain'])
      const thought = vendor.readRequest(due).said
      const differences = requestDifferences(
        { said: isRefused ? unsigned(thought) : thought, ...tools(vendor) },
        vendor.readRequest(object(request.body)),
        '',
      )
      return differences.map(
        (difference) =>
          `Of what was thought and signed, ${difference}. Look at \`signer\` and \`patchRequest\` of the chat support.`,
      )
    },
  }
}

function unsigned(said: RequestMeaning['said']): RequestMeaning['said'] {
  return said.map((one) => ('reasoning' in one ? { role: one.role, reasoning: one.reasoning } : one))
}

function tools(vendor: Wire) {
  const { tools = [] } = vendor.readRequest(reasoning.requests[vendor.id])
  return { tools }
}
