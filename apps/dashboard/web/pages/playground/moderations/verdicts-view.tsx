import { Chip } from '../../../components/chip.tsx'
import { Note } from '../../../components/states.tsx'
import { LOCALES } from '../../../formats/locale.ts'
import { LABELS } from '../../../labels.ts'
import type { EndpointResponse } from '../endpoint/response.ts'
import { type CategoryVerdict, type ContentVerdict, dueResults, verdictsOf } from './verdicts.ts'

const SCORE = new Intl.NumberFormat([...LOCALES], { minimumFractionDigits: 4, maximumFractionDigits: 4 })

/** Verdict of each content of a response. */
export function VerdictsView({ response }: { readonly response: EndpointResponse }) {
  const { request, answer } = response
  const verdicts = verdictsOf(answer, dueResults(request))
  if (!verdicts)
    return (
      <Note look="bad">
        The response has no complete verdict for each content. Treat the contents as not checked. See the Raw tab.
      </Note>
    )
  const input = request.fields['input']
  const contents = Array.isArray(input) && typeof input[0] === 'string' ? input.map(String) : []
  return (
    <div className="flex flex-col gap-4">
      {verdicts.map((verdict, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: contents can be equal.
        <VerdictView key={index} verdict={verdict} content={contents[index] ?? ''} number={index + 1} />
      ))}
    </div>
  )
}

interface VerdictViewProps {
  readonly verdict: ContentVerdict
  readonly content: string
  /** Position in the request, from 1. */
  readonly number: number
}

function VerdictView({ verdict: { isFlagged, categories }, content, number }: VerdictViewProps) {
  return (
    <article aria-label={`Content ${number}`} className="flex flex-col gap-2">
      <p className="flex min-w-0 items-center gap-2">
        <Chip tone={isFlagged ? 'bad' : 'good'}>{isFlagged ? 'flagged' : 'not flagged'}</Chip>
        <span className="truncate">{content}</span>
      </p>
      <table className="w-full text-small" aria-label={`Categories of content ${number}`}>
        <thead>
          <tr className="text-left text-muted">
            <th scope="col" className="py-1 pr-3 font-medium">
              Category
            </th>
            <th scope="col" className="py-1 pr-3 font-medium">
              Verdict
            </th>
            <th scope="col" className="py-1 text-right font-medium">
              Score
            </th>
          </tr>
        </thead>
        <tbody>
          {categories.map((category) => (
            <CategoryRow key={category.category} category={category} />
          ))}
        </tbody>
      </table>
    </article>
  )
}

function CategoryRow({ category: { category, isFlagged, score } }: { readonly category: CategoryVerdict }) {
  return (
    <tr className="border-t border-line">
      <th scope="row" className="py-1 pr-3 text-left font-normal wrap-anywhere">
        {category}
      </th>
      <td className="py-1 pr-3">
        {isFlagged === null ? (
          <span className="text-muted">not classified</span>
        ) : (
          <Chip tone={isFlagged ? 'bad' : 'plain'}>{isFlagged ? 'flagged' : 'not flagged'}</Chip>
        )}
      </td>
      <td className="number py-1">{score === null ? LABELS.unknown : SCORE.format(score)}</td>
    </tr>
  )
}
