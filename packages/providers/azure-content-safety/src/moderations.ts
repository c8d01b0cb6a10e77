import {
  HeadgateError,
  type HttpRequest,
  type HttpResponse,
  isObject,
  type ModerationPart,
  type ModerationsSupport,
  next,
  objects,
  text,
} from '@headgate/core/provider'

const VERSION = '2024-09-01'
/** Maximum code points of one string. */
const MAX_TEXT = 10_000
/** Code points that are billed as one record. */
const RECORD = 1_000
/** Highest severity. */
const HIGHEST = 7
const DATA_URL = /^data:[^,]*;base64,/

/** Categories of OpenAI's moderations by the vendor's. */
const CATEGORIES = { Hate: 'hate', SelfHarm: 'self-harm', Sexual: 'sexual', Violence: 'violence' } as const
type Category = keyof typeof CATEGORIES
const NAMES = Object.keys(CATEGORIES) as Category[]

/**
 * Moderations by severity: a category applies from the threshold on, and its score is the severity divided by 7. Each
 * string and each image is a call; the highest severity counts.
 * @see https://learn.microsoft.com/rest/api/contentsafety/text-operations/analyze-text
 * @see https://learn.microsoft.com/rest/api/contentsafety/image-operations/analyze-image
 */
export function moderationsAbove(threshold: number): ModerationsSupport {
  return {
    images: true,
    batch: 1,
    request({ inputs: [parts = []] }, call) {
      call.lose('response.results.category_scores', 'scores are severities divided by 7', 'changed')
      for (const part of parts) check(part)
      return requestOf(parts[0])
    },
    response(response, { inputs: [parts = []] }, earlier) {
      const responses = [...earlier, response]
      if (responses.length < parts.length) return next(requestOf(parts[responses.length]))
      const all = responses.map(severitiesOf)
      const severities = NAMES.map((name) => [CATEGORIES[name], Math.max(...all.map((one) => one[name]))] as const)
      return {
        results: [
          {
            categories: Object.fromEntries(severities.map(([name, severity]) => [name, severity >= threshold])),
            scores: Object.fromEntries(severities.map(([name, severity]) => [name, severity / HIGHEST])),
          },
        ],
        usage: { input: 0, output: 0, units: { moderations: parts.reduce((sum, part) => sum + recordsOf(part), 0) } },
      }
    },
  }
}

/** Billed records of a part. */
function recordsOf(part: ModerationPart): number {
  return part.type === 'image' ? 1 : Math.max(1, Math.ceil([...part.text].length / RECORD))
}

function check(part: ModerationPart): void {
  if (part.type === 'text' && part.text.length > MAX_TEXT && [...part.text].length > MAX_TEXT)
    throw new HeadgateError('invalid-request', `Text can have ${MAX_TEXT} characters. Send less.`, {
      param: 'input',
    })
  if (part.type === 'image' && !DATA_URL.test(part.url))
    throw new HeadgateError('invalid-request', 'Images must be data URLs with base64.', { param: 'input' })
}

function requestOf(part: ModerationPart | undefined): HttpRequest {
  const json =
    part?.type === 'image'
      ? { image: { content: part.url.replace(DATA_URL, '') }, outputType: 'FourSeverityLevels' }
      : { text: part?.text ?? '', outputType: 'EightSeverityLevels' }
  const kind = part?.type ?? 'text'
  return {
    method: 'POST',
    url: `/contentsafety/${kind}:analyze?api-version=${VERSION}`,
    body: { json: { ...json, categories: NAMES } },
  }
}

/** @throws HeadgateError unless all categories have a severity */
function severitiesOf({ body }: HttpResponse): Readonly<Record<Category, number>> {
  const given = objects(isObject(body) ? body['categoriesAnalysis'] : undefined)
  const entries = NAMES.map((name) => {
    const severity = given.find(({ category }) => text(category) === name)?.['severity']
    if (typeof severity !== 'number' || !(severity >= 0 && severity <= HIGHEST))
      throw new HeadgateError('upstream', `The response has no severity of the category ${name}.`)
    return [name, severity] as const
  })
  return Object.fromEntries(entries) as Record<Category, number>
}
