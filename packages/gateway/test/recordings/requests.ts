import { expect, it } from 'vitest'
import { isObject, type Json } from '../../../core/src/canonical/json.ts'
import type { Loss } from '../../../core/src/canonical/loss.ts'
import { indexed } from '../../../core/test/recordings/carried.ts'
import { isException } from '../../../core/test/recordings/exceptions.ts'
import { withLocalFiles } from '../../../core/test/recordings/files.ts'
import { pick } from '../../../core/test/recordings/hash.ts'
import { FORMATS, type FormatId, type Recording } from '../../../core/test/recordings/recordings.ts'
import { REFUSALS } from '../../../core/test/recordings/refusals.ts'
import { REQUEST_RULES, TOGETHER } from '../../../core/test/recordings/request-rules.ts'
import { inventedLosses, silentLosses } from '../../../core/test/recordings/silent.ts'
import { REQUESTS, readSpecification, type Specification } from '../../../core/test/specifications/validator.ts'
import { smallAnswer } from './ask.ts'

import { forEach, type Stage } from './stage.ts'

/** An older model and a newer one, which differ in what they take. */
const MODELS = {
  'chat-completions': ['gpt-4o', 'gpt-5.4'],
  messages: ['claude-sonnet-4-5', 'claude-opus-4-8'],
  'generate-content': ['gemini-2.5-flash', 'gemini-3.5-flash'],
  responses: ['gpt-4o', 'gpt-5.4'],
} as const

/** Paths of what is declared as lost, and of what goes with it. */
function declaredPaths(format: FormatId, losses: readonly Loss[]): string[] {
  const paths = losses.map((loss) => loss.path)
  return [...paths, ...TOGETHER[format].filter(([first]) => paths.includes(first)).map(([, second]) => second)]
}

export function requestsAreWhole(recordings: readonly Recording[], stage: Stage): void {
  async function differs(
    { id, format, request: recorded, stream }: Recording,
    to: FormatId,
    breaks: Specification,
  ): Promise<string[]> {
    if (!recorded) return []
    const request = withLocalFiles(recorded, stage.origin)
    const model = pick(MODELS[to], id)
    const body = format === 'generate-content' ? request : { ...request, model }
    const isStream = format === 'generate-content' ? stream : request['stream'] === true
    const served = smallAnswer(to, isStream)
    const outcome = await stage.run({ from: format, to, model, stream: isStream, body: JSON.stringify(body), served })
    if (outcome.status !== 200) return refused(outcome.status, outcome.body)
    const sent = JSON.parse(outcome.sent ?? '') as Json
    const losses = outcome.row?.losses.filter((loss) => !loss.path.startsWith('response.')) ?? []
    return [
      ...breaks(sent).map((broken) => `breaks the specification: ${broken}`),
      ...silentLosses(request, indexed(to, sent), REQUEST_RULES[format], declaredPaths(format, losses)),
      ...inventedLosses(request, losses),
      ...(losses.length > 0 === outcome.headers.has('headgate-lost')
        ? []
        : ['the header tells another story than the row']),
    ]
  }

  function refused(status: number, body: string): string[] {
    const error = (JSON.parse(body) as Json)['error']
    const message = isObject(error) ? String(error['message']) : ''
    if (status === 400 && REFUSALS.some((reason) => reason.test(message))) return []
    return [`is refused with ${status}, for no reason that is known`]
  }

  const translations = FORMATS.flatMap((format) => FORMATS.filter((to) => to !== format).map((to) => ({ format, to })))

  it.each(translations)('of $format is whole and valid in $to, or says what it lost', async ({ format, to }) => {
    const problems: string[] = []
    const breaks = readSpecification(REQUESTS[to])
    await forEach(
      recordings.filter((recording) => recording.format === format),
      async (recording) => {
        const found = await differs(recording, to, breaks)
        if (isException('requests', recording.id, to) !== found.length > 0)
          problems.push(`${recording.id} ${found.join('; ') || 'is no exception any more'}`)
      },
    )
    expect(problems).toEqual([])
  })
}
