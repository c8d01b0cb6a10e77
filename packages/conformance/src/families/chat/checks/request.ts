import { envelopeProblems, lineProblems } from '../../../checks/envelope.ts'
import { object } from '../../../json.ts'
import type { Received } from '../../../upstream.ts'
import { unacceptedFields } from '../accepted.ts'
import { requestDifferences } from '../compare.ts'
import type { RequestMeaning } from '../meaning.ts'
import type { ChatSubject } from '../subject.ts'

/** What is wrong with a chat request that arrived. */
export function chatRequestProblems(
  request: Received,
  { upstream, vendor, model }: ChatSubject,
  { stream, asked, lost }: { stream: boolean; asked: RequestMeaning; lost: string },
): string[] {
  const body = object(request.body)
  const { asked: arrived, refusals } = vendor.read(request)
  const differences = refusals.length > 0 ? [] : requestDifferences(asked, arrived, lost, vendor.wire?.id)
  const paths = typeof upstream.path === 'string' ? upstream.path : stream ? upstream.path.stream : upstream.path.whole
  return [
    ...lineProblems(request, [paths], model, '`path` of the chat support'),
    ...envelopeProblems(request, upstream),
    ...refusals.map((reason) => `The vendor would answer with a 400: ${reason}.`),
    ...(upstream.refuses ?? [])
      .filter((field) => field in body)
      .map(
        (field) => `The field \`${field}\` went up, and the upstream refuses it: name it in \`drop\` or \`rename\`.`,
      ),
    ...(upstream.accepts ? unacceptedFields(body, upstream.accepts.fields) : []).map(
      (path) =>
        `The field \`${path}\` went up, which the vendor does not accept (${upstream.accepts?.source}): name it in \`drop\`, or use \`accepts\`.`,
    ),
    ...differences.map(
      (difference) =>
        `Of the request, ${difference}. What the upstream refuses belongs into \`drop\`; \`patchRequest\` must keep the rest.`,
    ),
  ]
}
