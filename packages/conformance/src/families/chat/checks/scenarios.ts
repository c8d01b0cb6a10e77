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

/** Exchange of a scenario: the request, and the form of its response. */
interface Round {
  readonly scenario: Scenario
  readonly wire: Wire
  readonly stream: boolean
  readonly reply: Reply
  /** Chunking of the stream, for messages. */
  readonly how: string
}

/** Scenario for callers of one format: whole, and streamed with every chunking. */
export function scenarioCheck(scenario: Scenario, wire: Wire): Check<ChatSubject> {
  return {
    name: `serves "${scenario.name}" to callers of ${wire.id}, whole and streamed with every chunking`,
    async run(subject) {
      const { vendor } = subject
      const lacking = vendor.lacking(scenario)
      if (lacking.length === 1 && lacking[0] === 'tools') return toolsProblems(subject, scenario, wire)
      if (lacking.length > 0) return refusedProblems(subject, scenario, wire, lacking)
      const frames = subject.upstream.job ? [] : vendor.frames(scenario)
      const rounds: Round[] = [
        { scenario, wire, stream: false, reply: vendor.whole(scenario), how: 'whole' },
        ...(subject.upstream.job
          ? [{ scenario, wire, stream: true, reply: vendor.whole(scenario), how: 'streamed from the whole response' }]
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
        // A wrong request is wrong with every chunking: further findings would repeat the first.
        if (findings.length > 0) break
      }
      return distinct(findings)
    },
  }
}

/** The part of a scenario's request that the caller's format can express. */
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
  if (!request) return [`"${scenario.name}" of callers of ${wire.id} did not reach the upstream: ${said(got, wire)}`]
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
          `"${scenario.name}", ${how}, was recorded with ${JSON.stringify(rows[0]?.usage)}, but the upstream counted ${JSON.stringify(usage)}.`,
        ]),
  ]
}

function servedProblems(
  got: Got,
  { bench, upstream, vendor }: ChatSubject,
  { scenario, wire, stream, how }: Round,
): string[] {
  const where = `Callers of ${wire.id} get a wrong response to "${scenario.name}", ${how}`
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
  return problems.map((problem) => `${where}: ${problem}. Check ${mend}.`)
}

/** Input that the model does not accept must be rejected: a response without it would answer another question. */
async function refusedProblems(
  { bench, model }: ChatSubject,
  scenario: Scenario,
  wire: Wire,
  lacking: readonly string[],
): Promise<string[]> {
  const findings: string[] = []
  for (const stream of [false, true]) {
    bench.upstream.answer({ kind: 'whole', status: 500, body: 'This request must not be sent.' })
    const got = await bench.ask({
      path: wire.path(model, stream),
      body: wire.body(scenario.requests[wire.id], model, stream),
    })
    if (got.status === 400 && wire.readError(got.body) && bench.upstream.received.length === 0) continue
    findings.push(
      `The model does not accept ${lacking.join(' and no ')}, so "${scenario.name}" of callers of ${wire.id} must be rejected with a 400 before it is sent; callers got ${said(got, wire)} Declare it in the \`inputs\` of the model, or reject it in \`writeRequest\` of the codec.`,
    )
  }
  return distinct(findings)
}

/**
 * Tools sent to a model without tools: the request is rejected, or sent without them and `headgate-lost` names them.
 * Requests in the vendor's format are forwarded unchanged, so the vendor rejects them.
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
      `The model calls no tools, and "${scenario.name}" of callers of ${wire.id} got ${said(got, wire)} Set \`tools: false\` for the model in \`known\` to reject these requests, or add \`tools\` to \`drop\`.`,
    )
  }
  return distinct(findings)
}

function said(got: Got, wire: Wire): string {
  return `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
}

/** A provider that signs reasoning must get it back unchanged; a provider that does not must get no signature. */
export function signatureCheck(wire: Wire, isRefused: boolean): Check<ChatSubject> {
  return {
    name: isRefused
      ? `sends no reasoning signature to an upstream that rejects it, for callers of ${wire.id}`
      : `returns the upstream's reasoning signatures from callers of ${wire.id}`,
    async run({ bench, model, vendor: { wire: vendor = wire, whole } }) {
      const path = wire.path(model, false)
      bench.upstream.answer(whole(reasoning))
      const given = wire.body(reasoning.requests[wire.id], model, false)
      const first = await bench.ask({ path, body: given })
      bench.upstream.answer(whole(reasoning))
      const second = await bench.ask({ path, body: wire.followUp(given, first.body, ['9 °C, rain']) })
      const [request] = bench.upstream.received
      if (!request) return [`A conversation with signed reasoning did not reach the upstream: ${said(second, wire)}`]
      const due = vendor.followUp(reasoning.requests[vendor.id], reasoning.answers[vendor.id].body, ['9 °C, rain'])
      const thought = vendor.readRequest(due).said
      const differences = requestDifferences(
        { said: isRefused ? unsigned(thought) : thought, ...tools(vendor) },
        vendor.readRequest(object(request.body)),
        '',
      )
      return differences.map(
        (difference) =>
          `In the signed reasoning, ${difference}. Check \`signer\` and \`patchRequest\` of the chat support.`,
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
