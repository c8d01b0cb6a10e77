import type { CallerResponse } from '../../../caller.ts'
import { type Check, distinct } from '../../../checks/check.ts'
import type { Chunking } from '../../../chunkings.ts'
import { object } from '../../../json.ts'
import type { UpstreamReply } from '../../../upstream.ts'
import { answerDifferences, requestDifferences } from '../compare.ts'
import type { ReadAnswer, RequestMeaning } from '../meaning.ts'
import { reasoning } from '../scenarios/reasoning.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { text } from '../scenarios/text.ts'
import type { ChatTarget } from '../target.ts'
import { usesTools } from '../vendor.ts'
import type { Wire } from '../wire/index.ts'
import { chatRequestProblems } from './request.ts'

/** Exchange of a scenario: the request, and the form of its response. */
interface Round {
  readonly scenario: Scenario
  readonly wire: Wire
  readonly stream: boolean
  readonly reply: UpstreamReply
  /** Chunking of the stream, for messages. */
  readonly how: string
}

/** Scenario for callers of one format: whole, and streamed with every chunking. */
export function scenarioCheck(scenario: Scenario, wire: Wire): Check<ChatTarget> {
  return {
    name: `serves "${scenario.name}" to callers of ${wire.id}, whole and streamed with every chunking`,
    async run(target) {
      const { vendor } = target
      const lacking = vendor.lacking(scenario)
      if (lacking.length === 1 && lacking[0] === 'tools') return toolsProblems(target, scenario, wire)
      if (lacking.length > 0) return refusedProblems(target, scenario, wire, lacking)
      const frames = target.upstream.job ? [] : vendor.frames(scenario)
      const rounds: Round[] = [
        { scenario, wire, stream: false, reply: vendor.whole(scenario), how: 'whole' },
        ...(target.upstream.job
          ? [{ scenario, wire, stream: true, reply: vendor.whole(scenario), how: 'streamed from the whole response' }]
          : []),
        ...vendor.chunkings.map(
          (cut: Chunking): Round => ({
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
        findings.push(...(await play(target, round)))
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

async function play(target: ChatTarget, { scenario, wire, stream, reply, how }: Round): Promise<string[]> {
  const { harness, model, upstream, vendor } = target
  harness.upstream.answer(reply)
  const before = harness.rows.length
  const body = wire.body(scenario.requests[wire.id], model, stream)
  const got = await harness.ask({ path: wire.path(model, stream), body })
  const [request] = harness.upstream.received
  if (!request) return [`"${scenario.name}" of callers of ${wire.id} did not reach the upstream: ${said(got, wire)}`]
  const lost = got.headers['headgate-lost'] ?? ''
  const requestProblems = chatRequestProblems(request, target, { stream, asked: askedBy(wire, scenario), lost })
  const answerProblems = servedProblems(got, target, { scenario, wire, stream, reply, how })
  const rows = harness.rows.slice(before)
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
  got: CallerResponse,
  { harness, upstream, vendor }: ChatTarget,
  { scenario, wire, stream, how }: Round,
): string[] {
  const where = `Callers of ${wire.id} get a wrong response to "${scenario.name}", ${how}`
  if (got.status !== 200) return [`${where}: ${said(got, wire)}`]
  const read: ReadAnswer = stream ? wire.readStream(got.text) : wire.readAnswer(got.body)
  const advice = stream
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
    ...(got.headers['headgate-vendor'] === harness.provider.name ? [] : ['headgate-vendor does not name the provider']),
  ]
  return problems.map((problem) => `${where}: ${problem}. Check ${advice}.`)
}

/** Input that the model does not accept must be rejected: a response without it would answer another question. */
async function refusedProblems(
  { harness, model }: ChatTarget,
  scenario: Scenario,
  wire: Wire,
  lacking: readonly string[],
): Promise<string[]> {
  const findings: string[] = []
  for (const stream of [false, true]) {
    harness.upstream.answer({ kind: 'whole', status: 500, body: 'This request must not be sent.' })
    const got = await harness.ask({
      path: wire.path(model, stream),
      body: wire.body(scenario.requests[wire.id], model, stream),
    })
    if (got.status === 400 && wire.readError(got.body) && harness.upstream.received.length === 0) continue
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
async function toolsProblems(
  { harness, model, vendor }: ChatTarget,
  scenario: Scenario,
  wire: Wire,
): Promise<string[]> {
  const findings: string[] = []
  for (const stream of [false, true]) {
    harness.upstream.answer((request) => {
      const { asked, refusals } = vendor.read(request)
      const isRefused = refusals.length > 0 || usesTools(asked)
      const error = {
        kind: 'whole' as const,
        status: 400,
        body: vendor.failures.body(400, 'This model does not support tools.'),
      }
      return isRefused
        ? error
        : stream && vendor.chunkings.length > 0
          ? vendor.stream(vendor.frames(text))
          : vendor.whole(text)
    })
    const got = await harness.ask({
      path: wire.path(model, stream),
      body: wire.body(scenario.requests[wire.id], model, stream),
    })
    const [request] = harness.upstream.received
    const isRefused = got.status === 400 && wire.readError(got.body) !== undefined && (!request || wire === vendor.wire)
    if (isRefused || (got.status === 200 && /tool|function/i.test(got.headers['headgate-lost'] ?? ''))) continue
    findings.push(
      `The model calls no tools, and "${scenario.name}" of callers of ${wire.id} got ${said(got, wire)} Set \`tools: false\` for the model in \`known\` to reject these requests, or add \`tools\` to \`drop\`.`,
    )
  }
  return distinct(findings)
}

function said(got: CallerResponse, wire: Wire): string {
  return `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
}

/** A provider that signs reasoning must get it back unchanged; a provider that does not must get no signature. */
export function signatureCheck(wire: Wire, isRefused: boolean): Check<ChatTarget> {
  return {
    name: isRefused
      ? `sends no reasoning signature to an upstream that rejects it, for callers of ${wire.id}`
      : `returns the upstream's reasoning signatures from callers of ${wire.id}`,
    async run({ harness, model, vendor: { wire: vendor = wire, whole } }) {
      const path = wire.path(model, false)
      harness.upstream.answer(whole(reasoning))
      const given = wire.body(reasoning.requests[wire.id], model, false)
      const first = await harness.ask({ path, body: given })
      harness.upstream.answer(whole(reasoning))
      const second = await harness.ask({ path, body: wire.followUp(given, first.body, ['9 °C, rain']) })
      const [request] = harness.upstream.received
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
