import { isRecord, listOf } from '../../../api/playground.ts'
import type { EndpointRequest } from '../endpoint/request.ts'

/** Maximum number of contents of a request. */
export const MAX_CONTENTS = 32

/** Values of the form. */
export interface ModerationsDraft {
  /** Content. With `isPerLine`, each line is one. */
  readonly text: string
  readonly isPerLine: boolean
  /** Image of the content, as a data URL; empty = none. */
  readonly image: string
}

export const NO_CONTENT: ModerationsDraft = { text: '', isPerLine: false, image: '' }

/** Contents of a draft. An image belongs to the only content. */
export function contentsOf({ text, isPerLine, image }: ModerationsDraft): readonly string[] {
  if (image !== '' || !isPerLine) return [text]
  return text.split('\n').filter((line) => line.trim() !== '')
}

export function moderationsRequest(model: string, draft: ModerationsDraft): EndpointRequest {
  const { text, image } = draft
  const parts = [
    ...(text.trim() === '' ? [] : [{ type: 'text', text }]),
    { type: 'image_url', image_url: { url: image } },
  ]
  return { path: 'moderations', fields: { model, input: image === '' ? contentsOf(draft) : parts } }
}

/** Number of results that a request requires. */
export function dueResults({ fields }: EndpointRequest): number {
  const input = listOf(fields['input'])
  return typeof input[0] === 'string' ? input.length : 1
}

export interface CategoryVerdict {
  readonly category: string
  /** Null = the model does not classify this category. */
  readonly isFlagged: boolean | null
  /** Score from 0 to 1; null = unknown. */
  readonly score: number | null
}

export interface ContentVerdict {
  readonly isFlagged: boolean
  /** Categories, highest scores first. */
  readonly categories: readonly CategoryVerdict[]
}

/**
 * Verdicts of a response. Undefined unless each content has a complete one, because a missing verdict must not look
 * like "not flagged".
 */
export function verdictsOf(answer: unknown, due: number): readonly ContentVerdict[] | undefined {
  const results = listOf(isRecord(answer) ? answer['results'] : undefined)
  const verdicts = results.flatMap((result) => verdictOf(result) ?? [])
  return due > 0 && verdicts.length === due && results.length === due ? verdicts : undefined
}

function verdictOf(result: unknown): ContentVerdict | undefined {
  if (!isRecord(result) || typeof result['flagged'] !== 'boolean' || !isRecord(result['categories'])) return undefined
  const scores = isRecord(result['category_scores']) ? result['category_scores'] : {}
  const flags = Object.entries(result['categories'])
  const isValid = flags.every(([, flag]) => flag === null || typeof flag === 'boolean')
  if (!isValid || flags.every(([, flag]) => flag === null)) return undefined
  const categories = flags.map(([category, flag]): CategoryVerdict => {
    const score = scores[category]
    const isKnown = typeof score === 'number' && Number.isFinite(score)
    return { category, isFlagged: typeof flag === 'boolean' ? flag : null, score: isKnown ? score : null }
  })
  return { isFlagged: result['flagged'], categories: categories.toSorted((a, b) => (b.score ?? -1) - (a.score ?? -1)) }
}
