import { envelopeProblems, lineProblems } from '../../../checks/envelope.ts'
import { object } from '../../../json.ts'
import type { Received } from '../../../upstream.ts'
import { unacceptedFields } from '../accepted.ts'
import { requestDifferences } from '../compare.ts'
import type { RequestMeaning } from '../meaning.ts'
import type { ChatTarget } from '../target.ts'

/** Problems of a received chat request. */
export function chatRequestProblems(
  request: Received,
  { upstream, vendor, model }: ChatTarget,
  { stream, asked, lost }: { stream: boolean; asked: RequestMeaning; lost: string },
): string[] {
  const body = object(request.body)
  const { asked: arrived, refusals } = vendor.read(request)
  const differences = refusals.length > 0 ? [] : requestDifferences(asked, arrived, lost, vendor.wire?.id)
  const paths = typeof upstream.path === 'string' ? upstream.path : stream ? upstream.path.stream : upstream.path.whole
  return [
    ...lineProblems(request, [paths], model, '`path` of the chat support'),
    ...envelopeProblems(request, upstream),
    ...refusals.map((reason) => `The vendor would reject this with a 400: ${reason}.`),
    ...(upstream.refuses ?? [])
      .filter((field) => field in body)
      .map(
        (field) => `The field \`${field}\` was sent, but the upstream rejects it: add it to \`drop\` or \`rename\`.`,
      ),
    ...(upstream.accepts ? unacceptedFields(body, upstream.accepts.fields) : []).map(
      (path) =>
        `The field \`${path}\` was sent, but the vendor does not accept it (${upstream.accepts?.source}): add it to \`drop\`, or use \`accepts\`.`,
    ),
    ...differences.map(
      (difference) =>
        `In the request, ${difference}. Add fields that the upstream rejects to \`drop\`; \`patchRequest\` must keep the rest.`,
    ),
  ]
}
