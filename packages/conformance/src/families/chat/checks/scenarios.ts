import type { Got } from '../../../caller.ts'
import { type Check, distinct, type RemoteSubject } from '../../../checks/check.ts'
import { object } from '../../../json.ts'
import { CUTS } from '../../../pieces.ts'
import type { Reply } from '../../../upstream.ts'
import { answerDifferences, requestDifferences } from '../compare.ts'
import type { ReadAnswer } from '../meaning.ts'
import { reasoning } from '../scenarios/reasoning.ts'
import type { Scenario } from '../scenarios/scenario.ts'
import { type Wire, wires } from '../wire/index.ts'
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
export function scenarioCheck(scenario: Scenario, wire: Wire): Check<RemoteSubject> {
  return {
    name: `serves "${scenario.name}" to callers of ${wire.id}, whole and streamed in every cut`,
    async run(subject) {
      const answer = scenario.answers[subject.upstream.format]
      const rounds: Round[] = [
        { scenario, wire, stream: false, reply: { kind: 'whole', body: answer.body }, how: 'whole' },
        ...CUTS.map(
          (cut): Round => ({
            scenario,
            wire,
            stream: true,
            reply: { kind: 'stream', pieces: cut.pieces(answer.stream) },
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

async function play(subject: RemoteSubject, { scenario, wire, stream, reply, how }: Round): Promise<string[]> {
  const { bench, facts, upstream } = subject
  bench.upstream.answer(reply)
  const before = bench.rows.length
  const body = wire.body(scenario.requests[wire.id], facts.model, stream)
  const got = await bench.ask({ path: wire.path(facts.model, stream), body })
  const [request] = bench.upstream.received
  if (!request) return [`"${scenario.name}" of callers of ${wire.id} never got to the upstream: ${said(got, wire)}`]
  const lost = got.headers['headgate-lost'] ?? ''
  const requestProblems = chatRequestProblems(request, { upstream, model: facts.model, stream, asked: scenario.asked, lost })
  const answerProblems = servedProblems(got, subject, { scenario, wire, stream, reply, how })
  const rows = bench.rows.slice(before)
  const usage = scenario.meaning.usage
  const isCounted =
    (stream && upstream.usageInStream === false) || (rows[0]?.usage?.input === usage?.input && rows[0]?.usage?.output === usage?.output)
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

function servedProblems(got: Got, { bench, upstream }: RemoteSubject, { scenario, wire, stream, how }: Round): string[] {
  const where = `Callers of ${wire.id} get "${scenario.name}", ${how}, wrongly`
  if (got.status !== 200) return [`${where}: ${said(got, wire)}`]
  const read: ReadAnswer = stream ? wire.readStream(got.text) : wire.readAnswer(got.body)
  const mend = stream ? '`patchFrame`, `framing` and `facts`' : '`patchResponse` and `readError`'
  const usageIsKnown = !(stream && upstream.usageInStream === false)
  const problems = [
    ...(got.broken ? ['the connection breaks before its end'] : []),
    ...(read.error === undefined ? [] : [`the stream ends with the error "${read.error}"`]),
    ...read.problems,
    ...answerDifferences(scenario.meaning, read.meaning, usageIsKnown),
    ...(got.headers['headgate-vendor'] === bench.provider.name ? [] : ['headgate-vendor does not name the provider']),
  ]
  return problems.map((problem) => `${where}: ${problem}. Look at ${mend}.`)
}

function said(got: Got, wire: Wire): string {
  return `status ${got.status}, ${wire.readError(got.body) ?? got.text.slice(0, 200)}`
}

/** Who signs what was thought wants it back as it was. */
export function signatureCheck(wire: Wire): Check<RemoteSubject> {
  return {
    name: `gets the upstream's signature of a thought back from callers of ${wire.id}`,
    async run({ bench, facts, upstream }) {
      const vendor = wires[upstream.format]
      const path = wire.path(facts.model, false)
      bench.upstream.answer({ kind: 'whole', body: reasoning.answers[upstream.format].body })
      const given = wire.body(reasoning.requests[wire.id], facts.model, false)
      const first = await bench.ask({ path, body: given })
      bench.upstream.answer({ kind: 'whole', body: reasoning.answers[upstream.format].body })
      const second = await bench.ask({ path, body: wire.followUp(given, first.body, ['9 °C, rain']) })
      const [request] = bench.upstream.received
      if (!request) return [`A conversation with signed thoughts did not get to the upstream: ${said(second, wire)}`]
      const due = vendor.followUp(reasoning.requests[upstream.format], reasoning.answers[upstream.format].body, ['9 °C, rain'])
      const differences = requestDifferences(
        { said: vendor.readRequest(due).said, ...tools(vendor) },
        vendor.readRequest(object(request.body)),
        '',
      )
      return differences.map(
        (difference) => `Of what was thought and signed, ${difference}. Look at \`signer\` and \`patchRequest\` of the chat support.`,
      )
    },
  }
}

function tools(vendor: Wire) {
  const { tools = [] } = vendor.readRequest(reasoning.requests[vendor.id])
  return { tools }
}
